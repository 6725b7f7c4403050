//! `gleaner build`: crawls to corpora.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches};
use gleaner_corpus::Crawl;
use gleaner_curate::Agents;
use gleaner_dataflow::{Phase, SiteOf};
use gleaner_template::DEFAULT_SAMPLE;

use super::{
    Action, Command, Decision, ImageStyle, LinkStyle, Memory, Method, ModelChoice, PageLimits, ParserChoice,
    Processes, QueryChoice, Stores, UrlListFile, Watching, input, named,
};

/// The options that a spec has: those that change tables, but for the files of models and queries.
const IN_SPEC: [&str; 30] = [
    "crawl",
    "blocks",
    "block_languages",
    "posts",
    "no_signals",
    "pii_spans",
    "no_rights",
    "agents",
    "markdown",
    "links",
    "images",
    "no_site_evidence",
    "site",
    "site_sample",
    "no_clusters",
    "shingle",
    "bands",
    "band_rows",
    "verify_duplicates",
    "repeats",
    "chunk_size",
    "limit",
    "method",
    "favor",
    "structured_data",
    "no_title",
    "parser",
    "max_record",
    "max_page",
    "max_steps",
];

#[derive(Clone, Debug, Args)]
pub(crate) struct Build {
    /// WARC, ARC, WET, WACZ or HTML files, folders, patterns, URLs (file, s3, gs, az, https), @LIST files; - is standard input
    #[arg(required = true, value_name = "INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// Folder or URL that receives the tables
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: String,

    /// Worker threads, 512 at most [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    #[command(flatten)]
    pub(crate) memory: Memory,

    /// Name of the crawl: the files of a table are in its folder crawl=NAME, which readers show as a column [default: none]
    ///
    /// Letters (a-z and A-Z), digits, ., _ and - are allowed, 128 at most, and no . at the beginning. Readers of Hive folders
    /// and of Delta Lake show the column crawl. The tables duplicates and repeats are of all crawls and have no such folder. A
    /// corpus keeps the name of its crawl: with another name, OUT is refused without --force.
    #[arg(help_heading = "Tables", long, value_name = "NAME", value_parser = Crawl::new)]
    pub(crate) crawl: Option<Crawl>,

    /// Also write the table blocks: every block with its label, confidence and path
    #[arg(help_heading = "Tables", long)]
    pub(crate) blocks: bool,

    /// Fill the column language of blocks, for kept blocks
    #[arg(help_heading = "Tables", long, requires = "blocks")]
    pub(crate) block_languages: bool,

    /// Also write the table posts: the posts of blog pages with title, date and text. Fills the column platform, too
    #[arg(help_heading = "Tables", long)]
    pub(crate) posts: bool,

    /// Leave out the table signals: measures of the quality of each text, and the verdicts of rule sets
    #[arg(help_heading = "Tables", long)]
    pub(crate) no_signals: bool,

    /// Also fill the column pii_spans of signals: where e-mail and IP addresses, phone numbers, IBANs and payment cards are in texts
    #[arg(help_heading = "Tables", long, conflicts_with = "no_signals")]
    pub(crate) pii_spans: bool,

    /// Leave out the table rights: what pages and sites state about rights, and what that means for an index and for training
    #[arg(help_heading = "Tables", long)]
    pub(crate) no_rights: bool,

