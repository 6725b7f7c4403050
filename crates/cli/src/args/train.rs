//! `gleaner train`: models and trees.

use std::path::PathBuf;

use clap::Args;

use super::QueryChoice;

/// Trees instead of models.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trees")]
pub(crate) struct TreeTraining {
    /// Train a decision tree instead of a model: JOB.toml is then a gold file, or a table (FILE.arff) with the class as its
    /// last attribute
    ///
    /// The tree and its scores are printed; the tree is written to --out.
    #[arg(long)]
    pub(crate) tree: bool,

    /// Only pages of these types (page_type in gold files)
    #[arg(long, value_name = "TYPE", value_delimiter = ',', requires = "tree")]
    pub(crate) page_type: Vec<String>,

    /// Seed of the split into training rows and the third that is scored
    #[arg(long, value_name = "N", default_value_t = 1, requires = "tree")]
    pub(crate) seed: u64,

    /// Confidence factor of pruning (C4.5's CF, J48's -C), above 0 and at most 0.5; a smaller one prunes more
    #[arg(long, value_name = "F", default_value_t = 0.25, value_parser = confidence, requires = "tree")]
    pub(crate) confidence: f64,

    /// Fewest rows in at least two branches of a test (J48's -M)
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..), requires = "tree")]
    pub(crate) min_leaf: u32,

    /// Print the tree and its scores as JSON
    #[arg(long, requires = "tree")]
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
A job file with the most common settings:

  gold = [\"pages.gold.jsonl\"]        # beside pages.warc.gz
  out = \"mine.gcrf\"

  [dev]
  share = 0.1                        # share of hosts held out for early stopping

  [training]
  l2 = 10.0                          # larger for few pages
  decoder = { kind = \"expected-f\", beta = 1.0, least_words = 20.0 }

  [training.template.offsets]
  \"\" = [0]                           # columns of the block itself, none of its neighbours

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

    /// Model file to write [default: out in the job]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Train nothing: add to this model file the record of the pages that the job trains on
    ///
    /// `gleaner eval` uses the record to count training pages. New models have it.
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["out", "tree"])]
    pub(crate) record_pages: Option<PathBuf>,

    /// Threads; the model does not depend on them [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) tree: TreeTraining,
}
