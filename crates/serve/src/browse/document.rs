//! All that the tables have of one document.

use gleaner_corpus::{
    BlockRow, Corpus, DocumentRow, DuplicateRow, FoundRow, PostRow, RightsRow, Row, SignalRow, StoredRow,
    Wanted,
};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::row::{row, share};
use super::row_ids::number_of;
use super::version::Version;
use crate::Error;

/// Rows of one document in another table that are read.
const MOST_ROWS: usize = 20_000;

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    document: Json,
    signals: Option<Json>,
    rights: Option<Json>,
    duplicates: Option<Json>,
    posts: Vec<Json>,
    blocks: Vec<Json>,
}

/// A document by its row id. Waits for the store.
pub(crate) fn document(corpus: &Version, row_id: &str) -> Result<Document, Error> {
    check(row_id)?;
    let found: Vec<FoundRow<DocumentRow>> =
        Corpus::look_up(&corpus.output, &Wanted::value("row_id", row_id), 1)?;
    let document = found.into_iter().next().ok_or_else(|| none(row_id))?.row;
    let of_page = Wanted::value("row_id", row_id).of_page(&document.surt);
    let duplicates: Vec<DuplicateRow> = rows(corpus, &Wanted::value("row_id", row_id))?;
    let signals: Vec<SignalRow> = rows(corpus, &of_page)?;
    let rights: Vec<RightsRow> = rows(corpus, &of_page)?;
    let posts: Vec<PostRow> = rows(corpus, &of_page)?;
    let blocks: Vec<BlockRow> = rows(corpus, &of_page)?;
    Ok(Document {
        signals: signals.first().map(row),
        rights: rights_of(&rights),
        duplicates: duplicates.first().map(row),
        posts: posts.iter().map(row).collect(),
        blocks: blocks.iter().map(|block| block_of(block, &document)).collect(),
        document: row(&document),
    })
}

/// Refuses what is no row id, before anything is read.
///
/// # Errors
/// 404: there is no such document.
pub(crate) fn check(row_id: &str) -> Result<(), Error> {
    match number_of(row_id) {
        Some(_) => Ok(()),
        None => Err(none(row_id)),
    }
}

fn none(row_id: &str) -> Error {
    let shown: String = row_id.chars().take(64).collect();
    let why = match number_of(row_id) {
        Some(_) => "the corpus may have been changed since it was listed",
        None => "a row id has 32 hexadecimal digits in lower case, /api/documents lists them",
    };
    Error::not_found(format!("there is no document '{shown}': {why}"))
}

/// The rows of a table, in order; none without the table.
fn rows<R: StoredRow>(corpus: &Version, wanted: &Wanted<'_>) -> Result<Vec<R>, Error> {
    if !corpus.has(<R as Row>::TABLE.name) {
        return Ok(Vec::new());
    }
    let found: Vec<FoundRow<R>> = Corpus::look_up(&corpus.output, wanted, MOST_ROWS)?;
    Ok(found.into_iter().map(|found| found.row).collect())
}

/// What all signals about rights mean together: a use is forbidden if one of them forbids it, else allowed if one allows it.
fn rights_of(rights: &[RightsRow]) -> Option<Json> {
    let together = |of: fn(&RightsRow) -> &str| {
        let is = |permission: &str| rights.iter().any(|row| of(row) == permission);
        ["forbidden", "allowed"]
            .into_iter()
            .find(|permission| is(permission))
            .unwrap_or("unknown")
    };
    let all = || {
        json!({
            "index": together(|row| &row.index),
            "train": together(|row| &row.train),
            "signals": rights.iter().map(row).collect::<Vec<_>>(),
        })
    };
    (!rights.is_empty()).then(all)
}

fn block_of(block: &BlockRow, document: &DocumentRow) -> Json {
    json!({
        "block": block.block,
        "text": block.text,
        "path": block.path,
        "label": block.label,
        "probability": share(block.confidence),
        "kept": block.label != "other" && document.text_source == "page",
        "template_pages": block.template_pages,
        "template_coverage": share(block.template_coverage),
        "language": block.language,
    })
}
