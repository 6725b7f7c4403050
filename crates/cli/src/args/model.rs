//! `gleaner model`: what models have learned.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum InspectModel {
    /// Show a model's card, settings and columns; as JSON its weights too
    Show(ShowModel),
    /// Compare the settings and columns of two models
    Diff(DiffModels),
}

#[derive(Debug, Args)]
pub(crate) struct ShowModel {
    /// Model file [default: the built-in model]
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,

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

    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
