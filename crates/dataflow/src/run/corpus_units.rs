//! The units of the corpus, as the last step reads them.

use gleaner_corpus::{DocumentRow, Part, Row, Texts};
use gleaner_store::Output;

use crate::data::page_tables::DOCUMENTS;
use crate::data::signed::Facts;
use crate::data::sites::SiteSum;
use crate::error::Error;
use crate::state::unit_state::UnitState;
use crate::state::written::{WrittenChunk, WrittenUnit};
use crate::whole::Units;

/// The units of all chunks that are written.
pub(crate) struct CorpusUnits {
    output: Output,
    units: Vec<CorpusUnit>,
}

struct CorpusUnit {
    unit: WrittenUnit,
    /// The file that has its documents, if it has some, and the first of their row groups.
    documents: Option<Part>,
    group: u32,
}

impl CorpusUnits {
    pub(crate) fn new<'c>(output: &Output, chunks: impl Iterator<Item = &'c WrittenChunk>) -> CorpusUnits {
        let mut units = Vec::new();
        for chunk in chunks {
            let documents = chunk.file(&DocumentRow::TABLE);
            let mut group = 0;
            for unit in &chunk.units {
                units.push(CorpusUnit {
                    unit: unit.clone(),
                    documents: documents.cloned(),
                    group,
                });
                group += unit.groups[DOCUMENTS];
            }
        }
        CorpusUnits {
            output: output.clone(),
            units,
        }
    }

    fn unit(&self, unit: u32) -> Result<&CorpusUnit, Error> {
        self.units.get(unit as usize).ok_or(Error::Damaged)
    }

    fn state(&self, unit: u32) -> Result<UnitState<'_>, Error> {
        let unit = &self.unit(unit)?.unit;
        UnitState::open(&self.output, unit.state, unit.bytes)
    }
}

impl Units for CorpusUnits {
    fn count(&self) -> u32 {
        self.units.len() as u32
    }

    fn start(&self, unit: u32) -> &[u8] {
        self.units
            .get(unit as usize)
            .map_or(&[], |unit| unit.unit.start.as_bytes())
    }

    fn facts(&self, unit: u32, take: &mut dyn FnMut(Facts) -> Result<(), Error>) -> Result<(), Error> {
        self.state(unit)?.documents(take)
    }

    fn texts(
        &self,
        unit: u32,
        rows: Option<&[u32]>,
        take: &mut dyn FnMut(u32, &str, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let CorpusUnit {
            unit,
            documents,
            group,
        } = self.unit(unit)?;
        let groups = *group as usize..(*group + unit.groups[DOCUMENTS]) as usize;
        if groups.is_empty() {
            return Ok(());
        }
        let wanted: Option<Vec<usize>> = rows.map(|rows| rows.iter().map(|&row| row as usize).collect());
        let documents = documents.as_ref().ok_or(Error::Damaged)?;
        let texts = Texts::open(&self.output, documents, groups, wanted.as_deref())?;
        for (number, text) in texts.enumerate() {
            let row = rows.map_or(Some(number as u32), |rows| rows.get(number).copied());
            let (site, text) = text?;
            take(row.ok_or(Error::Damaged)?, &site, &text)?;
        }
        Ok(())
    }

    fn sites(&self, unit: u32) -> Result<Vec<SiteSum>, Error> {
        self.state(unit)?.sites()
    }
}
