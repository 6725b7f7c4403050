//! What it costs to write documents and blocks, by bytes of their text.
//!
//! The texts are the gold texts of real pages where they are at hand, else made up.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_corpus::enumerations::LABELS;
use gleaner_corpus::{BlockRow, DocumentRow, Row, Settings, Share, TableWriter};
use gleaner_testing::Random;

/// Texts of about ten megabytes together.
fn texts() -> Vec<String> {
    let gold = gleaner_testing::data_if_any("pages/wcxb-dev.gold.jsonl");
    let Some(gold) = gold.and_then(|path| std::fs::read_to_string(path).ok()) else {
        return made_up();
    };
    let text = |line: &str| -> Option<String> {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(value.get("text")?.as_str()?.to_owned())
    };
    gold.lines().filter_map(text).collect()
}

/// Words of a vocabulary in which few are frequent, as in any language.
fn made_up() -> Vec<String> {
    let mut random = Random::new(1);
    let mut word = move || {
        let rank = 50_000 / (1 + random.below(50_000) as u32);
        format!("{:x}", rank.wrapping_mul(2_654_435_761) >> 8)
    };
    (0..1500)
        .map(|_| (0..1000).map(|_| word()).collect::<Vec<_>>().join(" "))
        .collect()
}

fn documents(texts: &[String]) -> Vec<DocumentRow> {
    let row = |(at, text): (usize, &String)| DocumentRow {
        url: format!("https://www.site{}.example/page/{at}.html", at % 300),
        host: format!("www.site{}.example", at % 300),
        site: format!("site{}.example", at % 300),
        warc_file: "crawl/part-00000.warc.gz".to_owned(),
        warc_offset: at as u64 * 40_000,
        warc_length: 40_000,
        record_id: format!(
            "<urn:uuid:{:032x}>",
            (at as u128 + 1).wrapping_mul(u128::MAX / 1_000_003)
        ),
        charset: "UTF-8".to_owned(),
        title: text.lines().next().map(str::to_owned),
        text: text.clone(),
        content_digest: format!("{:032x}", (at as u128 + 1).wrapping_mul(u128::MAX / 1_000_033)),
        ..DocumentRow::default()
    };
    texts.iter().enumerate().map(row).collect()
}

fn blocks(texts: &[String]) -> Vec<BlockRow> {
    let of_page = |(at, text): (usize, &String)| {
        let block = |(number, line): (usize, &str)| BlockRow {
            row_id: format!("{at:032x}"),
            record_id: format!("<urn:uuid:{at:032x}>"),
            url: format!("http://www.site.example/{at}"),
            block: number as u32,
            label: LABELS[number % LABELS.len()].name.into(),
            confidence: Share(1.0 / (1.0 + number as f32)),
            text: line.to_owned(),
            path: format!(
                "html/body/div/div/div/{}",
                ["p", "ul/li", "h2", "table/tr/td"][number % 4]
            ),
            template_pages: 0,
            template_coverage: Share(0.0),
            language: None,
        };
        text.lines().enumerate().map(block).collect::<Vec<_>>()
    };
    texts.iter().enumerate().flat_map(of_page).collect()
}

fn write<R: Row>(rows: &[R]) -> usize {
    let mut writer = TableWriter::new(Vec::new(), "memory", &Settings::default()).expect("memory takes all");
    rows.iter()
        .try_for_each(|row| writer.push(row))
        .expect("memory takes all");
    writer.into_inner().expect("memory takes all").len()
}

fn encode(criterion: &mut Criterion) {
    let texts = texts();
    let mut group = criterion.benchmark_group("encode");
    group.sample_size(10).throughput(Throughput::Bytes(
        texts.iter().map(String::len).sum::<usize>() as u64
    ));
    let (documents, blocks) = (documents(&texts), blocks(&texts));
    group.bench_function("documents", |bencher| {
        bencher.iter(|| black_box(write(&documents)))
    });
    group.bench_function("blocks", |bencher| bencher.iter(|| black_box(write(&blocks))));
    group.finish();
}

criterion_group!(benches, encode);
criterion_main!(benches);
