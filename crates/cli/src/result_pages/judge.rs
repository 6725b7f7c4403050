//! Blocks judged by a tree.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_content::{Label, MAGIC, TrainingPages};
use gleaner_features::Query;
use gleaner_page::{Block, Page, Run};
use gleaner_tree::{Config, Tree, train};

use crate::args::{ModelChoice, QueryChoice};
use crate::method;
use crate::no_effect::terms_without_use;

use super::rows::{CLASS, CONTENT, ElementRow, NAMES, NOISE, OF_QUERY, add, empty_table, noise, rows};

/// The note of a saved tree that holds the digests of the pages that it was trained on.
pub(super) const TRAINING_PAGES: &str = "training_pages";

/// Classes of elements.
pub(crate) const CLASSES: [&str; 2] = [CONTENT, NOISE];

/// How many elements of each class were said to be of each.
pub(crate) type Confusion = [[u64; 2]; 2];

/// A tree that knows which of its attributes is which column.
pub(crate) struct TreeJudge {
    /// Name and checksum of its file, as they stand in a corpus' identity.
    pub(crate) identity: String,
    /// The pages that it was trained on, where its file records them.
    pub(crate) training_pages: Option<TrainingPages>,
    tree: Tree,
    /// For each attribute the column of [`NAMES`]; nothing for the class.
    columns: Vec<Option<usize>>,
    noise: usize,
}

impl TreeJudge {
    /// The tree of `--model`, where `query` is said to be looked for.
    pub(crate) fn of_choice(choice: &ModelChoice, query: &QueryChoice) -> Result<TreeJudge> {
        match &choice.model {
            Some(path) => {
                let tree = TreeJudge::read(path)?;
                if !tree.looks_for_terms() {
                    terms_without_use(query, &format!("the tree {}", path.display()))?;
                }
                Ok(tree)
            }
            None => bail!("--method tree needs --model FILE, a tree that gleaner train --tree has written"),
        }
    }

    /// Reads a tree that `gleaner train --tree` wrote.
    fn read(path: &Path) -> Result<TreeJudge> {
        let file = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("could not read the tree {file}"))?;
        if bytes.starts_with(&MAGIC) {
            bail!("{file} is a model and no tree: leave --method tree out to use it");
        }
        let Ok(text) = String::from_utf8(bytes) else {
            bail!(
                "{file} is no saved tree, for it is no text: name a file that gleaner train --tree has written"
            );
        };
        let (tree, notes) = Tree::from_toml_with_notes(&text).with_context(|| file.to_string())?;
        let judge = TreeJudge::new(tree).with_context(|| file.to_string())?;
        let pages = notes.get(TRAINING_PAGES).map(|digests| {
            TrainingPages::from_hex(digests).with_context(|| {
                format!("{file}: the digests in {TRAINING_PAGES} are damaged: delete that line, or train the tree again")
            })
        });
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let checksum = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        Ok(TreeJudge {
            identity: format!("{name} {checksum:016x}"),
            training_pages: pages.transpose()?,
            ..judge
        })
    }

    fn new(tree: Tree) -> Result<TreeJudge> {
        let class = &tree.attributes()[tree.class()];
        let Some(noise) = class.values().iter().position(|value| value == NOISE) else {
            bail!("the tree tells {}, not {CLASS} with a value {NOISE}", class.name);
        };
        let mut columns = Vec::new();
        for (at, attribute) in tree.attributes().iter().enumerate() {
            let column = NAMES.iter().position(|&name| name == attribute.name);
            if at != tree.class() && !(column.is_some() && attribute.is_numeric()) {
                bail!("the tree asks for {}, which pages do not have", attribute.name);
            }
            columns.push(column.filter(|_| at != tree.class()));
        }
        Ok(TreeJudge {
            identity: String::new(),
            training_pages: None,
            tree,
            columns,
            noise,
        })
    }

    /// Trains on pages that have learned their classes.
    pub(crate) fn train<'p>(pages: impl Iterator<Item = &'p PageElements>) -> Result<TreeJudge> {
        let mut table = empty_table("hidden-web");
        for page in pages {
            add(&mut table, &page.rows, Some(&page.noise));
        }
        TreeJudge::new(train(&table, NAMES.len(), &Config::default())?)
    }

    /// The labels of a page's blocks: kept are those with at least half of their text in elements of
    /// content.
    pub(crate) fn labels(&self, page: &PageElements) -> Vec<Label> {
        let is_noise: Vec<bool> = page.rows.iter().map(|row| self.is_noise(row)).collect();
        let label = |(parts, shape): (&Vec<(u32, u32)>, &Label)| {
            let all: u32 = parts.iter().map(|(_, bytes)| bytes).sum();
            let noisy = parts.iter().filter(|(row, _)| is_noise[*row as usize]);
            let noise: u32 = noisy.map(|(_, bytes)| bytes).sum();
            if 2 * noise <= all { *shape } else { Label::Other }
        };
        page.blocks.iter().zip(&page.shapes).map(label).collect()
    }

    /// Adds a page that has learned its classes to the counts of actual (row) and predicted (column) classes, each in the order
    /// of [`CLASSES`].
    pub(crate) fn count(&self, page: &PageElements, confusion: &mut Confusion) {
        for (row, &noise) in page.rows.iter().zip(&page.noise) {
            confusion[usize::from(noise)][usize::from(self.is_noise(row))] += 1;
        }
    }

    /// Whether it asks for what comes of a query.
    pub(crate) fn looks_for_terms(&self) -> bool {
        let of_query = |&column: &usize| OF_QUERY.contains(&NAMES[column]);
        let columns = self.columns.iter().enumerate();
        columns
            .filter(|(_, column)| column.as_ref().is_some_and(of_query))
            .any(|(at, _)| self.tree.asks_for(at))
    }

    fn is_noise(&self, row: &ElementRow) -> bool {
        let value = |column: &Option<usize>| column.map_or(f64::NAN, |column| row.values[column]);
        let values: Vec<f64> = self.columns.iter().map(value).collect();
        self.tree.classify(&values) == self.noise
    }
}

/// What trees ask of a page.
pub(crate) struct PageElements {
    rows: Vec<ElementRow>,
    /// Whether each is noise; nothing until it is learned.
    noise: Vec<bool>,
    /// For each block the rows that its text stands in, and how many bytes in each.
    blocks: Vec<Vec<(u32, u32)>>,
    /// What each block is if it is kept.
    shapes: Vec<Label>,
}

impl PageElements {
    /// Of a page on which `query` is looked for.
    pub(crate) fn new(page: &Page, query: &Query) -> PageElements {
        let rows = rows(page, query);
        let mut row_of = vec![0; page.elements.len()];
        for (at, row) in rows.iter().enumerate() {
            row_of[row.element as usize] = at as u32;
        }
        let part = |run: &Run| (row_of[run.element as usize], run.text.end - run.text.start);
        let parts = |block: &Block| page.runs(block).iter().map(part).collect();
        PageElements {
            blocks: page.blocks.iter().map(parts).collect(),
            shapes: method::labels(page, &vec![true; page.blocks.len()]),
            noise: Vec::new(),
            rows,
        }
    }

    /// Notes the classes of the rows by the labels of the page's blocks.
    pub(crate) fn learn(&mut self, page: &Page, labels: &[Label]) {
        self.noise = noise(page, labels, &self.rows);
    }
}
