//! `gleaner add`, `remove`, `takedown`, `optout`, `relabel` and `restore`: commands that change a complete corpus.

use std::path::PathBuf;

use clap::Args;
use gleaner_content::Favor;
use gleaner_corpus::Crawl;

use super::{Memory, ModelChoice, Stores, UrlListFile, Watching, input, named};

/// What all changes take.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChangeOptions {
    /// Print what the change would do, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Versions that keep their files, the new one included: readers of Delta Lake can go back to them
    ///
    /// With more than one, readers that list a folder also read files of older versions: `gleaner files` and readers of the
    /// logs do not.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keep_versions: u64,

    /// Worker threads, 512 at most [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) memory: Memory,

    /// Print the summary as JSON to standard output; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    /// Model file for plain texts, if the corpus has one that is not built in
    #[arg(long, value_name = "FILE")]
    pub(crate) text_model: Option<PathBuf>,

    /// Language model of fastText, if the corpus has one
    #[arg(long, value_name = "FILE")]
    pub(crate) language_model: Option<PathBuf>,

    /// List of domains and URLs, as at the build, if the corpus has lists. May be given several times
    #[arg(long, value_name = "NAME=FILE|FOLDER")]
    pub(crate) url_list: Vec<UrlListFile>,
    /// Folder of benchmarks, if the corpus has the table contamination: the same as for `build`
    ///
    /// `relabel` takes another folder, and also one for a corpus without the table.
    #[arg(long, value_name = "DIR")]
    pub(crate) benchmarks: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) stores: Stores,

    #[command(flatten)]
    pub(crate) watching: Watching,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Add {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// WARC, ARC, WET, WACZ or HTML files, folders, patterns, URLs (file, s3, gs, az, https), @LIST files
    #[arg(required = true, value_name = "INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// Crawl of the archives: needed if the corpus was built with --crawl
    ///
    /// The sites of a crawl are labelled with evidence of that crawl alone, so a new crawl changes no page of another one. To a
    /// corpus without --crawl archives are added as parts of its one crawl.
    #[arg(long, value_name = "NAME", value_parser = Crawl::new)]
    pub(crate) crawl: Option<Crawl>,

    /// Complete the version without the inputs that cannot be read
    #[arg(long)]
    pub(crate) allow_missing: bool,

    /// URL that the relative lines of @LIST files are appended to, such as https://data.commoncrawl.org/
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    #[command(flatten)]
    pub(crate) options: ChangeOptions,
}

/// What is to go.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What goes")]
#[group(id = "selectors", multiple = true, required = true)]
pub(crate) struct Selectors {
    /// An archive, by its name in the tables, or as it was given to `build` or `add`; several options are allowed of each kind
    #[arg(long, value_name = "NAME")]
    pub(crate) input: Vec<String>,

    /// All archives of a crawl
    #[arg(long, value_name = "NAME", value_parser = Crawl::new)]
    pub(crate) crawl: Vec<Crawl>,

    /// The pages of a host, such as www.example.org
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Vec<String>,

    /// The pages of a host and of all hosts below it, such as example.org
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Vec<String>,

    /// The captures of a URL
    #[arg(long, value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// The pages whose URL begins so; it ends with / or ?
    #[arg(long, value_name = "PREFIX")]
    pub(crate) url_prefix: Vec<String>,

    /// A record, by the column record_id
    #[arg(long, value_name = "ID")]
    pub(crate) record: Vec<String>,

    /// Pages by the digest of the texts of all their blocks: `gleaner explain` prints it
    #[arg(long, value_name = "DIGEST")]
    pub(crate) text_digest: Vec<String>,

    /// A file with a selector a line: site, domain, prefix, url, record or text, and its value; or a URL or domain alone
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Vec<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Remove {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    #[command(flatten)]
    pub(crate) selectors: Selectors,

    /// Why: it is kept in the rule and in the receipt
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,

    #[command(flatten)]
    pub(crate) options: ChangeOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Takedown {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    #[command(flatten)]
    pub(crate) selectors: Selectors,

    /// Why: it is kept in the rule and in the receipt, so it should not name what is taken down
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,

    /// Also write the receipt in full, with the addresses of all pages, to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,

    /// Make the rule even if the corpus has none of these pages: it then is for later archives
    #[arg(long)]
    pub(crate) for_later_archives: bool,

    #[command(flatten)]
    pub(crate) options: ChangeOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Relabel {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// The archives of the corpus: needed if what it keeps of its pages does not suffice, as for --favor or another --model
    #[arg(value_name = "INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// What to favor from now on: precision, recall or balanced [default: as the corpus does]
    #[arg(long, value_parser = named::<Favor>(), value_name = "SIDE", hide_possible_values = true)]
    pub(crate) favor: Option<Favor>,

    /// Whether the main heading is left out of the text from now on: true or false [default: as in the corpus]
    #[arg(long, value_name = "BOOL")]
    pub(crate) no_title: Option<bool>,

    /// Why: it is kept in the receipt
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,

    /// URL that the relative lines of @LIST files are appended to
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    #[command(flatten)]
    pub(crate) options: ChangeOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Optout {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// Archives with responses for robots.txt: files, folders, patterns, URLs or @LIST files, as for `build`
    ///
    /// Of each host the newest response counts. A response of status 404 allows all; a redirect, a server error and status 429 are
    /// no answer, and an older response stays in force. A host whose robots.txt forbids something to one of the agents gets a
    /// rule, which keeps the text of the robots.txt; later archives are tested by it. The rule ends for later archives when a newer
    /// robots.txt of the host is given. Of more than 100,000 hosts, only those get a rule of which a page in the corpus is
    /// left out, or that had one before.
    #[arg(long, required = true, num_args = 1.., value_name = "ARCHIVE", value_parser = input())]
    pub(crate) robots: Vec<String>,

    /// TOML file with the names of the crawlers, agents = ["GPTBot", ...]; the repository has a list, jobs/agents.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: PathBuf,

    /// URL that the relative lines of @LIST files are appended to
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    #[command(flatten)]
    pub(crate) options: ChangeOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Restore {
    /// Corpus: the folder or bucket URL that was --out of its build
    #[arg(value_name = "CORPUS")]
    pub(crate) corpus: String,

    /// The rule that is lifted, such as r2: `gleaner log CORPUS` lists them
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,

    /// The archives that have what the rule left out: without them their names are printed
    #[arg(value_name = "INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// Why: it is kept in the receipt
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,

    /// URL that the relative lines of @LIST files are appended to
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    #[command(flatten)]
    pub(crate) options: ChangeOptions,
}
