//! A training's job file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_crf::TrainConfig;
use gleaner_features::FeatureConfig;
use serde::{Deserialize, Serialize};

/// What a model is made from. Everything but the gold files has a default.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TrainJob {
    /// Gold files, relative to the folder the command runs in.
    pub(crate) gold: Vec<PathBuf>,
    /// Where the model is written.
    pub(crate) out: Option<PathBuf>,
    /// What the model's card says of it: name, data with licence, command.
    pub(crate) card: toml::Table,
    /// Blocks and features.
    pub(crate) features: FeatureConfig,
    /// Template, decoder and optimisation.
    pub(crate) training: TrainConfig,
}

impl TrainJob {
    /// Reads a job file.
    pub(crate) fn read(path: &Path) -> Result<TrainJob> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("could not read the job file {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("the job file {} is not sound", path.display()))
    }

    /// The gold files of the command line, else those of the job.
    pub(crate) fn gold_files(&self, given: &[PathBuf], path: &Path) -> Result<Vec<PathBuf>> {
        let files = if given.is_empty() { &self.gold } else { given };
        if files.is_empty() {
            bail!(
                "{} names no gold files: add gold = [\"NAME.gold.jsonl\"], or name them after it",
                path.display()
            );
        }
        Ok(files.to_vec())
    }
}
