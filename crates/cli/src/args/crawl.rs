//! `gleaner crawl`: an archive of pages, from seeds.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use gleaner_crawl::Reach;
use regex::Regex;

use super::{input, named, size};

/// What `gleaner crawl --help` says at its end.
const HELP: &str = "\
The robots.txt of each site is read first, and what it forbids to `gleaner` is not fetched. By
default a host gets one request at a time, and one in a second at most. Private addresses are
fetched only if a seed names their host. An interrupted crawl continues with the same command.
docs/crawl.md has more.

A job file has these options as keys, those of a group in a table; jobs/crawl.toml is an example.";

/// `gleaner crawl` as it was typed: its options, and the job file whose options they override.
#[derive(Clone, Debug)]
pub(crate) struct TypedCrawl {
    pub(crate) job: Option<PathBuf>,
    pub(crate) options: ArgMatches,
}

impl Args for TypedCrawl {
    fn augment_args(command: Command) -> Command {
        let job = Arg::new("job")
            .long("job")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help_heading(Resettable::Reset)
            .help("Crawl as a job file says; options on the command line override it");
        let in_job = |option: Arg| match option.is_required_set() {
            true => option.required(false).required_unless_present("job"),
            false => option,
        };
        Crawl::augment_args(command).mut_args(in_job).arg(job)
    }

    fn augment_args_for_update(command: Command) -> Command {
        TypedCrawl::augment_args(command)
    }
}

impl FromArgMatches for TypedCrawl {
    fn from_arg_matches(matches: &ArgMatches) -> Result<TypedCrawl, clap::Error> {
        Ok(TypedCrawl {
            job: matches.get_one("job").cloned(),
            options: matches.clone(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = TypedCrawl::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Crawl {
    /// Where to begin: URLs, sitemaps, files with a URL in each line, or - for standard input
    #[arg(required = true, value_name = "SEED", value_parser = input())]
    pub(crate) seeds: Vec<String>,

    /// Archive: a local file, NAME.warc.gz
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Mail address or URL by which a site can reach you; each request names it
    #[arg(long, value_name = "MAIL|URL", value_parser = contact)]
    pub(crate) contact: String,

    /// Archive of an earlier crawl: pages that are as they were become `revisit` records; repeat it for more files
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Vec<PathBuf>,

    /// Begin another file, NAME-00001.warc.gz and so on, when one is this long [default: one file]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) file_size: Option<u64>,

    /// Build a corpus of the archive when it is whole, as `gleaner build` does by default
    #[arg(long, value_name = "OUT")]
    pub(crate) build: Option<String>,

    /// Print the summary as JSON to standard output; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) scope: CrawlScope,

    #[command(flatten)]
    pub(crate) pace: CrawlPace,

    #[command(flatten)]
    pub(crate) limits: CrawlLimits,
}

/// Which URLs are fetched.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scope")]
pub(crate) struct CrawlScope {
    /// Follow links within the hosts of the seeds, their registrable domains, what begins as a seed does, or to any site
    ///
    /// A prefix goes up to the last slash of a seed. Where a seed redirects to counts as a seed.
    #[arg(long, value_name = "REACH", default_value_t = Reach::Host, value_parser = named::<Reach>())]
    pub(crate) scope: Reach,

    /// Of these, follow only links to URLs that match this expression, or one of several
    #[arg(long, value_name = "REGEX", value_parser = expression)]
    pub(crate) include: Vec<Regex>,

    /// Follow no links to URLs that match this expression
    #[arg(long, value_name = "REGEX", value_parser = expression)]
    pub(crate) exclude: Vec<Regex>,

    /// Most links from a seed to a page
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) depth: u32,

    /// Media types whose bodies are kept, with commas between them; * stands for the rest of a name
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "text/html,application/xhtml+xml,text/plain,text/xml,application/xml"
    )]
    pub(crate) types: Vec<String>,

    /// Do not read the sitemaps that a robots.txt names
    #[arg(long)]
    pub(crate) no_sitemaps: bool,
}

/// How gently it asks.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Pace")]
pub(crate) struct CrawlPace {
    /// Seconds from one request to a host to the next; a longer Crawl-delay in its robots.txt is obeyed
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) delay: Duration,

    /// Longest Crawl-delay and Retry-After that are obeyed; of longer ones, this
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) max_delay: Duration,

    /// Requests under way at once, to all hosts
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) connections: u32,

    /// Requests under way at once to one host
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) connections_per_host: u32,

    /// How often a URL is asked for again after a failure that may pass
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=20))]
    pub(crate) retries: u32,

    /// Connect to ADDRESS for HOST, whatever the name service says; repeat it for more hosts
    #[arg(long, value_name = "HOST=ADDRESS", value_parser = resolve)]
    pub(crate) resolve: Vec<(String, IpAddr)>,
}

/// Where it ends.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct CrawlLimits {
    /// End after N pages [default: none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_pages: Option<u64>,

    /// Most pages of a host
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_pages_per_host: u64,

    /// End after SIZE bytes of bodies [default: none]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) max_bytes: Option<u64>,

    /// End after SECONDS [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) max_time: Option<Duration>,

    /// Largest page; the rest is cut off
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size::parse)]
    pub(crate) max_page_size: u64,

    /// Longest time for a page; what came by then is kept
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) max_page_time: Duration,

    /// Most URLs that differ only in their query, or in what looks like the id of a session
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_variants: u32,

    /// Most redirects one after the other
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max_redirects: u32,
}

/// Something that a site can write to.
fn contact(text: &str) -> Result<String, String> {
    let is_mail = text
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let is_url = ["http://", "https://"]
        .iter()
        .any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !b"()\\".contains(&byte));
    match (is_mail || is_url) && is_plain {
        true => Ok(text.to_owned()),
        false => Err(
            "use a mail address or a URL by which a site can reach you, such as me@example.org or https://example.org/bot"
                .to_owned(),
        ),
    }
}

/// A time in seconds, with a fraction or without: up to a year.
fn seconds(text: &str) -> Result<Duration, String> {
    const YEAR: f64 = 366.0 * 86_400.0;
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=YEAR).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("use a number of seconds, such as 0.5".to_owned()),
    }
}

fn resolve(text: &str) -> Result<(String, IpAddr), String> {
    let (host, address) = text.split_once('=').unwrap_or_default();
    match (host.is_empty(), address.parse()) {
        (false, Ok(address)) => Ok((host.to_ascii_lowercase(), address)),
        _ => Err("use HOST=ADDRESS, such as www.example.org=127.0.0.1".to_owned()),
    }
}

/// A regular expression. Its errors have several lines, of which the last one says what is wrong.
fn expression(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| {
        let lines = error.to_string();
        let reason = lines.lines().last().unwrap_or_default();
        format!(
            "not a regular expression: {}",
            reason.trim_start_matches("error: ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_can_be_written_to() {
        for good in ["me@example.org", "https://example.org/bot", "http://a.example"] {
            assert!(contact(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "me",
            "@example.org",
            "me@host",
            "https://",
            "a b@example.org",
            "me@example.org)\r\nX: y",
        ] {
            assert!(contact(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "-1", "nan", "1s", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
