//! What a build will cost, step by step, before it runs: requests, files, bytes, entries of its log, and memory.
//!
//! What is counted follows from the plan: units, parts, groups, chunks. What pages come to, in bytes, is not known before
//! they are read: [`Rates`] has what was measured on the web at large.

use crate::memory::least_memory;
use crate::sorted_runs::{LANDMARK, Layout, PAGE};
use crate::staging::near::{PIECE, ROOM};
use crate::state::publish::GROUP;
use crate::watch::steps;

/// Bytes of an upload that is sent at once; a larger one is sent in pieces of this size, with a request before and one behind.
const UPLOAD: u64 = 8 << 20;

/// Names that a bucket gives at a time.
const LISTED: u64 = 1000;

/// Bytes of an entry of an index: a key and where its frame is.
const INDEX_ENTRY: u64 = 130;

/// What pages come to, for each byte of the input as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Pages of a byte.
    pub pages: f64,
    /// Bytes of pages that wait, as stored.
    pub page_state: f64,
    /// Bytes of what is noted of them, as stored.
    pub note_state: f64,
    /// How many times as large both are before they are compressed.
    pub unpacked: f64,
    /// Bytes of lines that are counted, as stored.
    pub line_state: f64,
    /// Bytes of tables, without blocks and posts.
    pub tables: f64,
}

impl Default for Rates {
    /// Those of WCXB's pages, in files with 30 KB of WARC a page, as those of Common Crawl.
    fn default() -> Rates {
        Rates {
            pages: 1.0 / 30e3,
            page_state: 0.33,
            note_state: 0.037,
            unpacked: 2.6,
            line_state: 0.045,
            tables: 0.089,
        }
    }
}

/// What is built, and by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Files of the input.
    pub shards: u64,
    /// Bytes of the input.
    pub bytes: u64,
    /// Pieces that workers take.
    pub units: u64,
    /// Parts of the input.
    pub parts: u64,
    /// Groups of parts whose runs become one; 0 where the parts are few.
    pub groups: u64,
    /// Pages of a chunk, on the average.
    pub chunk_size: u64,
    /// Tables that have a file of each chunk.
    pub tables: u64,
    /// Processes.
    pub processes: u64,
    /// Workers of each process.
    pub workers: u64,
}

/// What a step of a build costs. Requests are those to a store; on a local disk they are reads and writes of files.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct StepCost {
    /// `pages`, `sort`, `chunks` or `finish`.
    pub step: &'static str,
    /// Requests that read, listings among them.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Requests that remove a file.
    pub deletes: u64,
    /// Files that are written.
    pub files: u64,
    /// Bytes that come from the store.
    pub read_bytes: u64,
    /// Bytes that go there.
    pub written_bytes: u64,
    /// Of these, those of pages that wait.
    pub page_bytes: u64,
    /// Of these, those of what is noted of pages that wait.
    pub note_bytes: u64,
    /// Entries of the log.
    pub entries: u64,
    /// Memory of a process.
    pub memory_bytes: u64,
}

impl StepCost {
    /// All requests.
    pub fn requests(&self) -> u64 {
        self.reads + self.writes + self.deletes
    }
}

/// What each step of a build costs; where there are few parts, nothing is sorted.
pub fn costs(size: &Size, rates: &Rates) -> Vec<StepCost> {
    let model = Model { size, rates };
    let sort = (size.groups > 0).then(|| model.sort());
    let steps = [
        Some(model.pages()),
        sort,
        Some(model.chunks()),
        Some(model.finish()),
    ];
    steps.into_iter().flatten().collect()
}

struct Model<'a> {
    size: &'a Size,
    rates: &'a Rates,
}

