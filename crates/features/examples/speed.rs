//! How fast features are extracted: CPU time a page, beside the parse of the same pages, page by page as a
//! build does it. The last line is a hash of all that was extracted: a change that is to change no code
//! leaves it as it is.
//!
//!     cargo run --release -p gleaner-features --example speed -- FILE.warc.gz [CONFIG.toml]

#![expect(clippy::print_stdout, reason = "an example's output")]

use std::error::Error;
use std::fs::File;

use gleaner_features::{Columns, Extractor, FeatureConfig};
use gleaner_page::{PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Step, http};
use xxhash_rust::xxh3::xxh3_64;

#[derive(Default)]
struct Sums {
    pages: usize,
    bytes: usize,
    blocks: usize,
    hashes: usize,
    parse: f64,
    extract: f64,
    digest: u64,
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
    let (mut sums, mut columns) = (Sums::default(), Columns::default());
    loop {
        let record = match reader.step()? {
            Step::Record(record) if record.is_http() => record,
            Step::End => break,
            _ => continue,
        };
        let message = http::parse(record.content, &mut scratch, &http::Limits::default())?;
        let kind = message.headers.get("content-type").map(String::from_utf8_lossy);
        let start = cpu_seconds()?;
        let page = parser.parse(message.body, kind.as_deref())?;
        let parsed = cpu_seconds()?;
        extractor.extract(page, record.target_uri, &mut columns);
        sums.extract += cpu_seconds()? - parsed;
        sums.parse += parsed - start;
        sums.bytes += message.body.len();
        sums.add(&columns);
    }
    report(&sums, extractor.config().columns().len());
    Ok(())
}

impl Sums {
    fn add(&mut self, columns: &Columns) {
        self.pages += 1;
        self.blocks += columns.rows();
        let mut bytes = self.digest.to_le_bytes().to_vec();
        (0..columns.columns()).for_each(|number| bytes.extend_from_slice(columns.column(number)));
        let mut push = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
        columns.groups().iter().copied().for_each(&mut push);
        for row in 0..columns.rows() {
            let bag = columns.bag(row);
            push(bag.len() as u32);
            bag.iter().copied().for_each(&mut push);
            self.hashes += bag.len();
        }
        self.digest = xxh3_64(&bytes);
    }
}

fn report(sums: &Sums, columns: usize) {
    let (pages, megabytes) = (sums.pages as f64, sums.bytes as f64 / 1e6);
    let (blocks, hashes) = (sums.blocks as f64, sums.hashes as f64);
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
    println!("digest   {:016x}", sums.digest);
}

/// The CPU time of this thread.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse::<f64>()? / 1e9)
}
