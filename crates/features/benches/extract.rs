//! Bytes of HTML a second whose features are extracted, with the thesis's modules and with all.
//!
//! On real pages if they are there, else on the bundled crawl.

use std::fs::File;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gleaner_columns::Columns;
use gleaner_features::{Extractor, FeatureConfig, Module};
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Step, Wanted, http};

/// How many pages are enough.
const PAGES: usize = 200;

/// The first pages of an archive, parsed, and the bytes of their HTML.
fn pages(archive: &Path) -> Option<(Vec<Page>, u64)> {
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let source = ReadSource::new(File::open(archive).ok()?);
    let mut reader = Reader::new(source, archive.to_string_lossy(), options);
    let (mut scratch, limits) = (http::Scratch::default(), http::Limits::default());
    let mut parser = Parser::new(PageConfig::default());
    let (mut pages, mut bytes) = (Vec::new(), 0);
    while pages.len() < PAGES {
        match reader.step().ok()? {
            Step::Record(record) => {
                let body = http::parse(record.content, &mut scratch, &limits);
                if let Some(page) = body.ok().and_then(|http| parser.parse(http.body, None).ok()) {
                    bytes += record.content.len() as u64;
                    pages.push(page.clone());
                }
            }
            Step::Reject(_) | Step::Pending => {}
            Step::End => break,
        }
    }
    Some((pages, bytes))
}

fn extract(criterion: &mut Criterion) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/sample.warc.gz");
    let (pages, bytes) = gleaner_testing::data_if_any("pages/wcxb-dev.warc.gz")
        .and_then(|real| pages(&real))
        .or_else(|| pages(&sample))
        .expect("the sample is bundled");
    let mut group = criterion.benchmark_group("features");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(bytes));
    for (name, modules) in [("victor", Module::VICTOR.to_vec()), ("all", Module::ALL.to_vec())] {
        let config = FeatureConfig {
            modules,
            ..FeatureConfig::default()
        };
        let mut extractor = Extractor::new(config).expect("the defaults are sound");
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                Columns::default,
                |columns| pages.iter().for_each(|page| extractor.extract(page, "", columns)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, extract);
criterion_main!(benches);
