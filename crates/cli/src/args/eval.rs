//! `gleaner eval`: scores of models.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConventionChoice, Decision, EvalWhat, GoldSets, Method, ModelChoice, QueryChoice};

/// What a page's text is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// Words, whatever their order
    Words,
    /// Words of a longest common subsequence, as Sun et al. and Lutz and Heuser have it
    Lcs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) what: Option<EvalWhat>,

    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Instead of scoring a model, train as a job file says on all pages but those of a fold, score
    /// the fold, and so on for each fold
    #[arg(short, long, value_name = "JOB.toml")]
    pub(crate) cross_validate: Option<PathBuf>,

    /// Folds of a cross-validation; pages of one host are in one fold
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) folds: u16,

    /// With --cross-validate: train anew without each module or each column in turn, and tell what
    /// that changes
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) ablate: Option<Ablate>,

    /// Write a report to read in a browser: the tables, and the worst pages block by block
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Pages that the report shows, the worst first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,

    /// Only pages of these types, as the gold files name them
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) page_type: Vec<String>,

    /// What tells content from noise. A tree is --model; without one, trees are trained as
    /// --cross-validate trains models: on all pages but those of a fold
    #[arg(long, value_enum, default_value = "model")]
    pub(crate) method: Method,

    /// By what texts are scored: which measure P, R and F1 are of
    #[arg(long, value_enum, default_value = "words")]
    pub(crate) measure: Measure,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}

/// What an ablation leaves out at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ablate {
    /// A module of features
    Modules,
    /// A single feature
    Columns,
}
