//! What tells content from noise, and what was searched for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What tells content from noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// The labeller: --model, or the one built in
    Model,
    /// Text density alone, by the rules of Sun, Song and Liao: see docs/result-pages.md
    Density,
    /// A decision tree over text density and query evidence: --model is one of `train --tree`
    Tree,
}

/// What was searched for, where results of searches are looked for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct QueryChoice {
    /// Labels and values of the forms that led to the pages, one a line; or a folder with a file
    /// HOST.txt for each site. The values in a page's address, and the forms of the site's pages, are
    /// looked at in any case
    #[arg(long, value_name = "FILE")]
    pub(crate) query: Option<PathBuf>,

    /// Look for no terms at all
    #[arg(long, conflicts_with = "query")]
    pub(crate) no_query: bool,
}
