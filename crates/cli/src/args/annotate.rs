//! `gleaner annotate`: labels by hand.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConventionChoice, ModelChoice};

/// In which order pages are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// As they come
    Given,
    /// What the model is least certain of first, pages and blocks
    Uncertain,
}

#[derive(Debug, Args)]
pub(crate) struct Annotate {
    /// HTML, WARC and ARC files, folders, globs, or @LIST files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Folder of annotation files, or NAME.anno for one page
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// In which order pages are offered
    #[arg(long, value_enum, default_value = "given")]
    pub(crate) order: Order,

    /// Only the page with this URL, record id or file name
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// Show the page as it will read, beside its blocks
    #[arg(long)]
    pub(crate) render: bool,

    /// Show no suggestions, for studies of how far annotators agree
    #[arg(long)]
    pub(crate) blind: bool,

    /// Who labels, for the files [default: who is logged in]
    #[arg(long, value_name = "NAME")]
    pub(crate) annotator: Option<String>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}
