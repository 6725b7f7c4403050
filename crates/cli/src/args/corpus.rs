//! `gleaner files` and `gleaner verify`: commands that read a complete corpus.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Table, such as documents
    #[arg(value_name = "TABLE")]
    pub(crate) table: String,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}
