//! Commands that read a complete corpus, and those that clean it up.

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

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Number of a version, as `gleaner log` shows it
    #[arg(value_name = "A")]
    pub(crate) from: u64,

    /// Number of the version that it is compared with
    #[arg(value_name = "B")]
    pub(crate) to: u64,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// Corpus: the folder or bucket URL that was --out of its build
    ///
    /// What an interrupted change has written is deleted, and the version before it is unchanged. A change that had begun to
    /// write to the logs of the tables is finished instead.
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Print what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Vacuum {
    /// Corpus: the folder or bucket URL that was --out of its build
    ///
    /// Files that no version needs are deleted in any case.
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Versions whose files stay, the current one included [default: all whose files are there]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keep_versions: Option<u64>,

    /// Also delete the versions of the tables' logs that no version of the corpus needs
    ///
    /// Each log gets a checkpoint, at which its readers begin.
    #[arg(long)]
    pub(crate) logs: bool,

    /// Print what would be deleted, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}
