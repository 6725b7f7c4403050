//! Reading a crawl and taking its HTTP messages apart: real pages where the shared data is, else made ones;
//! compressed by the record, and uncompressed.

#[path = "../tests/support/mod.rs"]
mod support;

use std::{fs, hint::black_box, io::Read as _};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flate2::read::MultiGzDecoder;
use gleaner_warc::{Options, ReadSource, Reader, Step, http};
use support::{Block, Store, write};

/// A crawl, compressed by the record.
fn crawl() -> Vec<u8> {
    let real = gleaner_testing::data_if_any("pages/wcxb-dev.warc.gz");
    real.and_then(|path| fs::read(path).ok()).unwrap_or_else(|| {
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p class=\"text\">Made text.</p>\n"
            .repeat(5000);
        let records: Vec<_> = (0..200)
            .map(|index| {
                (
                    format!("http://a.example/{index}"),
                    Block(page.clone().into_bytes()),
                )
            })
            .collect();
        write(Store::Gzip, &records).bytes
    })
}

/// Bytes of all bodies.
fn read(file: &[u8]) -> u64 {
    let mut reader = Reader::new(ReadSource::new(file), "bench.warc", Options::default());
    let mut scratch = http::Scratch::default();
    let mut bytes = 0;
    loop {
        match reader.step().expect("memory does not fail") {
            Step::Record(record) if record.is_http() => {
                let message = http::parse(record.content, &mut scratch, &http::Limits::default());
                bytes += message.map_or(0, |message| black_box(message.body).len() as u64);
            }
            Step::End => return bytes,
            _ => {}
        }
    }
}

fn bench(criterion: &mut Criterion) {
    let gzip = crawl();
    let mut plain = Vec::new();
    MultiGzDecoder::new(&gzip[..])
        .read_to_end(&mut plain)
        .expect("it was just written");
    let mut group = criterion.benchmark_group("read");
    group.sample_size(10).throughput(Throughput::Bytes(read(&gzip)));
    for (name, file) in [("gzip", &gzip), ("plain", &plain)] {
        group.bench_with_input(BenchmarkId::from_parameter(name), file, |bench, file| {
            bench.iter(|| read(file))
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
