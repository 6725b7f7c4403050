//! The end of a build: what all parts have come to.

pub(crate) mod sums;

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread;

use gleaner_corpus::{Row, SiteRow, TableWriter};

use crate::data::sites::SiteRows;
use crate::data::summary::{self, Summary};
use crate::duplicates::{self, SignedRuns};
use crate::epoch::Epoch;
use crate::error::Error;
use crate::finish::sums::Adder;
use crate::plan::input::Input;
use crate::repeats::{self, WrittenLines};
use crate::settings::Settings;
use crate::staging::staged_file::StagedFile;
use crate::state::Durable;
use crate::watch::steps;
use crate::work::running::Running;

/// Writes the tables of all chunks together: sites, duplicates and repeats. Then completes the corpus.
pub(crate) fn finish(
    input: &Input,
    settings: &Settings,
    durable: &Durable,
    running: &Running,
    chunks: Epoch,
) -> Result<Summary, Error> {
    let corpus = &durable.corpus;
    let staging = &durable.parts.staging;
    running.progress.watch.set_phase(Some(steps::FINISH));
    let (parts, is_group) = (input.plan.parts.len() as Epoch, durable.share.group().is_some());
    let summed = if is_group { parts + chunks } else { 0 };
    if let Some(steps) = running.progress.watch.steps(steps::FINISH) {
        // Chunks whose sites are added up, what is summed up, and the end.
        steps.expect(chunks + summed + 1);
    }
    if is_group {
        sum_up(durable, running, parts, chunks)?;
    }
    durable.publisher.finish()?;
    let mut summary = running.sums();
    summary.missing.extend(input.unlisted.iter().cloned());
    let (sites, kept) = write_sites(durable, running, chunks)?;
    if let Some(config) = &settings.duplicates {
        let written = duplicates::write(
            corpus,
            staging,
            config,
            &kept.signed,
            settings.chunk_size,
            running.memory,
        )?;
        summary.clustered_documents = written.documents;
        summary.clusters = written.clusters;
        summary.copied_words = written.copied_words;
        summary.files += written.files.len() as u64;
    }
    if let Some(least) = settings.repeats {
        let files = repeats::write(corpus, staging, least, &kept.lines, settings.chunk_size)?;
        summary.repeats = files.iter().map(|file| file.rows).sum();
        summary.files += files.len() as u64;
    }
    summary.files += u64::from(sites > 0) + ensure_tables(durable)?;
    let mut totals: BTreeMap<String, u64> = [
        ("documents", summary.documents),
        ("blocks", summary.blocks),
        ("rejects", summary.rejects.values().sum()),
        ("sites", sites),
        // Of each document there is a row; what was read is counted under a name that is no table's.
        ("captures", summary.documents),
        ("captures read", summary.captures),
        ("damaged places", summary.damage),
    ]
    .map(|(name, count)| (name.to_owned(), count))
    .into();
    if settings.posts.is_some() {
        totals.insert("posts".to_owned(), summary.posts);
    }
    totals.insert("duplicates".to_owned(), summary.clustered_documents);
    totals.insert("repeats".to_owned(), summary.repeats);
    totals.insert("templates".to_owned(), summary.templates);
    totals.insert("histograms".to_owned(), summary.mined_sites);
    if summary.refused_inputs > 0 {
        totals.insert("refused inputs".to_owned(), summary.refused_inputs);
    }
    let missing = summary::each_input(&summary.missing);
    staging.discard_all();
    corpus.finish(totals, summary.counts(), missing)?;
    step(running);
    Ok(summary)
}

fn step(running: &Running) {
    if let Some(steps) = running.progress.watch.steps(steps::FINISH) {
        steps.add(1);
    }
}

/// Gives each table of the build that has no rows a file without rows. Returns the number of these files.
fn ensure_tables(durable: &Durable) -> Result<u64, Error> {
    let tables = durable.publisher.optional().all();
    let ensured = tables.map(|table| durable.corpus.ensure_table(&table));
    ensured.map(|is_new| Ok(u64::from(is_new?))).sum()
}

/// What is kept of the documents of each chunk.
#[derive(Default)]
struct KeptRuns {
    signed: Vec<Option<SignedRuns>>,
    lines: Vec<WrittenLines>,
}

