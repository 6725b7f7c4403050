//! Blocks labelled by a decision tree over the elements of a page.

use std::collections::BTreeMap;

use gleaner_content::{Label, TrainingPages};
use gleaner_features::Query;
use gleaner_page::{Block, Page, Run};

use crate::c45::{Config, Tree, train};
use crate::elements::{
    ATTRIBUTES, CLASS, ElementRow, NOISE, QUERY_ATTRIBUTES, add_rows, element_rows, element_table,
    noise_elements,
};
use crate::error::Error;
use crate::labels::shape_labels;

/// The note of a saved tree with the digests of the pages that it was trained on.
pub(crate) const TRAINING_PAGES: &str = "training_pages";

/// How many elements of each actual class (row) have each predicted class (column), in the order of
/// [`CLASSES`](crate::CLASSES).
pub type Confusion = [[u64; 2]; 2];

/// A tree whose attributes are columns of elements.
#[derive(Clone, Debug)]
pub struct TreeJudge {
    tree: Tree,
    /// For each attribute its place in [`ATTRIBUTES`]; none for the class.
    columns: Vec<Option<usize>>,
    /// The value of the class that means noise.
    noise: usize,
    training_pages: Option<TrainingPages>,
}

/// A tree as TOML, with the digests of the pages that it was trained on where they are known.
pub fn to_toml_with_pages(tree: &Tree, pages: Option<&TrainingPages>) -> String {
    let note = pages.map(|pages| (TRAINING_PAGES.to_owned(), pages.to_hex()));
    tree.to_toml_with(note.into_iter().collect::<BTreeMap<_, _>>())
}

impl TreeJudge {
    /// Reads what [`to_toml_with_pages`] wrote.
    ///
    /// # Errors
    /// The text is no saved tree, the tree has another class or other attributes than elements have, or the digests of
    /// its training pages are damaged.
    pub fn from_toml(text: &str) -> Result<TreeJudge, Error> {
        let (tree, notes) = Tree::from_toml_with_notes(text)?;
        let judge = TreeJudge::new(tree)?;
        let pages = notes
            .get(TRAINING_PAGES)
            .map(|digests| TrainingPages::from_hex(digests).ok_or(Error::DamagedPages(TRAINING_PAGES)));
        Ok(TreeJudge {
            training_pages: pages.transpose()?,
            ..judge
        })
    }

    fn new(tree: Tree) -> Result<TreeJudge, Error> {
        let class = &tree.attributes()[tree.class()];
        let Some(noise) = class.values().iter().position(|value| value == NOISE) else {
            return Err(Error::OtherClass {
                found: class.name.clone(),
                expected: CLASS,
                value: NOISE,
            });
        };
        let column = |(at, attribute): (usize, &crate::c45::Attribute)| {
            if at == tree.class() {
                return Ok(None);
            }
            let column = ATTRIBUTES.iter().position(|&name| name == attribute.name);
            match column.filter(|_| attribute.is_numeric()) {
                Some(column) => Ok(Some(column)),
                None => Err(Error::UnknownAttribute(attribute.name.clone())),
            }
        };
        let columns = tree.attributes().iter().enumerate().map(column);
        Ok(TreeJudge {
            columns: columns.collect::<Result<_, _>>()?,
            tree,
            noise,
            training_pages: None,
        })
    }

    /// Trains on pages whose elements have classes ([`PageElements::classify`]).
    ///
    /// # Errors
    /// There are no elements.
    pub fn train<'p>(pages: impl Iterator<Item = &'p PageElements>) -> Result<TreeJudge, Error> {
        let mut table = element_table();
        for page in pages {
            add_rows(&mut table, &page.rows, Some(&page.noise));
        }
        TreeJudge::new(train(&table, ATTRIBUTES.len(), &Config::default())?)
    }

    /// The pages that the tree was trained on, where they are known.
    pub fn training_pages(&self) -> Option<&TrainingPages> {
        self.training_pages.as_ref()
    }

    /// The labels of a page's blocks. A block is kept if at least half of its text is in elements of content.
    pub fn labels(&self, page: &PageElements) -> Vec<Label> {
        let is_noise: Vec<bool> = page.rows.iter().map(|row| self.is_noise(row)).collect();
        let label = |(parts, shape): (&Vec<(u32, u32)>, &Label)| {
            let all: u32 = parts.iter().map(|(_, bytes)| bytes).sum();
            let noisy = parts.iter().filter(|(row, _)| is_noise[*row as usize]);
            let noise: u32 = noisy.map(|(_, bytes)| bytes).sum();
            if 2 * noise <= all { *shape } else { Label::Other }
        };
        page.blocks.iter().zip(&page.shapes).map(label).collect()
    }

    /// Counts the elements of a page that have classes.
    pub fn count(&self, page: &PageElements, confusion: &mut Confusion) {
        for (row, &noise) in page.rows.iter().zip(&page.noise) {
            confusion[usize::from(noise)][usize::from(self.is_noise(row))] += 1;
        }
    }

    /// Whether the tree tests an attribute that depends on the query.
    pub fn uses_query(&self) -> bool {
        let depends = |column: usize| QUERY_ATTRIBUTES.contains(&ATTRIBUTES[column]);
        let columns = self.columns.iter().enumerate();
        columns
            .filter(|(_, column)| column.is_some_and(depends))
            .any(|(at, _)| self.tree.uses(at))
    }

    fn is_noise(&self, row: &ElementRow) -> bool {
        let value = |column: &Option<usize>| column.map_or(f64::NAN, |column| row.values[column]);
        let values: Vec<f64> = self.columns.iter().map(value).collect();
        self.tree.classify(&values) == self.noise
    }
}

