//! An archive, as the corpus keeps it: a line of JSON.

use gleaner_corpus::{Crawl, kept_json};
use serde::{Deserialize, Serialize};

use crate::data::archive_read::ArchiveRead;
use crate::error::Error;

/// An archive of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputLine {
    /// Its crawl, if the corpus is labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawl: Option<Crawl>,
    /// The version of the corpus in which it came.
    pub since: u64,
    /// What was read of it.
    #[serde(flatten)]
    pub read: ArchiveRead,
}

impl InputLine {
    /// What names the archive.
    pub(crate) fn archive(&self) -> (Option<&Crawl>, &str) {
        (self.crawl.as_ref(), &self.read.name)
    }

    /// The lines of some archives, by crawl and name.
    pub(crate) fn write(lines: &mut [InputLine]) -> Vec<u8> {
        lines.sort_by(|one, other| one.archive().cmp(&other.archive()));
        lines.iter().flat_map(kept_json).collect()
    }

    /// Reads the lines that a corpus keeps.
    ///
    /// # Errors
    /// They are not what was written.
    pub fn read(bytes: &[u8]) -> Result<Vec<InputLine>, Error> {
        let lines = serde_json::Deserializer::from_slice(bytes).into_iter();
        lines.collect::<Result<_, _>>().map_err(|_| Error::Damaged)
    }
}
