//! The writer of a part: entries in, one file a table out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::enumerations::{REJECT_REASONS, STAGES, has};
use gleaner_corpus::{BlockRow, DocumentRow, Finishing, PostRow, RejectRow, TableWriter, Unread};

use crate::Epoch;
use crate::cluster::Told;
use crate::error::Error;
use crate::job::Job;
use crate::log::{HalfRead, WrittenPart};
use crate::message::{End, Entry, Labelled, Place};
use crate::order::Sequencer;
use crate::sites::{self, SiteSums};
use crate::summary::Summary;
use crate::task::Task;

/// Puts the entries of a part in order and writes them. Its files appear when it is closed; dropped
/// before, it leaves none.
pub(crate) struct PartWriter {
    job: Arc<Job>,
    epoch: Epoch,
    order: Sequencer,
    documents: Option<TableWriter<DocumentRow>>,
    blocks: Option<TableWriter<BlockRow>>,
    posts: Option<TableWriter<PostRow>>,
    rejects: Option<TableWriter<RejectRow>>,
    /// What its documents add to their sites.
    sites: SiteSums,
    summary: Summary,
    /// Inputs that could not be read; nothing is written of a part that is not whole.
    missing: Vec<Unread>,
    is_half: bool,
}

impl PartWriter {
    pub(crate) fn new(job: &Arc<Job>, epoch: Epoch) -> PartWriter {
        PartWriter {
            job: Arc::clone(job),
            epoch,
            order: Sequencer::new(epoch, BTreeSet::new()),
            documents: None,
            blocks: None,
            posts: None,
            rejects: None,
            sites: SiteSums::default(),
            summary: Summary::default(),
            missing: Vec::new(),
            is_half: false,
        }
    }

    /// Takes an entry, in any order.
    pub(crate) fn push(&mut self, place: Place, entry: Entry) {
        self.order.push(place, entry);
    }

    /// Writes what is next in order, as far as it has come.
    pub(crate) fn advance(&mut self) {
        while let Some((_, entry)) = self.order.next(&self.job.seams, &self.job.writing) {
            if let Err(error) = self.write(entry) {
                self.job.fail(error);
                return;
            }
        }
    }

    /// Ends the files. An error ends the build.
    pub(crate) fn close(mut self) -> Option<Closing> {
        if !self.order.is_empty() {
            self.job.fail(Error::Worker(format!(
                "entries of part {} were left over",
                self.epoch
            )));
            return None;
        }
        match self.finish() {
            Ok(files) => {
                self.summary.files = files.len() as u64;
                let entry = WrittenPart {
                    summary: self.summary,
                    files: Vec::new(),
                    sums_bytes: 0,
                    seams: self.order.closed(),
                };
                Some(Closing {
                    job: self.job,
                    epoch: self.epoch,
                    files,
                    sites: self.sites,
                    entry,
                    half: self.is_half.then_some(self.missing),
                    commit: None,
                })
            }
            Err(error) => {
                self.job.fail(error);
                None
            }
        }
    }

    /// Ends the files, those that others refer to last.
    fn finish(&mut self) -> Result<Vec<Finishing>, Error> {
        let mut files = Vec::new();
        if let Some(table) = self.blocks.take() {
            files.push(table.finish()?);
        }
        if let Some(table) = self.posts.take() {
            files.push(table.finish()?);
        }
        if let Some(table) = self.rejects.take() {
            files.push(table.finish()?);
        }
        if let Some(table) = self.documents.take() {
            files.push(table.finish()?);
        }
        Ok(files)
    }

    fn write(&mut self, entry: Entry) -> Result<(), Error> {
        match entry {
            Entry::Start(_) => Ok(()),
            Entry::Document(_) | Entry::Reject(_) if self.is_half => Ok(()),
            Entry::Document(labelled) => self.write_document(&labelled),
            Entry::Reject(reject) => self.write_reject(&reject),
            Entry::End(end) => {
                self.count(*end);
                self.job.writing.wrote(self.epoch);
                Ok(())
            }
        }
    }

    /// The part will not be whole: a later run writes it.
    fn drop_tables(&mut self) {
        self.is_half = true;
        (self.documents, self.blocks, self.posts, self.rejects) = (None, None, None, None);
    }

