//! Labels a unit: from its records, and what is noted of its sites, to row groups and state.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::enumerations::{REJECT_REASONS, STAGES, has};
use gleaner_corpus::{Corpus, EncodedGroup, RejectRow};
use gleaner_store::{Commit, Output};
use gleaner_template::SiteTemplate;
use xxhash_rust::xxh3::xxh3_128;

use crate::change::base::Base;
use crate::data::drawn::{DrawnPages, gives_way};
use crate::data::message::Labelled;
use crate::data::page_tables::{OfTables, PAGE_TABLES};
use crate::data::signed::{DocumentSigner, Facts};
use crate::data::sites::SiteSums;
use crate::data::staged_page::StagedPage;
use crate::data::summary::Summary;
use crate::data::template_rows::{histogram_row, template_row};
use crate::data::unit_lines::LineCounter;
use crate::error::Error;
use crate::label::captures::Captures;
use crate::label::cut::ChunkUnit;
use crate::label::labelling::Labelling;
use crate::label::measured_before::MeasureReader;
use crate::label::page::PageLabeller;
use crate::label::site_rights::HostRights;
use crate::label::unit_rows::UnitRows;
use crate::label::unit_sites::{LeftOfUnit, OfSite, UnitSites};
use crate::settings::Settings;
use crate::sorted_runs::{Merge, Record};
use crate::staging::staged_file::Digest;
use crate::state::unit_state::{StateWriter, UnitState};
use crate::state::written::UnitPlace;
use crate::state::written::WrittenUnit;
use crate::watch::steps;
use crate::work::running::Running;

/// Labels units, one after the other: one a worker.
pub(crate) struct UnitLabeller {
    settings: Arc<Settings>,
    corpus: Corpus,
    running: Arc<Running>,
    labelling: Arc<Labelling>,
    labeller: PageLabeller,
    measures: MeasureReader,
    signer: Option<DocumentSigner>,
    /// What the files of sites state; none unless the table of rights is written.
    site_rights: Option<HostRights>,
    rows: UnitRows,
    /// The pages behind the unit that was labelled last, and what it left of its sites.
    pages: Option<Merge>,
    left: LeftOfUnit,
}

/// A unit for the files of its chunk.
pub(crate) struct LabelledUnit {
    pub(crate) written: WrittenUnit,
    pub(crate) groups: UnitGroups,
    /// Its state on its way to its store, if it is labelled.
    pub(crate) commit: Option<Commit>,
    pub(crate) summary: Summary,
}

/// The row groups of a unit in the file of each table.
pub(crate) enum UnitGroups {
    Encoded(OfTables<Vec<EncodedGroup>>),
    /// Those of older files, by their names.
    Stored(OfTables<Option<(String, Range<usize>)>>),
}

/// What a unit has come to so far, beside its rows.
struct OpenUnit {
    state: StateWriter,
    captures: Captures,
    sums: SiteSums,
    /// Its lines, if they are counted.
    lines: Option<LineCounter>,
    summary: Summary,
    records: u64,
    inputs: blake3::Hasher,
}

impl LabelledUnit {
    /// A unit of the version before, as it is.
    pub(crate) fn kept(base: &Base, place: UnitPlace, output: &Output) -> Result<LabelledUnit, Error> {
        let (chunk, written) = (&base.chunks[place.chunk], base.written(place));
        let groups = PAGE_TABLES.iter().zip(chunk.groups_of(place.unit));
        let mut stored = groups.map(|(table, groups)| {
            let file = chunk.file(table).filter(|_| !groups.is_empty())?;
            Some((file.name.clone(), groups))
        });
        let summary = UnitState::open(output, written.state, written.bytes)?
            .summary()
            .clone();
        Ok(LabelledUnit {
            written: written.clone(),
            groups: UnitGroups::Stored(std::array::from_fn(|_| stored.next().flatten())),
            commit: None,
            summary,
        })
    }

    /// Bytes of memory for it.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.groups {
            UnitGroups::Encoded(groups) => groups.iter().flatten().map(|group| group.bytes() as u64).sum(),
            UnitGroups::Stored(_) => 0,
        }
    }
}

