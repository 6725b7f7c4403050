//! A training's job file.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use gleaner_content::{ContentConfig, TrainConfig};
use gleaner_features::{FeatureConfig, words};
use gleaner_gold::GoldPage;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::args::convention;
use crate::gold_pages::{Sample, host, host_key};
use crate::job_text::{JobText, is_training};
use crate::prepared::Prepared;

/// What a model is made from. Everything but the gold files has a default.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TrainJob {
    /// Gold files, relative to the folder the command runs in.
    pub(crate) gold: Vec<PathBuf>,
    /// Hosts in the addresses of gold files that stand for hosts that are not known: their pages are not of one host.
    pub(crate) unknown_hosts: Vec<String>,
    /// Where the model is written.
    pub(crate) out: Option<PathBuf>,
    /// What the model's card says of it: name, data with licence, command.
    pub(crate) card: toml::Table,
    /// A page is not learned from where less than this share of its gold's words are in the blocks that these are
    /// aligned to: its gold is that of another page. Of an empty gold nothing is found. Annotated pages are
    /// learned from in any case.
    pub(crate) least_found: f64,
    /// Of each host as many pages are learned from at most; of all that there are with 0.
    pub(crate) pages_per_host: usize,
    /// Pages held out, to stop when the model gets no better on them.
    pub(crate) dev: DevPages,
    /// Blocks and features.
    pub(crate) features: FeatureConfig,
    /// Template, decoder and optimisation.
    pub(crate) training: TrainConfig,
    /// Has content be told by kinds of pages, with these settings.
    pub(crate) content: Option<ContentConfig>,
    /// How the expected word F1 of pages is calibrated.
    pub(crate) confidence: Confidence,
    /// The kind of the pages of a gold file, or of a `page_type`, where it is not that name itself.
    pub(crate) kinds: BTreeMap<String, String>,
    /// The convention of the pages of a gold file, by which others may be judged, too.
    pub(crate) conventions: BTreeMap<String, String>,
}

/// How the expected word F1 of pages is calibrated.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Confidence {
    /// By a cross-validation with this number of folds, which multiplies the time of the training; not at all with 0.
    pub(crate) folds: u16,
}

/// The pages that a training's early stopping looks at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DevPages {
    /// These gold files, which nothing is learned from.
    pub(crate) gold: Vec<PathBuf>,
    /// About this share of the training pages: all that there are of some hosts.
    pub(crate) share: f64,
}

impl DevPages {
    pub(crate) fn is_asked_for(&self) -> bool {
        !self.gold.is_empty() || self.share > 0.0
    }

    /// Whether the pages of a host are held out. The same in every run.
    pub(crate) fn holds_out(&self, host_key: &str) -> bool {
        // (A seed of its own: cross-validation takes the remainder of the plain hash.)
        let hash = xxh3_64_with_seed(host_key.as_bytes(), 1);
        hash as f64 / 2f64.powi(64) < self.share
    }

    fn check(&self) -> Result<()> {
        if !(0.0..=0.9).contains(&self.share) {
            bail!("dev.share must be from 0 to 0.9, not {}", self.share);
        }
        Ok(())
    }
}

impl TrainJob {
    /// Reads a job file.
    pub(crate) fn read(path: &Path) -> Result<TrainJob> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("could not read the job file {}", path.display()))?;
        let job: TrainJob = toml::from_str(&text).map_err(|error| not_for_training(path, &text, &error))?;
        job.check()
            .with_context(|| format!("the job file {} has an error", path.display()))?;
        Ok(job)
    }

    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.least_found) {
            bail!("least_found must be from 0 to 1, not {}", self.least_found);
        }
        self.check_conventions()?;
        if self.confidence.folds == 1 {
            bail!("confidence.folds must be 0, or 2 or more, not 1");
        }
        self.training.check()?;
        self.content.as_ref().map_or(Ok(()), ContentConfig::check)?;
        self.dev.check()
    }

    /// Conventions are chosen by their names, so that these must be some, and none that says something else.
    fn check_conventions(&self) -> Result<()> {
        if self.content.is_none() && !self.conventions.is_empty() {
            bail!("[conventions] needs [content]: add that table");
        }
        for (set, name) in &self.conventions {
            let is_taken = [convention::AUTO, convention::GOLD].contains(&name.as_str());
            if name.trim().is_empty() || is_taken {
                bail!(
                    "conventions.{set} must not be '{name}', which has a meaning of its own: choose another name"
                );
            }
        }
        Ok(())
    }

    /// The key by which pages are grouped when some are held out: see [`host_key`].
    pub(crate) fn host_key<'g>(&self, gold: &'g GoldPage) -> &'g str {
        let host = host(&gold.url);
        match self.unknown_hosts.iter().any(|unknown| unknown == host) {
            true => &gold.url,
            false => host_key(gold),
        }
    }

    /// Whether enough of a page's gold was found on it. Blocks that a person labelled are their own gold.
    pub(crate) fn learns_from(&self, page: &Sample<Prepared>) -> bool {
        if page.gold.annotation.is_some() {
            return true;
        }
        let found = f64::from(page.value.page.layout.kept_size(&page.value.labels));
        found >= self.least_found * words(&page.gold.text).count().max(1) as f64
    }

    /// Whether each page is learned from: if enough of its gold was [found](Self::learns_from), and its host has not more pages
    /// than the job says. The same whatever the order of the pages.
    pub(crate) fn choose(&self, samples: &[&Sample<Prepared>]) -> Vec<bool> {
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

    /// The model's card: what the job says, with the pages learned from and the settings that the
    /// model itself does not carry.
    pub(crate) fn card(&self, pages: usize) -> Result<toml::Table> {
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
            training.insert(
                "pages_per_host".to_owned(),
                i64::try_from(self.pages_per_host)?.into(),
            );
        }
        if self.least_found > 0.0 {
            training.insert("least_found".to_owned(), self.least_found.into());
        }
        let mut card = self.card.clone();
        card.insert("pages".to_owned(), i64::try_from(pages)?.into());
        card.insert("training".to_owned(), training.into());
        Ok(card)
    }

    /// The kind of a page whose gold calls it so.
    pub(crate) fn kind<'a>(&'a self, named: &'a str) -> &'a str {
        self.kinds.get(named).map_or(named, String::as_str)
    }

    /// The convention of a gold file's pages.
    pub(crate) fn convention(&self, set: &str) -> Option<&str> {
        self.conventions.get(set).map(String::as_str)
    }

    /// The gold files of the command line, else those of the job.
    pub(crate) fn gold_files(&self, given: &[PathBuf], path: &Path) -> Result<Vec<PathBuf>> {
        let files = if given.is_empty() { &self.gold } else { given };
        if files.is_empty() {
            bail!(
                "{} has no gold files: add gold = [\"NAME.gold.jsonl\"], or name them after the job",
                path.display()
            );
        }
        Ok(files.to_vec())
    }
}

/// Why a file is no training job: it may be one of `gleaner run`.
fn not_for_training(path: &Path, text: &str, error: &toml::de::Error) -> anyhow::Error {
    let of_a_build = toml::from_str(text).is_ok_and(|job: toml::Table| {
        (job.contains_key("inputs") || job.contains_key("out"))
            && !is_training(job.keys().map(String::as_str))
    });
    if of_a_build {
        return anyhow!("{0} is a job of a build: use gleaner run {0}", path.display());
    }
    JobText::new(path, text).error(error)
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
