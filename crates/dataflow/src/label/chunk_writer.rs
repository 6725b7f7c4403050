//! The writer of a chunk: entries in, one file a table out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::enumerations::{REJECT_REASONS, STAGES, has};
use gleaner_corpus::{
    BlockRow, CaptureRow, Corpus, DocumentRow, Finishing, HistogramRow, PostRow, RejectRow, Row, TableWriter,
    TemplateRow,
};

use crate::data::key;
use crate::data::message::{Entry, EntryPlace, Labelled, Notice};
use crate::data::sites::{self, SiteSums, Sum};
use crate::data::summary::Summary;
use crate::duplicates::ChunkSigner;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::identity::{self, Captured};
use crate::repeats::ChunkLines;
use crate::settings::Settings;
use crate::state::Durable;
use crate::state::done::WrittenChunk;
use crate::work::ledger::Ledger;
use crate::work::order::Sequencer;
use crate::work::running::Running;
use crate::work::task::Task;

/// Documents whose captures are identified at a time.
const IDENTIFIED: usize = 1 << 12;

/// Puts the entries of a chunk in order and writes them. Its files appear when it is closed; dropped
/// before, it leaves none.
pub(crate) struct ChunkWriter {
    durable: Arc<Durable>,
    running: Arc<Running>,
    has_sketches: bool,
    has_repeats: bool,
    ledger: Arc<Ledger>,
    epoch: Epoch,
    order: Sequencer,
    documents: Option<TableWriter<DocumentRow>>,
    blocks: Option<TableWriter<BlockRow>>,
    posts: Option<TableWriter<PostRow>>,
    captures: Option<TableWriter<CaptureRow>>,
    rejects: Option<TableWriter<RejectRow>>,
    histograms: Option<TableWriter<HistogramRow>>,
    templates: Option<TableWriter<TemplateRow>>,
    /// What its documents add to their sites.
    sums: SiteSums,
    /// Documents whose captures are not identified yet.
    unidentified: Vec<(String, Captured)>,
    signer: Option<ChunkSigner>,
    lines: Option<ChunkLines>,
    summary: Summary,
}

impl ChunkWriter {
    pub(crate) fn new(
        settings: &Settings,
        durable: &Arc<Durable>,
        running: &Arc<Running>,
        ledger: &Arc<Ledger>,
        epoch: Epoch,
    ) -> ChunkWriter {
        ChunkWriter {
            durable: Arc::clone(durable),
            running: Arc::clone(running),
            has_sketches: settings.duplicates.is_some_and(|config| config.verify.is_some()),
            has_repeats: settings.repeats.is_some(),
            ledger: Arc::clone(ledger),
            epoch,
            order: Sequencer::new(epoch, BTreeSet::new()),
            documents: None,
            blocks: None,
            posts: None,
            captures: None,
            rejects: None,
            histograms: None,
            templates: None,
            sums: SiteSums::default(),
            unidentified: Vec::new(),
            signer: None,
            lines: None,
            summary: Summary::default(),
        }
    }

    /// Takes an entry, in any order.
    pub(crate) fn push(&mut self, place: EntryPlace, entry: Entry) {
        self.order.push(place, entry);
    }

    /// Writes what is next in order, as far as it has come.
    pub(crate) fn advance(&mut self) {
        while let Some((_, entry)) = self.order.next(&self.running.seams, &self.ledger) {
            if let Err(error) = self.write(entry) {
                self.running.fail(error);
                return;
            }
        }
    }

    /// Ends the files. An error ends the build.
    pub(crate) fn close(mut self) -> Option<Closing> {
        if !self.order.is_empty() {
            self.running.fail(Error::Worker(format!(
                "entries of chunk {} were left over",
                self.epoch
            )));
            return None;
        }
        match self.finish() {
            Ok(files) => {
                self.summary.files = files.len() as u64;
                let entry = WrittenChunk {
                    summary: self.summary,
                    ..WrittenChunk::default()
                };
                Some(Closing {
                    durable: self.durable,
                    running: self.running,
                    epoch: self.epoch,
                    files,
                    sums: self.sums.into_iter().collect(),
                    signer: self.signer,
                    lines: self.lines,
                    entry,
                    commit: None,
                })
            }
            Err(error) => {
                self.running.fail(error);
                None
            }
        }
    }