impl UnitLabeller {
    pub(crate) fn new(
        settings: &Arc<Settings>,
        corpus: &Corpus,
        running: &Arc<Running>,
        labelling: &Arc<Labelling>,
    ) -> Result<UnitLabeller, Error> {
        Ok(UnitLabeller {
            labeller: PageLabeller::new(settings),
            measures: MeasureReader::default(),
            signer: settings.signer.clone(),
            site_rights: settings.rights.clone().map(HostRights::new),
            rows: UnitRows::new(corpus)?,
            pages: None,
            left: LeftOfUnit::default(),
            settings: Arc::clone(settings),
            corpus: corpus.clone(),
            running: Arc::clone(running),
            labelling: Arc::clone(labelling),
        })
    }

    /// Labels a unit, whose number is that of its chunk and its number there. What the version `before` measured of its texts is
    /// copied.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the run is stopped; else what waits cannot be read, or the state not be written.
    pub(crate) fn label(
        &mut self,
        unit: &ChunkUnit,
        number: (u64, u32),
        before: Option<&Base>,
    ) -> Result<LabelledUnit, Error> {
        let output = self.corpus.output();
        let measured = before.map(|base| self.measures.read(output, base, &unit.keys));
        let mut measured = measured.transpose()?.unwrap_or_default();
        let (labelling, running) = (Arc::clone(&self.labelling), Arc::clone(&self.running));
        let mut open = OpenUnit {
            state: StateWriter::new(self.corpus.output(), number, self.settings.keeps_state)?,
            captures: Captures::default(),
            sums: SiteSums::default(),
            lines: self.settings.repeats.map(|_| LineCounter::default()),
            summary: Summary::default(),
            records: 0,
            inputs: blake3::Hasher::new(),
        };
        let mut sites = UnitSites::new(&labelling, self.settings.site, &unit.keys, &mut self.left)?;
        if let Some(rights) = &mut self.site_rights {
            let before = rights.begin(&unit.keys.start, &labelling.pages)?;
            before.map(|digest| open.inputs.update(&digest.to_le_bytes()));
        }
        let pages = self.pages.take();
        let mut records = Merge::after(pages, &labelling.pages, &unit.keys.start, &unit.keys.end)?;
        // It counts as what it is expected to have.
        let mut left = unit.steps();
        let mut count = |bytes: u64| {
            let steps = bytes.min(left);
            left -= steps;
            running.progress.watch.step(steps::LABEL, steps);
        };
        let mut drawn = DrawnPages::default();
        while let Some(record) = records.next()? {
            if running.is_stopped() {
                return Err(Error::Interrupted);
            }
            count(record.value.len() as u64);
            open.record(&record)?;
            match StagedPage::take(record.value)? {
                StagedPage::Reject(reject) => self.reject(&mut open, &reject)?,
                StagedPage::SiteFile(file) => {
                    if let Some(rights) = &mut self.site_rights {
                        rights.take(record.key, *file);
                    }
                }
                StagedPage::DrawnMark(page) => drawn.take(&page),
                StagedPage::Page(mut page) => {
                    let OfSite { begun, answer } = match &mut sites {
                        Some(sites) => {
                            sites.ask(record.key, &page, |note| open.state.note(note.key, note.value))?
                        }
                        None => OfSite::default(),
                    };
                    begun.map_or(Ok(()), |site| self.templates(&mut open, &site.template))?;
                    if let Some(other) = drawn.in_place_of(record.key) {
                        self.reject(&mut open, &gives_way(&page.document, other))?;
                        drawn.leave_out(record.key, *page);
                        continue;
                    }
                    drawn.complete(record.key, &mut page);
                    let mut labelled = self.labeller.label(*page, answer.as_ref(), &mut measured);
                    if let Some(rights) = &mut self.site_rights {
                        labelled
                            .rights
                            .extend(rights.rows(record.key, &labelled.document));
                    }
                    self.document(&mut open, record.key, &labelled)?;
                }
            }
        }
        count(u64::MAX);
        self.pages = Some(records);
        if let Some(sites) = sites {
            let (evidence, left) = sites.end();
            self.left = left;
            for digest in evidence {
                open.inputs.update(&digest.to_le_bytes());
            }
        }
        self.end(unit, open)
    }

