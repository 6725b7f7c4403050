//! Where a list continues, as text that the client sends back unchanged. A cursor names the last row by its key, not by its number: it stays right
//! when the corpus gets a newer version. It also has the number of its list (see [`Parameters::list`](super::parameters::Parameters::list)):
//! with other filters it would continue at a place of another list.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::Error;

/// The last row of what was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Cursor {
    /// A document, in the order of documents.
    Key(Key),
    /// A document, in the order of a column.
    Rank(Option<f64>, String),
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
    pub(crate) fn text(&self, list: u32) -> String {
        let json = serde_json::to_vec(&(list, self)).expect("a cursor is made of texts and numbers");
        URL_SAFE_NO_PAD.encode(json)
    }

    /// # Errors
    /// 400: it is none, or one of another list.
    pub(crate) fn parse(text: &str, list: u32) -> Result<Cursor, Error> {
        let bytes = Some(text).filter(|text| text.len() <= LONGEST);
        let bytes = bytes.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let read: Option<(u32, Cursor)> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        match read {
            Some((own, cursor)) if own == list => Ok(cursor),
            Some(_) => Err(of_another_list()),
            None => Err(Error::bad_request(
                "the cursor is none: give the value of next in the answer before, or leave it out",
            )),
        }
    }
}

/// The error for a cursor of another list.
pub(crate) fn of_another_list() -> Error {
    Error::bad_request(
        "the cursor is of another list, or of other filters or another order: leave it out to begin at the first",
    )
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
            Cursor::Rank(Some(0.1), "a".to_owned()),
            Cursor::Rank(None, String::new()),
        ];
        for cursor in cursors {
            assert_eq!(Cursor::parse(&cursor.text(7), 7).unwrap(), cursor);
            assert_eq!(Cursor::parse(&cursor.text(8), 7).unwrap_err(), of_another_list());
        }
        for bad in ["", "0", "eyJ9", "{}", "ü", &"A".repeat(LONGEST + 1)] {
            assert_eq!(Cursor::parse(bad, 7).unwrap_err().status, 400);
        }
    }
}
