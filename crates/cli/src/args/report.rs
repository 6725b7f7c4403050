//! `gleaner report`: what is in a corpus.

use std::path::PathBuf;

use clap::Args;

/// What `gleaner report --help` says at its end.
const HELP: &str = "\
The file is one HTML page that loads nothing: it can be sent and opened anywhere. It shows sites,
languages, kinds of pages, years, rejects, duplicates, rights, the measures of the texts beside the
limits of known rule sets, what recipes would leave out, and what the last change did
(docs/report.md).";

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Report {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Output: an HTML file. One that is there is replaced if it is a report
    #[arg(short, long, value_name = "FILE", required_unless_present = "json")]
    pub(crate) out: Option<PathBuf>,

    /// Recipe whose filters are counted: a TOML file, or the name of a built-in one; may be repeated [default: fineweb2, if the corpus has signals]
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) recipe: Vec<PathBuf>,

    /// Number of a version of the corpus, as `gleaner log` shows it [default: the current one]
    #[arg(long, value_name = "N")]
    pub(crate) corpus_version: Option<u64>,

    /// Worker threads, 512 at most [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    /// Print the numbers as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}
