//! The names of staging files.

use gleaner_corpus::STAGING;
use serde::{Deserialize, Serialize};

/// A file of staging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum StagedFile {
    /// The pages of a part, and what is noted of them: those read by the run of the build with
    /// this number. There is more than one where an input was missing.
    Pages(u32, u32),
    /// The same by unit, before it is all there.
    Units(u32, u32),
    /// The pages of a group of parts, and what is noted of them.
    Sorted(u32),
    /// The signatures of the documents of a chunk.
    Signatures(u32),
    /// The lines of the documents of a chunk, counted.
    Lines(u32),
    /// What is put in order, for the process alone.
    Scratch(u32, u32),
}

impl StagedFile {
    /// The name, from the output.
    pub(crate) fn name(self) -> String {
        match self {
            StagedFile::Pages(part, 0) => format!("{STAGING}/pages-{part:05}.runs"),
            StagedFile::Pages(part, time) => format!("{STAGING}/pages-{part:05}-{time}.runs"),
            StagedFile::Sorted(group) => format!("{STAGING}/sorted-{group:05}.runs"),
            StagedFile::Signatures(chunk) => format!("{STAGING}/signatures-{chunk:05}.runs"),
            StagedFile::Lines(chunk) => format!("{STAGING}/lines-{chunk:05}.runs"),
            StagedFile::Scratch(number, part) => format!("{STAGING}/scratch-{number:05}-{part}.runs"),
            StagedFile::Units(part, time) => format!("{STAGING}/units-{part:05}-{time}.runs"),
        }
    }
}