    /// Ends the files, those that others refer to last.
    fn finish(&mut self) -> Result<Vec<Finishing>, Error> {
        if !self.unidentified.is_empty() {
            self.write_captures()?;
        }
        let files = [
            ended(self.blocks.take())?,
            ended(self.posts.take())?,
            ended(self.templates.take())?,
            ended(self.histograms.take())?,
            ended(self.rejects.take())?,
            ended(self.captures.take())?,
            ended(self.documents.take())?,
        ];
        Ok(files.into_iter().flatten().collect())
    }

    fn write(&mut self, entry: Entry) -> Result<(), Error> {
        match entry {
            Entry::Start(_) => Ok(()),
            Entry::Document(labelled) => self.write_document(&labelled),
            Entry::Reject(reject) => self.write_reject(&reject),
            Entry::Site(rows) => {
                self.summary.mined_sites += 1;
                self.summary.templates += rows.templates.len() as u64;
                table(&mut self.histograms, &self.durable.corpus, self.epoch)?.push(&rows.histogram)?;
                for row in &rows.templates {
                    table(&mut self.templates, &self.durable.corpus, self.epoch)?.push(row)?;
                }
                Ok(())
            }
            Entry::End(_) => {
                self.ledger.wrote(self.epoch);
                Ok(())
            }
        }
    }

    fn write_document(&mut self, labelled: &Labelled) -> Result<(), Error> {
        let Labelled {
            document,
            blocks,
            posts,
            signed,
            ..
        } = labelled;
        table(&mut self.documents, &self.durable.corpus, self.epoch)?.push(document)?;
        for block in blocks {
            table(&mut self.blocks, &self.durable.corpus, self.epoch)?.push(block)?;
        }
        for post in posts {
            table(&mut self.posts, &self.durable.corpus, self.epoch)?.push(post)?;
        }
        self.sums.add(sites::counts(labelled));
        self.identify(document)?;
        if let Some(signed) = signed {
            self.signer()?.push(document, signed)?;
        }
        if self.has_repeats {
            self.lines()?.push(document)?;
        }
        self.summary.documents += 1;
        let watch = &self.running.progress.watch;
        watch.documents.fetch_add(1, Relaxed);
        watch.text_bytes.fetch_add(document.text.len() as u64, Relaxed);
        self.summary.truncated += u64::from(document.truncated.is_some());
        self.summary.blocks += blocks.len() as u64;
        self.summary.posts += posts.len() as u64;
        self.summary.kept_words += u64::from(document.word_count);
        self.summary.dropped_words += u64::from(document.dropped_words);
        Ok(())
    }

    /// What collects signatures, from the first on.
    fn signer(&mut self) -> Result<&mut ChunkSigner, Error> {
        if self.signer.is_none() {
            let chunk = number(self.epoch)?;
            self.signer = Some(ChunkSigner::new(
                &self.durable.parts.staging,
                chunk,
                self.has_sketches,
            ));
        }
        Ok(self.signer.as_mut().expect("it was just filled"))
    }

    /// What collects lines, from the first document on.
    fn lines(&mut self) -> Result<&mut ChunkLines, Error> {
        if self.lines.is_none() {
            self.lines = Some(ChunkLines::new(&self.durable.parts.staging, number(self.epoch)?));
        }
        Ok(self.lines.as_mut().expect("it was just filled"))
    }