    /// Crawlers for which the table rights is: a TOML file with agents = ["GPTBot", ...], or names with commas between them
    /// [default: the list jobs/agents.toml, which is built in]
    ///
    /// What a page or a site states for other crawlers is in the table, and means nothing there. A corpus keeps the names: with
    /// others, OUT is refused without --force.
    #[arg(
        help_heading = "Tables",
        long,
        value_name = "FILE|NAMES",
        conflicts_with = "no_rights"
    )]
    pub(crate) agents: Option<Agents>,

    /// Fill the column url_lists of signals: the names of the lists that a page's URL is on. May be given several times
    ///
    /// A list is a file with a domain, a host or the beginning of a URL a line, a hosts file, or a folder with such files, domains
    /// and urls, as UT1 has one for each category. Files of one name are one list. A corpus keeps the names and digests of its
    /// lists: with others, OUT is refused without --force.
    #[arg(
        help_heading = "Tables",
        long,
        value_name = "NAME=FILE|FOLDER",
        conflicts_with = "no_signals"
    )]
    pub(crate) url_list: Vec<UrlListFile>,
    /// Also write the table contamination: places of documents with texts of benchmarks. A folder with files NAME.jsonl or NAME.txt
    ///
    /// Of NAME.jsonl all texts in the objects of its lines are passages, and of NAME.txt the paragraphs between empty lines; NAME is
    /// the task. Folders in DIR are not read. A passage is found by thirteen words in a row, so shorter ones are left out. A
    /// corpus keeps the digest of its benchmarks: with others, OUT is refused without --force, and commands that change the corpus
    /// need the same.
    #[arg(help_heading = "Tables", long, value_name = "DIR")]
    pub(crate) benchmarks: Option<PathBuf>,

    /// Also fill the column markdown of documents: the text as Markdown
    #[arg(help_heading = "Tables", long)]
    pub(crate) markdown: bool,

    /// How links are written in Markdown
    #[arg(
        help_heading = "Tables",
        long,
        value_enum,
        default_value = "none",
        requires = "markdown"
    )]
    pub(crate) links: LinkStyle,

    /// How images are written in Markdown
    #[arg(
        help_heading = "Tables",
        long,
        value_enum,
        default_value = "none",
        requires = "markdown"
    )]
    pub(crate) images: ImageStyle,

    /// Label each page by itself, without site evidence; the tables templates and histograms have no rows
    #[arg(
        help_heading = "Sites",
        long,
        visible_alias = "no-templates",
        conflicts_with = "site_sample"
    )]
    pub(crate) no_site_evidence: bool,

    /// What a site is: a host, or a registrable domain such as example.co.uk
    #[arg(
        help_heading = "Sites",
        long,
        value_parser = named::<SiteOf>(),
        value_name = "WHAT",
        default_value = "host"
    )]
    pub(crate) site: SiteOf,

    /// Pages of a site that give evidence and templates: those with the smallest hashes of their URLs [default: 1024]
    #[arg(help_heading = "Sites", long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) site_sample: Option<u32>,

    /// Find no duplicates; the table duplicates has no rows
    #[arg(help_heading = "Duplicates", long, conflicts_with_all = ["shingle", "bands", "band_rows", "verify_duplicates"])]
    pub(crate) no_clusters: bool,

    /// Words of a shingle: near duplicates share many runs of this length
    #[arg(help_heading = "Duplicates", long, value_name = "WORDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) shingle: u32,

    /// Bands of a signature: documents that share one are near duplicates
    ///
    /// With R hashes in each of B bands, documents of similarity S share a band with probability 1 - (1 - S^R)^B.
    #[arg(help_heading = "Duplicates", long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) bands: u32,

    /// Hashes in each band
    #[arg(help_heading = "Duplicates", long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) band_rows: u32,

    /// Least similarity of near duplicates, from 0 to 1, as signatures estimate it [default: all that share a band]
    #[arg(help_heading = "Duplicates", long, value_name = "SIMILARITY", value_parser = similarity)]
    pub(crate) verify_duplicates: Option<f64>,

    /// Sites that a line of text is on, at least, to be in the table repeats; 0 counts no lines, and the table has no rows
    #[arg(help_heading = "Duplicates", long, value_name = "SITES", default_value_t = gleaner_dataflow::DEFAULT_REPEATS)]
    pub(crate) repeats: u64,

    /// Input that is read and sorted at a time; also the most that an interrupted build reads again
    /// [default: an eighth of the input, 64MiB to 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::size::parse)]
    pub(crate) part_size: Option<u64>,

    /// Pages per output file, on the average; the next power of two counts
    ///
    /// Files are cut where the hash of a URL says so, and nowhere else: a page that is added changes the file it falls in, and
    /// no other. So some files have more pages, and some fewer.
    #[arg(long, value_name = "PAGES", default_value_t = gleaner_dataflow::DEFAULT_CHUNK, value_parser = clap::value_parser!(u64).range(16..))]
    pub(crate) chunk_size: u64,

    /// Keep nothing of the pages beside the tables
    ///
    /// The folder `state` of a corpus has what is kept of each page, from a third to half of the bytes of the archives: from it
    /// the corpus can be changed later without them.
    #[arg(long)]
    pub(crate) no_state: bool,

    /// Build the corpus of a spec: FILE is what `gleaner log CORPUS --spec` has printed
    ///
    /// The tables have the same files as those of that corpus. All options that change tables are in the spec, and none can be
    /// given beside it. The inputs have to be the archives of the spec, wherever they are: their names, sizes and BLAKE3 digests
    /// are compared before the build, for which each is read once more. Give --model or --text-model if the spec has a model
    /// that is not built in, --language-model if it has one, and --url-list if it has lists.
    #[arg(long, value_name = "FILE", conflicts_with_all = IN_SPEC)]
    pub(crate) spec: Option<PathBuf>,

    /// Read only the first N captures [default: all]
    ///
    /// A capture is a response, resource or conversion record; each becomes a document or a reject. Captures are counted in
    /// the order of the inputs; files of a folder or pattern are in the order of their names. Inputs after the N-th capture
    /// are not opened. A corpus keeps its limit: with another limit, OUT is refused without --force.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    /// Print the plan of the build (inputs, parts, workers, tables, contents of OUT) and write nothing
    ///
    /// The exit status is 1 if the build would be refused. With --limit, inputs are read to count captures. With --json the
    /// plan is JSON.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Stop after this phase; run again to continue
    #[arg(long, value_parser = phases(), value_name = "PHASE")]
    pub(crate) phase: Option<Phase>,

    /// Replace OUT; restart an interrupted build from the beginning
    #[arg(long, visible_alias = "fresh")]
    pub(crate) force: bool,

    /// Exit with status 1 if a record was rejected because it is damaged
    #[arg(long)]
    pub(crate) strict: bool,

    /// Complete the corpus without the inputs that cannot be read
    ///
    /// Without this option the corpus stays incomplete: the exit status is 1, and the same command reads what is missing.
    /// With it, gleaner.json lists these inputs, and each place that could not be read is a reject.
    #[arg(long)]
    pub(crate) allow_missing: bool,

    /// URL that the relative lines of @LIST files are appended to, such as https://data.commoncrawl.org/
    ///
    /// A user and a password, or a signature, in this URL is used for all of them.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// Print the summary as JSON to standard output; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,

    /// What separates content from noise: model, density (text density, no model) or tree (--model is a tree of `train --tree`)
    ///
    /// Density and tree label each page by itself, as with --no-site-evidence. Their query terms are those of
    /// --query, of the page's URL and of the forms on the page. Plain texts are labelled by --text-model with any method.
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

    /// Model file for plain texts: WET records and text/plain captures [default: text, which is built in]
    ///
    /// A training job with unit = "text" makes such a model (jobs/train-text.toml).
    #[arg(long, value_name = "FILE")]
    pub(crate) text_model: Option<PathBuf>,

    /// Language model of fastText, .bin or .ftz, such as GlotLID or lid.176: identifies languages in place of the built-in tables
    ///
    /// Its labels are the values of the column language: __label__deu_Latn is deu, and so is __label__de. A corpus
    /// keeps the digest of the model: with another one, OUT is refused without --force.
    #[arg(long, value_name = "FILE")]
    pub(crate) language_model: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) parser: ParserChoice,

    #[command(flatten)]
    pub(crate) limits: PageLimits,

    #[command(flatten)]
    pub(crate) stores: Stores,

    #[command(flatten)]
    pub(crate) processes: Processes,

    #[command(flatten)]
    pub(crate) watching: Watching,
}

