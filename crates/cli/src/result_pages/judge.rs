//! Blocks judged by a tree.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_features::Query;
use gleaner_page::Page;
use gleaner_tree::Tree;

use crate::args::ModelChoice;

use super::rows::{CLASS, NAMES, NOISE, rows};

/// A tree that knows which of its attributes is which column.
#[derive(Clone)]
pub(crate) struct TreeJudge {
    tree: Tree,
    /// For each attribute the column of [`NAMES`]; nothing for the class.
    columns: Vec<Option<usize>>,
    noise: usize,
}

impl TreeJudge {
    /// The tree of `--model`.
    pub(crate) fn of_choice(choice: &ModelChoice) -> Result<TreeJudge> {
        match &choice.model {
            Some(path) => TreeJudge::read(path),
            None => bail!("--method tree needs --model FILE, a tree that gleaner train --tree has written"),
        }
    }

    /// Reads a tree that `gleaner train --tree` wrote.
    fn read(path: &Path) -> Result<TreeJudge> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("could not read the tree {}", path.display()))?;
        let tree = Tree::from_toml(&text).with_context(|| path.display().to_string())?;
        TreeJudge::new(tree).with_context(|| path.display().to_string())
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
        Ok(TreeJudge { tree, columns, noise })
    }

    /// Which blocks of a page to keep: those with at least half of their text in elements of content.
    pub(crate) fn content_blocks(&self, page: &Page, query: &Query) -> Vec<bool> {
        let mut is_noise = vec![false; page.elements.len()];
        for row in rows(page, query) {
            let value = |column: &Option<usize>| column.map_or(f64::NAN, |column| row.values[column]);
            let values: Vec<f64> = self.columns.iter().map(value).collect();
            is_noise[row.element as usize] = self.tree.classify(&values) == self.noise;
        }
        let is_content = |block: &gleaner_page::Block| {
            let (mut noise, mut all) = (0, 0);
            for run in page.runs(block) {
                all += run.text.len();
                noise += usize::from(is_noise[run.element as usize]) * run.text.len();
            }
            2 * noise <= all
        };
        page.blocks.iter().map(is_content).collect()
    }
}
