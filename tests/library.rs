//! The library gives the texts that the command gives, one by one and in a build.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner::{Cleaner, Format, Origin};
use gleaner_dataflow::{Captures, Found};
use gleaner_store::{Options, Store};
use gleaner_testing::data;
use serde_json::Value;

use crate::support::{build, run};

const PAGES: usize = 200;

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn the_library_gives_the_texts_of_the_command() {
    let archive = data("pages/dragnet-dev.warc.gz");
    let by_library = texts_of_library(&archive.display().to_string());
    assert!(by_library.values().filter(|text| !text.is_empty()).count() > PAGES / 2);

    let output = run([
        "clean".as_ref(),
        archive.as_os_str(),
        "--format".as_ref(),
        "json".as_ref(),
    ]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().take(PAGES).map(serde_json::from_str::<Value>);
    let by_clean = lines.map(|line| {
        let line = line.unwrap();
        let field = |name: &str| line[name].as_str().unwrap().to_owned();
        (field("url"), field("text"))
    });
    assert_eq!(by_clean.collect::<BTreeMap<_, _>>(), by_library);

    let corpus = build(&[&archive], &["--limit", "200", "--no-site-evidence"]);
    let by_build = corpus
        .documents()
        .into_iter()
        .map(|(url, row)| (url, row["text"].clone()));
    assert_eq!(by_build.collect::<BTreeMap<_, _>>(), by_library);
}

/// The texts of the first pages, by their addresses.
fn texts_of_library(archive: &str) -> BTreeMap<String, String> {
    let store = Store::new(Options::default()).unwrap();
    let shards = store.expand(&[archive.to_owned()], None).unwrap().shards;
    let mut captures = Captures::new(store, shards, Arc::new(|| {}));
    let (mut cleaner, mut texts) = (Cleaner::default(), BTreeMap::new());
    while texts.len() < PAGES {
        match captures.step().unwrap() {
            Found::Capture(capture) => {
                let mut origin = Origin::url(&capture.document.url).plain_text(capture.plain_text);
                if let Some(content_type) = &capture.content_type {
                    origin = origin.content_type(content_type);
                }
                if let Some(day) = capture.day() {
                    origin = origin.captured(day);
                }
                let text = cleaner.extract(&capture.body, &origin, Format::Text).unwrap();
                texts.insert(capture.document.url, text);
            }
            Found::Reject(reject) => panic!("{reject:?}"),
            Found::Pending => std::thread::yield_now(),
            Found::End => panic!("{archive} has fewer pages"),
        }
    }
    texts
}
