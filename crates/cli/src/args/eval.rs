//! `gleaner eval`: scores of models.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConventionChoice, Decision, EvalWhat, GoldSets, Method, ModelChoice, QueryChoice};

/// The measure of a page's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// Words, in any order
    Words,
    /// Words of the longest common subsequence, as in Sun et al. and Lutz and Heuser
    Lcs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) what: Option<EvalWhat>,

    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Cross-validate a training job: for each fold, train on the other folds and score this one
    #[arg(short, long, value_name = "JOB.toml")]
    pub(crate) cross_validate: Option<PathBuf>,

    /// Number of folds; pages of one host are in one fold
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) folds: u16,

    /// With --cross-validate: also train without each module or column in turn, and print the change
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) ablate: Option<Ablate>,

    /// Write an HTML report: tables, and the worst pages with their blocks
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Number of worst pages in the report
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,

    /// Only pages of these types (page_type in gold files)
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) page_type: Vec<String>,

    /// What separates content from noise
    ///
    /// With tree, --model is the tree. Without --model, trees are cross-validated over --folds.
    #[arg(long, value_enum, default_value = "model")]
    pub(crate) method: Method,

    /// What P, R and F1 count
    #[arg(long, value_enum, default_value = "words")]
    pub(crate) measure: Measure,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}

/// What an ablation leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Ablate {
    /// A module of features
    Modules,
    /// A single feature
    Columns,
}
