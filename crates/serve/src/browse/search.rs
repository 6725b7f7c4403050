//! Documents that filters and words fit, a page of them at a time.
//!
//! In the order of the table reading ends with the last document of the answer. In another order all wanted documents are looked at, and
//! those kept in memory that are among the first.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use gleaner_export::{Column, Piece, Position, Value};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value as Json;

use super::budget::Budget;
use super::cursor::{Cursor, Key, of_another_list};
use super::duplicates::Duplicates;
use super::filters::{self, Filters, number_at, own};
use super::parameters::Parameters;
use super::row_ids::number_of;
use super::scan::{Scan, Scanned, Selected, key_of};
use super::sort::{Rank, Sort};
use super::values::{self, text};
use super::version::Version;
use crate::Error;

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Documents {
    /// The number of all that are wanted, if it is known.
    total: Option<u64>,
    /// Whether all was read that had to be; if not, the time was over, and `next` continues.
    complete: bool,
    documents: Vec<Document>,
    next: Option<String>,
}

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Count {
    count: u64,
    /// Whether all documents were read; if not, the time was over, and there may be more.
    complete: bool,
}

#[derive(Debug, Serialize)]
struct Document {
    row_id: String,
    url: String,
    site: String,
    title: Json,
    page_kind: Json,
    language: String,
    word_count: Json,
    confidence: Json,
    crawl_date: Json,
    snippet: Option<[String; 3]>,
    cluster_size: Option<u64>,
}

/// A document that is wanted.
struct Found {
    piece: Piece,
    page: usize,
    /// Its place in an order by a column.
    rank: Option<Rank>,
}

/// What is read of a document of an answer.
const COLUMNS: [&str; 9] = [
    "row_id",
    "url",
    "site",
    "title",
    "page_kind",
    "language",
    "word_count",
    "confidence",
    "crawl_date",
];

/// The parameters beside those of filters.
const OWN: [&str; 3] = ["sort", "cursor", "limit"];

/// Documents, as the parameters of a request want them.
pub(crate) fn documents(
    corpus: &Version,
    pairs: Vec<(String, String)>,
    budget: &Budget,
) -> Result<Documents, Error> {
    let known: Vec<&str> = filters::NAMES.into_iter().chain(OWN).collect();
    let parameters = Parameters::read(pairs, &known)?;
    let filters = Filters::read(&parameters, corpus, budget)?;
    let sort = parameters.text("sort").map(Sort::parse).transpose()?;
    let sort = sort.unwrap_or_default();
    let search = Search {
        corpus,
        filters,
        budget,
        limit: parameters.limit()?,
        list: parameters.list("documents"),
    };
    match (sort.column(), parameters.cursor(search.list)?) {
        (None, None) => search.in_order_of_table(None),
        (None, Some(Cursor::Key(key))) => search.in_order_of_table(Some(&key)),
        (Some(column), None) => search.by_column(sort, column, None),
        (Some(column), Some(Cursor::Rank(value, row_id))) => {
            search.by_column(sort, column, Some(Rank { value, row_id }))
        }
        _ => Err(of_another_list()),
    }
}

/// The number of documents, as the parameters of a request want them: for lists that do not give it.
pub(crate) fn count(corpus: &Version, pairs: Vec<(String, String)>, budget: &Budget) -> Result<Count, Error> {
    let parameters = Parameters::read(pairs, &filters::NAMES)?;
    let filters = Filters::read(&parameters, corpus, budget)?;
    if filters.are_none() {
        return Ok(Count {
            count: corpus.documents(),
            complete: true,
        });
    }
    let mut count = 0;
    let Scanned { complete, .. } = Scan::of_all(corpus, &filters, &[], budget).run(
        |selected| Ok(selected.pages.len() as u64),
        |pages| {
            count += pages;
            ControlFlow::Continue(())
        },
    )?;
    Ok(Count { count, complete })
}

struct Search<'a> {
    corpus: &'a Version,
    filters: Filters,
    budget: &'a Budget,
    limit: usize,
    /// The number of the list, for cursors.
    list: u32,
}

