//! The command line: one definition for parsing and for help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Turns web crawls into clean, labelled text corpora.
#[derive(Debug, Parser)]
#[command(
    name = "gleaner",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Command {
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Build a corpus: WARC files in, cleaned Parquet tables out
    Build(Build),
    /// Clean one page
    Clean(Clean),
    /// Find the posts of blog pages, each with its title and date
    Posts(Posts),
    /// Train a model on pages with gold text
    Train(Train),
    /// Score a model against gold text
    Eval(Eval),
    /// Write what is measured on pages as a table
    Features(Features),
    /// Label the blocks of pages by hand, full screen
    Annotate(Annotate),
    /// Show which blocks of a page hold its gold text
    Align(Align),
    /// Find what the pages of a site repeat, and take it away
    #[command(subcommand)]
    Templates(Templates),
    /// Look into a model, or compare two
    #[command(subcommand)]
    Model(InspectModel),
}

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// WARC, ARC, WET or HTML files, folders, globs, URLs (s3, gs, az, http), or @LIST files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Folder or URL that receives the tables
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: String,

    /// Worker threads, 512 at most [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    /// Write the blocks table too: every block with its label, confidence and tag path
    #[arg(long)]
    pub(crate) blocks: bool,

    /// Write the posts table too: the posts of blog pages, each with title, date and text, and the
    /// platform of each document
    #[arg(long)]
    pub(crate) posts: bool,

    /// Label each page by itself, whatever its site repeats: one pass in place of three
    #[arg(long)]
    pub(crate) no_templates: bool,

    /// Which pages are of one site: those of a host, or of a registrable domain (example.co.uk)
    #[arg(long, value_enum, value_name = "WHAT", default_value = "host")]
    pub(crate) site: Site,

    /// Pages of a site that are mined for what it repeats, those with the smallest hashes [default: 512]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) template_sample: Option<u32>,

    /// Input that becomes one file of each table, and that an interrupted build reads again at most
    /// [default: an eighth of it, 64MiB to 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub(crate) part_size: Option<u64>,

    /// End after this phase, for schedulers that like steps: the same command goes on
    #[arg(long, value_enum, value_name = "PHASE", conflicts_with = "no_templates")]
    pub(crate) phase: Option<Phase>,

    /// Replace what stands in OUT, or begin an interrupted build again
    #[arg(long, visible_alias = "fresh")]
    pub(crate) force: bool,

    /// Exit with status 1 if anything was rejected for damage
    #[arg(long)]
    pub(crate) strict: bool,

    /// Where the relative lines of @LIST files begin, such as https://data.commoncrawl.org/
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Print the summary as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) limits: PageLimits,
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

#[derive(Debug, Args)]
pub(crate) struct ModelChoice {
    /// Model file [default: the one built in]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
}

/// How the model decides.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    /// Which mistake is worse: noise that is kept (precision), content that is lost (recall), or
    /// neither (balanced)
    ///
    /// Precision halves the weight of recall in the F measure that the model's choice of blocks
    /// maximises (beta 0.5), recall doubles it (beta 2) and keeps pages of a few words, too. Of the
    /// words that the built-in model keeps of its training pages, 94%, 90% and 84% are content
    /// (precision, balanced, recall); of the content 91%, 95% and 97% is kept.
    #[arg(
        long,
        value_enum,
        value_name = "SIDE",
        default_value = "balanced",
        hide_possible_values = true
    )]
    pub(crate) favor: Side,

    /// Where (nearly) nothing of a page is kept, take the text of its structured data (JSON-LD, the state
    /// of a framework), if that has one: fallback or off
    ///
    /// A page may be drawn by its scripts: an empty page, and a product's description or a list's items
    /// in JSON. With fallback, a page of which fewer than 20 words are kept gets that text; its blocks
    /// are all dropped then, and the column text_source says where the text is from. Off by default,
    /// because gold made from what is visible has no such texts: on wcxb-dev it is one page of 1,497,
    /// whose gold is empty (word F1 0.9068 off, 0.9061 fallback; the same on dragnet-dev, cleaneval-dev
    /// and portals-dev). The column structured_data tells of such texts in any case.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "off",
        hide_possible_values = true
    )]
    pub(crate) structured_data: StructuredData,
}

/// When the text of structured data is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StructuredData {
    Fallback,
    Off,
}

impl StructuredData {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StructuredData::Fallback => "fallback",
            StructuredData::Off => "off",
        }
    }
}

/// Which mistake is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    Precision,
    Recall,
    Balanced,
}

impl Side {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Precision => "precision",
            Side::Recall => "recall",
            Side::Balanced => "balanced",
        }
    }
}

