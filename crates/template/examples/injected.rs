//! Scores of mining on templates that are injected into the texts of gold files, for sites of several sizes:
//! `cargo run --release -p gleaner-template --example injected -- GOLD.jsonl...`

#[path = "../tests/injected/mod.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod injected;

/// Pages of a site.
const SIZES: [usize; 4] = [50, 20, 12, 6];
/// Maximum sites per size.
const SITES: usize = 40;

#[expect(clippy::print_stdout, reason = "the scores are the output")]
fn main() {
    let files = std::env::args_os().skip(1);
    let texts: Vec<String> = files.flat_map(|file| injected::texts(file.as_ref())).collect();
    println!("pages  sites  characters  precision  recall  lowest precision  lowest recall");
    for pages in SIZES {
        let score = injected::scores_of(texts.clone(), pages, SITES, 1);
        println!(
            "{:5}  {:5}  {:10}  {:9.4}  {:6.4}  {:16.4}  {:13.4}",
            score.pages,
            score.sites,
            score.injected,
            score.precision,
            score.recall,
            score.lowest_precision,
            score.lowest_recall
        );
    }
}
