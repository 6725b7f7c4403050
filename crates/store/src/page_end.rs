//! What listings and their requests take along.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::keys;

/// The end that the answer to a listing reports. The client of the store takes it along as an extension of its request.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageEnd(pub(crate) Arc<Mutex<ListingEnd>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListingEnd {
    /// Whether more follows; `None` if the answer does not report it.
    pub(crate) is_cut: Option<bool>,
    /// Where the next page begins for stores that know no tokens.
    pub(crate) marker: Option<String>,
    /// Whether the answer has an error in the place of a listing. The client reads that as a page without names.
    pub(crate) is_error: bool,
}

/// The place where a page begins, for stores that know no tokens, as an extension of a request.
#[derive(Clone, Debug)]
pub(crate) struct Marker(pub(crate) String);

impl PageEnd {
    /// Takes what an answer of S3 or of Google's store says.
    pub(crate) fn read(&self, listing: &[u8]) {
        let text = |name| {
            let text = keys::text_of(listing, name)?;
            let text = String::from_utf8(text).ok()?;
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        *self.0.lock() = ListingEnd {
            is_cut: text("IsTruncated").map(|said| said.eq_ignore_ascii_case("true")),
            marker: text("NextMarker"),
            is_error: text("Code").is_some() && text("Name").is_none(),
        };
    }
}
