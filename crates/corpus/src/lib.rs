//! The tables of a corpus: what their rows are, how they are written, and whose folder it is.
//!
//! In: rows as plain structs ([`DocumentRow`], [`BlockRow`], [`PostRow`], [`SiteRow`], [`TemplateRow`],
//! [`HistogramRow`], [`RejectRow`]), in order. Out: Parquet files, each named by the BLAKE3 digest of its bytes
//! (`OUT/documents/6f2a…e1.parquet`), each of which appears when it is whole, beside a marker `OUT/gleaner.json` that says
//! what the corpus was made from. Where the crawl has a name, its files are in a folder of that name within each table
//! (`OUT/documents/crawl=2024-18/6f2a…e1.parquet`), see [`Crawl`]. The crate knows nothing of dataflows.
//!
//! # The idea
//!
//! The columns of a table, their types, encodings and comments stand in one place, the declarations in
//! `rows.rs`; the struct, the schema, the writer and the page `docs/tables.md` follow from them. A [`GroupEncoder`] makes
//! row groups of the rows of a unit, a pure function of them: rows are cut into batches and row groups by
//! counting bytes and rows, never by time or memory, so that the same rows give the same bytes. A [`FileWriter`] puts
//! row groups one behind the other: those that were just encoded, by any thread, and those of an older file
//! ([`StoredFile`]), which it copies as they are. A [`TableWriter`] is both for a file that has one unit.
//!
//! Beside its files each table has a log in the format of Delta Lake, to which [`Corpus::commit`] adds a version.
//! It is written here, because its bytes have to be the same for the same rows.
//!
//! # Versions
//!
//! A corpus that keeps state can be changed: [`Corpus::begin_change`] opens it, and [`Corpus::finish_change`] makes the files
//! that the new [`Arguments`] name its next version, while the version before stays complete. Between the two a change continues
//! or is undone ([`Corpus::undo`]). Older versions may keep their files, see [`KeptVersion`] and [`Corpus::vacuum`].
//!
//! # The cost
//!
//! An open encoder holds a batch, and the row groups of its unit, compressed; a file that is
//! being written holds its footer. Nearly all of the time is zstd's. A row group of documents costs as
//! much as ten rows beside its own.
//!
//! ```
//! use gleaner_corpus::{Corpus, Identity, RejectRow, Row};
//! use gleaner_store::{Options, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let store = Store::new(Options::default())?;
//! let output = store.output(folder.path().join("corpus").to_str().ok_or("not UTF-8")?)?;
//!
//! let corpus = Corpus::create(output, &Identity::default(), false)?;
//! let mut rejects = corpus.table::<RejectRow>(None, 0)?;
//! rejects.push(&RejectRow { reason: "truncated".into(), ..RejectRow::default() })?;
//! let part = rejects.finish()?.wait()?;
//! assert!(part.name.starts_with("rejects/") && part.name.ends_with(".parquet"));
//! assert_eq!(part.rows, 1);
//! corpus.commit(&RejectRow::TABLE, 0, std::slice::from_ref(&part))?;
//! corpus.finish([("rejects".to_owned(), part.rows)].into(), serde_json::Map::new(), Vec::new(), None)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
#[cfg(test)]
mod change_tests;
mod check;
mod checkpoint;
mod column;
mod commit;
mod contamination_rows;
mod corpus;
mod crawl;
mod decode;
mod delta;
mod described;
mod differences;
pub mod enumerations;
mod error;
mod fault;
mod files;
mod find_rows;
mod footer;
mod garbage;
mod group;
mod kept;
mod key;
mod limits;
mod log;
mod lookup;
mod marker;
mod measured;
mod next;
mod parallel;
mod read;
mod receipt;
mod rights_rows;
mod rows;
mod rules;
mod same_rows;
mod signal_rows;
mod stored;
mod stored_value;
mod table;
mod table_reader;
mod tables;
mod texts;
mod undo;
mod vacuum;
mod value;
mod verify;
mod version_tables;
mod writer;

pub use column::Hint;
pub use contamination_rows::{ContaminationColumns, ContaminationRow};
pub use corpus::Corpus;
pub use crawl::{BadCrawlName, Crawl};
pub use described::{parquet_schema, schemas, tables_page};
pub use error::Error;
pub use fault::{Fault, FaultKind};
pub use garbage::STAGING;
pub use group::{EncodedGroup, GroupEncoder};
pub use kept::{
    Arguments, ChunkEntry, KeptKind, Manifest, ManifestChunk, STATE, UnitEntry, VersionFiles, WholeEntry,
    digest_of, kept_json,
};
pub use key::{host, page_url, row_id, surt};
pub use limits::Limits;
pub use log::TableFile;
pub use lookup::{FoundRow, Wanted};
pub use marker::{Identity, Inputs, KeptVersion, Marker, State, Unread};
pub use measured::{MeasuredFiles, MeasuredText};
pub use next::{NewVersion, Next};
pub use read::Readable;
pub use receipt::{ArchivesChange, Receipt, TableChange};
pub use rights_rows::{RightsColumns, RightsRow};
pub use rows::{
    BlockRow, CaptureRow, DocumentRow, DuplicateRow, HiddenWebRow, HistogramRow, LanguagePages, PostRow,
    RejectRow, RepeatRow, SiteRow, TemplateRow, VictorRow,
};
pub use rules::{
    ArchiveRules, BadList, BadRules, BadSelector, Matcher, Names, RobotsMatcher, Rule, RuleCapture, RuleKind,
    Rules, Selector, SelectorKind, read_rules, rules_file, text_digest,
};
pub use same_rows::{DifferentRow, RowDifference, RowGroups, RowsOf, compare_rows};
pub use signal_rows::{PiiSpan, SignalColumns, SignalRow};
pub use stored::StoredFile;
pub use stored_value::StoredRow;
pub use table::{Column, FORMAT, Row};
pub use table_reader::TableReader;
pub use tables::{OptionalTables, TABLES, Table, Written};
pub use texts::Texts;
pub use undo::Undone;
pub use vacuum::{Vacuum, Vacuumed};
pub use value::{Day, Millis, Real, Share};
pub use verify::{Checking, Verified};
pub use version_tables::VersionTables;
pub use writer::{FileWriter, Finishing, Part, Settings, TableWriter};
