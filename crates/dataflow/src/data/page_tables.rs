//! The tables of pages.

use gleaner_corpus::{
    BlockRow, CaptureRow, ContaminationRow, DocumentRow, HistogramRow, PostRow, RejectRow, RightsRow, Row,
    SignalRow, Table, TemplateRow,
};

/// The tables of pages, in the order in which their files are ended: documents last, for others refer to them.
pub(crate) const PAGE_TABLES: [Table; 10] = [
    BlockRow::TABLE,
    PostRow::TABLE,
    SignalRow::TABLE,
    RightsRow::TABLE,
    ContaminationRow::TABLE,
    TemplateRow::TABLE,
    HistogramRow::TABLE,
    RejectRow::TABLE,
    CaptureRow::TABLE,
    DocumentRow::TABLE,
];

/// The places of `signals` and `documents` among them.
pub(crate) const SIGNALS: usize = 2;
pub(crate) const DOCUMENTS: usize = PAGE_TABLES.len() - 1;

/// Something of each table of pages, in the order of [`PAGE_TABLES`].
pub(crate) type OfTables<T> = [T; PAGE_TABLES.len()];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_their_tables() {
        let names = [SIGNALS, DOCUMENTS].map(|place| PAGE_TABLES[place].name);
        assert_eq!(names, ["signals", "documents"]);
    }
}
