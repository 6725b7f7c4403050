//! Where a list continues, as text that the client sends back unchanged. A cursor names the last row by its key, not by its number: it stays right
//! when the corpus gets a newer version.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::sort::Sort;
use crate::Error;

/// The last row of what was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Cursor {
    /// A document, in the order of documents.
    Key(Key),
    /// A document, in the order of a column.
    Rank(Sort, Option<f64>, String),
    /// A row of a file.
    Row(String, u64),
    /// A cluster, with its size.
    Cluster(u64, String),
    /// A document of a cluster.
    Member(String),
}

/// The place of a document among all documents of its crawl: they stand in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) crawl: Option<String>,
    pub(crate) surt: String,
    pub(crate) time: Option<i64>,
    pub(crate) record: String,
    pub(crate) archive: String,
    pub(crate) offset: i64,
    pub(crate) url: String,
}

/// The longest cursor that is read.
const LONGEST: usize = 32 << 10;

impl Cursor {
    pub(crate) fn text(&self) -> String {
        let json = serde_json::to_vec(self).expect("a cursor is made of texts and numbers");
        URL_SAFE_NO_PAD.encode(json)
    }

    /// # Errors
    /// 400: it is none.
    pub(crate) fn parse(text: &str) -> Result<Cursor, Error> {
        let bytes = Some(text).filter(|text| text.len() <= LONGEST);
        let bytes = bytes.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let cursor = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        cursor.ok_or_else(|| {
            Error::bad_request(
                "the cursor is none: give the value of next in the answer before, or leave it out",
            )
        })
    }
}

/// The error for a cursor of another list.
pub(crate) fn of_another_list() -> Error {
    Error::bad_request("the cursor is of another list or order: leave it out to begin at the first")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_and_nonsense_is_refused() {
        let key = Key {
            surt: "example,sea):https/ü?a&b".to_owned(),
            time: Some(-5),
            ..Key::default()
        };
        let cursors = [
            Cursor::Key(key),
            Cursor::Rank(Sort::Words, Some(0.1), "a".to_owned()),
            Cursor::Rank(Sort::Confidence, None, String::new()),
        ];
        for cursor in cursors {
            assert_eq!(Cursor::parse(&cursor.text()).unwrap(), cursor);
        }
        for bad in ["", "0", "eyJ9", "{}", "ü", &"A".repeat(LONGEST + 1)] {
            assert_eq!(Cursor::parse(bad).unwrap_err().status, 400);
        }
    }
}
