//! How fast features are extracted: time a page, beside the parse of the same pages, page by page as a
//! build does it. The file is gone through several times, and of each page the least time counts, so that other programs on
//! the machine are hardly seen. The last line is a hash of all that was extracted: a change that is to change no code
//! leaves it as it is.
//!
//!     cargo run --release -p gleaner-features --example speed -- FILE.warc.gz [CONFIG.toml]

#![expect(clippy::print_stdout, reason = "an example's output")]

use std::error::Error;
use std::fs::File;
use std::time::{Duration, Instant};

use gleaner_columns::Columns;
use gleaner_features::{Extractor, FeatureConfig};
use gleaner_page::{PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Step, http};
use xxhash_rust::xxh3::xxh3_64;

/// How often the pages are gone through.
const ROUNDS: usize = 5;

#[derive(Default)]
struct Sums {
    bytes: usize,
    blocks: usize,
    hashes: usize,
    /// The least time that each page took to parse and to extract.
    times: Vec<[Duration; 2]>,
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
    let mut parser = Parser::new(PageConfig::default());
    let mut sums = Sums::default();
    for _ in 0..ROUNDS {
        let before = std::mem::take(&mut sums.times);
        sums = Sums::default();
        sums.go_through(&path, &mut parser, &mut extractor)?;
        for (times, before) in sums.times.iter_mut().zip(before) {
            *times = std::array::from_fn(|stage| times[stage].min(before[stage]));
        }
    }
    sums.report(extractor.config().columns().len());
    Ok(())
}

impl Sums {
    fn go_through(
        &mut self,
        path: &str,
        parser: &mut Parser,
        extractor: &mut Extractor,
    ) -> Result<(), Box<dyn Error>> {
        let mut reader = Reader::new(
            ReadSource::new(File::open(path)?),
            path.to_owned(),
            Options::default(),
        );
        let (mut scratch, mut columns) = (http::Scratch::default(), Columns::default());
        loop {
            let record = match reader.step()? {
                Step::Record(record) if record.is_http() => record,
                Step::End => return Ok(()),
                _ => continue,
            };
            let message = http::parse(record.content, &mut scratch, &http::Limits::default())?;
            let kind = message.headers.get("content-type").map(String::from_utf8_lossy);
            let start = Instant::now();
            let page = parser.parse(message.body, kind.as_deref())?;
            let parsed = Instant::now();
            extractor.extract(page, record.target_uri, &mut columns);
            self.times.push([parsed - start, parsed.elapsed()]);
            self.bytes += message.body.len();
            self.add(&columns);
        }
    }

    fn add(&mut self, columns: &Columns) {
        self.blocks += columns.rows();
        let mut bytes = self.digest.to_le_bytes().to_vec();
        (0..columns.columns()).for_each(|number| bytes.extend_from_slice(columns.column(number)));
        let mut push = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
        columns.groups().iter().copied().for_each(&mut push);
        self.digest = xxh3_64(&bytes);
    }

    fn report(&self, columns: usize) {
        let (pages, megabytes) = (self.times.len() as f64, self.bytes as f64 / 1e6);
        let (blocks, hashes) = (self.blocks as f64, self.hashes as f64);
        let [parse, extract] = [0, 1].map(|stage| {
            self.times
                .iter()
                .map(|times| times[stage].as_secs_f64())
                .sum::<f64>()
        });
        println!(
            "{pages} pages, {megabytes:.0} MB, {:.0} blocks a page, {columns} columns, {:.0} hashes a block",
            blocks / pages,
            hashes / blocks
        );
        println!(
            "parse    {:.4} ms a page, {:.0} MB/s",
            parse / pages * 1e3,
            megabytes / parse
        );
        println!(
            "features {:.4} ms a page, {:.0} MB/s, {:.2} us a block",
            extract / pages * 1e3,
            megabytes / extract,
            extract / blocks * 1e6
        );
        println!("digest   {:016x}", self.digest);
    }
}
