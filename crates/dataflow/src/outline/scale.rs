//! What a build will cost, step by step, before it runs: requests, files, bytes, time, and memory.
//!
//! What is counted follows from the plan: units, parts, groups, chunks. What pages come to, in bytes, is not known before
//! they are read: [`Rates`] has what was measured on the web at large.

use crate::label::cut::UNIT;
use crate::memory::least_memory;
use crate::outline::Outline;
use crate::sorted_runs::{LANDMARK, Layout, PAGE};
use crate::staging::near::{PIECE, ROOM};
use crate::state::journal::MOST;
use crate::state::publish::GROUP;
use crate::state::unit_state::TAIL;
use crate::watch::steps;
use crate::whole::{DEFAULT_REPEATS, SORTED, frequent_lines, shared_keys};

/// Bytes of an upload that is sent at once; a larger one is sent in pieces of this size, with a request before and one behind.
const UPLOAD: u64 = 8 << 20;

/// Names that a bucket gives or removes at a time.
const LISTED: u64 = 1000;

/// Bytes of the end of a file of documents that are read first.
const FOOTER: u64 = 256 << 10;

/// Bytes of an entry of an index: a key and where its frame is.
const INDEX_ENTRY: u64 = 130;

/// Bytes of the entry of a part in a journal, and of a chunk without its units.
const PART_ENTRY: u64 = 110;
const CHUNK_ENTRY: u64 = 500;

/// Bytes of a unit in the entry of its chunk; in memory each process has all of them, in three places.
const UNIT_ENTRY: u64 = 150;

/// Bytes that go to another worker for a key of a document, a line of a site, a document of a cluster with its links and its row,
/// and a site.
const SENT: [u64; 4] = [16, 32, 700, 150];

/// Bytes of the hash of a key or a line.
const HASH: u64 = 8;

/// Bytes of the name of a file and what is known of it, and of a row of clusters or lines.
const NAME: u64 = 100;

/// Bytes of a file of a table without rows.
const FILE: u64 = 4 << 10;

/// Keys of a document.
const KEYS: u64 = 15;

/// Bytes that a machine moves in a second, and requests that it makes in a second where one waits for the other.
const MOVED: u64 = 1_000_000_000;
const WAITED: u64 = 20;

/// What pages come to, for each byte of the input as it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Pages of a byte.
    pub pages: f64,
    /// Bytes of pages that wait, and of what is noted of them, as stored.
    pub staged: f64,
    /// How many times as large they are before they are compressed.
    pub unpacked: f64,
    /// Bytes of the state of units.
    pub state: f64,
    /// Bytes of it that the last step reads: facts, keys and lines of documents.
    pub facts: f64,
    /// Bytes of tables, without blocks and posts.
    pub tables: f64,
    /// Bytes of documents among these.
    pub documents: f64,
    /// Bytes of sites and texts among these.
    pub texts: f64,
    /// Lines of a page that are counted.
    pub lines: f64,
    /// The share of pages that are in clusters.
    pub copies: f64,
    /// Rows of `repeats` for a page.
    pub repeats: f64,
    /// Sites for a page.
    pub sites: f64,
    /// Milliseconds of a core for a page: to read, sort and label it, and for the last step.
    pub times: [f64; 4],
}

impl Default for Rates {
    /// Those of WCXB's pages, in files with 30 KB of WARC a page, as those of Common Crawl.
    fn default() -> Rates {
        Rates {
            pages: 1.0 / 30e3,
            staged: 0.367,
            unpacked: 2.6,
            state: 0.34,
            facts: 0.03,
            tables: 0.089,
            documents: 0.06,
            texts: 0.045,
            lines: 47.0,
            copies: 0.5,
            repeats: 0.05,
            sites: 0.02,
            times: [3.3, 0.12, 0.44, 0.04],
        }
    }
}

/// What is built, and by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Its inputs, and how they are cut.
    pub outline: Outline,
    /// Pages of a chunk, on the average.
    pub chunk_size: u64,
    /// Tables that have a file of each chunk.
    pub tables: u64,
    /// Whether the corpus keeps its state.
    pub keeps_state: bool,
    /// Whether duplicates are found.
    pub duplicates: bool,
    /// Whether lines are counted.
    pub repeats: bool,
    /// Processes.
    pub processes: u64,
    /// Workers of each process.
    pub workers: u64,
}

