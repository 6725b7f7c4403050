//! What each measurement of a document costs, and whatlang on the same texts.
//!
//! The texts: those of the JSON lines in the file that `GLEANER_TEXTS` names (field `text`), or made ones of 3,000 bytes.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_curate::{
    Benchmarks, ContaminationSearch, Language, LanguageIdentifier, Measurer, Signature, SignatureConfig,
    Signer, UrlLists, gopher, personal_data,
};

fn texts() -> Vec<String> {
    let Some(path) = std::env::var_os("GLEANER_TEXTS") else {
        return (0..200).map(made).collect();
    };
    let lines = std::fs::read_to_string(path).expect("the file of GLEANER_TEXTS can be read");
    let text = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        row["text"].as_str().unwrap_or_default().to_owned()
    };
    lines.lines().map(text).collect()
}

fn made(seed: usize) -> String {
    const WORDS: [&str; 12] = [
        "harbour",
        "the",
        "of",
        "lighthouse",
        "and",
        "herring",
        "boat",
        "in",
        "seven",
        "people",
        "morning",
        "went",
    ];
    let mut state = seed as u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    let mut text = String::new();
    while text.len() < 3000 {
        let end = ["", "", "", "", ",", ".", ".\n"][next() % 7];
        text += &format!("{}{end} ", WORDS[next() % WORDS.len()]);
    }
    text
}

/// Times a function of a text, over all texts.
fn time<R>(criterion: &mut Criterion, name: &str, texts: &[String], mut measure: impl FnMut(&str) -> R) {
    let mut group = criterion.benchmark_group(name);
    let bytes: usize = texts.iter().map(String::len).sum();
    group.throughput(Throughput::ElementsAndBytes {
        elements: texts.len() as u64,
        bytes: bytes as u64,
    });
    group.bench_function(
        format!("{} texts of {} bytes", texts.len(), bytes / texts.len()),
        |bencher| {
            bencher.iter(|| {
                for text in texts {
                    black_box(measure(text));
                }
            });
        },
    );
    group.finish();
}

fn languages(criterion: &mut Criterion) {
    let texts = texts();
    let mut identifier = LanguageIdentifier::default();
    time(criterion, "language", &texts, |text| {
        identifier.identify(text, None)
    });
    time(criterion, "language: whatlang", &texts, whatlang::detect);
}

fn signals(criterion: &mut Criterion) {
    let texts = texts();
    let mut measurer = Measurer::default();
    let language = Language::new("eng", "Latn");
    time(criterion, "signals", &texts, |text| {
        gopher(&measurer.measure(text, &language))
    });
}

fn personal(criterion: &mut Criterion) {
    time(criterion, "personal data", &texts(), personal_data);
}

/// 100,000 domains, and one URL a text.
fn lists(criterion: &mut Criterion) {
    let texts = texts();
    let domains: String = (0..100_000)
        .map(|number| format!("site{number}.example\n"))
        .collect();
    let mut lists = UrlLists::default();
    lists.add("list", domains.as_bytes()).expect("a list");
    time(criterion, "URL lists", &texts, |text| {
        let number = text.len();
        lists
            .names_of(&format!("https://www.site{number}.example/a/b?c={number}"))
            .len()
    });
}

/// 2,000 passages of 100 words.
fn contamination(criterion: &mut Criterion) {
    let texts = texts();
    let passage = |passage: usize| {
        (0..100)
            .map(|word| format!("w{} ", passage * word % 7919))
            .collect::<String>()
    };
    let passages: Vec<String> = (0..2000).map(passage).collect();
    let benchmarks = Benchmarks::new(passages.iter().map(|passage| ("task", passage.as_str())));
    let mut search = ContaminationSearch::new(Arc::new(benchmarks));
    time(criterion, "contamination", &texts, |text| search.find(text).len());
}

/// For comparison: what the build does already.
fn signatures(criterion: &mut Criterion) {
    let mut signer = Signer::new(SignatureConfig::default()).expect("the defaults are allowed");
    let mut signature = Signature::default();
    time(criterion, "signature", &texts(), |text| {
        signer.sign(text, &mut signature)
    });
}

criterion_group!(
    benches,
    languages,
    signals,
    personal,
    lists,
    contamination,
    signatures
);
criterion_main!(benches);
