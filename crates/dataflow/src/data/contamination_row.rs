//! The rows of `contamination` of a document.

use std::ops::Range;

use gleaner_corpus::{ContaminationRow, DocumentRow, Share};
use gleaner_curate::ContaminationSearch;

use crate::data::characters::in_characters;

/// The places of a document that passages of benchmarks have, too.
pub(crate) fn contamination_rows(
    document: &DocumentRow,
    search: &mut ContaminationSearch,
) -> Vec<ContaminationRow> {
    let found = search.find(&document.text);
    let spans: Vec<Range<usize>> = found.iter().map(|place| place.start..place.end).collect();
    let spans = in_characters(&document.text, &spans);
    let rows = found
        .into_iter()
        .zip(spans)
        .map(|(place, span)| ContaminationRow {
            row_id: document.row_id.clone(),
            url: document.url.clone(),
            task: place.task.to_owned(),
            passage: place.line,
            span_start: span.start,
            span_end: span.end,
            words: place.words as u32,
            share: Share(place.share as f32),
        });
    rows.collect()
}
