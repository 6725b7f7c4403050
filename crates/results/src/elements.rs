//! The columns of a page's elements (Lutz and Heuser 2013): attributes of the elements that hold text.

use gleaner_content::Label;
use gleaner_features::Query;
use gleaner_page::Page;

use crate::c45::{Attribute, Table};
use crate::density::Densities;

/// The attributes without the class, in their order.
pub const ATTRIBUTES: [&str; 5] = [
    "composite_density",
    "density_sum",
    "query_score",
    "matches",
    "distance_to_body",
];

/// The attributes that depend on the query.
pub const QUERY_ATTRIBUTES: [&str; 2] = ["query_score", "matches"];

/// The class attribute.
pub(crate) const CLASS: &str = "class";

/// The values of the class: content and noise.
pub const CLASSES: [&str; 2] = ["content", NOISE];

/// The class of elements that are no content.
pub(crate) const NOISE: &str = "noise";

/// An element that holds text itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementRow {
    /// Its number on the page.
    pub element: u32,
    /// In the order of [`ATTRIBUTES`].
    pub values: [f64; ATTRIBUTES.len()],
}

/// The rows of a page: its elements that hold text themselves, in document order.
pub fn element_rows(page: &Page, query: &Query) -> Vec<ElementRow> {
    let densities = Densities::new(page);
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

/// Whether each row is noise, by the labels of the page's blocks: less than half of the text directly in the element is in
/// blocks of content.
pub fn noise_elements(page: &Page, labels: &[Label], rows: &[ElementRow]) -> Vec<bool> {
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

/// A table of [`ATTRIBUTES`] and the class, without rows.
pub fn element_table() -> Table {
    let mut attributes: Vec<Attribute> = ATTRIBUTES.iter().map(|&name| Attribute::numeric(name)).collect();
    attributes.push(Attribute::nominal(CLASS, &CLASSES));
    Table::new("hidden-web", attributes)
}

/// Adds the rows of a page to a table of [`element_table`], with their classes or without.
pub fn add_rows(table: &mut Table, rows: &[ElementRow], noise: Option<&[bool]>) {
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
        let mut parser = Parser::new(crate::labels::page_config());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let rows = element_rows(page, &Query::new(["pears"]));
        let tags: Vec<&str> = rows
            .iter()
            .map(|row| page.elements[row.element as usize].tag.name())
            .collect();
        assert_eq!(tags, ["a", "div", "b", "p"]);
        assert_eq!(rows[1].values[2..], [1.0, 0.0, 1.0]);
        let noise = noise_elements(page, &[Label::Other, Label::Paragraph, Label::Paragraph], &rows);
        assert_eq!(noise, [true, false, false, false]);
        let mut table = element_table();
        add_rows(&mut table, &rows, Some(&noise));
        add_rows(&mut table, &rows[..1], None);
        assert_eq!((table.rows(), table.column(5)[0]), (5, 1.0));
        assert!(table.column(5)[4].is_nan());
    }
}
