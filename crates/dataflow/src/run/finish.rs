//! The end of a build: the tables of the corpus as a whole, and what all has come to.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_corpus::{
    Arguments, Corpus, DuplicateRow, KeptKind, Manifest, ManifestChunk, Part, RepeatRow, Row, SiteRow, Table,
    WholeEntry, digest_of, kept_json,
};
use serde::Serialize;

use crate::data::archive_read::ArchiveRead;
use crate::data::summary::{self, Summary};
use crate::error::Error;
use crate::plan::input::Input;
use crate::run::corpus_units::CorpusUnits;
use crate::settings::Settings;
use crate::state::Durable;
use crate::state::done::Done;
use crate::state::written::WrittenChunk;
use crate::watch::steps;
use crate::whole::{Units, Whole, Written};
use crate::work::running::Running;

/// Writes the tables of all chunks together: sites, duplicates and repeats. All processes take part. The first completes the
/// corpus, and sums all up; the others what they have done.
pub(crate) fn finish(
    input: &Input,
    settings: &Settings,
    durable: &Durable,
    running: &Arc<Running>,
    workers: usize,
) -> Result<Summary, Error> {
    let watch = &running.progress.watch;
    let corpus = &durable.corpus;
    let units = CorpusUnits::new(corpus.output(), &durable.done.lock());
    // Each unit is read once for sites, and twice for each of the others, by one of the processes.
    let passes = 1 + 2 * (u64::from(settings.duplicates.is_some()) + u64::from(settings.repeats.is_some()));
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
        return Ok(own);
    };
    let done = durable.done.lock();
    let mut summary = done.sums(&input.shards);
    durable.publisher.finish()?;
    summary.missing.extend(input.unlisted.iter().cloned());
    let sites = commit(durable, &written, &mut summary)?;
    let empty = ensure_tables(durable)?;
    summary.files += empty.len() as u64;
    let missing = summary::each_input(&summary.missing);
    durable.staging.discard_all();
    let archives = || done.archives(&input.shards);
    let arguments = settings
        .keeps_state
        .then(|| keep(archives(), corpus, &done, &written, empty));
    corpus.finish(
        totals(settings, &summary, sites),
        summary.counts(),
        missing,
        arguments.transpose()?,
    )?;
    Ok(summary)
}

/// The tables of the corpus as a whole.
fn whole_tables(written: &Written) -> [(Table, &Vec<Part>); 3] {
    [
        (SiteRow::TABLE, &written.sites),
        (DuplicateRow::TABLE, &written.duplicates),
        (RepeatRow::TABLE, &written.repeats),
    ]
}

/// Commits the tables of the corpus as a whole. Gives the number of sites.
fn commit(durable: &Durable, written: &Written, summary: &mut Summary) -> Result<u64, Error> {
    let tables = whole_tables(written);
    for (table, files) in tables.into_iter().filter(|(_, files)| !files.is_empty()) {
        durable.corpus.commit(&table, 0, files)?;
        summary.files += files.len() as u64;
    }
    summary.clustered_documents = written.counts.documents;
    summary.clusters = written.counts.clusters;
    summary.copied_words = written.counts.copied_words;
    summary.repeats = written.repeats.iter().map(|file| file.rows).sum();
    Ok(written.sites.iter().map(|file| file.rows).sum())
}

/// An archive, as the corpus keeps it.
#[derive(Serialize)]
struct InputLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    crawl: Option<&'a str>,
    /// The version of the corpus in which it came.
    since: u64,
    #[serde(flatten)]
    read: ArchiveRead,
}

/// A line an archive, by name.
fn input_lines(mut archives: Vec<ArchiveRead>, crawl: Option<&str>) -> Vec<u8> {
    archives.sort_by(|one, other| one.name.cmp(&other.name));
    let line = |read| {
        kept_json(&InputLine {
            crawl,
            since: 1,
            read,
        })
    };
    archives.into_iter().flat_map(line).collect()
}

/// Keeps what a later version follows from. Gives the digests of the arguments of this one, and of its manifest.
fn keep(
    archives: Vec<ArchiveRead>,
    corpus: &Corpus,
    done: &Done,
    written: &Written,
    empty: Vec<Part>,
) -> Result<Arguments, Error> {
    let crawl = corpus.crawl().map(|crawl| crawl.as_str().to_owned());
    let chunk = |written: &WrittenChunk| {
        ManifestChunk {
            crawl: crawl.clone(),
            start: written
                .units
                .first()
                .map(|unit| unit.start.clone())
                .unwrap_or_default(),
            // The process that wrote it has kept it.
            entry: digest_of(&kept_json(&written.entry())),
        }
    };
    let files = whole_tables(written).map(|(table, files)| (table.name.to_owned(), files.clone()));
    let mut whole = WholeEntry { files: files.into() };
    for file in empty {
        let table = file.name.split('/').next().unwrap_or_default().to_owned();
        whole.files.entry(table).or_default().push(file);
    }
    let manifest = Manifest {
        chunks: done.written.values().map(chunk).collect(),
        whole: corpus.keep_file(KeptKind::Whole, &kept_json(&whole))?,
    };
    Ok(Arguments {
        inputs: corpus.keep_file(KeptKind::Inputs, &input_lines(archives, crawl.as_deref()))?,
        rules: corpus.keep_file(KeptKind::Rules, &[])?,
        manifest: corpus.keep_file(KeptKind::Manifest, &kept_json(&manifest))?,
    })
}

/// Gives each table of the build that has no rows a file without rows. Returns these files.
fn ensure_tables(durable: &Durable) -> Result<Vec<Part>, Error> {
    let tables = durable.publisher.optional().all();
    let ensured = tables.map(|table| durable.corpus.ensure_table(&table, durable.corpus.crawl()));
    let files = ensured.filter_map(Result::transpose);
    files.map(|file| Ok(file?)).collect()
}

/// Rows by table, and what else is counted.
fn totals(settings: &Settings, summary: &Summary, sites: u64) -> BTreeMap<String, u64> {
    let posts = settings.posts.is_some().then_some(("posts", summary.posts));
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
    let counts = counts.into_iter().chain(posts).chain(refused);
    counts.map(|(name, count)| (name.to_owned(), count)).collect()
}