impl Model<'_> {
    /// Bytes per byte of the input.
    fn bytes(&self, rate: f64) -> u64 {
        (self.size.bytes as f64 * rate) as u64
    }

    fn state(&self) -> u64 {
        self.bytes(self.rates.page_state) + self.bytes(self.rates.note_state)
    }

    fn page_count(&self) -> u64 {
        self.bytes(self.rates.pages)
    }

    /// Chunks begin at keys whose hash is a multiple of this number: one more than such keys.
    fn chunk_count(&self) -> u64 {
        self.page_count() / self.size.chunk_size.max(1) + 1
    }

    /// Files that chunks are read from.
    fn sorted_files(&self) -> u64 {
        match self.size.groups {
            0 => self.size.parts,
            groups => groups,
        }
    }

    /// Bytes of the lines of a chunk.
    fn chunk_lines(&self) -> u64 {
        self.bytes(self.rates.line_state) / self.chunk_count()
    }

    fn others(&self) -> u64 {
        self.size.processes - 1
    }

    /// Pieces of a number of files of state.
    fn pieces(&self, files: u64) -> u64 {
        files * (self.state() / files.max(1)).div_ceil(PIECE)
    }

    /// The share of the state that is fetched when it is read: what another process wrote, and what found no room near at hand.
    fn fetched(&self, files: u64) -> f64 {
        let own = 1.0 / self.size.processes as f64;
        let pieces = self.pieces(files) as f64 * own;
        let lost = match pieces <= ROOM as f64 {
            true => 0.0,
            // Of files that are larger than the room half of it is kept.
            false => 1.0 - ROOM as f64 / 2.0 / pieces,
        };
        1.0 - own + own * lost
    }

    /// Memory of a process beside the least: indices, and what its workers merge.
    fn with_runs(&self, runs: u64, layout: Layout, share: u64) -> u64 {
        let unpacked = (self.state() as f64 * self.rates.unpacked) as u64;
        let frames = unpacked / layout.frame as u64;
        let index = (frames / share + frames / PAGE as u64) * INDEX_ENTRY;
        let landmarks = self.page_count() / LANDMARK / layout.landmarks * INDEX_ENTRY;
        let merges = self.size.workers * (runs * 2 * layout.frame as u64 + PIECE);
        least_memory(self.size.workers as usize) + index + landmarks + merges
    }

    fn pages(&self) -> StepCost {
        let Size {
            shards,
            bytes,
            units,
            parts,
            workers,
            ..
        } = *self.size;
        let (page_bytes, note_bytes) = (
            self.bytes(self.rates.page_state),
            self.bytes(self.rates.note_state),
        );
        StepCost {
            step: steps::READ,
            reads: units + shards.div_ceil(LISTED),
            writes: parts * (uploads(self.state() / parts.max(1)) + 1),
            files: 2 * parts,
            read_bytes: bytes,
            written_bytes: page_bytes + note_bytes,
            page_bytes,
            note_bytes,
            entries: parts,
            memory_bytes: least_memory(workers as usize),
            ..StepCost::default()
        }
    }

    fn sort(&self) -> StepCost {
        let Size {
            parts,
            groups,
            processes,
            ..
        } = *self.size;
        let (page_bytes, note_bytes) = (
            self.bytes(self.rates.page_state),
            self.bytes(self.rates.note_state),
        );
        // What others have read, and what they have sorted.
        let notices = parts * self.others() / processes + groups * self.others();
        let fetched = self.fetched(parts);
        // A process sorts with as many workers as it has, or as there are groups for it.
        let sorting = self.size.workers.min(groups.div_ceil(processes));
        let memory = sorting * ((parts.div_ceil(groups) + 1) * Layout::KEPT.frame as u64 + PIECE);
        StepCost {
            step: steps::SORT,
            // The length of each file is asked for.
            reads: (fetched * (self.pieces(parts) + parts) as f64) as u64 + notices,
            writes: groups * (uploads(self.state() / groups) + 1),
            deletes: parts,
            files: 2 * groups,
            read_bytes: (fetched * self.state() as f64) as u64,
            written_bytes: self.state(),
            page_bytes,
            note_bytes,
            entries: groups,
            memory_bytes: least_memory(self.size.workers as usize) + memory,
        }
    }

    fn chunks(&self) -> StepCost {
        let Size {
            parts,
            groups,
            processes,
            tables,
            ..
        } = *self.size;
        let (chunks, files) = (self.chunk_count(), self.sorted_files());
        let notices = if groups == 0 { parts * self.others() } else { 0 };
        // A process reads the ends and the index of each run, and of its own range of pages and notes more than all of some
        // pieces.
        let pieces = self.pieces(files) / files.max(1);
        let of_file = (pieces.div_ceil(processes) + 4).min(pieces) + 1;
        let fetched = self.fetched(files);
        let reads = (fetched * (processes * files * of_file) as f64) as u64;
        // The process that commits chunks reads the entries of the others.
        let notices = notices + chunks * self.others() / processes;
        let table_bytes = self.bytes(self.rates.tables);
        let file = table_bytes / chunks / tables.max(1);
        let lines = uploads(self.chunk_lines());
        let layout = if groups == 0 {
            Layout::KEPT
        } else {
            Layout::large(self.size.chunk_size)
        };
        StepCost {
            step: steps::LABEL,
            reads: reads + notices,
            // Beside its tables a chunk has sums, signatures, lines and an entry.
            writes: chunks * (tables * uploads(file) + lines + 3) + chunks.div_ceil(GROUP) * tables,
            files: chunks * (tables + 4),
            read_bytes: (fetched * self.state() as f64) as u64,
            written_bytes: table_bytes + self.bytes(self.rates.line_state),
            entries: chunks,
            memory_bytes: self.with_runs(files, layout, processes),
            ..StepCost::default()
        }
    }

    fn finish(&self) -> StepCost {
        let Size {
            parts,
            groups,
            processes,
            ..
        } = *self.size;
        let chunks = self.chunk_count();
        let summed = if processes > 1 { parts + chunks } else { 0 };
        // The length and the bytes of signatures and lines that others have written.
        let of_chunk = 2 + 1 + self.chunk_lines().div_ceil(PIECE).max(1);
        let kept = of_chunk * chunks * self.others() / processes;
        let staged = parts + 2 * groups + 4 * chunks + if groups == 0 { parts } else { 0 };
        StepCost {
            step: steps::FINISH,
            // Files of documents that lines are looked up in are not counted: how many that are depends on the texts.
            reads: 2 * chunks + summed + kept + staged.div_ceil(LISTED),
            writes: 6,
            deletes: staged,
            files: 6,
            read_bytes: self.bytes(self.rates.line_state) * self.others() / processes,
            memory_bytes: least_memory(1),
            ..StepCost::default()
        }
    }
}

