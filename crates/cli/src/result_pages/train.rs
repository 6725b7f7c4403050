//! `gleaner train --tree`: a tree of pages or of a table, and how well such a tree does.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_tree::{ClassScore, Config, Scores, Table, Tree, arff, split_rows, train};

use super::Terms;
use super::features::{PageRows, read, table};
use super::rows::OF_QUERY;
use crate::args::Train;
use crate::output::check_output;
use crate::prepared::threads;
use crate::{Outcome, console};

/// The share of rows that the scores are learned from, as in the paper.
const SHARE: f64 = 0.66;

/// Trains on two thirds of the rows and scores on the rest; then trains on all and writes the tree.
pub(crate) fn run(arguments: &Train) -> Result<Outcome> {
    if let Some(out) = &arguments.out {
        let read = arguments.gold.iter().chain([&arguments.job]);
        check_output(out, read.map(PathBuf::as_path))?;
    }
    let table = learned_table(arguments)?;
    let class = table.attributes().len().saturating_sub(1);
    let config = Config::default();
    let (first, rest) = split_rows(table.rows(), SHARE, arguments.tree.seed);
    let judged = train(&table.select(&first), class, &config)?;
    let scores = Scores::of(&judged, &table.select(&rest));
    let tree = train(&table, class, &config)?;
    console::out(&report(&table, &tree, &scores, (first.len(), rest.len())))?;
    if let Some(out) = &arguments.out {
        std::fs::write(out, tree.to_toml()).with_context(|| format!("could not write {}", out.display()))?;
        console::say(&format!("{}: {} nodes", out.display(), tree.size()));
    }
    Ok(Outcome::Done)
}

/// The rows to learn from: of an ARFF file, or of the pages of gold files.
fn learned_table(arguments: &Train) -> Result<Table> {
    let mut inputs = vec![arguments.job.clone()];
    inputs.extend(arguments.gold.iter().cloned());
    let is_arff = |path: &Path| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("arff"))
    };
    let table = match inputs.as_slice() {
        [file] if is_arff(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("could not read {}", file.display()))?;
            arff::read(&text).with_context(|| file.display().to_string())?
        }
        inputs => table(&pages(arguments, inputs)?),
    };
    let without = |name: &String| arguments.tree.query.no_query && OF_QUERY.contains(&name.as_str());
    let kept = (0..table.attributes().len()).filter(|&at| !without(&table.attributes()[at].name));
    Ok(table.project(&kept.collect::<Vec<_>>()))
}

fn pages(arguments: &Train, inputs: &[PathBuf]) -> Result<Vec<PageRows>> {
    let terms = Terms::read(&arguments.tree.query)?;
    let mut pages = read(inputs, terms, threads(arguments.workers))?;
    let types = &arguments.tree.page_type;
    pages.retain(|page| {
        let is_wanted = |kind: &String| types.contains(kind);
        types.is_empty() || page.page_type.as_ref().is_some_and(is_wanted)
    });
    if pages.iter().all(|page| page.noise.is_none()) {
        bail!(
            "no page has gold text to learn from: name gold files, with --page-type of pages that they have"
        );
    }
    let nodes: usize = pages.iter().map(|page| page.rows.len()).sum();
    console::say(&format!(
        "{} pages, {} elements with text",
        console::grouped(pages.len() as u64),
        console::grouped(nodes as u64)
    ));
    Ok(pages)
}

fn report(table: &Table, tree: &Tree, scores: &Scores, (learned, tested): (usize, usize)) -> String {
    let class = &table.attributes()[tree.class()];
    let mut text = format!("{tree}\n{} leaves, {} nodes\n\n", tree.leaves(), tree.size());
    text += &format!(
        "learned from {} rows, tested on {}: {:.2}% right\n",
        console::grouped(learned as u64),
        console::grouped(tested as u64),
        100.0 * scores.accuracy()
    );
    for (at, name) in class.values().iter().enumerate() {
        text += &line(name, scores.size(at), &scores.class(at));
    }
    text + &line("weighted", scores.rows(), &scores.weighted())
}

fn line(name: &str, rows: u64, score: &ClassScore) -> String {
    let ClassScore {
        precision,
        recall,
        f1,
    } = score;
    format!("  {name:16} {rows:8} rows  P {precision:.4}  R {recall:.4}  F1 {f1:.4}\n")
}
