//! The end of a build: what all parts have come to.

use std::collections::BTreeMap;

use gleaner_corpus::{SiteRow, TableWriter};

use crate::error::Error;
use crate::job::Job;
use crate::sites::SiteRows;
use crate::summary::Summary;
use crate::sums::Adder;
use crate::{Epoch, mining};

/// Writes the sites table and says that the corpus is complete.
pub(crate) fn finish(job: &Job) -> Result<Summary, Error> {
    if job.share.group().is_some() {
        sum_up(job)?;
    }
    let mut summary = job.sums();
    let mined = match &job.stage {
        Some(stage) => job.mining.write(&job.corpus, &stage.staging)?,
        None => mining::Mined::default(),
    };
    summary.mined_sites = mined.sites;
    summary.templates = mined.expressions;
    summary.files += mined.files;
    let sites = write_sites(job)?;
    summary.files += u64::from(sites > 0);
    let mut totals: BTreeMap<String, u64> = [
        ("documents", summary.documents),
        ("blocks", summary.blocks),
        ("rejects", summary.rejects.values().sum()),
        ("sites", sites),
        ("captures", summary.captures),
        ("damaged places", summary.damage),
    ]
    .map(|(name, count)| (name.to_owned(), count))
    .into();
    if job.posts.is_some() {
        totals.insert("posts".to_owned(), summary.posts);
    }
    if job.stage.is_some() {
        totals.insert("templates".to_owned(), mined.expressions);
        totals.insert("histograms".to_owned(), mined.sites);
    }
    job.corpus.finish(totals)?;
    Ok(summary)
}

/// Adds up what all parts have for their sites, and writes the sites table. Gives its rows; there is no table where
/// there are none.
fn write_sites(job: &Job) -> Result<u64, Error> {
    let mut adder = Adder::new(job.corpus.output());
    for part in 0..job.plan.parts.len() as Epoch {
        let sums = job.log.sums(part)?;
        sums.into_iter().try_for_each(|sum| adder.add(sum))?;
    }
    let mut table: Option<TableWriter<SiteRow>> = None;
    let mut write = |row: Option<SiteRow>| -> Result<(), Error> {
        let Some(row) = row else { return Ok(()) };
        let table = match &mut table {
            Some(table) => table,
            none => none.insert(job.corpus.table(0)?),
        };
        Ok(table.push(&row)?)
    };
    let mut rows = SiteRows::default();
    adder.each(|sum| write(rows.push(sum)))?;
    write(rows.last())?;
    let Some(table) = table else { return Ok(0) };
    let file = table.finish()?.wait()?;
    let rows = file.rows;
    job.corpus.commit::<SiteRow>(0, &[file])?;
    Ok(rows)
}

/// Sums up what all processes have written, and commits what is not committed yet.
fn sum_up(job: &Job) -> Result<(), Error> {
    let mut summary = Summary::default();
    for part in 0..job.plan.parts.len() as Epoch {
        let written = job.log.written(part)?;
        job.publisher.written(part, written.files)?;
        summary.add(&written.summary);
    }
    job.set_sums(summary);
    Ok(())
}
