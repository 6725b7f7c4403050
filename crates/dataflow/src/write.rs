//! The writer of a part: entries in, one file a table out.

use std::sync::Arc;

use gleaner_corpus::{BlockRow, DocumentRow, Finishing, RejectRow, TableWriter};

use crate::Epoch;
use crate::error::Error;
use crate::job::Job;
use crate::message::{End, Entry, Labelled, Place};
use crate::order::Sequencer;
use crate::sites::{self, SiteCounts, SiteKey};
use crate::summary::Summary;

/// Puts the entries of a part in order and writes them. Its files appear when it is committed;
/// dropped before, it leaves none.
pub(crate) struct PartWriter {
    job: Arc<Job>,
    epoch: Epoch,
    order: Sequencer,
    documents: Option<TableWriter<DocumentRow>>,
    blocks: Option<TableWriter<BlockRow>>,
    rejects: Option<TableWriter<RejectRow>>,
    counts: Vec<(SiteKey, SiteCounts)>,
    summary: Summary,
}

impl PartWriter {
    pub(crate) fn new(job: &Arc<Job>, epoch: Epoch) -> PartWriter {
        PartWriter {
            job: Arc::clone(job),
            epoch,
            order: Sequencer::new(epoch),
            documents: None,
            blocks: None,
            rejects: None,
            counts: Vec::new(),
            summary: Summary::default(),
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

    /// What the documents written since the last call add to their sites.
    pub(crate) fn take_counts(&mut self) -> Vec<(SiteKey, SiteCounts)> {
        std::mem::take(&mut self.counts)
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
                Some(Closing {
                    job: self.job,
                    files,
                    summary: self.summary,
                })
            }
            Err(error) => {
                self.job.fail(error);
                None
            }
        }
    }

    fn finish(&mut self) -> Result<Vec<Finishing>, Error> {
        let mut files = Vec::new();
        if let Some(table) = self.documents.take() {
            files.push(table.finish()?);
        }
        if let Some(table) = self.blocks.take() {
            files.push(table.finish()?);
        }
        if let Some(table) = self.rejects.take() {
            files.push(table.finish()?);
        }
        Ok(files)
    }

    fn write(&mut self, entry: Entry) -> Result<(), Error> {
        match entry {
            Entry::Start(_) => Ok(()),
            Entry::Document(labelled) => self.write_document(&labelled),
            Entry::Reject(reject) => self.write_reject(&reject),
            Entry::End(end) => {
                self.count(end);
                self.job.writing.wrote(self.epoch);
                Ok(())
            }
        }
    }

    fn write_document(&mut self, labelled: &Labelled) -> Result<(), Error> {
        let Labelled { document, blocks, .. } = labelled;
        table(&mut self.documents, &self.job, self.epoch)?.push(document)?;
        for block in blocks {
            table(&mut self.blocks, &self.job, self.epoch)?.push(block)?;
        }
        self.counts.push(sites::counts(labelled));
        self.summary.documents += 1;
        self.summary.truncated += u64::from(document.truncated.is_some());
        self.summary.blocks += blocks.len() as u64;
        self.summary.kept_words += u64::from(document.word_count);
        self.summary.dropped_words += u64::from(document.dropped_words);
        Ok(())
    }

    fn write_reject(&mut self, reject: &RejectRow) -> Result<(), Error> {
        table(&mut self.rejects, &self.job, self.epoch)?.push(reject)?;
        self.summary.reject(reject);
        Ok(())
    }

    fn count(&mut self, end: End) {
        self.summary.captures += end.captures;
        self.summary.damage += end.damage;
        self.summary.page_bytes += end.page_bytes;
        self.summary.shards += end.shards;
        for (kind, count) in end.records {
            *self.summary.records.entry(kind).or_default() += count;
        }
    }
}

/// A part whose files are whole and on their way to their store.
pub(crate) struct Closing {
    job: Arc<Job>,
    files: Vec<Finishing>,
    summary: Summary,
}

impl Closing {
    /// Whether all files have appeared; the part's counts are added then. An error ends the build.
    pub(crate) fn poll(&mut self) -> bool {
        while let Some(file) = self.files.last_mut() {
            match file.poll() {
                Ok(Some(_)) => drop(self.files.pop()),
                Ok(None) => return false,
                Err(error) => {
                    self.job.fail(error.into());
                    return false;
                }
            }
        }
        self.job.add_to_summary(&std::mem::take(&mut self.summary));
        true
    }
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
