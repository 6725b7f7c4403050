//! The tables of a corpus, in one list: builds, checks, `schemas/` and the page `docs/tables.md` follow from it.

use arrow_schema::SchemaRef;

use crate::Column;
use crate::contamination_rows::ContaminationRow;
use crate::rights_rows::RightsRow;
use crate::rows::{
    BlockRow, CaptureRow, DocumentRow, DuplicateRow, HiddenWebRow, HistogramRow, PostRow, RejectRow,
    RepeatRow, SiteRow, TemplateRow, VictorRow,
};
use crate::signal_rows::SignalRow;
use crate::table::Row;

/// A table, without the type of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// What a row is, in words.
    pub comment: &'static str,
    /// What writes it, and when.
    pub written: Written,
    pub(crate) columns: fn() -> Vec<Column>,
    pub(crate) schema: fn() -> SchemaRef,
}

/// What writes a table, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Each build, with each chunk of pages.
    WithPages,
    /// Builds with the option `--blocks`, with each chunk of pages.
    WithBlocks,
    /// Builds with the option `--posts`, with each chunk of pages.
    WithPosts,
    /// Builds without the option `--no-signals`, with each chunk of pages.
    WithSignals,
    /// Builds without the option `--no-rights`, with each chunk of pages.
    WithRights,
    /// Builds with the option `--benchmarks`, with each chunk of pages.
    WithBenchmarks,
    /// Each build, at its end.
    AtEnd,
    /// Each build, at its end; a row is of all crawls of the corpus.
    ForAll,
    /// A command that exports training data; the table is not part of a corpus.
    ByExport,
}

/// The tables that not all builds write.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptionalTables {
    /// The table of blocks.
    pub blocks: bool,
    /// The table of posts.
    pub posts: bool,
    /// The table of signals.
    pub signals: bool,
    /// The table of rights.
    pub rights: bool,
    /// The table of contamination.
    pub contamination: bool,
}

/// The tables of a corpus.
pub const TABLES: [Table; 13] = [
    DocumentRow::TABLE,
    CaptureRow::TABLE,
    DuplicateRow::TABLE,
    RepeatRow::TABLE,
    BlockRow::TABLE,
    PostRow::TABLE,
    SignalRow::TABLE,
    RightsRow::TABLE,
    ContaminationRow::TABLE,
    SiteRow::TABLE,
    TemplateRow::TABLE,
    HistogramRow::TABLE,
    RejectRow::TABLE,
];

/// Tables that commands export for training.
pub(crate) const EXPORTED: [Table; 2] = [HiddenWebRow::TABLE, VictorRow::TABLE];

impl Table {
    /// The columns as they are declared, in order.
    pub fn columns(&self) -> Vec<Column> {
        (self.columns)()
    }

    /// The Arrow schema. The fields' metadata has the comments.
    pub fn schema(&self) -> SchemaRef {
        (self.schema)()
    }

    /// Whether a row is of one crawl: where crawls have names, files are in the folder of their crawl.
    pub fn is_by_crawl(&self) -> bool {
        self.written != Written::ForAll
    }
}

impl OptionalTables {
    /// The tables of a build.
    pub fn all(self) -> impl DoubleEndedIterator<Item = Table> {
        TABLES.into_iter().filter(move |table| match table.written {
            Written::WithPages | Written::AtEnd | Written::ForAll => true,
            Written::WithBlocks => self.blocks,
            Written::WithPosts => self.posts,
            Written::WithSignals => self.signals,
            Written::WithRights => self.rights,
            Written::WithBenchmarks => self.contamination,
            Written::ByExport => false,
        })
    }

    /// The tables that a build writes with each chunk of pages; the others are written at its end.
    pub fn of_chunks(self) -> impl DoubleEndedIterator<Item = Table> {
        self.all()
            .filter(|table| !matches!(table.written, Written::AtEnd | Written::ForAll))
    }
}
