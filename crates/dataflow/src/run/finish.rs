//! The end of a build: the tables of the corpus as a whole, and what all has come to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_corpus::{
    Arguments, DuplicateRow, KeptKind, Manifest, ManifestChunk, Part, RepeatRow, Row, SiteRow, Table,
    WholeEntry, digest_of, kept_json,
};

use crate::change::report::ChangeReport;
use crate::change::{Change, EndOfChange};
use crate::data::input_line::InputLine;
use crate::data::summary::{self, Summary};
use crate::error::Error;
use crate::plan::input::{ArchiveTerms, Input};
use crate::run::corpus_units::CorpusUnits;
use crate::settings::Settings;
use crate::state::Durable;
use crate::state::written::WrittenChunk;
use crate::watch::steps;
use crate::whole::{Units, Whole, Written, passes};
use crate::work::running::Running;

/// Writes the tables of all chunks together: sites, duplicates and repeats. All processes take part. The first completes the
/// version, and sums all up; the others what they have done.
pub(crate) fn finish(
    input: &Input,
    settings: &Settings,
    durable: &Durable,
    running: &Arc<Running>,
    workers: usize,
) -> Result<Finished, Error> {
    let watch = &running.progress.watch;
    let corpus = &durable.corpus;
    let chunks = durable.written();
    let units = CorpusUnits::new(corpus.output(), chunks.values());
    let passes = passes(settings.duplicates.is_some(), settings.repeats.is_some());
    let own = u64::from(units.count()).div_ceil(durable.processes() as u64);
    watch.expect(steps::FINISH, passes * own);
    // From now on it is drawn, with its share.
    watch.set_phase(Some(steps::FINISH));
    let stepped = Arc::clone(watch);
    // In the process that commits, those of others may have failed.
    durable.publish_all()?;
    let own = match durable.is_first() {
        true => Summary::default(),
        false => durable.journal.own()?.sums(&input.shards),
    };
    let whole = Whole {
        units,
        corpus: corpus.clone(),
        duplicates: settings.duplicates,
        repeats: settings.repeats,
        chunk_size: settings.chunk_size,
        memory: running.memory,
        stop: Arc::clone(&running.stop),
        step: Arc::new(move || stepped.step(steps::FINISH, 1)),
    };
    let written = whole.write(durable.group(), workers)?;
    if let Some(steps) = watch.steps(steps::FINISH) {
        // What no cluster and no line asked for was not read.
        steps.end();
    }
    let Some(written) = written else {
        return Ok((own, None));
    };
    let ending = Ending {
        input,
        settings,
        durable,
        chunks: chunks.into_values().collect(),
        written,
    };
    ending.complete()
}

/// What was counted, and what a change has come to.
pub(crate) type Finished = (Summary, Option<ChangeReport>);

/// What a version is completed from, in the first process.
struct Ending<'a> {
    input: &'a Input,
    settings: &'a Settings,
    durable: &'a Durable,
    chunks: Vec<WrittenChunk>,
    /// The tables of the corpus as a whole.
    written: Written,
}