/// The options of a build of these inputs, all others with their defaults.
pub(crate) fn build_with(inputs: &[String], out: &str) -> Build {
    // (The parser requires an input.)
    let words = ["gleaner", "build", "INPUT", "--out", out];
    let matches = Command::command().try_get_matches_from(words);
    let command = matches.and_then(|matches| Command::from_arg_matches(&matches));
    match command.map(|command| command.action) {
        Ok(Action::Build(build)) => Build {
            inputs: inputs.to_vec(),
            ..build
        },
        _ => unreachable!("these words are a build"),
    }
}

impl Build {
    /// Pages per output file, on the average.
    pub(crate) fn pages_of_chunk(&self) -> u64 {
        self.chunk_size.checked_next_power_of_two().unwrap_or(1 << 63)
    }

    /// The crawlers for which the table of rights is; none where it is not written.
    pub(crate) fn rights(&self) -> Option<Agents> {
        (!self.no_rights).then(|| self.agents.clone().unwrap_or_default())
    }

    /// Pages of a site that give evidence; none where pages are labelled by themselves.
    pub(crate) fn sampled_pages(&self) -> Option<usize> {
        let sample = self.site_sample.map_or(DEFAULT_SAMPLE, |pages| pages as usize);
        self.uses_sites().then_some(sample)
    }

    /// Whether pages are labelled with what their sites repeat: only models take it as evidence.
    pub(crate) fn uses_sites(&self) -> bool {
        !self.no_site_evidence && self.method == Method::Model
    }
}

/// A similarity of two documents.
fn similarity(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a similarity is a number from 0 to 1, such as 0.8".to_owned()),
    }
}

/// The phases after which a build may stop.
fn phases() -> impl TypedValueParser<Value = Phase> {
    let names = [
        PossibleValue::new("read").alias("extract"),
        PossibleValue::new("label"),
    ];
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Phase>())
}
