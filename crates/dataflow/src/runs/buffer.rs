//! Records that are put in order in memory before they become a run.

use std::ops::Range;

use super::{Layout, Run, RunWriter};
use crate::error::Error;
use crate::staging::{Kept, Staging};

/// Records in any order.
#[derive(Debug, Default)]
pub(crate) struct RunBuffer {
    bytes: Vec<u8>,
    /// Where keys begin and end, and where the values after them end.
    records: Vec<(Range<usize>, usize)>,
}

impl RunBuffer {
    /// Adds a record, whose value is written by `write`.
    pub(crate) fn push(&mut self, key: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let key = start..self.bytes.len();
        write(&mut self.bytes);
        self.records.push((key, self.bytes.len()));
    }

    /// Bytes of all records.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Makes a run of them, and forgets them.
    pub(crate) fn run(&mut self, staging: &Staging, file: Kept) -> Result<Run, Error> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut records = std::mem::take(&mut self.records);
        records.sort_by(|(one, _), (other, _)| bytes[one.clone()].cmp(&bytes[other.clone()]));
        let mut writer = RunWriter::new(staging, file, Layout::SHORT);
        for (key, end) in records {
            writer.push(&bytes[key.clone()], &bytes[key.end..end])?;
        }
        writer.end()
    }
}