/// Adds up what all chunks have for their sites, and writes the sites table; nothing is written where there are no rows. Gives
/// their number, and what is kept of each chunk.
fn write_sites(durable: &Durable, running: &Running, chunks: Epoch) -> Result<(u64, KeptRuns), Error> {
    let mut kept = KeptRuns::default();
    let mut adder = Adder::new(&durable.parts.staging, StagedFile::Scratch(0, 0));
    each(
        running,
        chunks,
        |chunk| Ok((durable.log.sums(chunk)?, durable.log.written(chunk)?)),
        |_, (sums, chunk)| {
            kept.signed.push(chunk.signed);
            kept.lines.push(WrittenLines::new(chunk.lines, &chunk.files));
            sums.iter().try_for_each(|sum| adder.add(sum))
        },
    )?;
    let mut table: Option<TableWriter<SiteRow>> = None;
    let mut write = |row: Option<SiteRow>| -> Result<(), Error> {
        let Some(row) = row else { return Ok(()) };
        let table = match &mut table {
            Some(table) => table,
            none => none.insert(durable.corpus.table(0)?),
        };
        Ok(table.push(&row)?)
    };
    let mut rows = SiteRows::default();
    adder.each(|sum| write(rows.push(sum)))?;
    write(rows.last())?;
    let Some(table) = table else {
        return Ok((0, kept));
    };
    let file = table.finish()?.wait()?;
    let rows = file.rows;
    durable.corpus.commit(&SiteRow::TABLE, 0, &[file])?;
    Ok((rows, kept))
}

/// Sums up what all processes have read and written, and commits what is not committed yet.
fn sum_up(durable: &Durable, running: &Running, parts: Epoch, chunks: Epoch) -> Result<(), Error> {
    let mut summary = Summary::default();
    each(
        running,
        parts,
        |part| durable.log.read_again(part),
        |_, read| {
            read.into_iter().for_each(|read| summary.add(&read.sums));
            Ok(())
        },
    )?;
    each(
        running,
        chunks,
        |chunk| durable.log.written(chunk),
        |chunk, written| {
            summary.add(&written.summary);
            durable.publisher.written(chunk, written.files)
        },
    )?;
    running.set_sums(summary);
    Ok(())
}

/// Reads the log entries of numbers 0 to `count`, in their order. Returns early if the build is stopped.
fn each<T: Send>(
    running: &Running,
    count: Epoch,
    get: impl Fn(Epoch) -> Result<T, Error> + Sync,
    mut take: impl FnMut(Epoch, T) -> Result<(), Error>,
) -> Result<(), Error> {
    let take = |number, value| {
        step(running);
        take(number, value)
    };
    in_order(count, &|| running.is_stopped(), get, take)
}

/// How many are asked for at a time: the answer of a bucket takes some tens of milliseconds.
const ASKED: Epoch = 32;

/// Takes what is asked for, by number, in the order of the numbers, up to the first error. Nothing more is taken once
/// it is to stop, and nothing more asked for after those that are under way.
fn in_order<T: Send>(
    count: Epoch,
    is_stopped: &dyn Fn() -> bool,
    get: impl Fn(Epoch) -> Result<T, Error> + Sync,
    mut take: impl FnMut(Epoch, T) -> Result<(), Error>,
) -> Result<(), Error> {
    let get = &get;
    for first in (0..count).step_by(ASKED as usize) {
        let numbers = first..count.min(first + ASKED);
        let answers: Vec<Result<T, Error>> = thread::scope(|scope| {
            let asked = numbers.clone().map(|number| scope.spawn(move || get(number)));
            let asked: Vec<_> = asked.collect();
            let answers = asked.into_iter().map(|thread| thread.join());
            answers
                .map(|answer| answer.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        for (number, answer) in numbers.zip(answers) {
            let answer = answer?;
            if is_stopped() {
                return Err(Error::Interrupted);
            }
            take(number, answer)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
    use std::time::Duration;

    use super::*;

    /// The later, the sooner it is there.
    fn slowly(number: Epoch) -> Result<Epoch, Error> {
        thread::sleep(Duration::from_millis((100 - number) % 32));
        match number {
            70 => Err(Error::Damaged),
            _ => Ok(number),
        }
    }

    #[test]
    fn answers_are_taken_in_order_up_to_the_first_error() {
        for (count, taken) in [(0, 0), (1, 1), (32, 32), (65, 65), (100, 70)] {
            let mut found = Vec::new();
            let outcome = in_order(count, &|| false, slowly, |number, answer| {
                assert_eq!(number, answer);
                found.push(answer);
                Ok(())
            });
            assert_eq!(found, (0..taken).collect::<Vec<_>>());
            assert_eq!(outcome.is_err(), count > 70);
        }
    }

    #[test]
    fn a_build_that_is_interrupted_at_its_end_reads_no_more_parts() {
        let (stop, asked) = (AtomicBool::new(false), AtomicU64::new(0));
        let get = |number| {
            asked.fetch_add(1, Relaxed);
            stop.fetch_or(number == 40, Relaxed);
            Ok(number)
        };
        let mut taken = 0;
        let outcome = in_order(100, &|| stop.load(Relaxed), get, |_, _| {
            taken += 1;
            Ok(())
        });
        assert!(matches!(outcome, Err(Error::Interrupted)));
        assert_eq!((taken, asked.into_inner()), (32, 64));
    }
}
