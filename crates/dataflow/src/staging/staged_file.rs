//! The names of staging files.

use gleaner_corpus::{KeptKind, STAGING};
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
    /// The state of a unit.
    Unit(UnitFile),
    /// What is put in order, for the process alone.
    Scratch(u32, u32),
}

impl Default for StagedFile {
    fn default() -> StagedFile {
        StagedFile::Pages(0, 0)
    }
}

impl StagedFile {
    /// The name, from the output.
    pub(crate) fn name(self) -> String {
        match self {
            StagedFile::Pages(part, 0) => format!("{STAGING}/pages-{part:05}.runs"),
            StagedFile::Pages(part, time) => format!("{STAGING}/pages-{part:05}-{time}.runs"),
            StagedFile::Sorted(group) => format!("{STAGING}/sorted-{group:05}.runs"),
            StagedFile::Unit(file) => file.name(),
            StagedFile::Scratch(number, part) => format!("{STAGING}/scratch-{number:05}-{part}.runs"),
            StagedFile::Units(part, time) => format!("{STAGING}/units-{part:05}-{time}.runs"),
        }
    }
}

/// The file of the state of a unit, by the BLAKE3 digest of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct UnitFile {
    pub(crate) digest: Digest,
    /// Whether it is part of the corpus; else it goes when that is complete.
    pub(crate) is_kept: bool,
}

impl UnitFile {
    /// The folder of such files, from the output.
    pub(crate) fn folder(is_kept: bool) -> String {
        match is_kept {
            true => KeptKind::Units.folder(),
            false => STAGING.to_owned(),
        }
    }

    /// The name, within its folder.
    pub(crate) fn file_name(self) -> String {
        self.digest.into()
    }

    /// The name, from the output.
    pub(crate) fn name(self) -> String {
        format!("{}/{}", UnitFile::folder(self.is_kept), self.file_name())
    }
}

/// A BLAKE3 digest. It is written in hexadecimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Digest(pub(crate) [u8; 32]);

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        blake3::Hash::from_bytes(digest.0).to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = blake3::HexError;

    fn try_from(text: String) -> Result<Digest, blake3::HexError> {
        Ok(Digest(*blake3::Hash::from_hex(text)?.as_bytes()))
    }
}