/// What a tree needs of a page.
#[derive(Clone, Debug)]
pub struct PageElements {
    rows: Vec<ElementRow>,
    /// Whether each is noise; empty until [`PageElements::classify`].
    noise: Vec<bool>,
    /// For each block the rows that its text stands in, and how many bytes in each.
    blocks: Vec<Vec<(u32, u32)>>,
    /// The label of each block if it is kept.
    shapes: Vec<Label>,
}

impl PageElements {
    /// The elements of a page, and what the query finds in them.
    pub fn new(page: &Page, query: &Query) -> PageElements {
        let rows = element_rows(page, query);
        let mut row_of = vec![0; page.elements.len()];
        for (at, row) in rows.iter().enumerate() {
            row_of[row.element as usize] = at as u32;
        }
        let part = |run: &Run| (row_of[run.element as usize], run.text.end - run.text.start);
        let parts = |block: &Block| page.runs(block).iter().map(part).collect();
        PageElements {
            blocks: page.blocks.iter().map(parts).collect(),
            shapes: shape_labels(page, &vec![true; page.blocks.len()]),
            noise: Vec::new(),
            rows,
        }
    }

    /// Sets the classes of the elements by the labels of the page's blocks.
    pub fn classify(&mut self, page: &Page, labels: &[Label]) {
        self.noise = noise_elements(page, labels, &self.rows);
    }
}

#[cfg(test)]
mod tests {
    use gleaner_page::Parser;

    use super::*;
    use crate::c45::{Attribute, Table};

    /// A page with a menu and a result, and the labels of its blocks.
    fn elements() -> PageElements {
        let html = "<ul><li><a href=x>Home</a><li><a href=y>About</a></ul>\
            <div><p>Pears are fruit, and grow on trees.<p>Many pears are eaten in autumn.</div>";
        let mut parser = Parser::new(crate::labels::page_config());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut elements = PageElements::new(page, &Query::new(["pears"]));
        let content = [false, false, true, true];
        elements.classify(page, &shape_labels(page, &content));
        elements
    }

    fn judge() -> TreeJudge {
        TreeJudge::train(vec![elements(); 5].iter()).unwrap()
    }

    #[test]
    fn a_trained_tree_labels_the_blocks_it_has_seen() {
        let (judge, elements) = (judge(), elements());
        use Label::{Other, Paragraph};
        assert_eq!(judge.labels(&elements), [Other, Other, Paragraph, Paragraph]);
        let mut confusion = Confusion::default();
        judge.count(&elements, &mut confusion);
        assert_eq!(confusion, [[2, 0], [0, 2]]);
    }

    #[test]
    fn a_saved_tree_keeps_its_training_pages() {
        let (judge, pages) = (judge(), TrainingPages::from_iter([1 << 40, 2 << 40]));
        let text = to_toml_with_pages(&judge.tree, Some(&pages));
        let read = TreeJudge::from_toml(&text).unwrap();
        assert_eq!(
            (read.tree, read.training_pages),
            (judge.tree.clone(), Some(pages))
        );
        let without = to_toml_with_pages(&judge.tree, None);
        assert_eq!(TreeJudge::from_toml(&without).unwrap().training_pages(), None);
        let damaged = text.replace(&pages_line(&text), "training_pages = \"0\"");
        let error = TreeJudge::from_toml(&damaged).unwrap_err().to_string();
        assert!(error.contains("training_pages are damaged"), "{error}");
    }

    fn pages_line(toml: &str) -> String {
        let mut lines = toml.lines();
        let line = lines.find(|line| line.starts_with("training_pages"));
        line.expect("the tree has training pages").to_owned()
    }

    /// A tree over one attribute and a class with these values.
    fn tree(attribute: &str, classes: [&str; 2]) -> Result<TreeJudge, Error> {
        let attributes = vec![
            Attribute::numeric(attribute),
            Attribute::nominal("kind", &classes),
        ];
        let mut table = Table::new("t", attributes);
        for value in 0..8 {
            table.push(&[f64::from(value), f64::from(value / 4)]);
        }
        TreeJudge::new(train(&table, 1, &Config::default())?)
    }

    #[test]
    fn trees_of_other_tables_are_refused() {
        let error = |attribute, classes| tree(attribute, classes).unwrap_err().to_string();
        assert_eq!(
            error("height", ["content", "noise"]),
            "the tree has the attribute height, which elements of pages do not have"
        );
        assert_eq!(
            error("matches", ["plum", "orange"]),
            "the tree predicts kind, not class with a value noise"
        );
    }

    #[test]
    fn a_tree_uses_the_query_if_it_tests_its_attributes() {
        let uses = |attribute| tree(attribute, ["content", "noise"]).unwrap().uses_query();
        assert_eq!(
            ["matches", "query_score", "density_sum"].map(uses),
            [true, true, false]
        );
    }
}
