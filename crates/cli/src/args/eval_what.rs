//! `gleaner eval templates`, `posts`, `sites` and `agreement`: scores of what else is made of pages.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{ConventionChoice, Decision, ModelChoice};

/// What else than the texts of pages can be scored.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalWhat {
    /// Inject made-up templates into clean texts, mine them, and score what is found; or clean blogs
    Templates(EvalTemplates),
    /// Score the posts found on blog pages: posts, titles, dates and texts
    Posts(EvalPosts),
    /// Score what the rest of a site tells the labeller: kept text of blog posts against their feeds
    Sites(EvalSites),
    /// How far two people agree who labelled the same pages, or one and gold text
    Agreement(EvalAgreement),
}

#[derive(Debug, Args)]
pub(crate) struct EvalTemplates {
    /// Gold files (NAME.gold.jsonl): their texts are the clean pages
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,

    /// Instead, clean the pages of blogs with what the blogs repeat, and score what is left against
    /// the texts of their feeds; the gold files are those of blogs, with their pages beside
    #[arg(long)]
    pub(crate) clean: bool,

    /// Pages of a site, of several sizes
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "50,12")]
    pub(crate) pages: Vec<usize>,

    /// Sites of each size at most
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) sites: usize,

    /// Another number gives other templates
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads; the scores do not depend on them [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalPosts {
    /// Gold files of blogs (NAME.gold.jsonl), with the pages in the WARC file of the same name beside
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,

    /// Rule file; blogbuster for the printed rules of the paper [default: the rules built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,

    /// Print what was missed on each page before the table
    #[arg(long)]
    pub(crate) misses: bool,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(mut_arg("structured_data", |option| option.hide(true)))]
pub(crate) struct EvalSites {
    /// Gold files of blogs (NAME.gold.jsonl), with the pages in the WARC file of the same name beside
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,

    /// How many other pages of a site are known, several numbers; beside them all are
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "3,5,10,20,50")]
    pub(crate) known: Vec<usize>,

    /// Which pages are scored
    #[arg(long, value_enum, value_name = "KIND", default_value = "single")]
    pub(crate) kind: PostPages,

    /// Count the titles of posts as text, which feeds have apart from it
    #[arg(long)]
    pub(crate) titles: bool,

    /// Settings in TOML: how much is made of what a site tells
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) evidence: Option<PathBuf>,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads; the scores do not depend on them [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}

/// Pages of blogs, by what they show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PostPages {
    /// The own page of a post
    Single,
    /// Other pages with one post: of a day, of a tag
    OnePost,
    /// Several posts
    Listing,
}

impl PostPages {
    /// As gold files write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            PostPages::Single => "single",
            PostPages::OnePost => "one-post",
            PostPages::Listing => "listing",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EvalAgreement {
    /// What the one has labelled: an annotation file (NAME.anno) or a folder of them, or a gold file with its pages
    /// beside
    #[arg(value_name = "ONE")]
    pub(crate) one: PathBuf,

    /// The same of the other
    #[arg(value_name = "OTHER")]
    pub(crate) other: PathBuf,

    /// Pages to list, those they agree on least first
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) worst: usize,

    /// Print all as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,
}
