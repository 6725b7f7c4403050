//! `gleaner train --tree`: trains and scores a decision tree on pages or on a table.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_content::TrainingPages;
use gleaner_results::{Config, QUERY_ATTRIBUTES, Scores, Table, arff, split_rows, to_toml_with_pages, train};
use serde::Serialize;

use super::TreeScores;
use super::features::{PageRows, read, table};
use super::terms::read_terms;
use crate::args::Train;
use crate::inputs::gold::reader;
use crate::inputs::output::check_output;
use crate::terminal::{Outcome, console};

/// The share of rows that a tree is trained on to be scored on the rest, as in Lutz and Heuser.
const TRAINING_SHARE: f64 = 0.66;

/// Trains on two thirds of the rows and scores on the rest; then trains on all and writes the tree.
pub(crate) fn run(arguments: &Train) -> Result<Outcome> {
    if let Some(out) = &arguments.out {
        let read = arguments.gold.iter().chain([&arguments.job]);
        check_output(out, read.map(PathBuf::as_path))?;
    }
    let TrainingRows { table, pages } = training_rows(arguments)?;
    let class = table.attributes().len().saturating_sub(1);
    let config = Config {
        confidence: Some(arguments.tree.confidence),
        min_leaf: f64::from(arguments.tree.min_leaf),
        ..Config::default()
    };
    let (first, rest) = split_rows(table.rows(), TRAINING_SHARE, arguments.tree.seed);
    let judged = train(&table.select(&first), class, &config)?;
    let scores = Scores::of(&judged, &table.select(&rest));
    let tree = train(&table, class, &config)?;
    let classes = table.attributes()[tree.class()].values().iter();
    let report = Report {
        tree: tree.to_string(),
        leaves: tree.leaves(),
        nodes: tree.size(),
        learned_from: first.len(),
        tested_on: rest.len(),
        scores: TreeScores::new(classes.map(String::as_str), &scores),
    };
    console::out_as(arguments.tree.json, &report, || report.text())?;
    if let Some(out) = &arguments.out {
        let text = to_toml_with_pages(&tree, pages.as_ref());
        std::fs::write(out, text).with_context(|| format!("could not write {}", out.display()))?;
        console::say(&format!("{}: {} nodes", out.display(), tree.size()));
    }
    Ok(Outcome::Done)
}

struct TrainingRows {
    table: Table,
    /// The pages of the rows; none for an ARFF file, which does not record them.
    pages: Option<TrainingPages>,
}

/// The rows of an ARFF file, or of the pages of gold files.
fn training_rows(arguments: &Train) -> Result<TrainingRows> {
    let mut inputs = vec![arguments.job.clone()];
    inputs.extend(arguments.gold.iter().cloned());
    let is_arff = |path: &Path| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("arff"))
    };
    let (table, pages) = match inputs.as_slice() {
        [file] if is_arff(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("could not read {}", file.display()))?;
            let table = arff::read(&text).with_context(|| file.display().to_string())?;
            (table, None)
        }
        inputs => {
            let pages = pages(arguments, inputs)?;
            let digests = pages.iter().filter_map(|page| page.digest).collect();
            (table(&pages), Some(digests))
        }
    };
    let without = |name: &String| arguments.tree.query.no_query && QUERY_ATTRIBUTES.contains(&name.as_str());
    let kept = (0..table.attributes().len()).filter(|&at| !without(&table.attributes()[at].name));
    Ok(TrainingRows {
        table: table.project(&kept.collect::<Vec<_>>()),
        pages,
    })
}

fn pages(arguments: &Train, inputs: &[PathBuf]) -> Result<Vec<PageRows>> {
    let terms = read_terms(&arguments.tree.query)?;
    let mut pages = read(inputs, terms, reader(arguments.workers))?;
    let types = &arguments.tree.page_type;
    pages.retain(|page| {
        let is_wanted = |kind: &String| types.contains(kind);
        types.is_empty() || page.page_type.as_ref().is_some_and(is_wanted)
    });
    if pages.iter().all(|page| page.noise.is_none()) {
        bail!("no page has gold text: name gold files, and page types that they have");
    }
    let nodes: usize = pages.iter().map(|page| page.rows.len()).sum();
    console::say(&format!(
        "{} pages, {} elements with text",
        console::grouped(pages.len() as u64),
        console::grouped(nodes as u64)
    ));
    Ok(pages)
}

/// A tree, and the scores of a tree trained on a part of the rows, on the rest.
#[derive(Serialize)]
struct Report {
    tree: String,
    leaves: usize,
    nodes: usize,
    learned_from: usize,
    tested_on: usize,
    #[serde(flatten)]
    scores: TreeScores,
}

impl Report {
    fn text(&self) -> String {
        format!(
            "{}\n{} leaves, {} nodes\n\ntrained on {} rows, tested on {}: {}",
            self.tree,
            self.leaves,
            self.nodes,
            console::grouped(self.learned_from as u64),
            console::grouped(self.tested_on as u64),
            self.scores.text()
        )
    }
}
