//! The tables of pages.

use gleaner_corpus::{
    BlockRow, CaptureRow, DocumentRow, HistogramRow, PostRow, RejectRow, RightsRow, Row, SignalRow, Table,
    TemplateRow,
};

/// The tables of pages, in the order in which their files are ended: documents last, for others refer to them.
pub(crate) const PAGE_TABLES: [Table; 9] = [
    BlockRow::TABLE,
    PostRow::TABLE,
    SignalRow::TABLE,
    RightsRow::TABLE,
    TemplateRow::TABLE,
    HistogramRow::TABLE,
    RejectRow::TABLE,
    CaptureRow::TABLE,
    DocumentRow::TABLE,
];

/// The place of `documents` among them.
pub(crate) const DOCUMENTS: usize = PAGE_TABLES.len() - 1;

/// Something of each table of pages, in the order of [`PAGE_TABLES`].
pub(crate) type OfTables<T> = [T; PAGE_TABLES.len()];