/// Bounds that keep one page from holding up a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct PageLimits {
    /// Bytes of a record; a larger one is rejected
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=2048))]
    pub(crate) max_record: u64,

    /// Bytes of a page; what is beyond is cut off
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_page: u64,

    /// Seconds for one page; what is not parsed by then is cut off
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) max_seconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CleanFormat {
    /// The text that is kept
    Text,
    /// The markup of the CleanEval shared task: <h>, <p> and <l>
    Cleaneval,
    /// A document with its blocks, labels and confidences
    Json,
    /// The kept text as simple HTML: headings, paragraphs, lists, preformatted text
    Html,
    /// A page in HTML that shows what is kept and what is dropped
    View,
}

/// What tells content from noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// The labeller: --model, or the one built in
    Model,
    /// Text density alone, by the rules of Sun, Song and Liao: see docs/result-pages.md
    Density,
    /// A decision tree over text density and query evidence: --model is one of `train --tree`
    Tree,
}

/// What was searched for, where results of searches are looked for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct QueryChoice {
    /// Labels and values of the forms that led to the pages, one a line; or a folder with a file
    /// HOST.txt for each site. The values in a page's address, and the forms of the site's pages, are
    /// looked at in any case
    #[arg(long, value_name = "FILE")]
    pub(crate) query: Option<PathBuf>,

    /// Look for no terms at all
    #[arg(long, conflicts_with = "query")]
    pub(crate) no_query: bool,
}

/// Sets of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColumnSet {
    /// Elements with text: their densities, query evidence, and whether they are noise
    HiddenWeb,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Weka's attribute-relation file
    Arff,
    Parquet,
}

#[derive(Debug, Args)]
pub(crate) struct Features {
    /// Gold files (NAME.gold.jsonl), whose columns have the class; WARC, ARC and HTML files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Which columns
    #[arg(long, value_enum, value_name = "SET")]
    pub(crate) set: ColumnSet,

    /// How to write them
    #[arg(short, long, value_enum, default_value = "arff")]
    pub(crate) format: TableFormat,

    /// Write them here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) query: QueryChoice,
}

/// Trees instead of models.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trees")]
pub(crate) struct TreeTraining {
    /// Train a decision tree: JOB.toml is then a gold file, or a table (FILE.arff) whose last attribute is the
    /// class. The tree is printed with its scores, and written to --out
    #[arg(long)]
    pub(crate) tree: bool,

    /// Only pages of these types, as the gold files name them
    #[arg(long, value_name = "TYPE", value_delimiter = ',', requires = "tree")]
    pub(crate) page_type: Vec<String>,

    /// Another number puts other rows into the third that the scores are of
    #[arg(long, value_name = "N", default_value_t = 1, requires = "tree")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) query: QueryChoice,
}

/// What a page's text is scored by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// Words, whatever their order
    Words,
    /// Words of a longest common subsequence, as Sun et al. and Lutz and Heuser have it
    Lcs,
}

#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// HTML files; standard input where there is none, or for -
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How to print the page
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: CleanFormat,

    /// The page's address, for the features that look at it
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The page's charset or Content-Type, if it came with one
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,

    /// What tells content from noise
    #[arg(long, value_enum, default_value = "model")]
    pub(crate) method: Method,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,
}

#[derive(Debug, Args)]
pub(crate) struct Posts {
    /// HTML files, WARC or ARC files; standard input where there is none, or for -
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How to print the posts; json is a page a line
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: PostsFormat,

    /// The address of pages that come without one, against which links are read
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// Rule file; blogbuster for the printed rules of the paper [default: the rules built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
}

/// How posts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PostsFormat {
    Text,
    Json,
    Xml,
}

/// Pages with gold text: NAME.gold.jsonl beside NAME.warc.gz, or annotation files.
#[derive(Debug, Args)]
pub(crate) struct GoldSets {
    /// Gold files, with the pages in the WARC file of the same name beside each; annotation files
    /// (NAME.anno) or folders of them
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,
}

