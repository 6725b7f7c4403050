//! The rows of `contamination`. How comments become those of columns: see [`rows`](crate::rows).

use crate::Share;
use crate::table::table;

table! {
    /// Texts of benchmarks in documents: the places of a text where thirteen words in a row, or more, are those of a passage of the
    /// benchmarks. Words are compared without case, accents, punctuation and numbers. Each row is such a place: a document without
    /// one has no row, and a document with several, or with several passages, has several. The table is written with `--benchmarks`.
    #[derive(Default)]
    ContaminationRow, ContaminationColumns, "contamination", WithBenchmarks {
        /// The `row_id` of the page in documents.
        row_id: String => RepeatedKey,
        /// The URL of the page, the same as in documents.
        url: String => RepeatedKey,
        /// The task that the passage is of: the name of its file, without the ending.
        task: String => Dictionary,
        /// The passage: the number of the line of that file on which it begins, from 1. A line of JSON can have several.
        passage: u32 => Plain,
        /// Characters (Unicode code points) of `text` in documents before the place.
        span_start: u32 => Plain,
        /// Characters of `text` in documents up to the end of the place.
        span_end: u32 => Plain,
        /// The number of words of the place.
        words: u32 => Plain,
        /// The share of the passage that the whole text has: different runs of thirteen words of the passage that are in the text,
        /// divided by all of the passage.
        share: Share => Plain,
    }
}
