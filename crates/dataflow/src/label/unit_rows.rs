//! The rows of a unit, encoded: row groups of the tables of pages.

use gleaner_corpus::{
    BlockRow, CaptureRow, ContaminationRow, Corpus, DocumentRow, EncodedGroup, GroupEncoder, HistogramRow,
    PostRow, RejectRow, RightsRow, SignalRow, TemplateRow,
};

use crate::data::page_tables::OfTables;
use crate::error::Error;

/// Encodes the rows of units, one unit after the other.
pub(crate) struct UnitRows {
    pub(crate) blocks: GroupEncoder<BlockRow>,
    pub(crate) posts: GroupEncoder<PostRow>,
    pub(crate) signals: GroupEncoder<SignalRow>,
    pub(crate) rights: GroupEncoder<RightsRow>,
    pub(crate) contamination: GroupEncoder<ContaminationRow>,
    pub(crate) templates: GroupEncoder<TemplateRow>,
    pub(crate) histograms: GroupEncoder<HistogramRow>,
    pub(crate) rejects: GroupEncoder<RejectRow>,
    pub(crate) captures: GroupEncoder<CaptureRow>,
    pub(crate) documents: GroupEncoder<DocumentRow>,
}

impl UnitRows {
    pub(crate) fn new(corpus: &Corpus) -> Result<UnitRows, Error> {
        Ok(UnitRows {
            blocks: corpus.encoder()?,
            posts: corpus.encoder()?,
            signals: corpus.encoder()?,
            rights: corpus.encoder()?,
            contamination: corpus.encoder()?,
            templates: corpus.encoder()?,
            histograms: corpus.encoder()?,
            rejects: corpus.encoder()?,
            captures: corpus.encoder()?,
            documents: corpus.encoder()?,
        })
    }

    /// Ends a unit.
    pub(crate) fn finish(&mut self) -> Result<OfTables<Vec<EncodedGroup>>, Error> {
        Ok([
            self.blocks.finish()?,
            self.posts.finish()?,
            self.signals.finish()?,
            self.rights.finish()?,
            self.contamination.finish()?,
            self.templates.finish()?,
            self.histograms.finish()?,
            self.rejects.finish()?,
            self.captures.finish()?,
            self.documents.finish()?,
        ])
    }
}
