//! Records that are put in order in memory before they become a run.

use super::{Layout, Run, RunWriter, StagedSink};
use crate::error::Error;
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// Records in any order.
#[derive(Debug, Default)]
pub(crate) struct RunBuffer {
    bytes: Vec<u8>,
    /// Where keys begin and end, and where the values after them end.
    records: Vec<[u32; 3]>,
}

impl RunBuffer {
    /// Adds a record, whose value is written by `write`.
    pub(crate) fn push(&mut self, key: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len();
        write(&mut self.bytes);
        let places = [start, key_end, self.bytes.len()];
        let places = places.map(|place| u32::try_from(place).expect("it becomes a run before it has 4 GiB"));
        self.records.push(places);
    }

    /// Bytes of all records.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Makes a run of them, and forgets them.
    pub(crate) fn run(&mut self, staging: &Staging, file: StagedFile, layout: Layout) -> Result<Run, Error> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut records = std::mem::take(&mut self.records);
        let key = |record: &[u32; 3]| &bytes[record[0] as usize..record[1] as usize];
        records.sort_by(|one, other| key(one).cmp(key(other)));
        let (mut writer, mut sink) = (RunWriter::new(layout), StagedSink { staging, file });
        for record in &records {
            let value = &bytes[record[1] as usize..record[2] as usize];
            writer.push(key(record), value, &mut sink)?;
        }
        writer.end(sink)
    }
}