    fn templates(&mut self, open: &mut OpenUnit, site: &SiteTemplate) -> Result<(), Error> {
        open.summary.mined_sites += 1;
        open.summary.templates += site.expressions.len() as u64;
        self.rows.histograms.push(&histogram_row(site))?;
        for expression in &site.expressions {
            self.rows.templates.push(&template_row(site, expression))?;
        }
        Ok(())
    }

    fn document(&mut self, open: &mut OpenUnit, key: &[u8], labelled: &Labelled) -> Result<(), Error> {
        let Labelled {
            document,
            signals,
            blocks,
            posts,
            rights,
            contamination,
            ..
        } = labelled;
        self.rows.documents.push(document)?;
        if let Some(signals) = signals {
            self.rows.signals.push(signals)?;
        }
        for block in blocks {
            self.rows.blocks.push(block)?;
        }
        for post in posts {
            self.rows.posts.push(post)?;
        }
        for row in rights {
            self.rows.rights.push(row)?;
        }
        for row in contamination {
            self.rows.contamination.push(row)?;
        }
        if let Some(row) = open.captures.push(document) {
            self.rows.captures.push(&row)?;
        }
        open.sums.add(key, labelled);
        if let Some(signer) = &mut self.signer {
            let signed = signer.sign(&document.text);
            open.state
                .document(&Facts::of(key, document, &signed), &signed.keys)?;
        }
        if let Some(lines) = &mut open.lines {
            lines.push(&document.site, &document.text);
        }
        let watch = &self.running.progress.watch;
        watch.documents.fetch_add(1, Relaxed);
        watch.text_bytes.fetch_add(document.text.len() as u64, Relaxed);
        let summary = &mut open.summary;
        summary.documents += 1;
        summary.truncated += u64::from(document.truncated.is_some());
        summary.blocks += blocks.len() as u64;
        summary.posts += posts.len() as u64;
        summary.rights += rights.len() as u64;
        summary.contamination += contamination.len() as u64;
        summary.kept_words += u64::from(document.word_count);
        summary.dropped_words += u64::from(document.dropped_words);
        Ok(())
    }

    fn reject(&mut self, open: &mut OpenUnit, reject: &RejectRow) -> Result<(), Error> {
        debug_assert!(
            has(REJECT_REASONS, &reject.reason) && has(STAGES, &reject.stage),
            "{}, {}: describe it in crates/corpus/src/enumerations.rs",
            reject.stage,
            reject.reason
        );
        self.rows.rejects.push(reject)?;
        open.summary.reject(reject);
        self.running.progress.watch.reject(&reject.reason);
        Ok(())
    }

    fn end(&mut self, unit: &ChunkUnit, mut open: OpenUnit) -> Result<LabelledUnit, Error> {
        if let Some(row) = open.captures.end() {
            self.rows.captures.push(&row)?;
        }
        let groups = self.rows.finish()?;
        let lines = open.lines.map(LineCounter::end);
        let state = open.state.end(lines.as_ref(), &open.sums.sums(), &open.summary)?;
        Ok(LabelledUnit {
            written: WrittenUnit {
                start: String::from_utf8(unit.keys.start.clone()).map_err(|_| Error::Damaged)?,
                records: open.records,
                inputs: Digest(*open.inputs.finalize().as_bytes()),
                state: state.file,
                bytes: state.bytes,
                groups: groups.each_ref().map(|groups| groups.len() as u32),
            },
            groups: UnitGroups::Encoded(groups),
            commit: Some(state.commit),
            summary: open.summary,
        })
    }
}

impl OpenUnit {
    /// Takes the next page or reject in.
    fn record(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.records += 1;
        // Keys have no fixed length.
        self.inputs.update(&(record.key.len() as u64).to_le_bytes());
        self.inputs.update(record.key);
        self.inputs.update(&xxh3_128(record.value).to_le_bytes());
        self.state.page(record.key, record.value)
    }
}
