//! The columns of a page's elements.

use gleaner_content::Label;
use gleaner_features::{Densities, Query};
use gleaner_page::Page;
use gleaner_tree::{Attribute, Table};

/// The attributes without the class, in their order.
pub(super) const NAMES: [&str; 5] = [
    "composite_density",
    "density_sum",
    "query_score",
    "matches",
    "distance_to_body",
];

/// The attributes that come of a query.
pub(super) const OF_QUERY: [&str; 2] = ["query_score", "matches"];

/// The class, and its values.
pub(super) const CLASS: &str = "class";
pub(super) const CONTENT: &str = "content";
pub(super) const NOISE: &str = "noise";

/// An element that holds text itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ElementRow {
    pub(super) element: u32,
    /// In the order of [`NAMES`].
    pub(super) values: [f64; NAMES.len()],
}

/// The rows of a page: its elements that hold text themselves, in the order of the document.
pub(super) fn rows(page: &Page, query: &Query) -> Vec<ElementRow> {
    let densities = Densities::of(page);
    let evidence = query.evidence(page);
    let mut holds_text = vec![false; page.elements.len()];
    for run in &page.runs {
        holds_text[run.element as usize] = true;
    }
    let row = |element: usize| {
        let (density, found) = (&densities.elements()[element], &evidence[element]);
        ElementRow {
            element: element as u32,
            values: [
                density.composite,
                density.sum,
                found.score,
                f64::from(found.matches),
                f64::from(found.to_body),
            ],
        }
    };
    (0..page.elements.len())
        .filter(|&element| holds_text[element])
        .map(row)
        .collect()
}

/// Whether each row is noise: less than half of the text directly in the element is in blocks of content.
pub(super) fn noise(page: &Page, labels: &[Label], rows: &[ElementRow]) -> Vec<bool> {
    let mut bytes = vec![(0, 0); page.elements.len()];
    for (block, label) in page.blocks.iter().zip(labels) {
        for run in page.runs(block) {
            let (content, all) = &mut bytes[run.element as usize];
            *all += run.text.len();
            *content += usize::from(label.is_content()) * run.text.len();
        }
    }
    let is_noise = |row: &ElementRow| {
        let (content, all) = bytes[row.element as usize];
        2 * content < all
    };
    rows.iter().map(is_noise).collect()
}

/// A table without rows.
pub(super) fn empty_table(name: &str) -> Table {
    let mut attributes: Vec<Attribute> = NAMES.iter().map(|&name| Attribute::numeric(name)).collect();
    attributes.push(Attribute::nominal(CLASS, &[CONTENT, NOISE]));
    Table::new(name, attributes)
}

/// Adds the rows of a page.
pub(super) fn add(table: &mut Table, rows: &[ElementRow], noise: Option<&[bool]>) {
    for (at, row) in rows.iter().enumerate() {
        let class = noise.map_or(f64::NAN, |noise| f64::from(u8::from(noise[at])));
        let mut values = row.values.to_vec();
        values.push(class);
        table.push(&values);
    }
}

#[cfg(test)]
mod tests {
    use gleaner_page::Parser;

    use super::*;

    #[test]
    fn elements_that_hold_text_are_rows_with_the_class_of_their_blocks() {
        let html =
            "<body><ul><li><a href=x>Home</a></ul><div>Results for <b>pears</b><p>Pears are fruit.</p></div>";
        let mut parser = Parser::new(crate::method::page_config());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let rows = rows(page, &Query::new(["pears"]));
        let tags: Vec<&str> = rows
            .iter()
            .map(|row| page.elements[row.element as usize].tag.name())
            .collect();
        assert_eq!(tags, ["a", "div", "b", "p"]);
        assert_eq!(rows[1].values[2..], [1.0, 0.0, 1.0]);
        let noise = noise(page, &[Label::Other, Label::Paragraph, Label::Paragraph], &rows);
        assert_eq!(noise, [true, false, false, false]);
        let mut table = empty_table("t");
        add(&mut table, &rows, Some(&noise));
        add(&mut table, &rows[..1], None);
        assert_eq!((table.rows(), table.column(5)[0]), (5, 1.0));
        assert!(table.column(5)[4].is_nan());
    }
}
