//! The units of the corpus, as the last step reads them.

use gleaner_corpus::{DocumentRow, Part, Row, Texts};
use gleaner_store::Output;

use crate::data::page_tables::DOCUMENTS;
use crate::data::signed::{Facts, UnitKeys};
use crate::data::sites::SiteSum;
use crate::data::unit_lines::UnitLines;
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

    fn records(&self) -> u64 {
        self.units.iter().map(|unit| unit.unit.records).sum()
    }

    fn keys(&self, unit: u32) -> Result<UnitKeys, Error> {
        self.state(unit)?.keys()
    }

    fn facts(
        &self,
        unit: u32,
        is_wanted: &mut dyn FnMut(u32) -> bool,
        take: &mut dyn FnMut(u32, Facts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.state(unit)?.documents(is_wanted, take)
    }

    fn line_hashes(&self, unit: u32) -> Result<Vec<u64>, Error> {
        self.state(unit)?.line_hashes()
    }

    fn lines(&self, unit: u32) -> Result<UnitLines, Error> {
        self.state(unit)?.lines()
    }

    fn texts(
        &self,
        unit: u32,
        rows: &[u32],
        take: &mut dyn FnMut(u32, &str) -> Result<(), Error>,
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
        let wanted: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
        let documents = documents.as_ref().ok_or(Error::Damaged)?;
        let mut texts = Texts::open(&self.output, documents, groups, Some(&wanted))?;
        for &row in rows {
            let (_, text) = texts.next().ok_or(Error::Damaged)??;
            take(row, &text)?;
        }
        Ok(())
    }

    fn sites(&self, unit: u32) -> Result<Vec<SiteSum>, Error> {
        self.state(unit)?.sites()
    }
}
