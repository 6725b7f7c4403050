//! `gleaner explain`: why the blocks of a page were kept or dropped.

use std::path::PathBuf;

use clap::Args;

use super::{ModelChoice, input};

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Page: its URL, or the record_id or row_id of a capture; of several captures of a URL, the latest is explained
    #[arg(value_name = "URL|RECORD-ID|ROW-ID")]
    pub(crate) page: String,

    /// Where the archives of the corpus are: files, folders, patterns, URLs
    ///
    /// The page is read again, which gives its features and where its title, authors, date and language stand. Without it,
    /// probabilities, labels and the evidence of the site are taken from the state of the corpus.
    #[arg(long, value_name = "INPUT", num_args = 1.., value_parser = input())]
    pub(crate) input: Vec<String>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    /// Model file for plain texts, if the corpus was not built with the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) text_model: Option<PathBuf>,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,

    /// Print an HTML page: the blocks of the page in the colours of their labels, with the reasons on hover
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,
}
