//! The method of labelling, and query terms.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What separates content from noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// A model: --model, or the built-in one
    Model,
    /// Text density by Sun, Song and Liao (docs/result-pages.md)
    Density,
    /// A decision tree over text density and query evidence: --model is a tree of `train --tree`
    Tree,
}

/// The query terms, for methods that use them.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct QueryChoice {
    /// Query terms: labels and values of search forms, one per line; or a folder with a file HOST.txt for each site
    ///
    /// The values in the URLs and the forms on the pages are added in any case.
    #[arg(long, value_name = "FILE")]
    pub(crate) query: Option<PathBuf>,

    /// Use no query terms
    #[arg(long, conflicts_with = "query")]
    pub(crate) no_query: bool,
}
