//! How fast features are extracted: CPU time a page, beside the parse of the same pages.
//!
//!     cargo run --release -p gleaner-features --example speed -- FILE.warc.gz [CONFIG.toml]

#![expect(clippy::print_stdout, reason = "an example's output")]

use std::error::Error;
use std::fs::File;

use gleaner_features::{Columns, Extractor, FeatureConfig};
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Step, http};

/// How many pages are kept in memory at a time.
const BATCH: usize = 100;
/// How often each batch is extracted.
const ROUNDS: u32 = 5;

#[derive(Default)]
struct Sums {
    pages: usize,
    bytes: usize,
    blocks: usize,
    hashes: usize,
    parse: f64,
    extract: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which WARC file?")?;
    let config = match arguments.next() {
        Some(path) => FeatureConfig::from_toml(&std::fs::read_to_string(path)?)?,
        None => FeatureConfig::default(),
    };
    let mut extractor = Extractor::new(config)?;
    let mut reader = Reader::new(ReadSource::new(File::open(&path)?), path, Options::default());
    let mut scratch = http::Scratch::default();
    let mut parser = Parser::new(PageConfig::default());
    let (mut sums, mut batch) = (Sums::default(), Vec::new());
    loop {
        match reader.step()? {
            Step::Record(record) if record.is_http() => {
                let message = http::parse(record.content, &mut scratch, &http::Limits::default())?;
                let kind = message.headers.get("content-type").map(String::from_utf8_lossy);
                let start = cpu_seconds()?;
                let page = parser.parse(message.body, kind.as_deref())?;
                sums.parse += cpu_seconds()? - start;
                sums.bytes += message.body.len();
                batch.push((page.clone(), record.target_uri.to_owned()));
            }
            Step::End => break,
            _ => {}
        }
        if batch.len() == BATCH {
            extract(&mut extractor, &batch, &mut sums)?;
            batch.clear();
        }
    }
    extract(&mut extractor, &batch, &mut sums)?;
    report(&sums, extractor.config().columns().len());
    Ok(())
}

fn extract(
    extractor: &mut Extractor,
    batch: &[(Page, String)],
    sums: &mut Sums,
) -> Result<(), Box<dyn Error>> {
    let mut columns = Columns::default();
    let start = cpu_seconds()?;
    for _ in 0..ROUNDS {
        for (page, url) in batch {
            extractor.extract(page, url, &mut columns);
            sums.blocks += columns.rows();
            sums.hashes += (0..columns.rows())
                .map(|row| columns.bag(row).len())
                .sum::<usize>();
        }
    }
    sums.extract += (cpu_seconds()? - start) / f64::from(ROUNDS);
    sums.pages += batch.len();
    Ok(())
}

fn report(sums: &Sums, columns: usize) {
    let (pages, megabytes) = (sums.pages as f64, sums.bytes as f64 / 1e6);
    let blocks = sums.blocks as f64 / f64::from(ROUNDS);
    let hashes = sums.hashes as f64 / f64::from(ROUNDS);
    println!(
        "{pages} pages, {megabytes:.0} MB, {:.0} blocks a page, {columns} columns, {:.0} hashes a block",
        blocks / pages,
        hashes / blocks
    );
    println!(
        "parse    {:.3} ms a page, {:.0} MB a CPU-second",
        sums.parse / pages * 1e3,
        megabytes / sums.parse
    );
    println!(
        "features {:.3} ms a page, {:.0} MB a CPU-second, {:.2} us a block",
        sums.extract / pages * 1e3,
        megabytes / sums.extract,
        sums.extract / blocks * 1e6
    );
}

/// The CPU time of this thread.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse::<f64>()? / 1e9)
}