/// What a step of a build costs. Requests are those to a store; on a local disk they are reads and writes of files.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct StepCost {
    /// `read`, `sort`, `label` or `finish`.
    pub step: &'static str,
    /// Requests that read, listings among them.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Requests that remove files.
    pub deletes: u64,
    /// Files that are written.
    pub files: u64,
    /// Bytes that come from the store.
    pub read_bytes: u64,
    /// Bytes that go there.
    pub written_bytes: u64,
    /// Bytes that go from process to process.
    pub network_bytes: u64,
    /// Memory of a process.
    pub memory_bytes: u64,
    /// Temporary files of a process, beside pieces of pages that wait.
    pub scratch_bytes: u64,
    /// Seconds of all cores.
    pub core_seconds: u64,
    /// Seconds that it takes.
    pub seconds: u64,
    /// Of these, those in which process 0 works alone.
    pub alone_seconds: u64,
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
    let steps = [
        Some(model.read()),
        (size.outline.groups > 0).then(|| model.sort()),
        Some(model.label()),
        Some(model.finish()),
    ];
    let timed = steps.into_iter().zip(rates.times);
    timed
        .filter_map(|(step, time)| Some(model.timed(step?, time)))
        .collect()
}

struct Model<'a> {
    size: &'a Size,
    rates: &'a Rates,
}