/// Requests that write a file of `bytes` bytes.
fn uploads(bytes: u64) -> u64 {
    match bytes.div_ceil(UPLOAD) {
        0 | 1 => 1,
        parts => parts + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::chunks::DEFAULT_CHUNK;
    use crate::plan::{Plan, PlanSizes, ShardSize};

    fn size(shards: u64, shard_bytes: u64, processes: u64, workers: u64) -> Size {
        let shard = ShardSize {
            bytes: Some(shard_bytes),
            splittable: true,
            remote: true,
            captures: None,
        };
        let plan = Plan::new(&vec![shard; shards as usize], PlanSizes::default());
        Size {
            shards,
            bytes: shards * shard_bytes,
            units: plan.units() as u64,
            parts: plan.parts.len() as u64,
            groups: plan.groups().len() as u64,
            chunk_size: DEFAULT_CHUNK,
            tables: 5,
            processes,
            workers,
        }
    }

    /// A month of Common Crawl, by a hundred machines.
    #[test]
    fn a_month_takes_few_requests_and_little_memory() {
        let month = size(90_000, 1_000_000_000, 100, 32);
        let costs = costs(&month, &Rates::default());
        let requests: u64 = costs.iter().map(StepCost::requests).sum();
        let memory = costs.iter().map(|cost| cost.memory_bytes).max().unwrap();
        assert!(requests <= 100_000_000, "{requests}: {costs:#?}");
        assert!(memory / month.workers <= 4 << 30, "{memory}: {costs:#?}");
    }

    #[test]
    fn a_small_build_has_no_step_of_sorting() {
        let costs = costs(&size(1, 1 << 20, 1, 2), &Rates::default());
        let steps: Vec<&str> = costs.iter().map(|cost| cost.step).collect();
        assert_eq!(steps, ["read", "label", "finish"]);
    }
}
