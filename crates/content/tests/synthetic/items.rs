//! Made pages for the crate crfs: what the default template looks up, written as strings.

use super::synthetic::Page;

/// The attributes of each block: the codes of all columns, at five offsets.
pub(crate) fn items((page, _): &Page) -> Vec<Vec<crfs::Attribute>> {
    let one = |block: usize, column: usize, offset: i64| {
        let place = usize::try_from(block as i64 + offset).ok()?;
        let code = page.column(column).get(place)?;
        Some(crfs::Attribute::new(format!("c{column}@{offset}={code}"), 1.0))
    };
    let of_column = |block, column| (-2..=2).filter_map(move |offset| one(block, column, offset));
    let block = |block| {
        (0..page.columns())
            .flat_map(|column| of_column(block, column))
            .collect()
    };
    (0..page.rows()).map(block).collect()
}
