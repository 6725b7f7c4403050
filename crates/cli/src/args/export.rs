//! `gleaner export`: training data from a corpus.

use std::path::PathBuf;

use clap::Args;
use gleaner_export::{Dialect, Format, PersonalAction};

use super::named;

/// What `gleaner export --help` says at its end.
const HELP: &str = "\
A recipe is a TOML file: filters over the columns of a corpus, in their order, rules for lines
and personal data, samples, and the order of pages (docs/export.md). An interrupted export
continues with the same command, and ends in the same files.

Built-in recipes: gopher, c4, fineweb, fineweb2, dclm-rules, rights-respecting, everything. They are the files in jobs/recipes.";

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Export {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS", required_unless_present = "schema")]
    pub(crate) corpus: Option<String>,

    /// Recipe: a TOML file, or the name of a built-in one
    #[arg(long, value_name = "FILE|NAME", required_unless_present = "schema")]
    pub(crate) recipe: Option<PathBuf>,

    /// Output: an empty folder, or the URL of one in a bucket
    #[arg(short, long, value_name = "OUT", required_unless_present_any = ["dry_run", "sql", "schema"])]
    pub(crate) out: Option<String>,

    /// Format: jsonl, dolma and datatrove, each also with .gz or .zst; parquet, markdown or text [default: jsonl.zst]
    ///
    /// jsonl has the columns of the recipe. dolma and datatrove have the fields that these tools read, and the other columns as
    /// metadata. markdown and text are folders with a file for each page.
    #[arg(long, value_name = "FORMAT", value_parser = format, hide_possible_values = true)]
    pub(crate) format: Option<Format>,

    /// Size of a file before it is compressed: it ends with the page that reaches it [default: 1GB]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::size::parse)]
    pub(crate) shard_size: Option<u64>,

    /// Personal data in texts: mask it, drop pages that have some, or keep it [default: as the recipe says]
    #[arg(long, value_name = "ACTION", value_parser = named::<PersonalAction>())]
    pub(crate) pii: Option<PersonalAction>,

    /// Number of a version of the corpus, as `gleaner log` shows it [default: the current one]
    #[arg(long, value_name = "N")]
    pub(crate) corpus_version: Option<u64>,

    /// Worker threads, 512 at most [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    /// Print what each filter leaves out, and write nothing
    #[arg(long, conflicts_with_all = ["out", "format", "shard_size"])]
    pub(crate) dry_run: bool,

    /// Print a query that selects the same pages, for duckdb, spark or polars [default: duckdb]
    #[arg(
        long,
        value_name = "PROGRAM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "duckdb",
        value_parser = named::<Dialect>(),
        conflicts_with_all = ["out", "format", "shard_size", "dry_run", "workers", "json"]
    )]
    pub(crate) sql: Option<Dialect>,

    /// Print the JSON Schema of recipes
    #[arg(
        long,
        conflicts_with_all = [
            "corpus", "recipe", "out", "format", "shard_size", "pii", "corpus_version", "workers", "dry_run", "sql", "json",
        ]
    )]
    pub(crate) schema: bool,

    /// Print as JSON; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}

fn format(name: &str) -> Result<Format, String> {
    name.parse().map_err(|_| {
        let mend = match super::nearest::nearest(name, Format::NAMES) {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => format!("use one of {}", Format::NAMES.join(", ")),
        };
        format!("unknown format: {mend}")
    })
}
