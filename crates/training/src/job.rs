//! Job files of trainings.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use gleaner_content::{ContentConfig, TrainConfig};
use gleaner_features::{FeatureConfig, words};
use gleaner_gold::GoldPage;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::gold_pages::{Sample, host, host_key};
use crate::kinds::KindsJob;
use crate::prepared::Prepared;

/// Names of conventions with a meaning of their own.
pub mod convention {
    /// None: the model decides what suits the page.
    pub const AUTO: &str = "auto";
    /// In a cross-validation: for each page the convention of its gold file, by the job of the training.
    pub const GOLD: &str = "gold";
}

/// A training.
#[derive(Debug)]
pub enum Job {
    /// Of a model.
    Model(Box<TrainJob>),
    /// Of a table of page kinds.
    Kinds(Box<KindsJob>),
}

impl Job {
    /// A job file. One with a table `page_kinds` is for kinds of pages.
    ///
    /// # Errors
    /// The text is not TOML, or has an unknown key or a value of another type.
    pub fn from_toml(text: &str) -> Result<Job, toml::de::Error> {
        #[derive(Deserialize)]
        struct Kind {
            page_kinds: Option<IgnoredAny>,
        }
        let kind: Kind = toml::from_str(text)?;
        Ok(match kind.page_kinds {
            Some(_) => Job::Kinds(Box::new(toml::from_str(text)?)),
            None => Job::Model(Box::new(toml::from_str(text)?)),
        })
    }

    /// # Errors
    /// A value is out of range.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Job::Model(job) => job.check(),
            Job::Kinds(job) => job.check(),
        }
    }

    /// The file to write.
    pub fn out(&self) -> Option<&PathBuf> {
        match self {
            Job::Model(job) => job.out.as_ref(),
            Job::Kinds(job) => job.out.as_ref(),
        }
    }
}

/// How to train a model. Everything but the gold files has a default.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainJob {
    /// Gold files, relative to the folder the command runs in.
    pub gold: Vec<PathBuf>,
    /// Placeholder hosts in the addresses of gold files: their pages are of unknown hosts.
    pub unknown_hosts: Vec<String>,
    /// Where the model is written.
    pub out: Option<PathBuf>,
    /// The card of the model: name, data with licence, command.
    pub card: toml::Table,
    /// Minimum share of the words of a page's gold that are in the blocks aligned to it. A page with less is left out, since
    /// its gold is that of another page. Annotated pages are never left out.
    pub least_found: f64,
    /// Maximum pages per host; 0 for no limit.
    pub pages_per_host: usize,
    /// Pages held out, to stop when the model gets no better on them.
    pub dev: DevPages,
    /// Blocks and features.
    pub features: FeatureConfig,
    /// Template, decoder and optimisation.
    pub training: TrainConfig,
    /// Settings of the content model, by page kind; `None`: content follows from the labels.
    pub content: Option<ContentConfig>,
    /// How the expected word F1 of pages is calibrated.
    pub confidence: Confidence,
    /// Page kinds by gold file or `page_type`, where the kind has another name.
    pub kinds: BTreeMap<String, String>,
    /// Conventions by gold file. Other pages may be judged by them, too.
    pub conventions: BTreeMap<String, String>,
}

/// How the expected word F1 of pages is calibrated.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Confidence {
    /// Number of folds of the cross-validation, which multiplies the time of the training; 0 for no calibration.
    pub folds: u16,
}

/// The pages that a training's early stopping looks at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DevPages {
    /// Gold files that are not trained on.
    pub gold: Vec<PathBuf>,
    /// Approximate share of the training pages: all pages of some hosts.
    pub share: f64,
}

impl DevPages {
    /// Whether any pages are to be held out.
    pub fn is_asked_for(&self) -> bool {
        !self.gold.is_empty() || self.share > 0.0
    }

    /// Whether the pages of a host are held out. The same in every run.
    pub fn holds_out(&self, host_key: &str) -> bool {
        // (A seed of its own: cross-validation takes the remainder of the plain hash.)
        let hash = xxh3_64_with_seed(host_key.as_bytes(), 1);
        hash as f64 / 2f64.powi(64) < self.share
    }
}

/// # Errors
/// The value of a setting is out of range.
fn check_setting(
    is_right: bool,
    setting: &'static str,
    range: &'static str,
    value: f64,
) -> Result<(), Error> {
    let value = value.to_string();
    match is_right {
        true => Ok(()),
        false => Err(Error::Setting(setting, range, value)),
    }
}

impl TrainJob {
    fn check(&self) -> Result<(), Error> {
        let (found, folds, dev) = (self.least_found, self.confidence.folds, self.dev.share);
        check_setting((0.0..=1.0).contains(&found), "least_found", "from 0 to 1", found)?;
        self.check_conventions()?;
        check_setting(
            folds != 1,
            "confidence.folds",
            "0, or 2 or more",
            f64::from(folds),
        )?;
        self.training.check()?;
        self.content.as_ref().map_or(Ok(()), ContentConfig::check)?;
        check_setting((0.0..=0.9).contains(&dev), "dev.share", "from 0 to 0.9", dev)
    }

    /// Conventions are chosen by their names, which must not be empty or mean something else.
    fn check_conventions(&self) -> Result<(), Error> {
        if self.content.is_none() && !self.conventions.is_empty() {
            return Err(Error::ConventionsAlone);
        }
        for (set, name) in &self.conventions {
            let is_taken = [convention::AUTO, convention::GOLD].contains(&name.as_str());
            if name.trim().is_empty() || is_taken {
                return Err(Error::ConventionName(set.clone(), name.clone()));
            }
        }
        Ok(())
    }

