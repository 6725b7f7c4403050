//! Gold text for saved result pages of search engines: `cargo run -p gleaner-gold --example result_pages --
//! serp.gold.jsonl OUT.gold.jsonl`.
//!
//! The list of pages (url, engine) stands beside their archive and has no text. What is gold is the
//! text of the elements that an engine's pages hold results in, which the table below names; a page that says
//! that nothing was found has none. The archive is linked beside OUT, so that `gleaner eval OUT.gold.jsonl` finds it.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use gleaner_gold::GoldPage;
use gleaner_html::Attr;
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Step, Wanted, http};
use serde::Deserialize;

/// The classes of the elements that hold a result, by engine.
const RESULTS: [(&str, &[&str]); 7] = [
    ("ask", &["wresult"]),
    ("baidu", &["result", "c-container"]),
    ("bing", &["b_algo"]),
    ("duckduckgo", &["web-result"]),
    ("google", &["g"]),
    ("yahoo", &["res"]),
    ("yandex", &["serp-item"]),
];

#[derive(Deserialize)]
struct Listed {
    url: String,
    engine: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [list, out] = arguments.as_slice() else {
        return Err("usage: result_pages LIST.gold.jsonl OUT.gold.jsonl".into());
    };
    let text = std::fs::read_to_string(list)?;
    let listed = text.lines().map(serde_json::from_str::<Listed>);
    let engines: HashMap<String, String> = listed
        .map(|page| page.map(|page| (page.url, page.engine)))
        .collect::<Result<_, _>>()?;
    let archive = beside(list)?;
    let mut file = File::create(out)?;
    for gold in golds(&archive, &engines)? {
        writeln!(file, "{}", serde_json::to_string(&gold)?)?;
    }
    let copy = beside(out)?;
    if !copy.exists() {
        std::fs::copy(&archive, copy)?;
    }
    Ok(())
}

/// `NAME.warc.gz` beside `NAME.gold.jsonl`.
fn beside(gold: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let name = gold.to_str().and_then(|name| name.strip_suffix(".gold.jsonl"));
    Ok(PathBuf::from(
        name.ok_or("gold files are called NAME.gold.jsonl")?.to_owned() + ".warc.gz",
    ))
}

fn golds(archive: &Path, engines: &HashMap<String, String>) -> Result<Vec<GoldPage>, Box<dyn Error>> {
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let name = archive.display().to_string();
    let mut reader = Reader::new(ReadSource::new(File::open(archive)?), name, options);
    let (mut scratch, mut parser, mut golds) = (http::Scratch::default(), Parser::new(config()), Vec::new());
    loop {
        match reader.step()? {
            Step::Record(record) => {
                let Some(engine) = engines.get(record.target_uri) else {
                    continue;
                };
                let (url, record_id) = (record.target_uri.to_owned(), record.record_id.to_owned());
                let message = http::parse(record.content, &mut scratch, &http::Limits::default())?;
                let content_type = message.headers.get("content-type").map(String::from_utf8_lossy);
                let page = parser.parse(message.body, content_type.as_deref())?;
                golds.push(GoldPage {
                    text: results(page, engine),
                    page_type: Some("listing".to_owned()),
                    url,
                    record_id,
                    ..GoldPage::default()
                });
            }
            Step::Reject(_) => {}
            Step::Pending | Step::End => return Ok(golds),
        }
    }
}

fn config() -> PageConfig {
    PageConfig {
        alt: false,
        ..PageConfig::default()
    }
}

/// The lines of all results.
fn results(page: &Page, engine: &str) -> String {
    let names = RESULTS
        .iter()
        .find(|(name, _)| *name == engine)
        .map_or(&[][..], |row| row.1);
    let is_result = |element: u32| {
        let classes = page.attribute(element, Attr::Class).unwrap_or_default();
        classes
            .split_ascii_whitespace()
            .any(|class| names.contains(&class))
    };
    let blocks = page.blocks.iter().filter(|block| !block.hidden);
    let kept = blocks.filter(|block| page.ancestors(block.element).any(is_result));
    kept.map(|block| page.text(block).to_owned() + "\n").collect()
}
