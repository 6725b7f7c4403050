//! `gleaner templates`: what the pages of a site repeat.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::memory::Memory;

#[derive(Debug, Subcommand)]
pub(crate) enum Templates {
    /// Mine the expressions of every site in a crawl
    Mine(MineTemplates),
    /// Show a site's histogram, cut-off and strongest expressions
    Show(ShowTemplates),
    /// Take away from pages what their site repeats
    Apply(ApplyTemplates),
}

/// What of a page is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Over {
    /// Its text, a line a block
    Text,
    /// Its HTML as it is
    Html,
}

impl Over {
    /// As it is written on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Over::Text => "text",
            Over::Html => "html",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct MineTemplates {
    /// WARC, ARC, WET, HTML or text files, folders, globs, URLs (s3, gs, az, http), @LIST files, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Folder or URL that receives the tables of templates and histograms
    #[arg(short, long, value_name = "T")]
    pub(crate) out: Option<String>,

    /// What of a page is mined
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) over: Over,

    /// Pages of a site that are mined, those with the smallest hashes [default: 512]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) template_sample: Option<u32>,

    /// Pages that an expression is on at least, beside one in a hundred [default: 3]
    #[arg(long, value_name = "N")]
    pub(crate) min_pages: Option<u32>,

    /// What a token is: one class of characters with a plus; \s is a space, tab or line end [default: \S+]
    #[arg(long, value_name = "EXPR")]
    pub(crate) token: Option<String>,

    /// A mutable pattern: an expression for whole tokens that change from page to page
    #[arg(long, value_name = "EXPR")]
    pub(crate) pattern: Vec<String>,

    /// A file of mutable patterns, one a line; lines that begin with # are comments
    #[arg(long, value_name = "FILE")]
    pub(crate) patterns: Vec<PathBuf>,

    /// Mine without the built-in mutable patterns: with those of --pattern, --patterns and the job alone, or with none
    #[arg(long)]
    pub(crate) no_default_patterns: bool,

    /// Settings in TOML, changed by flags: see docs/templates.md
    #[arg(long, value_name = "JOB.toml")]
    pub(crate) job: Option<PathBuf>,

    /// Replace what stands in T
    #[arg(long)]
    pub(crate) force: bool,

    /// Print a JSON object a site
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads; the result does not depend on them [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) memory: Memory,
}

/// How `gleaner templates show` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// The histogram of the site, and its strongest expressions
    Text,
    /// JSON
    Json,
    /// The expressions, one a line, for `gleaner templates apply`, Perl, Python's re, RE2 and grep -P
    Regex,
}

#[derive(Debug, Args)]
pub(crate) struct ShowTemplates {
    /// The site; without it the sites there are
    #[arg(value_name = "SITE")]
    pub(crate) site: Option<String>,

    /// Folder that `gleaner templates mine --out` or `gleaner build` has written, its files, or a file of expressions
    #[arg(short, long, value_name = "T", default_value = ".")]
    pub(crate) templates: String,

    /// How many expressions of a site to show [default: 20 as text, all otherwise]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,

    /// Print as this
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,

    /// Print it as JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyTemplates {
    /// Folder that `gleaner templates mine --out` or `gleaner build` has written, its files (.parquet), or a text file of
    /// one regular expression a line
    #[arg(value_name = "T")]
    pub(crate) templates: String,

    /// HTML, text, WARC, ARC, WET or WACZ files, folders, globs, URLs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The site whose templates are taken for every page [default: the site of the page's URL, or the only one in T]
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<String>,

    /// What of a page the expressions match [default: as they were mined; text if T does not tell]
    #[arg(long, value_enum)]
    pub(crate) over: Option<Over>,

    /// Matches with fewer characters than this between them are merged [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) gap: Option<usize>,

    /// Print a JSON object a page, with the ranges that were matched and removed
    #[arg(long)]
    pub(crate) json: bool,
}
