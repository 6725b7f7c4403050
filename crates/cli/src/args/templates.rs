//! `gleaner templates`: what the pages of a site repeat.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::input;

#[derive(Debug, Subcommand)]
pub(crate) enum Templates {
    /// Find the templates of every site in a crawl
    Mine(MineTemplates),
    /// Show the histogram, cut-off and strongest expressions of a site
    Show(ShowTemplates),
    /// Remove the templates of a site from its pages
    Apply(ApplyTemplates),
}

/// The part of a page that is mined or matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Over {
    /// The text, one line per block
    Text,
    /// The HTML source
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct MineTemplates {
    /// WARC, ARC, WET, HTML or text files, folders, patterns, URLs (s3, gs, az, https), @LIST files; - is standard input
    #[arg(required = true, value_name = "INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// Folder or URL that receives the tables templates and histograms
    #[arg(short, long, value_name = "T")]
    pub(crate) out: Option<String>,

    /// What to mine
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) over: Over,

    /// Pages of a site that are mined: those with the smallest hashes of their URLs [default: 1024]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) site_sample: Option<u32>,

    /// Fewest pages that an expression matches, besides one page in a hundred [default: 3]
    #[arg(long, value_name = "N")]
    pub(crate) min_pages: Option<u32>,

    /// Token: one character class with a plus; \s is a space, tab or line end [default: \S+]
    #[arg(long, value_name = "EXPR")]
    pub(crate) token: Option<String>,

    /// Additional mutable pattern: an expression for whole tokens that change from page to page
    #[arg(long, value_name = "EXPR")]
    pub(crate) pattern: Vec<String>,

    /// File of additional mutable patterns, one per line; # begins a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) patterns: Vec<PathBuf>,

    /// Do not use the built-in mutable patterns
    #[arg(long)]
    pub(crate) no_default_patterns: bool,

    /// Settings in TOML (docs/templates.md); options override them
    #[arg(long, value_name = "JOB.toml")]
    pub(crate) job: Option<PathBuf>,

    /// Replace the contents of T
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Print one JSON object per site
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads; the result does not depend on them [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,
}

/// How `gleaner templates show` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// The histogram and the strongest expressions of the site
    Text,
    /// JSON
    Json,
    /// The expressions, one per line, for `gleaner templates apply`, Perl, Python's re, RE2 and grep -P
    Regex,
}

#[derive(Debug, Args)]
pub(crate) struct ShowTemplates {
    /// Site to show [default: list all sites]
    #[arg(value_name = "SITE")]
    pub(crate) site: Option<String>,

    /// Folder that `gleaner templates mine --out` or `gleaner build` wrote, its Parquet files, or a file of expressions
    #[arg(short, long, value_name = "T", default_value = ".")]
    pub(crate) templates: String,

    /// Number of expressions to show [default: 20 as text, all otherwise]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,

    /// Output format
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyTemplates {
    /// Folder that `gleaner templates mine --out` or `gleaner build` wrote, its Parquet files, or a text file with one
    /// regular expression per line
    #[arg(value_name = "T")]
    pub(crate) templates: String,

    /// HTML, text, WARC, ARC, WET or WACZ files, folders, globs, URLs; - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Site whose templates are used for all pages [default: the site of the page's URL, or the only one in T]
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<String>,

    /// What the expressions match [default: what they were mined from; text if T has no gleaner.json]
    #[arg(long, value_enum)]
    pub(crate) over: Option<Over>,

    /// Merge matches with fewer than N characters between them [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) gap: Option<usize>,

    /// Print one JSON object per page with the matched and removed ranges
    #[arg(long)]
    pub(crate) json: bool,
}
