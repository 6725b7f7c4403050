//! All wanted documents, row group by row group, by several threads, until it is enough or the time is over.
//!
//! Of a row group first the limits of its columns are looked at, then the columns that filters test, and texts only of documents for
//! which all else holds, a few at a time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_corpus::Limits;
use gleaner_export::{Column, PageColumns, PageFiles, Piece, Position, Value, in_order};

use super::budget::Budget;
use super::cursor::Key;
use super::filters::{Filters, own};
use super::values::text;
use super::version::Version;
use crate::Error;

/// Which documents are wanted, and what is read of them.
pub(crate) struct Scan<'a> {
    pub(crate) corpus: &'a Version,
    pub(crate) filters: &'a Filters,
    /// Columns that are read beside those of the filters.
    pub(crate) columns: &'a [Column],
    /// Only documents behind this one.
    pub(crate) after: Option<&'a Key>,
    /// No more documents of one row group are wanted.
    pub(crate) most: usize,
    pub(crate) budget: &'a Budget,
}

/// How far a scan came.
pub(crate) struct Scanned {
    /// Whether all that was wanted was read.
    pub(crate) complete: bool,
    /// The last row group that was read.
    pub(crate) last: Option<Piece>,
}

/// The wanted documents of a row group, by their numbers.
pub(crate) struct Selected {
    pub(crate) piece: Piece,
    pub(crate) read: PageColumns,
    pub(crate) pages: Vec<usize>,
}

/// The columns of a key.
const KEY: [&str; 6] = [
    "surt",
    "crawl_date",
    "record_id",
    "warc_file",
    "warc_offset",
    "url",
];

impl<'a> Scan<'a> {
    /// All wanted documents.
    pub(crate) fn of_all(
        corpus: &'a Version,
        filters: &'a Filters,
        columns: &'a [Column],
        budget: &'a Budget,
    ) -> Scan<'a> {
        Scan {
            corpus,
            filters,
            columns,
            after: None,
            most: usize::MAX,
            budget,
        }
    }

    /// Has `work` done for each row group with wanted documents, and gives the results to `take`, in order, until that is enough.
    ///
    /// # Errors
    /// A file cannot be read, or the corpus lacks a table.
    pub(crate) fn run<R: Send>(
        &self,
        work: impl Fn(Selected) -> Result<R, Error> + Sync,
        mut take: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<Scanned, Error> {
        let columns = self.all_columns();
        let tables = columns.iter().map(|column| column.table);
        let files = PageFiles::new(&self.corpus.output, &self.corpus.tables, tables)?;
        let (enough, cut) = (AtomicBool::new(false), AtomicBool::new(false));
        let continues = || {
            let is_over = !enough.load(Relaxed) && self.budget.is_over();
            cut.fetch_or(is_over, Relaxed);
            !enough.load(Relaxed) && !is_over
        };
        let mut last = None;
        let mut start = Start::of(self.after);
        let pieces = files.pieces(Position::default()).take_while(|_| continues());
        let pieces = pieces.filter(|piece| match piece {
            Ok(piece) => start.is_behind(piece) && self.filters.may_hold(piece),
            Err(_) => true,
        });
        in_order(
            self.budget.workers,
            pieces.map(|piece| piece.map_err(Error::from)),
            |piece| {
                let selected = self.select(piece.clone(), &columns)?;
                Ok((piece, selected.map(&work).transpose()?))
            },
            |(piece, result): (Piece, Option<R>)| {
                // What was begun before it was enough is not wanted.
                if enough.load(Relaxed) {
                    return Ok(());
                }
                last = Some(piece);
                if result.is_some_and(|result| take(result).is_break()) {
                    enough.store(true, Relaxed);
                }
                Ok::<(), Error>(())
            },
        )?;
        Ok(Scanned {
            complete: !cut.load(Relaxed),
            last,
        })
    }

    fn all_columns(&self) -> Vec<Column> {
        let mut columns = self.filters.columns();
        columns.extend(self.columns);
        columns.push(own("row_id"));
        columns
    }

    /// The wanted documents of a row group; none if it has none.
    fn select(&self, piece: Piece, columns: &[Column]) -> Result<Option<Selected>, Error> {
        let read = piece.read(columns)?;
        let mut pages: Vec<usize> = (0..read.pages()).collect();
        if let Some(after) = self.after.filter(|after| may_have_before(&piece, after)) {
            let keys = piece.read(&KEY.map(own))?;
            pages.retain(|page| key(&piece, |name| Value::at(keys.column(&own(name)), *page)) > *after);
        }
        pages.retain(|page| self.filters.hold(&read, *page));
        if let Some(words) = &self.filters.words {
            let candidates = std::mem::take(&mut pages);
            piece.read_some(&["title", "text"], &candidates, &mut |page, batch, row| {
                if words.are_in(text(batch, "title", row), text(batch, "text", row)) {
                    pages.push(page);
                }
                match pages.len() < self.most && !self.budget.is_abandoned() {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            })?;
        }
        pages.truncate(self.most);
        Ok((!pages.is_empty()).then_some(Selected { piece, read, pages }))
    }
}

/// The key of a document, by the values of its columns.
fn key<'v>(piece: &Piece, value: impl Fn(&'static str) -> Value<'v>) -> Key {
    let text = |name| value(name).text().unwrap_or_default().to_owned();
    Key {
        crawl: piece.crawl().map(str::to_owned),
        surt: text("surt"),
        time: match value("crawl_date") {
            Value::Time(millis) => Some(millis),
            _ => None,
        },
        record: text("record_id"),
        archive: text("warc_file"),
        offset: match value("warc_offset") {
            Value::Whole(offset) => offset,
            _ => 0,
        },
        url: text("url"),
    }
}

