//! What the version before measured of texts. A change labels a page again because the evidence of its site is another one; most
//! texts stay the same, and so do their measures.

use std::collections::HashMap;

use gleaner_corpus::{DocumentRow, MeasuredFiles, MeasuredText};
use gleaner_store::Output;

use crate::change::base::Base;
use crate::data::key::KeyRange;
use crate::data::page_tables::{DOCUMENTS, PAGE_TABLES, SIGNALS};
use crate::error::Error;

/// Reads the measures of the version before, unit by unit.
#[derive(Debug, Default)]
pub(crate) struct MeasureReader {
    /// The chunk that was read last.
    files: Option<(usize, MeasuredFiles)>,
}

impl MeasureReader {
    /// The measures of pages with keys of a range. Waits for the store.
    pub(crate) fn read(
        &mut self,
        output: &Output,
        base: &Base,
        keys: &KeyRange,
    ) -> Result<MeasuredBefore, Error> {
        let mut before = MeasuredBefore::default();
        for unit in &base.units[base.units_of(keys)] {
            let groups = base.chunks[unit.place.chunk].groups_of(unit.place.unit);
            if let Some(files) = self.files_of(output, base, unit.place.chunk)? {
                before
                    .texts
                    .extend(files.read(groups[DOCUMENTS].clone(), groups[SIGNALS].clone())?);
            }
        }
        Ok(before)
    }

    /// The files of a chunk; none if it has no pages.
    fn files_of(
        &mut self,
        output: &Output,
        base: &Base,
        chunk: usize,
    ) -> Result<Option<&MeasuredFiles>, Error> {
        let is_known = self.files.as_ref().is_some_and(|(known, _)| *known == chunk);
        if !is_known {
            let [documents, signals] =
                [DOCUMENTS, SIGNALS].map(|table| base.chunks[chunk].file(&PAGE_TABLES[table]));
            let files = documents.map(|documents| MeasuredFiles::open(output, documents, signals));
            self.files = files.transpose()?.map(|files| (chunk, files));
        }
        Ok(self.files.as_ref().map(|(_, files)| files))
    }
}

/// The measures of the texts of a unit, as the version before has them.
#[derive(Debug, Default)]
pub(crate) struct MeasuredBefore {
    /// By row id.
    texts: HashMap<String, MeasuredText>,
}

impl MeasuredBefore {
    /// The measures of the text of a page, if it had the same text before.
    pub(crate) fn take(&mut self, document: &DocumentRow) -> Option<MeasuredText> {
        let text = self.texts.remove(&document.row_id)?;
        (text.content_digest == document.content_digest).then_some(text)
    }
}

impl FromIterator<(String, MeasuredText)> for MeasuredBefore {
    fn from_iter<T: IntoIterator<Item = (String, MeasuredText)>>(texts: T) -> MeasuredBefore {
        MeasuredBefore {
            texts: texts.into_iter().collect(),
        }
    }
}