/// What `gleaner train --help` says at its end.
const TRAIN_HELP: &str = "\
A job file, with what is mostly set:

  gold = [\"pages.gold.jsonl\"]        # beside pages.warc.gz
  out = \"mine.gcrf\"

  [dev]
  share = 0.1                        # hosts held out, to stop in time

  [training]
  l2 = 10.0                          # more for few pages; l1 for a small model
  label_weights = { header = 2.0 }   # found more often
  decoder = { kind = \"expected-f\", beta = 1.0, least_words = 20.0 }

  [training.template.offsets]
  \"\" = [0]                           # columns of the block alone, not of its neighbours

All settings and their defaults: jobs/README.md. Ctrl-C ends a training without a model.";

#[derive(Debug, Args)]
#[command(after_long_help = TRAIN_HELP)]
pub(crate) struct Train {
    /// Job file: gold files, features, template, training settings, card
    #[arg(value_name = "JOB.toml")]
    pub(crate) job: PathBuf,

    /// Train on these gold files instead of the job's
    #[arg(value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,

    /// Write the model here instead of where the job says
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Threads; the model does not depend on it [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) tree: TreeTraining,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) what: Option<EvalWhat>,

    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Instead of scoring a model, train as a job file says on all pages but those of a fold, score
    /// the fold, and so on for each fold
    #[arg(short, long, value_name = "JOB.toml", conflicts_with = "model")]
    pub(crate) cross_validate: Option<PathBuf>,

    /// Folds of a cross-validation; pages of one host are in one fold
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) folds: u16,

    /// With --cross-validate: train anew without each module or each column in turn, and tell what
    /// that changes
    #[arg(long, value_enum, value_name = "WHAT", requires = "cross_validate")]
    pub(crate) ablate: Option<Ablate>,

    /// Write a report to read in a browser: the tables, and the worst pages block by block
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Pages that the report shows, the worst first
    #[arg(long, value_name = "N", default_value_t = 20, requires = "report")]
    pub(crate) worst: usize,

    /// Only pages of these types, as the gold files name them
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) page_type: Vec<String>,

    /// What tells content from noise. A tree is --model; without one, trees are trained as
    /// --cross-validate trains models: on all pages but those of a fold
    #[arg(long, value_enum, default_value = "model", conflicts_with = "cross_validate")]
    pub(crate) method: Method,

    /// By what texts are scored: which measure P, R and F1 are of
    #[arg(long, value_enum, default_value = "words", conflicts_with = "json")]
    pub(crate) measure: Measure,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,
}

/// What else than the texts of pages can be scored.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalWhat {
    /// Inject made-up templates into clean texts, mine them, and score what is found; or clean blogs
    Templates(EvalTemplates),
    /// Score the posts found on blog pages: posts, titles, dates and texts
    Posts(EvalPosts),
    /// Score what the rest of a site tells the labeller: kept text of blog posts against their feeds
    Sites(EvalSites),
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
    #[arg(long, conflicts_with = "json")]
    pub(crate) misses: bool,

    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
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

/// What an ablation leaves out at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ablate {
    /// A module of features
    Modules,
    /// A single feature
    Columns,
}

#[derive(Debug, Args)]
pub(crate) struct Align {
    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Only the page with this URL or record id
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// Print only the scores of keeping exactly the gold's blocks, and of keeping everything
    #[arg(long)]
    pub(crate) scores: bool,

    /// Instead of printing, write annotation files into this folder, to be corrected by hand with
    /// gleaner annotate; files that are there already are left alone
    #[arg(long, value_name = "FOLDER", conflicts_with = "scores")]
    pub(crate) annotations: Option<PathBuf>,
}

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
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// Print a JSON object a site
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads; the result does not depend on them [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,
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

#[derive(Debug, Subcommand)]
pub(crate) enum InspectModel {
    /// Show a model's settings, card and strongest weights
    Show(ShowModel),
    /// Show in what two models differ
    Diff(DiffModels),
}

#[derive(Debug, Args)]
pub(crate) struct ShowModel {
    /// Model file [default: the one built in]
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<PathBuf>,

    /// Instead, all weights of the columns whose names begin so, value by value
    #[arg(long, value_name = "NAME")]
    pub(crate) feature: Option<String>,

    /// Name hashed tokens by the classes and ids on the pages of these gold files
    #[arg(long, value_name = "GOLD.jsonl", num_args = 1..)]
    pub(crate) names: Vec<PathBuf>,

    /// How many weights to show for each label, and against it
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: u16,

    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffModels {
    /// Model file
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,

    /// Model file [default: the one built in]
    #[arg(value_name = "B")]
    pub(crate) b: Option<PathBuf>,

    /// Score the pages of these gold files with both, and name those whose scores differ most
    #[arg(long, value_name = "GOLD.jsonl", num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,

    /// How many weights and pages to show; of the weights for content a quarter, for each kind of page
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: u16,

    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) workers: Option<u16>,
}

/// In which order pages are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// As they come
    Given,
    /// What the model is least certain of first, pages and blocks
    Uncertain,
}

#[derive(Debug, Args)]
pub(crate) struct Annotate {
    /// HTML, WARC and ARC files, folders, globs, or @LIST files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Folder of annotation files, or NAME.anno for one page
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// In which order pages are offered
    #[arg(long, value_enum, default_value = "given")]
    pub(crate) order: Order,

    /// Only the page with this URL, record id or file name
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// Show the page as it will read, beside its blocks
    #[arg(long)]
    pub(crate) render: bool,

    /// Show no suggestions, for studies of how far annotators agree
    #[arg(long)]
    pub(crate) blind: bool,

    /// Who labels, for the files [default: who is logged in]
    #[arg(long, value_name = "NAME")]
    pub(crate) annotator: Option<String>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,
}