    fn write_document(&mut self, labelled: &Labelled) -> Result<(), Error> {
        let Labelled {
            document,
            blocks,
            posts,
            ..
        } = labelled;
        table(&mut self.documents, &self.job, self.epoch)?.push(document)?;
        for block in blocks {
            table(&mut self.blocks, &self.job, self.epoch)?.push(block)?;
        }
        for post in posts {
            table(&mut self.posts, &self.job, self.epoch)?.push(post)?;
        }
        self.sites.add(sites::counts(labelled));
        self.summary.documents += 1;
        let watch = &self.job.progress.watch;
        watch.documents.fetch_add(1, Relaxed);
        watch.text_bytes.fetch_add(document.text.len() as u64, Relaxed);
        self.summary.truncated += u64::from(document.truncated.is_some());
        self.summary.blocks += blocks.len() as u64;
        self.summary.posts += posts.len() as u64;
        self.summary.kept_words += u64::from(document.word_count);
        self.summary.dropped_words += u64::from(document.dropped_words);
        Ok(())
    }

    fn write_reject(&mut self, reject: &RejectRow) -> Result<(), Error> {
        debug_assert!(
            has(REJECT_REASONS, &reject.reason) && has(STAGES, &reject.stage),
            "{}, {}: describe it in crates/corpus/src/enumerations.rs",
            reject.stage,
            reject.reason
        );
        table(&mut self.rejects, &self.job, self.epoch)?.push(reject)?;
        self.summary.reject(reject);
        self.job.progress.watch.reject(&reject.reason);
        Ok(())
    }

    fn count(&mut self, end: End) {
        if end.is_lost {
            self.drop_tables();
        }
        self.missing.extend(end.missing.iter().cloned());
        self.summary.missing.extend(end.missing);
        self.summary.captures += end.captures;
        self.summary.damage += end.damage;
        self.summary.page_bytes += end.page_bytes;
        self.summary.shards += end.shards;
        self.summary.empty_archives.add(&end.empty_archives);
        self.summary.refused_inputs += end.refused_inputs;
        for (kind, count) in end.records {
            *self.summary.records.entry(kind).or_default() += count;
        }
    }
}

/// A part whose files are whole and on their way to their store.
pub(crate) struct Closing {
    job: Arc<Job>,
    epoch: Epoch,
    files: Vec<Finishing>,
    sites: SiteSums,
    entry: WrittenPart,
    /// What is missing, where the part is not whole.
    half: Option<Vec<Unread>>,
    /// Says that the part is written, when it is.
    commit: Option<Task>,
}

impl Closing {
    /// Whether all files have appeared and the part is committed; its counts are added then. An error
    /// ends the build.
    pub(crate) fn poll(&mut self) -> bool {
        let is_done = self.advance().unwrap_or_else(|error| self.job.failed(error));
        if is_done && self.half.is_none() {
            self.job.add_to_summary(&self.entry.summary);
        }
        is_done
    }

    fn advance(&mut self) -> Result<bool, Error> {
        while let Some(file) = self.files.last_mut() {
            let Some(part) = file.poll()? else {
                return Ok(false);
            };
            self.entry.files.push(part);
            self.files.pop();
        }
        if self.commit.is_none() {
            let (sites, mut entry) = (std::mem::take(&mut self.sites), self.entry.clone());
            let (job, epoch, half) = (Arc::clone(&self.job), self.epoch, self.half.clone());
            self.commit = Some(Task::start(move || match half {
                Some(missing) => commit_half(&job, epoch, missing),
                None => commit(&job, epoch, &sites, &mut entry),
            })?);
        }
        self.commit.as_mut().map_or(Ok(true), Task::poll)
    }
}

/// Says that a part is written, when its sums are safe, too. Its pages wait no more.
fn commit(job: &Job, epoch: Epoch, sites: &SiteSums, entry: &mut WrittenPart) -> Result<(), Error> {
    entry.sums_bytes = job.log.put_sums(epoch, sites)?;
    job.log.written_part(epoch, entry)?;
    match job.share.is_first() {
        true => job.publisher.written(epoch, entry.files.clone())?,
        false => job.share.tell(Told::Written(epoch)),
    }
    job.progress.watch.part_written(epoch, entry.summary.documents);
    match &job.stage {
        Some(stage) => stage.remove(epoch),
        None => Ok(()),
    }
}

/// Says of which inputs a part is not whole.
fn commit_half(job: &Job, epoch: Epoch, missing: Vec<Unread>) -> Result<(), Error> {
    job.miss(&missing);
    let half = HalfRead {
        units: Vec::new(),
        seams: Vec::new(),
        missing,
        runs: 0,
    };
    job.log.half_read(epoch, &half)
}

/// The part's file of a table, begun with its first row.
fn table<'a, R: gleaner_corpus::Row>(
    slot: &'a mut Option<TableWriter<R>>,
    job: &Job,
    epoch: Epoch,
) -> Result<&'a mut TableWriter<R>, Error> {
    if slot.is_none() {
        let part =
            u32::try_from(epoch).map_err(|_| Error::Worker("more parts than file names".to_owned()))?;
        *slot = Some(job.corpus.table(part)?);
    }
    Ok(slot.as_mut().expect("it was just filled"))
}
