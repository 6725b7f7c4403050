//! `gleaner eval`: scores of models, templates, posts, site evidence and annotators.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{ConventionChoice, Decision, GoldSets, Method, ModelChoice, QueryChoice};

/// The measure of a page's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// Words, in any order
    Words,
    /// Words of the longest common subsequence, as in Sun et al. and Lutz and Heuser
    Lcs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) what: Option<EvalWhat>,

    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Cross-validate a training job: for each fold, train on the other folds and score this one
    #[arg(short, long, value_name = "JOB.toml", conflicts_with = "model")]
    pub(crate) cross_validate: Option<PathBuf>,

    /// Number of folds; pages of one host are in one fold
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) folds: u16,

    /// With --cross-validate: also train without each module or column in turn, and print the change
    #[arg(long, value_enum, value_name = "WHAT", requires = "cross_validate")]
    pub(crate) ablate: Option<Ablate>,

    /// Write an HTML report: tables, and the worst pages with their blocks
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Number of worst pages in the report
    #[arg(long, value_name = "N", default_value_t = 20, requires = "report")]
    pub(crate) worst: usize,

    /// Only pages of these types (page_type in gold files)
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) page_type: Vec<String>,

    /// What separates content from noise
    ///
    /// With tree, --model is the tree. Without --model, trees are cross-validated over --folds.
    #[arg(long, value_enum, default_value = "model")]
    pub(crate) method: Method,

    /// What P, R and F1 count
    #[arg(long, value_enum, default_value = "words", conflicts_with = "json")]
    pub(crate) measure: Measure,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}

/// What an ablation leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Ablate {
    /// A module of features
    Modules,
    /// A single feature
    Columns,
}

/// Other scores than those of the texts of pages.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalWhat {
    /// Score template mining: text of blog posts without mined templates against their feeds
    Templates(EvalTemplates),
    /// Score the posts found on blog pages: posts, titles, dates, texts
    Posts(EvalPosts),
    /// Score site evidence: kept text of blog posts against their feeds
    Sites(EvalSites),
    /// Measure the agreement of two annotators, or of one with gold text
    Agreement(EvalAgreement),
}

#[derive(Debug, Args)]
pub(crate) struct Blogs {
    /// Gold files of blogs (NAME.gold.jsonl beside NAME.warc.gz)
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalTemplates {
    #[command(flatten)]
    pub(crate) blogs: Blogs,

    /// Done in any case: older scripts have it
    #[arg(long, hide = true)]
    pub(crate) clean: bool,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalPosts {
    #[command(flatten)]
    pub(crate) blogs: Blogs,

    /// Rule file, or blogbuster for the rules of the paper [default: the built-in rules]
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,

    /// Print the missed posts of each page before the table
    #[arg(long, conflicts_with = "json")]
    pub(crate) misses: bool,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(mut_arg("structured_data", |option| option.hide(true)))]
pub(crate) struct EvalSites {
    #[command(flatten)]
    pub(crate) blogs: Blogs,

    /// Sizes of the samples of a site that give evidence; all pages are always scored, too
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_value = "4,10,32,128,1024"
    )]
    pub(crate) samples: Vec<usize>,

    /// Pages to score
    #[arg(long, value_enum, value_name = "KIND", default_value = "single")]
    pub(crate) kind: PostPages,

    /// Count the titles of posts as text
    #[arg(long)]
    pub(crate) titles: bool,

    /// Settings of the site evidence (TOML) [default: the built-in settings]
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) evidence: Option<PathBuf>,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads; the scores do not depend on them [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}

/// Pages of blogs by the number of their posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum PostPages {
    /// The page of one post
    Single,
    /// Other pages that show one post, such as those of a day or a tag
    OnePost,
    /// Pages with several posts
    Listing,
}

#[derive(Debug, Args)]
pub(crate) struct EvalAgreement {
    /// Annotation file (NAME.anno), folder of annotation files, or gold file
    #[arg(value_name = "ONE")]
    pub(crate) one: PathBuf,

    /// The same of the other annotator
    #[arg(value_name = "OTHER")]
    pub(crate) other: PathBuf,

    /// Number of pages to list, lowest agreement first
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "json")]
    pub(crate) worst: usize,

    /// Print the agreement as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,
}
