//! Rows of the rejects table: what did not become a document, and why.

use std::any::Any;

use gleaner_corpus::{DocumentRow, RejectRow};

/// A capture that is no document.
pub(crate) fn of_page(document: &DocumentRow, reason: &str, detail: String) -> Box<RejectRow> {
    Box::new(RejectRow {
        url: Some(document.url.clone()).filter(|url| !url.is_empty()),
        warc_file: document.warc_file.clone(),
        warc_offset: document.warc_offset,
        record_id: Some(document.record_id.clone()).filter(|id| !id.is_empty()),
        stage: "extract".to_owned(),
        reason: reason.to_owned(),
        detail,
    })
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a message".to_owned())
}