    /// Has a document be identified with those before it, when it is the first of another URL and they are many.
    fn identify(&mut self, document: &DocumentRow) -> Result<(), Error> {
        let is_other = |(surt, _): &(String, Captured)| *surt != document.surt;
        if self.unidentified.len() >= IDENTIFIED && self.unidentified.last().is_some_and(is_other) {
            self.write_captures()?;
        }
        let captured = Captured {
            order: key::of_document(document).split_off(document.surt.len()),
            row_id: document.row_id.clone(),
            content_digest: document.content_digest.clone(),
        };
        self.unidentified.push((document.surt.clone(), captured));
        Ok(())
    }

    fn write_captures(&mut self) -> Result<(), Error> {
        for row in identity::rows(std::mem::take(&mut self.unidentified)) {
            table(&mut self.captures, &self.durable.corpus, self.epoch)?.push(&row)?;
        }
        Ok(())
    }

    fn write_reject(&mut self, reject: &RejectRow) -> Result<(), Error> {
        debug_assert!(
            has(REJECT_REASONS, &reject.reason) && has(STAGES, &reject.stage),
            "{}, {}: describe it in crates/corpus/src/enumerations.rs",
            reject.stage,
            reject.reason
        );
        table(&mut self.rejects, &self.durable.corpus, self.epoch)?.push(reject)?;
        self.summary.reject(reject);
        self.running.progress.watch.reject(&reject.reason);
        Ok(())
    }
}

/// A chunk whose files are whole and on their way to their store.
pub(crate) struct Closing {
    durable: Arc<Durable>,
    running: Arc<Running>,
    epoch: Epoch,
    files: Vec<Finishing>,
    sums: Vec<Sum>,
    signer: Option<ChunkSigner>,
    lines: Option<ChunkLines>,
    entry: WrittenChunk,
    /// Says that the chunk is written, when it is.
    commit: Option<Task>,
}

impl Closing {
    /// Whether all files have appeared and the chunk is committed; its counts are added then. An error
    /// ends the build.
    pub(crate) fn poll(&mut self) -> bool {
        let is_done = self.advance().unwrap_or_else(|error| self.running.failed(error));
        if is_done {
            self.running.add_to_summary(&self.entry.summary);
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
            let (sums, mut entry) = (std::mem::take(&mut self.sums), self.entry.clone());
            let (durable, running) = (Arc::clone(&self.durable), Arc::clone(&self.running));
            let epoch = self.epoch;
            let (signer, lines) = (self.signer.take(), self.lines.take());
            self.commit = Some(Task::start(move || {
                entry.signed = signer.map(ChunkSigner::finish).transpose()?;
                entry.lines = lines.map(ChunkLines::finish).transpose()?;
                commit(&durable, epoch, &sums, &mut entry)?;
                let documents = entry.summary.documents;
                running.progress.watch.chunk_written(epoch, documents);
                Ok(())
            })?);
        }
        self.commit.as_mut().map_or(Ok(true), Task::poll)
    }
}

/// Logs a chunk as written, after the sums of its sites are safe.
fn commit(durable: &Durable, epoch: Epoch, sums: &[Sum], entry: &mut WrittenChunk) -> Result<(), Error> {
    entry.sums_bytes = durable.log.put_sums(epoch, sums)?;
    durable.log.written_chunk(epoch, entry)?;
    match durable.share.is_first() {
        true => durable.publisher.written(epoch, entry.files.clone())?,
        false => durable.share.report(Notice::Written(epoch)),
    }
    Ok(())
}

fn ended<R: Row>(table: Option<TableWriter<R>>) -> Result<Option<Finishing>, Error> {
    Ok(table.map(TableWriter::finish).transpose()?)
}

fn number(chunk: Epoch) -> Result<u32, Error> {
    u32::try_from(chunk).map_err(|_| Error::Worker("more chunks than file names".to_owned()))
}

/// The chunk's file of a table, begun with its first row.
fn table<'a, R: Row>(
    slot: &'a mut Option<TableWriter<R>>,
    corpus: &Corpus,
    epoch: Epoch,
) -> Result<&'a mut TableWriter<R>, Error> {
    if slot.is_none() {
        *slot = Some(corpus.table(number(epoch)?)?);
    }
    Ok(slot.as_mut().expect("it was just filled"))
}
