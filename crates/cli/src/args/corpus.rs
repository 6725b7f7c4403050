//! Commands that read a complete corpus, and those that clean it up.

use std::path::PathBuf;

use clap::Args;

use super::{Memory, ModelChoice, Stores, UrlListFile, Watching, input};

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

    /// Also build some units again from these archives, and compare their rows with those of the corpus
    ///
    /// The archives are those of the corpus: files, folders, patterns, URLs or @LIST files, as for `build`. A unit has about a thousand
    /// pages that stand side by side. It is built in a temporary folder, with the options and rules of the corpus, from all
    /// pages of its sites. Compared are the tables documents, captures, rejects, blocks, posts, templates and histograms.
    #[arg(long, num_args = 1.., value_name = "INPUT", value_parser = input())]
    pub(crate) against: Vec<String>,

    /// Units to compare; the same ones each time, as long as the corpus has them
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..), requires = "against")]
    pub(crate) units: u64,

    /// Compare all units
    #[arg(long, conflicts_with = "units", requires = "against")]
    pub(crate) all_units: bool,

    /// URL that the relative lines of @LIST files are appended to
    #[arg(long, value_name = "URL", requires = "against")]
    pub(crate) base_url: Option<String>,

    /// Worker threads of --against, 512 at most [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512), requires = "against")]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) memory: Memory,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    /// Model file for plain texts, if the corpus has one that is not built in
    #[arg(long, value_name = "FILE", requires = "against")]
    pub(crate) text_model: Option<PathBuf>,

    /// Language model of fastText, if the corpus has one
    #[arg(long, value_name = "FILE", requires = "against")]
    pub(crate) language_model: Option<PathBuf>,

    /// List of domains and URLs, as at the build, if the corpus has lists. May be given several times
    #[arg(long, value_name = "NAME=FILE|FOLDER", requires = "against")]
    pub(crate) url_list: Vec<UrlListFile>,
    /// Folder of benchmarks, if the corpus has the table contamination
    #[arg(long, value_name = "DIR", requires = "against")]
    pub(crate) benchmarks: Option<PathBuf>,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) stores: Stores,

    #[command(flatten)]
    pub(crate) watching: Watching,
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
