//! `gleaner model`: what models have learned.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum InspectModel {
    /// Show a model's settings, card and strongest weights
    Show(ShowModel),
    /// Show in what two models differ
    Diff(DiffModels),
}

#[derive(Debug, Args)]
pub(crate) struct ShowModel {
    /// Model file [default: the one built in]
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,

    /// Instead, all weights of the columns whose names begin so, value by value
    #[arg(long, value_name = "NAME")]
    pub(crate) feature: Option<String>,

    /// How many weights to show for each label, and against it
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: u16,

    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffModels {
    /// Model file
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,

    /// Model file [default: the one built in]
    #[arg(value_name = "B")]
    pub(crate) b: Option<PathBuf>,

    /// Score the pages of these gold files with both, and name those whose scores differ most
    #[arg(long, value_name = "GOLD.jsonl", num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,

    /// How many weights and pages to show; of the weights for content a quarter, for each kind of page
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: u16,

    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,
}
