//! `gleaner train`: models and trees.

use std::path::PathBuf;

use clap::Args;

use super::QueryChoice;

/// Trees instead of models.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trees")]
pub(crate) struct TreeTraining {
    /// Train a decision tree: JOB.toml is then a gold file, or a table (FILE.arff) whose last attribute is the
    /// class. The tree is printed with its scores, and written to --out
    #[arg(long)]
    pub(crate) tree: bool,

    /// Only pages of these types, as the gold files name them
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) page_type: Vec<String>,

    /// Another number puts other rows into the third that the scores are of
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Confidence of the pruning, above 0 and 0.5 at most: less prunes more (C4.5's CF, J48's -C)
    #[arg(long, value_name = "F", default_value_t = 0.25, value_parser = confidence)]
    pub(crate) confidence: f64,

    /// Rows that at least two branches of a test must have (J48's -M)
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_leaf: u32,

    /// Print the tree and its scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) query: QueryChoice,
}

fn confidence(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 0.5 => Ok(share),
        _ => Err("use a number above 0, and 0.5 at most".to_owned()),
    }
}

/// What `gleaner train --help` says at its end.
const TRAIN_HELP: &str = "\
A job file, with what is mostly set:

  gold = [\"pages.gold.jsonl\"]        # beside pages.warc.gz
  out = \"mine.gcrf\"

  [dev]
  share = 0.1                        # hosts held out, to stop in time

  [training]
  l2 = 10.0                          # more for few pages
  decoder = { kind = \"expected-f\", beta = 1.0, least_words = 20.0 }

  [training.template.offsets]
  \"\" = [0]                           # columns of the block alone, not of its neighbours

All settings and their defaults: jobs/README.md. Ctrl-C ends a training without a model.";

#[derive(Debug, Args)]
#[command(after_long_help = TRAIN_HELP)]
pub(crate) struct Train {
    /// Job file: gold files, features, template, training settings, card
    #[arg(value_name = "JOB.toml")]
    pub(crate) job: PathBuf,

    /// Train on these gold files or folders instead of the job's (docs/gold.md)
    #[arg(value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,

    /// Write the model here instead of where the job says
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Train nothing: record in this model file which pages the job trains on, so that eval knows them. Newly trained models
    /// have this record
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["out", "tree"])]
    pub(crate) record_pages: Option<PathBuf>,

    /// Threads; the model does not depend on it [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) tree: TreeTraining,
}
