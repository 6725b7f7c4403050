//! `gleaner annotate`: labels by hand.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConventionChoice, ModelChoice, input};

/// The order of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// In the order of the inputs
    Given,
    /// Pages and blocks with the lowest confidence first
    Uncertain,
}

#[derive(Debug, Args)]
pub(crate) struct Annotate {
    /// HTML, WARC and ARC files, folders, patterns, or @LIST files
    #[arg(required = true, value_name = "INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// Folder for annotation files, or NAME.anno for one page
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// Order of the pages
    #[arg(long, value_enum, default_value = "given")]
    pub(crate) order: Order,

    /// Only the page with this URL, record id or file name
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// Show the resulting text beside the blocks
    #[arg(long)]
    pub(crate) render: bool,

    /// Show no suggestions, to measure agreement between annotators
    #[arg(long)]
    pub(crate) blind: bool,

    /// Name of the annotator, written to the files [default: the user's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) annotator: Option<String>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}
