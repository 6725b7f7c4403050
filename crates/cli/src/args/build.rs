//! `gleaner build`: crawls to corpora.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Decision, Memory, Method, ModelChoice, PageLimits, Processes, QueryChoice, Stores, Watching};

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// WARC, ARC, WET, WACZ or HTML files, folders, globs, URLs (file, s3, gs, az, http), @LIST files, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Folder or URL that receives the tables
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: String,

    /// Worker threads, 512 at most [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) memory: Memory,

    /// Write the blocks table too: every block with its label, confidence and tag path
    #[arg(help_heading = "Tables", long)]
    pub(crate) blocks: bool,

    /// Write the posts table too: the posts of blog pages, each with title, date and text, and the
    /// platform of each document
    #[arg(help_heading = "Tables", long)]
    pub(crate) posts: bool,

    /// Label each page by itself, whatever its site repeats: one pass in place of three
    #[arg(help_heading = "Sites", long)]
    pub(crate) no_templates: bool,

    /// Which pages are of one site: those of a host, or of a registrable domain (example.co.uk)
    #[arg(
        help_heading = "Sites",
        long,
        value_enum,
        value_name = "WHAT",
        default_value = "host"
    )]
    pub(crate) site: Site,

    /// Pages of a site that are mined for what it repeats, those with the smallest hashes [default: 512]
    #[arg(help_heading = "Sites", long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) template_sample: Option<u32>,

    /// Input per output file; also the most that an interrupted build reads again
    /// [default: an eighth of it, 64MiB to 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub(crate) part_size: Option<u64>,

    /// Read only the first N captures, for a quick look at a crawl [default: all]
    ///
    /// Captures are the responses, resources and conversions that become documents or rejects. They are counted in the order
    /// of the inputs; the files of a folder or pattern are in the order of their names. Inputs behind the N-th capture are not
    /// opened. The limit is part of the corpus: with another limit, or none, OUT is refused without --force.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    /// Print the plan of the build (inputs, parts, workers, tables, what stands in OUT) and write nothing
    ///
    /// With --limit the first N captures are counted for it. The exit status is 1 if the build would be refused. With --json
    /// the plan is JSON.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Stop after this phase; run again to continue
    #[arg(long, value_enum, value_name = "PHASE")]
    pub(crate) phase: Option<Phase>,

    /// Replace what stands in OUT, or begin an interrupted build again
    #[arg(long, visible_alias = "fresh")]
    pub(crate) force: bool,

    /// Exit with status 1 if anything was rejected for damage
    #[arg(long)]
    pub(crate) strict: bool,

    /// Complete the corpus without the inputs that cannot be read
    ///
    /// Without this option such a corpus stays open: the exit status is 1, and the same command reads what is missing.
    /// With it gleaner.json lists these inputs, and each place that could not be read is a reject.
    #[arg(long)]
    pub(crate) allow_missing: bool,

    /// Where the relative lines of @LIST files begin, such as https://data.commoncrawl.org/. A user and a
    /// password, or a signature, is used for all of them
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Print the summary as JSON to standard output: the same keys whatever the outcome (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,

    /// What tells content from noise: model, density (of text alone, without a model) or tree (--model is one of `train --tree`)
    ///
    /// Density and trees label each page by itself, in one pass, as with --no-templates: they have no scores that the rest of
    /// a site could adjust. They look for the values in a page's own address and for what its own forms say; forms on other
    /// pages of the site count with --query alone. Plain texts are judged by --text-model, whatever the method.
    #[arg(
        long,
        value_enum,
        default_value = "model",
        hide_possible_values = true,
        value_name = "METHOD"
    )]
    pub(crate) method: Method,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    /// Model file for plain texts: WET records, text/plain captures [default: text, which is built in]
    ///
    /// A plain text has no tags to go by, so it is not judged by a model of pages. One of texts is made by
    /// a training job with unit = "text" (jobs/train-text.toml).
    #[arg(long, value_name = "FILE")]
    pub(crate) text_model: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) limits: PageLimits,

    #[command(flatten)]
    pub(crate) stores: Stores,

    #[command(flatten)]
    pub(crate) processes: Processes,

    #[command(flatten)]
    pub(crate) watching: Watching,
}

impl Build {
    /// Whether pages are labelled with what their sites repeat: only models take it as evidence.
    pub(crate) fn uses_sites(&self) -> bool {
        !self.no_templates && self.method == Method::Model
    }
}

/// What a build does: it reads pages, finds what those of a site have in common, and writes the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Phase {
    Extract,
    Mine,
    Label,
}

/// Which pages are of one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Site {
    Host,
    Domain,
}

impl Site {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Site::Host => "host",
            Site::Domain => "domain",
        }
    }
}
