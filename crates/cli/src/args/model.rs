//! `gleaner model`: what models have learned.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum InspectModel {
    /// Show a model's settings, card and strongest weights
    Show(ShowModel),
    /// Compare two models
    Diff(DiffModels),
}

#[derive(Debug, Args)]
pub(crate) struct ShowModel {
    /// Model file [default: the built-in model]
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,

    /// Show all weights of the columns whose names begin with NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) feature: Option<String>,

    /// Number of weights to show for and against each label
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: u16,

    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffModels {
    /// Model file
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,

    /// Model file [default: the built-in model]
    #[arg(value_name = "B")]
    pub(crate) b: Option<PathBuf>,

    /// Score the pages of these gold files with both models, and list those that differ most
    #[arg(long, value_name = "GOLD.jsonl", num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,

    /// Number of weights and pages to show; a quarter as many content weights per kind of page
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: u16,

    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,
}