impl Ending<'_> {
    /// Completes the version.
    fn complete(self) -> Result<Finished, Error> {
        let (corpus, change) = (&self.durable.corpus, &self.durable.change);
        let [old, new] = self.lines();
        let mut summary = self.summary(&old);
        let lines = [&*old, &*new].concat();
        let empty = self.empty_tables(&lines)?;
        summary.files += empty.len() as u64;
        let sites = self.written.sites.iter().map(|file| file.rows).sum();
        let totals = totals(self.settings, &summary, sites);
        let missing = summary::each_input(&summary.missing);
        self.durable.staging.discard_all();
        let report = match change {
            None => {
                self.commit(&empty)?;
                let keeps_state = self.settings.keeps_state;
                let arguments = keeps_state.then(|| self.keep(lines, &empty)).transpose()?;
                corpus.finish(totals, summary.counts(), missing, arguments)?;
                None
            }
            Some(change) => {
                let arguments = self.keep(lines, &empty)?;
                let ending = EndOfChange {
                    old: &old,
                    new: &new,
                    arguments,
                    totals,
                    summary: &summary,
                    missing,
                };
                Some(change.commit(corpus, ending)?)
            }
        };
        Ok((summary, report))
    }

    /// The archives of the version: those of the version before, and those that were read.
    fn lines(&self) -> [Vec<InputLine>; 2] {
        let done = self.durable.done.lock();
        let new = done
            .archives(&self.input.shards)
            .into_iter()
            .map(|(shard, read)| {
                let ArchiveTerms { crawl, since, .. } = self.input.terms[shard].clone();
                InputLine { crawl, since, read }
            });
        let new: Vec<InputLine> = new.collect();
        let mut old = self.durable.change.as_ref().map_or_else(Vec::new, Change::lines);
        let is_new: BTreeSet<_> = new.iter().map(InputLine::archive).collect();
        // Those that are read again have a new line.
        old.retain(|line| !is_new.contains(&line.archive()));
        [old, new]
    }

    fn summary(&self, old: &[InputLine]) -> Summary {
        let mut summary = self.durable.done.lock().sums(&self.input.shards);
        if let Some(change) = &self.durable.change {
            change
                .kept()
                .values()
                .for_each(|chunk| summary.add(&chunk.summary));
        }
        old.iter().for_each(|line| summary.read_before(line));
        let Written {
            sites,
            duplicates,
            repeats,
            counts,
        } = &self.written;
        summary.missing.extend(self.input.unlisted.iter().cloned());
        summary.clustered_documents = counts.documents;
        summary.clusters = counts.clusters;
        summary.copied_words = counts.copied_words;
        summary.repeats = repeats.iter().map(|file| file.rows).sum();
        summary.files += (sites.len() + duplicates.len() + repeats.len()) as u64;
        summary
    }

    /// The tables of the corpus as a whole.
    fn whole_tables(&self) -> [(Table, &Vec<Part>); 3] {
        [
            (SiteRow::TABLE, &self.written.sites),
            (DuplicateRow::TABLE, &self.written.duplicates),
            (RepeatRow::TABLE, &self.written.repeats),
        ]
    }

    /// Gives each table that has no rows a file without rows: readers then find its columns all the same. It is in the folder of
    /// the first crawl.
    fn empty_tables(&self, lines: &[InputLine]) -> Result<Vec<(Table, Part)>, Error> {
        let crawl = lines.iter().filter_map(|line| line.crawl.as_ref()).min();
        let has_rows = |table: &Table| {
            let mut whole = self.whole_tables().into_iter();
            let is_whole = whole.any(|(of_whole, files)| of_whole.name == table.name && !files.is_empty());
            is_whole || self.chunks.iter().any(|chunk| chunk.file(table).is_some())
        };
        let tables = self.durable.publisher.optional().all();
        let empty = tables.filter(|table| !has_rows(table)).map(|table| {
            let file = self.durable.corpus.file(&table, crawl, 0)?.finish()?.wait()?;
            Ok((table, file))
        });
        empty.collect()
    }

    /// Commits what is not committed of a first build.
    fn commit(&self, empty: &[(Table, Part)]) -> Result<(), Error> {
        self.durable.publisher.finish()?;
        let whole = self
            .whole_tables()
            .into_iter()
            .filter(|(_, files)| !files.is_empty());
        for (table, files) in whole {
            self.durable.corpus.commit(&table, 0, files)?;
        }
        for (table, file) in empty {
            let version = self.durable.corpus.versions(table)?;
            self.durable
                .corpus
                .commit(table, version, std::slice::from_ref(file))?;
        }
        Ok(())
    }

    /// Keeps what a later version follows from. Gives the digests of the arguments of this one, and of its manifest.
    fn keep(&self, mut lines: Vec<InputLine>, empty: &[(Table, Part)]) -> Result<Arguments, Error> {
        let corpus = &self.durable.corpus;
        let chunk = |written: &WrittenChunk| ManifestChunk {
            crawl: written.crawl.as_ref().map(ToString::to_string),
            start: written.start(),
            // The process that wrote it has kept it.
            entry: digest_of(&kept_json(&written.entry())),
        };
        let files = self
            .whole_tables()
            .map(|(table, files)| (table.name.to_owned(), files.clone()));
        let mut whole = WholeEntry { files: files.into() };
        for (table, file) in empty {
            whole.files.insert(table.name.to_owned(), vec![file.clone()]);
        }
        let manifest = Manifest {
            chunks: self.chunks.iter().map(chunk).collect(),
            whole: corpus.keep_file(KeptKind::Whole, &kept_json(&whole))?,
        };
        Ok(Arguments {
            inputs: corpus.keep_file(KeptKind::Inputs, &InputLine::write(&mut lines))?,
            rules: corpus.keep_file(KeptKind::Rules, &self.settings.rules)?,
            manifest: corpus.keep_file(KeptKind::Manifest, &kept_json(&manifest))?,
        })
    }
}

/// Rows by table, and what else is counted.
fn totals(settings: &Settings, summary: &Summary, sites: u64) -> BTreeMap<String, u64> {
    let posts = settings.posts.is_some().then_some(("posts", summary.posts));
    let signals = settings.signals.then_some(("signals", summary.documents));
    let rights = settings.rights.is_some().then_some(("rights", summary.rights));
    let contamination = settings
        .benchmarks
        .is_some()
        .then_some(("contamination", summary.contamination));
    let refused = Some(("refused inputs", summary.refused_inputs)).filter(|(_, count)| *count > 0);
    let counts = [
        ("documents", summary.documents),
        ("blocks", summary.blocks),
        ("rejects", summary.rejects.values().sum()),
        ("sites", sites),
        // Of each document there is a row; what was read is counted under a name that is no table's.
        ("captures", summary.documents),
        ("captures read", summary.captures),
        ("damaged places", summary.damage),
        ("duplicates", summary.clustered_documents),
        ("repeats", summary.repeats),
        ("templates", summary.templates),
        ("histograms", summary.mined_sites),
    ];
    let left_out = Some(("left out", summary.left_out.values().sum())).filter(|(_, count)| *count > 0);
    let counts = counts
        .into_iter()
        .chain(posts)
        .chain(signals)
        .chain(rights)
        .chain(contamination)
        .chain(refused)
        .chain(left_out);
    counts.map(|(name, count)| (name.to_owned(), count)).collect()
}
