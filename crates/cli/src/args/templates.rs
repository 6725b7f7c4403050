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
    /// WARC, ARC or HTML files, folders, globs, URLs (s3, gs, az, http), or @LIST files
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

    /// What a token is: one class of characters with a plus [default: \S+]
    #[arg(long, value_name = "EXPR")]
    pub(crate) token: Option<String>,

    /// A mutable pattern: an expression for whole tokens that change from page to page
    #[arg(long, value_name = "EXPR")]
    pub(crate) pattern: Vec<String>,

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

#[derive(Debug, Args)]
pub(crate) struct ShowTemplates {
    /// The site; without it the sites there are
    #[arg(value_name = "SITE")]
    pub(crate) site: Option<String>,

    /// Folder that `gleaner templates mine --out` has written
    #[arg(short, long, value_name = "T", default_value = ".")]
    pub(crate) templates: String,

    /// How many expressions to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,

    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyTemplates {
    /// Folder that `gleaner templates mine --out` has written
    #[arg(value_name = "T")]
    pub(crate) templates: String,

    /// HTML files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The site whose templates are taken; not needed where T holds one site
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<String>,

    /// Matches with fewer characters than this between them are merged [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) gap: Option<usize>,

    /// Print a JSON object a page, with the ranges that were matched and removed
    #[arg(long)]
    pub(crate) json: bool,
}
