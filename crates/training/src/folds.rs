//! Cross-validation: pages scored by models that have not seen them.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use gleaner_content::Calibration;
use gleaner_gold::GoldPage;

use crate::Error;
use crate::fit::fit_samples;
use crate::gold_pages::{GoldReader, Sample};
use crate::job::{TrainJob, convention};
use crate::page_scores::{Scored, score_by_conventions};
use crate::pages::Warn;
use crate::prepared::Prepared;

/// How models are trained and scored, beside the settings of the job.
#[derive(Clone, Copy)]
pub struct Validation<'a> {
    /// The number of folds.
    pub folds: u16,
    /// Reads the gold files for early stopping.
    pub reader: GoldReader<'a>,
    /// The convention that pages are judged by, which may be [`convention::GOLD`].
    pub convention: Option<&'a str>,
    /// Ends the trainings when it is set.
    pub stop: &'a AtomicBool,
}

impl Validation<'_> {
    /// # Errors
    /// The job has no such convention.
    pub fn check(self, job: &TrainJob) -> Result<(), Error> {
        let known: BTreeSet<&str> = job.conventions.values().map(String::as_str).collect();
        match self.convention {
            Some(convention::GOLD) if known.is_empty() => Err(Error::NoConventions),
            Some(name) if name != convention::GOLD && !known.contains(name) => {
                let known: Vec<&str> = known.into_iter().collect();
                Err(Error::UnknownConvention(name.to_owned(), known.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

/// Each fold scored by a model trained on the others, in the order of the samples, and judged by a convention, which may be
/// that of each page's gold. Reports each fold that is done.
///
/// # Errors
/// There is one page only, or a training fails.
pub fn cross_validate<'a>(
    job: &TrainJob,
    samples: &'a [Sample<Prepared>],
    validation: Validation<'_>,
    report: &mut dyn FnMut(u16),
) -> Result<Vec<Scored<'a>>, Error> {
    let Validation {
        folds,
        reader,
        convention,
        stop,
    } = validation;
    let golds = samples.iter().map(|sample| &sample.gold);
    let fold_of = divide(golds, |gold| job.host_key(gold), folds, reader.warn)?;
    let mut scored: Vec<Option<Scored<'a>>> = samples.iter().map(|_| None).collect();
    for held_out in 0..folds {
        if !fold_of.contains(&held_out) {
            continue;
        }
        let others = samples
            .iter()
            .zip(&fold_of)
            .filter(|&(_, &fold)| fold != held_out);
        let trained = fit_samples(job, others.map(|(sample, _)| sample), reader, stop)?;
        let places: Vec<usize> = (0..samples.len()).filter(|&at| fold_of[at] == held_out).collect();
        let pages = places.iter().map(|&at| &samples[at]);
        let scores = score_by_conventions(pages, &trained, held_out, |sample| match convention {
            Some(convention::GOLD) => job.convention(&sample.value.set).map(str::to_owned),
            name => name.map(str::to_owned),
        })?;
        for (&at, page) in places.iter().zip(scores) {
            scored[at] = Some(page);
        }
        report(held_out + 1);
    }
    Ok(scored.into_iter().flatten().collect())
}

/// The calibration of the expected word F1 of pages, by models that were not trained on them.
pub fn calibration<'s, 'a: 's>(scored: impl Iterator<Item = &'s Scored<'a>>) -> Calibration {
    let pair = |page: &Scored<'_>| {
        page.confidence
            .map(|expected| [expected, page.words.words.f1 as f32])
    };
    Calibration::fit(&scored.filter_map(pair).collect::<Vec<_>>())
}

/// Calibrates the confidence of each fold's pages by those of the other folds.
pub fn calibrate_by_others(scored: &mut [Scored<'_>], folds: u16) {
    let by_others: Vec<Calibration> = (0..folds)
        .map(|fold| calibration(scored.iter().filter(|page| page.fold != fold)))
        .collect();
    for page in scored {
        let own = &by_others[usize::from(page.fold)];
        page.confidence = page.confidence.map(|expected| own.observed(expected));
    }
}

/// The fold of each page, the same in every run: pages of one host, as `host_key` has it, are in one fold. Where that would leave only
/// one, hosts are dealt out in turn, and where there is only one host, its pages are.
///
/// # Errors
/// Fewer than two pages.
pub fn divide<'a>(
    golds: impl Iterator<Item = &'a GoldPage> + Clone,
    host_key: impl Fn(&'a GoldPage) -> &'a str,
    folds: u16,
    warn: Warn<'_>,
) -> Result<Vec<u16>, Error> {
    let hash = |gold: &'a GoldPage| xxhash_rust::xxh3::xxh3_64(host_key(gold).as_bytes());
    let by_hash: Vec<u16> = golds
        .clone()
        .map(|gold| (hash(gold) % u64::from(folds)) as u16)
        .collect();
    if by_hash.iter().any(|&fold| fold != by_hash[0]) {
        return Ok(by_hash);
    }
    let page = |gold: &'a GoldPage| (&*gold.url, gold.record_id.as_str(), gold.page_id.as_deref());
    if let Some(dealt) = deal(golds.clone().map(&host_key), folds) {
        return Ok(dealt);
    }
    let Some(dealt) = deal(golds.map(page), folds) else {
        return Err(Error::OnePage);
    };
    warn("all pages have the same host: folds divide its pages, so each model has seen the site");
    Ok(dealt)
}

/// Deals out what has different keys; nothing where all have the same.
fn deal<K: Ord>(keys: impl Iterator<Item = K> + Clone, folds: u16) -> Option<Vec<u16>> {
    let known: Vec<K> = keys.clone().collect::<BTreeSet<K>>().into_iter().collect();
    let rank = |key: K| known.binary_search(&key).expect("it is one of them");
    (known.len() > 1).then(|| keys.map(|key| (rank(key) % usize::from(folds)) as u16).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold_pages::host_key;

    fn folds(urls: &[&str], folds: u16) -> Result<Vec<u16>, Error> {
        let page = |url: &&str| GoldPage {
            url: (*url).to_owned(),
            ..GoldPage::default()
        };
        let pages: Vec<GoldPage> = urls.iter().map(page).collect();
        divide(pages.iter(), host_key, folds, &|_| {})
    }

    #[test]
    fn pages_of_a_host_are_in_one_fold() {
        let urls: Vec<String> = (0..60)
            .map(|page| format!("http://h{}.cz/{page}", page % 20))
            .collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let found = folds(&urls, 5).unwrap();
        assert!((0..40).all(|page| found[page] == found[page + 20]));
        assert!((0..5).all(|fold| found.contains(&fold)));
    }

    #[test]
    fn pages_whose_hosts_are_not_known_are_dealt_out_whatever_their_domain() {
        let page = |number: usize, host_known| GoldPage {
            url: format!("http://stand-in.example/{number}"),
            host_known,
            ..GoldPage::default()
        };
        let known: Vec<GoldPage> = (0..40)
            .map(|number| page(number, None))
            .chain([page(40, Some(false))])
            .collect();
        let found = divide(known.iter(), host_key, 5, &|_| {}).unwrap();
        assert!(found[..40].iter().all(|&fold| fold == found[0]), "{found:?}");
        let unknown: Vec<GoldPage> = (0..40).map(|number| page(number, Some(false))).collect();
        let found = divide(unknown.iter(), host_key, 5, &|_| {}).unwrap();
        assert!((0..5).all(|fold| found.contains(&fold)), "{found:?}");
    }

    #[test]
    fn there_is_always_something_to_learn_from() {
        for second in 0..9 {
            let second = format!("http://{second}.cz/");
            let found = folds(&["http://a.cz/", &second, "http://a.cz/x"], 2).unwrap();
            assert!(found[0] != found[1] && found[0] == found[2], "{found:?}");
        }
        let one_host = ["http://a.cz/c", "http://a.cz/a", "http://a.cz/b"];
        assert_eq!(folds(&one_host, 2).unwrap(), [0, 0, 1]);
        assert!(folds(&["http://a.cz/"], 5).is_err());
    }
}
