//! The name of a crawl: the folder of its files in each table, and a column of the tables' logs.
//!
//! The files of a named crawl are in `TABLE/crawl=NAME/`, a partition as Hive writes them. The Parquet files do not have the
//! column: readers take it from the name of the folder, or from the log of the table. A corpus whose crawls have no names
//! has its files in `TABLE/`, and no such column; so have the tables whose rows are of all crawls.

use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, Field};
use serde::{Deserialize, Serialize};

use crate::table::commented;

/// The longest name, in bytes.
const LONGEST: usize = 128;

/// The name by which Hive means that there is no value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// What the column of a table's log holds.
const COMMENT: &str = "The name of the crawl that the row is from: the value of `--crawl`.";

/// The name of a crawl. No reader of files or URLs needs it in another form: it has ASCII letters, digits, `.`, `_` and `-`
/// only, and does not begin with a dot.
///
/// ```
/// use gleaner_corpus::Crawl;
///
/// assert_eq!(Crawl::new("CC-MAIN-2024-18")?.as_str(), "CC-MAIN-2024-18");
/// assert!(Crawl::new("2024/18").is_err());
/// # Ok::<(), gleaner_corpus::BadCrawlName>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Crawl(Arc<str>);

/// A name that no crawl can have; it says what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCrawlName {
    /// It is empty, too long, or has other characters.
    #[error(
        "use 1 to {LONGEST} of the letters a-z and A-Z, the digits, '.', '_' and '-', and do not begin with '.'"
    )]
    Characters,
    /// Readers take it for no value.
    #[error("use another name: this one means 'no value' in names of folders")]
    NoValue,
}

impl Crawl {
    /// The column of the tables' logs, and the option of an [`Identity`](crate::Identity) that has the name.
    pub const COLUMN: &str = "crawl";

    /// The crawl of this name.
    ///
    /// # Errors
    /// No crawl can have it.
    pub fn new(name: &str) -> Result<Crawl, BadCrawlName> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let has_length = (1..=LONGEST).contains(&name.len());
        match has_length && !name.starts_with('.') && name.bytes().all(is_allowed) {
            false => Err(BadCrawlName::Characters),
            true if name == NO_VALUE => Err(BadCrawlName::NoValue),
            true => Ok(Crawl(name.into())),
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of its files, within that of a table.
    pub(crate) fn folder(&self) -> String {
        format!("{}={}", Crawl::COLUMN, self.0)
    }
}

impl TryFrom<String> for Crawl {
    type Error = BadCrawlName;

    fn try_from(name: String) -> Result<Crawl, BadCrawlName> {
        Crawl::new(&name)
    }
}

impl From<Crawl> for String {
    fn from(crawl: Crawl) -> String {
        crawl.as_str().to_owned()
    }
}

impl fmt::Display for Crawl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The column of the tables' logs.
pub(crate) fn field() -> Field {
    commented(Crawl::COLUMN, DataType::Utf8, false, COMMENT)
}

/// The crawl of a file, by its folder within that of a table, and its name without the folder; nothing where it is in none.
pub(crate) fn in_folder(name: &str) -> Option<(Crawl, &str)> {
    let (folder, file) = name.split_once('/')?;
    let crawl = folder.strip_prefix(Crawl::COLUMN)?.strip_prefix('=')?;
    Some((Crawl::new(crawl).ok()?, file))
}

/// The name of a file within a table's folder, without the folder of its crawl.
pub(crate) fn without_folder(name: &str) -> &str {
    in_folder(name).map_or(name, |(_, file)| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_other_form_in_paths() {
        let longest = "a".repeat(LONGEST);
        for name in ["2024-18", "CC-MAIN-2024-18", "a.b-1", "_", "-a", &longest] {
            assert_eq!(Crawl::new(name).unwrap().as_str(), name);
        }
        let longer = "a".repeat(LONGEST + 1);
        for name in [
            "", ".", "..", ".a", "a/b", "a b", "a=b", "a%20b", "é", "a\0", "a\n", "a:b", &longer,
        ] {
            assert_eq!(Crawl::new(name), Err(BadCrawlName::Characters), "{name:?}");
        }
        assert_eq!(Crawl::new(NO_VALUE), Err(BadCrawlName::NoValue));
    }
}
