//! Made pages with the labels of content.

use gleaner_columns::Columns;
use gleaner_content::{FeatureSpace, Label};
pub(crate) use gleaner_testing::columns::Shape;

/// A labelled page.
pub(crate) type Page = (Columns, Vec<Label>);

/// The features of such pages.
pub(crate) fn space(shape: &Shape) -> FeatureSpace {
    FeatureSpace {
        columns: shape.infos(),
        ..FeatureSpace::default()
    }
}

/// The pages that grow from a seed.
pub(crate) fn pages(shape: &Shape, seed: u64) -> Vec<Page> {
    let labelled = |(page, labels): (Columns, Vec<u8>)| {
        let labels = labels.into_iter().map(|label| Label::ALL[usize::from(label)]);
        (page, labels.collect())
    };
    shape.pages(seed).into_iter().map(labelled).collect()
}