/// The key of a document of a row group.
pub(crate) fn key_of(piece: &Piece, page: usize) -> Result<Option<Key>, Error> {
    let mut found = None;
    piece.read_some(&KEY, &[page], &mut |_, batch, row| {
        found = Some(key(piece, |name| {
            batch
                .column_by_name(name)
                .map_or(Value::Null, |column| Value::at(column, row))
        }));
        ControlFlow::Break(())
    })?;
    Ok(found)
}

/// Whether documents of a row group of the crawl of a key may stand before it.
fn may_have_before(piece: &Piece, after: &Key) -> bool {
    if piece.crawl() != after.crawl.as_deref() {
        return false;
    }
    match piece.limits(&own("surt")) {
        Some(Limits::Texts { least, .. }) => &*least <= after.surt.as_bytes(),
        _ => true,
    }
}

/// The row groups that may have documents behind a key. Those of a crawl stand one behind the other, in the order of keys.
enum Start<'a> {
    /// The crawl of the key has not come yet.
    Before(&'a Key),
    Within(&'a Key),
    Behind,
}

impl Start<'_> {
    fn of(after: Option<&Key>) -> Start<'_> {
        after.map_or(Start::Behind, Start::Before)
    }

    fn is_behind(&mut self, piece: &Piece) -> bool {
        let is_own = |key: &Key| piece.crawl() == key.crawl.as_deref();
        *self = match *self {
            Start::Before(key) if is_own(key) => Start::Within(key),
            Start::Within(key) if !is_own(key) => Start::Behind,
            Start::Before(_) | Start::Within(_) | Start::Behind => return self.is_past(piece),
        };
        self.is_past(piece)
    }

    fn is_past(&self, piece: &Piece) -> bool {
        match self {
            Start::Before(_) => false,
            Start::Behind => true,
            Start::Within(key) => match piece.limits(&own("surt")) {
                Some(Limits::Texts { most, .. }) => key.surt.as_bytes() <= &*most,
                _ => true,
            },
        }
    }
}
