//! Columns of documents by their row ids, of many at a time.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use arrow_array::RecordBatch;
use gleaner_corpus::TableReader;

use super::budget::Budget;
use super::values::text;
use super::version::Version;
use crate::Error;

/// Reads columns of the documents with these row ids, in the order of the table: each with its row id, a batch, and its row there. Those
/// that are not there, or are not reached in time, are left out.
pub(crate) fn by_id(
    corpus: &Version,
    ids: &BTreeSet<&str>,
    columns: &[&str],
    budget: &Budget,
    give: &mut dyn FnMut(&str, &RecordBatch, usize),
) -> Result<(), Error> {
    let mut names = vec!["row_id"];
    names.extend(columns);
    let mut left = ids.len();
    for file in corpus.tables.files.get("documents").into_iter().flatten() {
        if left == 0 || budget.is_over() {
            break;
        }
        let reader = TableReader::open(&corpus.output, file)?;
        let found = reader.find("row_id", ids)?;
        let rows: Vec<u64> = found.into_iter().map(|(row, _)| row).collect();
        left = left.saturating_sub(rows.len());
        reader.read_some(&names, &rows, &mut |_, batch, row| {
            give(text(batch, "row_id", row), batch, row);
            ControlFlow::Continue(())
        })?;
    }
    Ok(())
}