impl Search<'_> {
    fn in_order_of_table(&self, after: Option<&Key>) -> Result<Documents, Error> {
        let scan = Scan {
            corpus: self.corpus,
            filters: &self.filters,
            columns: &[],
            after,
            // One more, to know whether there are others.
            most: self.limit + 1,
            budget: self.budget,
        };
        let mut found: Vec<Found> = Vec::new();
        let Scanned { complete, last } = scan.run(
            |Selected { piece, pages, .. }| Ok((piece, pages)),
            |(piece, pages)| {
                found.extend(pages.into_iter().map(|page| Found {
                    piece: piece.clone(),
                    page,
                    rank: None,
                }));
                match found.len() > self.limit {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        )?;
        let has_more = found.len() > self.limit;
        let is_whole = complete && !has_more && after.is_none();
        let total = match self.filters.are_none() {
            true => Some(self.corpus.documents()),
            false => is_whole.then_some(found.len() as u64),
        };
        found.truncate(self.limit);
        let next = match (has_more, found.last()) {
            (true, Some(last)) => key_of(&last.piece, last.page)?,
            _ if complete => None,
            // The time was over: the next request continues behind what was read.
            _ => match &last {
                Some(piece) => key_of(piece, piece.pages().saturating_sub(1))?,
                None => after.cloned(),
            },
        };
        Ok(Documents {
            total,
            complete: complete || has_more,
            documents: self.read(&found)?,
            next: next.map(|key| Cursor::Key(key).text(self.list)),
        })
    }

    fn by_column(&self, sort: Sort, column: Column, after: Option<Rank>) -> Result<Documents, Error> {
        let columns = [column];
        let scan = Scan::of_all(self.corpus, &self.filters, &columns, self.budget);
        // Documents behind the last of those that are kept are not.
        let worst: Mutex<Option<Rank>> = Mutex::default();
        let mut best: Vec<Found> = Vec::new();
        let mut total = 0;
        let is_after = |rank: &Rank| after.as_ref().is_none_or(|last| sort.compare(last, rank).is_lt());
        let Scanned { complete, .. } = scan.run(
            |selected| {
                let Selected { piece, read, pages } = selected;
                let last = worst.lock().clone();
                let is_near = |rank: &Rank| last.as_ref().is_none_or(|last| sort.compare(rank, last).is_lt());
                let found = pages.iter().map(|&page| Found {
                    piece: piece.clone(),
                    page,
                    rank: Some(Rank {
                        value: number_at(&read, &column, page),
                        row_id: Value::at(read.column(&own("row_id")), page)
                            .text()
                            .unwrap_or_default()
                            .to_owned(),
                    }),
                });
                let mut found: Vec<Found> = found
                    .filter(|found| {
                        found
                            .rank
                            .as_ref()
                            .is_some_and(|rank| is_after(rank) && is_near(rank))
                    })
                    .collect();
                self.keep_first(sort, &mut found);
                Ok((pages.len() as u64, found))
            },
            |(pages, found)| {
                total += pages;
                best.extend(found);
                self.keep_first(sort, &mut best);
                if best.len() > self.limit {
                    *worst.lock() = best.last().and_then(|found| found.rank.clone());
                }
                ControlFlow::Continue(())
            },
        )?;
        let has_more = best.len() > self.limit;
        best.truncate(self.limit);
        let last = best
            .last()
            .and_then(|found| found.rank.clone())
            .filter(|_| has_more);
        Ok(Documents {
            total: complete.then_some(total),
            complete,
            documents: self.read(&best)?,
            next: last.map(|Rank { value, row_id }| Cursor::Rank(value, row_id).text(self.list)),
        })
    }

    /// Keeps the first documents, and one more.
    fn keep_first(&self, sort: Sort, found: &mut Vec<Found>) {
        found.sort_by(|one, other| match (&one.rank, &other.rank) {
            (Some(one), Some(other)) => sort.compare(one, other),
            _ => std::cmp::Ordering::Equal,
        });
        found.truncate(self.limit + 1);
    }

    /// Reads what is shown of documents.
    fn read(&self, found: &[Found]) -> Result<Vec<Document>, Error> {
        let duplicates = match found {
            [] => Arc::default(),
            _ => Duplicates::of_version(self.corpus, self.budget)?,
        };
        // Those of one row group are read together.
        let place = |number: &usize| {
            let Position { file, group } = found[*number].piece.position();
            (file, group, found[*number].page)
        };
        let mut numbers: Vec<usize> = (0..found.len()).collect();
        numbers.sort_unstable_by_key(place);
        let groups = numbers.chunk_by(|one, other| {
            let [one, other] = [one, other].map(|number| found[*number].piece.position());
            one == other
        });
        let mut documents: Vec<Option<Document>> = found.iter().map(|_| None).collect();
        for group in groups {
            let pages: Vec<usize> = group.iter().map(|number| found[*number].page).collect();
            let mut places = group.iter();
            let mut take = |_, batch: &RecordBatch, row| {
                if let Some(place) = places.next() {
                    documents[*place] = Some(self.document(batch, row, &duplicates));
                }
                ControlFlow::Continue(())
            };
            found[group[0]]
                .piece
                .read_some(&self.shown_columns(), &pages, &mut take)?;
        }
        Ok(documents.into_iter().flatten().collect())
    }

    fn shown_columns(&self) -> Vec<&'static str> {
        let mut names = COLUMNS.to_vec();
        names.extend(self.filters.words.iter().map(|_| "text"));
        names
    }

    fn document(&self, batch: &RecordBatch, row: usize, duplicates: &Duplicates) -> Document {
        let value = |name: &str| values::json(batch, name, row);
        let text = |name: &str| text(batch, name, row);
        let row_id = text("row_id").to_owned();
        let words = self.filters.words.as_ref();
        let copy = number_of(&row_id).and_then(|id| duplicates.of(id));
        Document {
            url: text("url").to_owned(),
            site: text("site").to_owned(),
            title: value("title"),
            page_kind: value("page_kind"),
            language: text("language").to_owned(),
            word_count: value("word_count"),
            confidence: value("confidence"),
            crawl_date: value("crawl_date"),
            snippet: words.and_then(|words| words.snippet(text("title"), text("text"))),
            cluster_size: copy.map(|copy| copy.cluster_size),
            row_id,
        }
    }
}