impl Model<'_> {
    /// Bytes per byte of the input.
    fn bytes(&self, rate: f64) -> u64 {
        (self.size.outline.bytes as f64 * rate) as u64
    }

    /// What there is of a page, times all pages.
    fn of_pages(&self, rate: f64) -> u64 {
        self.bytes(self.rates.pages * rate)
    }

    fn staged(&self) -> u64 {
        self.bytes(self.rates.staged)
    }

    /// Chunks and units begin at keys whose hash is a multiple of a number: one more than such keys.
    fn begun(&self, pages: u64) -> u64 {
        self.of_pages(1.0) / pages.max(1) + 1
    }

    fn chunks(&self) -> u64 {
        self.begun(self.size.chunk_size)
    }

    fn units(&self) -> u64 {
        self.begun(self.size.chunk_size.min(UNIT))
    }

    /// Bytes of the file of a unit.
    fn unit_file(&self) -> u64 {
        let Rates { state, facts, .. } = *self.rates;
        self.bytes([facts, state][usize::from(self.size.keeps_state)]) / self.units()
    }

    /// Files that chunks are read from.
    fn sorted_files(&self) -> u64 {
        match self.size.outline.groups {
            0 => self.size.outline.parts,
            groups => groups,
        }
    }

    /// Bytes of the entries of journals: of parts and groups, and of chunks.
    fn entries(&self) -> [u64; 2] {
        let parts = (self.size.outline.parts + self.size.outline.groups) * PART_ENTRY;
        [parts, self.chunks() * CHUNK_ENTRY + self.units() * UNIT_ENTRY]
    }

    /// Bytes that are written for some entries of journals, behind others: the last file of a journal is written with each.
    fn journaled(&self, before: u64, entries: u64, bytes: u64) -> u64 {
        entries * ((before + bytes / 2) / self.size.processes).min(MOST / 2)
    }

    /// Files of journals with some bytes of entries, and the base.
    fn journals(&self, bytes: u64) -> u64 {
        1 + self.size.processes * (bytes / self.size.processes).div_ceil(MOST)
    }

    /// Requests by which all processes read some bytes of journals, where this number of other files is staged, and the bytes.
    fn gathered(&self, bytes: u64, staged: u64) -> [u64; 2] {
        let files = self.journals(bytes);
        [files + (files + staged).div_ceil(LISTED), bytes].map(|own| own * self.size.processes)
    }

    /// The same after a step: one process knows what it has done.
    fn learnt(&self, bytes: u64, staged: u64) -> [u64; 2] {
        let others = self.size.processes.min(2) - 1;
        self.gathered(bytes, staged).map(|all| all * others)
    }

    /// With the time that it takes: cores and the network work at the same time.
    fn timed(&self, mut cost: StepCost, time: f64) -> StepCost {
        let workers = self.size.processes * self.size.workers;
        cost.core_seconds = self.of_pages(time / 1000.0);
        let moved = cost.read_bytes + cost.written_bytes + cost.network_bytes;
        let worked = cost.core_seconds + cost.requests() / WAITED;
        cost.seconds = (moved / MOVED / self.size.processes).max(worked / workers) + cost.alone_seconds;
        cost
    }

    /// Pieces of a number of files of pages that wait.
    fn pieces(&self, files: u64) -> u64 {
        files * (self.staged() / files.max(1)).div_ceil(PIECE)
    }

    /// The share of the pages that wait that is fetched when it is read: what another process wrote, and what found no room near at
    /// hand.
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

    /// Memory of a process, with this of each worker and the entries of all units, this number of times.
    fn memory(&self, of_worker: u64, units: u64) -> u64 {
        let workers = self.size.workers;
        least_memory(workers as usize) + workers * of_worker + units * self.units() * UNIT_ENTRY
    }

    fn read(&self) -> StepCost {
        let (parts, bytes) = (self.size.outline.parts, self.size.outline.parts * PART_ENTRY);
        StepCost {
            step: steps::READ,
            reads: self.size.outline.units + self.size.outline.shards.div_ceil(LISTED),
            writes: parts * (uploads(self.staged() / parts.max(1)) + 1),
            files: parts + self.journals(bytes),
            read_bytes: self.size.outline.bytes,
            written_bytes: self.staged() + self.journaled(0, parts, bytes),
            memory_bytes: self.memory(0, 0),
            ..StepCost::default()
        }
    }

    fn sort(&self) -> StepCost {
        let size = self.size;
        let (parts, groups) = (size.outline.parts, size.outline.groups);
        let fetched = self.fetched(parts);
        // What all have read, and what they have sorted.
        let [read, sorted] = [parts, parts + groups].map(|entries| self.learnt(entries * PART_ENTRY, parts));
        // A process sorts with as many workers as it has, or as there are groups for it.
        let sorting = size.workers.min(groups.div_ceil(size.processes));
        let of_worker = (parts.div_ceil(groups) + 1) * Layout::KEPT.frame as u64 + PIECE;
        StepCost {
            step: steps::SORT,
            reads: (fetched * self.pieces(parts) as f64) as u64 + read[0] + sorted[0],
            writes: groups * (uploads(self.staged() / groups) + 1),
            deletes: parts,
            files: groups,
            read_bytes: (fetched * self.staged() as f64) as u64 + read[1] + sorted[1],
            written_bytes: self.staged() + self.journaled(parts * PART_ENTRY, groups, 0),
            memory_bytes: self.memory(of_worker * sorting / size.workers, 0),
            scratch_bytes: sorting * self.staged() / groups,
            ..StepCost::default()
        }
    }

    fn label(&self) -> StepCost {
        let size = self.size;
        let (processes, tables) = (size.processes, size.tables);
        let (chunks, files, kept) = (self.chunks(), self.sorted_files(), u64::from(size.keeps_state));
        // A process reads the ends and the index of each run, and of its own range of pages and notes more than all of some
        // pieces.
        let pieces = self.pieces(files) / files.max(1);
        let of_file = (pieces.div_ceil(processes) + 4).min(pieces);
        let fetched = self.fetched(files);
        let (layout, learnt) = match size.outline.groups {
            0 => (Layout::KEPT, self.learnt(self.entries()[0], files)),
            _ => (Layout::large(size.chunk_size), [0, 0]),
        };
        let frame = layout.frame as u64;
        let frames = (self.staged() as f64 * self.rates.unpacked) as u64 / frame;
        let landmarks = self.of_pages(1.0) / LANDMARK / layout.landmarks;
        let index = (frames / processes + frames / PAGE as u64 + landmarks) * INDEX_ENTRY;
        let (table_bytes, [before, entries]) = (self.bytes(self.rates.tables), self.entries());
        let file = table_bytes / chunks / tables.max(1);
        let writes_of_chunk = tables * uploads(file) + kept + 1;
        StepCost {
            step: steps::LABEL,
            reads: (fetched * (processes * files * of_file) as f64) as u64 + learnt[0],
            writes: chunks * writes_of_chunk
                + self.units() * uploads(self.unit_file())
                + chunks.div_ceil(GROUP) * tables,
            files: chunks * (tables + kept) + self.units() + self.journals(entries),
            read_bytes: (fetched * self.staged() as f64) as u64 + learnt[1],
            written_bytes: table_bytes
                + self.units() * self.unit_file()
                + self.journaled(before, chunks, entries)
                // Entries are kept in a form that is longer.
                + kept * (chunks * CHUNK_ENTRY / 2 + 2 * self.units() * UNIT_ENTRY),
            // All other processes get the names of files.
            network_bytes: chunks * tables * NAME * (processes - 1),
            // A worker has a frame of each run of pages, two of each run of notes, and the files of a chunk.
            memory_bytes: self.memory(3 * files * frame + PIECE + tables * file.min(UPLOAD), 1) + index,
            ..StepCost::default()
        }
    }

    fn finish(&self) -> StepCost {
        let size = self.size;
        let (processes, tables) = (size.processes, size.tables);
        let (chunks, units) = (self.chunks(), self.units());
        let [duplicates, repeats] = [size.duplicates, size.repeats].map(u64::from);
        let entries = self.entries().iter().sum();
        let staged = self.sorted_files() + if size.keeps_state { 0 } else { units };
        let gathered = self.gathered(entries, staged);
        let [copies, rows] = [self.rates.copies, self.rates.repeats].map(|rate| self.of_pages(rate));
        let [keys, lines] = [KEYS as f64, self.rates.lines].map(|rate| self.of_pages(rate));
        let workers = processes * size.workers;
        let passes = [
            shared_keys(keys).passes(workers),
            frequent_lines(DEFAULT_REPEATS, self.of_pages(1.0)).passes(workers),
        ];
        // State is read for sites, for keys, for documents in clusters, and for lines; texts for the lines that are rows.
        let states =
            units + duplicates * (passes[0] * units + units.min(copies)) + repeats * passes[1] * units;
        let texts = repeats * units.min(rows);
        // The first pass of two sends hashes.
        let records = [
            duplicates * keys * (SENT[0] + (passes[0] - 1) * HASH),
            repeats * lines * (SENT[1] + (passes[1] - 1) * HASH),
            duplicates * copies * SENT[2],
            self.of_pages(self.rates.sites) * SENT[3],
        ];
        // Each worker has some of all. It writes them again where their runs are many.
        let scratch = records.map(|bytes| match bytes / processes / size.workers / SORTED {
            0 => 0,
            1..64 => bytes / processes,
            _ => 2 * bytes / processes,
        });
        // Process 0 lists tables and what is staged, removes that, and writes logs and what is kept.
        let removed = (staged + self.journals(entries) + 2).div_ceil(LISTED);
        let lists = (tables + 3) * chunks.div_ceil(LISTED) + 10 * (chunks / GROUP).div_ceil(LISTED) + removed;
        let files = chunks + duplicates * (chunks / 8 + 1) + repeats * (rows / size.chunk_size + 1) + 8;
        StepCost {
            step: steps::FINISH,
            // Of texts the end of their file, and two columns.
            reads: gathered[0] + states + 3 * texts + lists,
            writes: files,
            deletes: removed,
            files,
            read_bytes: gathered[1]
                + states * self.unit_file().min(TAIL)
                + texts * (self.bytes(self.rates.documents) / chunks).min(FOOTER)
                + self.bytes(self.rates.texts) / units * texts,
            written_bytes: files * FILE + (repeats * rows + duplicates * copies) * NAME,
            network_bytes: records.iter().sum::<u64>() / processes * (processes - 1),
            memory_bytes: self.memory(records.iter().sum::<u64>().min(5 * SORTED), 3),
            scratch_bytes: scratch[0].max(scratch[1]) + scratch[2],
            alone_seconds: (lists + removed + 8) / WAITED,
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
    use crate::label::cut::DEFAULT_CHUNK;
    use crate::plan::{Plan, PlanSizes, ShardSize};

    /// A month of Common Crawl.
    fn month(processes: u64) -> Size {
        let (shards, shard_bytes) = (90_000, 1_000_000_000);
        let shard = ShardSize {
            bytes: Some(shard_bytes),
            splittable: true,
            remote: true,
            captures: None,
        };
        let plan = Plan::new(&vec![shard; shards as usize], PlanSizes::default());
        Size {
            outline: Outline {
                shards,
                bytes: shards * shard_bytes,
                unknown_sizes: 0,
                units: plan.units() as u64,
                parts: plan.parts.len() as u64,
                groups: plan.groups(),
            },
            chunk_size: DEFAULT_CHUNK,
            tables: 5,
            keeps_state: true,
            duplicates: true,
            repeats: true,
            processes,
            workers: 32,
        }
    }

    #[test]
    fn a_month_takes_few_requests_and_little_memory() {
        for processes in [20, 100] {
            let costs = costs(&month(processes), &Rates::default());
            let requests: u64 = costs.iter().map(StepCost::requests).sum();
            assert!(requests <= 100_000_000, "{requests}: {costs:#?}");
            for cost in &costs {
                assert!(
                    cost.memory_bytes / 32 <= 4 << 30 && cost.alone_seconds <= 30 * 60,
                    "{cost:#?}"
                );
            }
        }
    }
}
