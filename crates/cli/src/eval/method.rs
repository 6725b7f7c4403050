//! Scores of the methods that are no model: what they keep against gold text.

use anyhow::Result;
use gleaner_crf::Label;
use gleaner_features::Columns;
use gleaner_gold::GoldPage;
use gleaner_page::Page;

use super::{Given, Scored};
use crate::gold_pages::{Sample, load};
use crate::method;
use crate::prepared::{Prepared, name_kinds};

/// A page, and the labels that a method gives to it.
pub(super) type Judged = (Sample<Prepared>, Vec<Label>);

/// Reads all pages and has the method judge them.
pub(super) fn judge<J>(
    files: &[std::path::PathBuf],
    workers: usize,
    judge: impl Fn() -> J + Sync,
) -> Result<Vec<Judged>>
where
    J: FnMut(&Page, &GoldPage) -> Vec<Label>,
{
    let samples = load(files, &method::page_config(), workers, || {
        let mut judge = judge();
        move |page: &Page, gold: &GoldPage| {
            let prepared = Prepared::new(page, Columns::default(), gold.labels(page));
            (prepared, judge(page, gold))
        }
    })?;
    let split = |sample: Sample<(Prepared, Vec<Label>)>| {
        let Sample { set, gold, value } = sample;
        (
            Sample {
                set,
                gold,
                value: value.0,
            },
            value.1,
        )
    };
    let mut judged: Vec<Judged> = samples.into_iter().map(split).collect();
    name_kinds(judged.iter_mut().map(|(sample, _)| sample), files);
    Ok(judged)
}

/// Scores what was judged.
pub(super) fn score(judged: &[Judged]) -> Vec<Scored<'_>> {
    judged
        .iter()
        .map(|(sample, labels)| Scored::new(sample, Given::certain(labels.clone()), 0))
        .collect()
}