    /// The key by which pages are grouped when some are held out: see [`host_key`].
    pub fn host_key<'g>(&self, gold: &'g GoldPage) -> &'g str {
        let host = host(&gold.url);
        match self.unknown_hosts.iter().any(|unknown| unknown == host) {
            true => &gold.url,
            false => host_key(gold),
        }
    }

    /// Whether enough of a page's gold was found on it. Annotated blocks are their own gold.
    pub fn learns_from(&self, page: &Sample<Prepared>) -> bool {
        if page.gold.annotation.is_some() {
            return true;
        }
        let found = f64::from(page.value.page.layout.kept_size(&page.value.labels));
        found >= self.least_found * words(&page.gold.text).count().max(1) as f64
    }

    /// Whether each page is learned from: if enough of its gold was [found](Self::learns_from), and its host has not more pages
    /// than the job says. The same whatever the order of the pages.
    pub fn choose(&self, samples: &[&Sample<Prepared>]) -> Vec<bool> {
        let mut digests: HashMap<&str, Vec<u64>> = HashMap::new();
        for sample in samples.iter().filter(|sample| self.learns_from(sample)) {
            let of_host = digests.entry(self.host_key(&sample.gold)).or_default();
            of_host.push(sample.digest);
        }
        digests.values_mut().for_each(|digests| digests.sort_unstable());
        let is_chosen = |sample: &&Sample<Prepared>| {
            let of_host = digests.get(self.host_key(&sample.gold));
            let first_left = of_host.and_then(|digests| digests.get(self.pages_per_host));
            let has_room = self.pages_per_host == 0 || first_left.is_none_or(|first| sample.digest < *first);
            self.learns_from(sample) && has_room
        };
        samples.iter().map(is_chosen).collect()
    }

    /// The model's card: that of the job, with the number of training pages and the settings that are not elsewhere in the
    /// model file.
    pub(crate) fn card(&self, pages: usize) -> Result<toml::Table, toml::ser::Error> {
        let mut training = toml::Table::try_from(&self.training)?;
        for carried in ["labels", "decoder", "template", "threads"] {
            training.remove(carried);
        }
        if self.dev.is_asked_for() {
            training.insert("dev".to_owned(), toml::Value::try_from(&self.dev)?);
        }
        if let Some(content) = &self.content {
            training.insert("content".to_owned(), toml::Value::try_from(content)?);
        }
        if self.confidence.folds > 0 {
            training.insert("confidence".to_owned(), toml::Value::try_from(self.confidence)?);
        }
        if self.pages_per_host > 0 {
            training.insert("pages_per_host".to_owned(), integer(self.pages_per_host));
        }
        if self.least_found > 0.0 {
            training.insert("least_found".to_owned(), self.least_found.into());
        }
        let mut card = self.card.clone();
        card.insert("pages".to_owned(), integer(pages));
        card.insert("training".to_owned(), training.into());
        Ok(card)
    }

    /// The kind of a page whose gold calls it so.
    pub fn kind<'a>(&'a self, named: &'a str) -> &'a str {
        self.kinds.get(named).map_or(named, String::as_str)
    }

    /// The convention of a gold file's pages.
    pub fn convention(&self, set: &str) -> Option<&str> {
        self.conventions.get(set).map(String::as_str)
    }
}

fn integer(number: usize) -> toml::Value {
    toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use gleaner_gbdt::TreesConfig;

    use super::*;

    #[test]
    fn the_job_of_the_documentation_is_the_default() {
        let text = include_str!("../../../jobs/README.md");
        let (_, text) = text.split_once("\n## Training\n").unwrap();
        let (_, text) = text.split_once("```toml\n").unwrap();
        let (toml, _) = text.split_once("```").unwrap();
        let job: TrainJob = toml::from_str(toml).unwrap();
        assert_eq!(toml::to_string(&job), toml::to_string(&TrainJob::default()));
        // Each setting is named, the optional ones in a comment.
        let all = TrainJob {
            training: TrainConfig {
                trees: Some(TreesConfig::default()),
                ..TrainConfig::default()
            },
            ..TrainJob::default()
        };
        let training = toml::Table::try_from(&all.training).unwrap();
        for name in training.keys() {
            let named = [
                format!("\n{name} = "),
                format!("\n# {name} = "),
                format!("training.{name}]"),
            ];
            assert!(named.iter().any(|name| toml.contains(name)), "{name}");
        }
        let content = toml::to_string(&ContentConfig {
            trees: Some(TreesConfig::default()),
            ..ContentConfig::default()
        })
        .unwrap();
        let content = content
            .replace("[trees]", "[content.trees]")
            .replace("\n\n", "\n");
        assert!(toml.contains("\n# columns = { \"\" = true } #"));
        for setting in content.lines() {
            assert!(
                toml.contains(&format!("\n# {setting} ")) || toml.contains(&format!("\n# {setting}\n")),
                "{setting}"
            );
        }
    }

    #[test]
    fn hosts_are_held_out_whole_and_about_as_many_as_asked_for() {
        let dev = DevPages {
            share: 0.25,
            ..DevPages::default()
        };
        let hosts = (0..400).filter(|host| {
            let holds_out = |page: &str| dev.holds_out(self::host(&format!("https://site{host}.org/{page}")));
            assert_eq!(holds_out(""), holds_out("page?a=1"));
            holds_out("")
        });
        assert!((80..120).contains(&hosts.count()));
        assert!(!DevPages::default().holds_out("site1.org"));
    }
}
