//! The end of a build: what all parts have come to.

use std::collections::BTreeMap;

use gleaner_corpus::SiteRow;

use crate::error::Error;
use crate::job::Job;
use crate::summary::Summary;
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
    let sites = job.sites.rows();
    if !sites.is_empty() {
        let mut table = job.corpus.table::<SiteRow>(0)?;
        sites.iter().try_for_each(|row| table.push(row))?;
        let file = table.finish()?.wait()?;
        job.corpus.commit::<SiteRow>(0, &[file])?;
        summary.files += 1;
    }
    let mut totals: BTreeMap<String, u64> = [
        ("documents", summary.documents),
        ("blocks", summary.blocks),
        ("rejects", summary.rejects.values().sum()),
        ("sites", sites.len() as u64),
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

/// Sums up what all processes have written, and commits what is not committed yet.
fn sum_up(job: &Job) -> Result<(), Error> {
    let mut summary = Summary::default();
    job.sites.clear();
    for part in 0..job.plan.parts.len() as Epoch {
        let written = job.log.written(part)?;
        job.publisher.written(part, written.files)?;
        summary.add(&written.summary);
        let sites = written.sites.iter();
        sites.for_each(|(site, counts)| job.sites.restore(site, counts));
    }
    job.set_sums(summary);
    Ok(())
}
