//! `gleaner files`, `gleaner log` and `gleaner verify`: commands that read a complete corpus.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Table, such as documents
    #[arg(value_name = "TABLE", required_unless_present = "digest")]
    pub(crate) table: Option<String>,

    /// Print the BLAKE3 digest of the names of the files of all tables: it is the same if the tables are
    ///
    /// The names are those within the corpus, sorted, a line each. They are digests of the files, so equal tables have equal
    /// names, also in a corpus that keeps no state.
    #[arg(long, conflicts_with = "table")]
    pub(crate) digest: bool,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Print what the corpus is made from as JSON: inputs, rules, model and options, for `gleaner build --spec`
    #[arg(long)]
    pub(crate) spec: bool,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long, conflicts_with = "spec")]
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
