//! Scores the alignment on gold sets: the word score of keeping exactly the gold's blocks, which
//! no labeller can pass, and of keeping everything.
//!
//!     cargo run --release -p gleaner-gold --example oracle -- [--worst N] FOLDER/NAME.gold.jsonl...
//!
//! The pages are read from `NAME.warc.gz` beside the gold.

#![expect(clippy::print_stdout, reason = "an example's output")]

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::path::Path;

use gleaner_content::Label;
use gleaner_gold::{GoldPage, PageScore, Score, Summary};
use gleaner_page::{PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Step, http};

fn main() -> Result<(), Box<dyn Error>> {
    let mut worst = 0;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--worst" {
            worst = arguments.next().unwrap_or_default().parse()?;
        } else {
            score_set(Path::new(&argument), worst)?;
        }
    }
    Ok(())
}

/// What is found out about a page.
struct Row {
    gold: GoldPage,
    oracle: PageScore,
    keep_all: PageScore,
    labels: [usize; Label::COUNT],
}

fn score_set(path: &Path, worst: usize) -> Result<(), Box<dyn Error>> {
    let bodies = bodies(&path.to_string_lossy().replace(".gold.jsonl", ".warc.gz"))?;
    let mut parser = Parser::new(PageConfig::default());
    let mut rows = Vec::new();
    for gold in gleaner_gold::read(path)? {
        let (kind, body) = &bodies[&gold.record_id];
        let page = parser.parse(body, kind.as_deref())?;
        let labels = gleaner_gold::align(page, &gold.text, gold.segments().as_deref());
        let mut counts = [0; Label::COUNT];
        labels.iter().for_each(|&label| counts[label as usize] += 1);
        let all = vec![Label::Paragraph; labels.len()];
        rows.push(Row {
            oracle: PageScore::new(&gleaner_gold::kept_text(page, &labels), &gold),
            keep_all: PageScore::new(&gleaner_gold::kept_text(page, &all), &gold),
            labels: counts,
            gold,
        });
    }
    report(path, &mut rows, worst);
    Ok(())
}

fn report(path: &Path, rows: &mut [Row], worst: usize) {
    println!("{}", path.display());
    line("all: oracle", &Summary::of(rows.iter().map(|row| &row.oracle)));
    line(
        "all: keep all",
        &Summary::of(rows.iter().map(|row| &row.keep_all)),
    );
    for (kind, summary) in Summary::by_type(rows.iter().map(|row| (&row.gold, &row.oracle))) {
        if !kind.is_empty() {
            line(&format!("{kind}: oracle"), &summary);
        }
    }
    for label in Label::ALL {
        println!(
            "  {:14} {:7}",
            label.name(),
            rows.iter().map(|row| row.labels[label as usize]).sum::<usize>()
        );
    }
    rows.sort_by(|one, two| one.oracle.words.f1.total_cmp(&two.oracle.words.f1));
    for row in rows.iter().take(worst) {
        println!(
            "  {} {} {}",
            cells(&row.oracle.words),
            row.gold.page_id.as_deref().unwrap_or("-"),
            row.gold.url
        );
    }
}

fn line(name: &str, summary: &Summary) {
    let snippets = summary.with.zip(summary.without);
    let snippets = snippets.map_or(String::new(), |(with, without)| {
        format!("  with {with:.4} without {without:.4}")
    });
    println!(
        "  {name:22} {:5} pages  {}{snippets}",
        summary.pages,
        cells(&summary.words)
    );
}

fn cells(score: &Score) -> String {
    format!(
        "P {:.4} R {:.4} F1 {:.4}",
        score.precision, score.recall, score.f1
    )
}

/// Content type and bytes of a page.
type Body = (Option<String>, Vec<u8>);

/// The pages of a file, by record id.
fn bodies(path: &str) -> Result<HashMap<String, Body>, Box<dyn Error>> {
    let source = ReadSource::new(File::open(path)?);
    let mut reader = Reader::new(source, path, Options::default());
    let mut scratch = http::Scratch::default();
    let mut bodies = HashMap::new();
    loop {
        match reader.step()? {
            Step::Record(record) if record.is_http() => {
                let id = record.record_id.to_owned();
                let message = http::parse(record.content, &mut scratch, &http::Limits::default())?;
                let kind = message
                    .headers
                    .get("content-type")
                    .map(|kind| String::from_utf8_lossy(kind).into_owned());
                bodies.insert(id, (kind, message.body.to_vec()));
            }
            Step::End => return Ok(bodies),
            _ => {}
        }
    }
}
