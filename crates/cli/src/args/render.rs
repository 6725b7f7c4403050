//! `gleaner render`: pages as a browser draws them from their archive.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{input, size};

/// What `gleaner render --help` says at its end.
const HELP: &str = "\
Chromium opens the pages that need scripts, and gets everything from the archives: nothing is
fetched. Each page that was drawn becomes a `conversion` record. Build the archives and the output
together: `gleaner build crawl.warc.gz drawn.warc.gz --out corpus`. The superuser's Chromium runs
without its sandbox: render archives of strangers as another user. docs/render.md has more.";

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct Render {
    /// Archives (WARC, ARC, WACZ), folders, patterns, URLs; - is standard input
    #[arg(required = true, value_name = "ARCHIVE", value_parser = input())]
    pub(crate) archives: Vec<String>,

    /// Archive of the pages that were drawn: a local file, NAME.warc.gz
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Draw every HTML page, and not only those that have their text from scripts
    #[arg(long)]
    pub(crate) all: bool,

    /// Draw N pages at most [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    /// The browser [default: $CHROMIUM, or the first of chromium-headless-shell, chrome-headless-shell, chromium, chromium-browser, google-chrome, google-chrome-stable, chrome on the path]
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,

    /// Pages that are open at once [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) tabs: Option<u16>,

    /// Seconds that the scripts of a page run, by their own clock, which skips waiting
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) virtual_seconds: Duration,

    /// Seconds that a page may take; a page that takes longer is not written
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) page_timeout: Duration,

    /// Largest page as it is written; the rest is cut off
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size::parse)]
    pub(crate) max_page: u64,

    /// Most memory of a page; a page that takes more is not written
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = size::parse)]
    pub(crate) page_memory: u64,

    /// Print the summary as JSON to standard output; docs/json.md lists the keys
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time that is more than none.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| (0.001..=86_400.0).contains(seconds));
    let seconds: f64 = seconds.ok_or("use a number of seconds up to 86400, such as 10 or 0.5")?;
    Ok(Duration::from_secs_f64(seconds))
}
