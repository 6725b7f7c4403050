//! What became no document: how many by reason, and rows of a reason.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use arrow_array::RecordBatch;
use gleaner_corpus::TableReader;
use serde::Serialize;
use serde_json::Value as Json;

use super::budget::Budget;
use super::cursor::{Cursor, of_another_list};
use super::parameters::{Parameters, unknown};
use super::values::{json, text};
use super::version::Version;
use crate::Error;

/// The reasons of rejects, the most frequent first.
#[derive(Debug, Default)]
struct Reasons(Vec<Reason>);

#[derive(Clone, Debug, Serialize)]
struct Reason {
    reason: String,
    count: u64,
}

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Rejects {
    reasons: Vec<Reason>,
    rejects: Vec<Reject>,
    /// Whether reading ended with the answer; if not, the time was over, and `next` continues.
    complete: bool,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Reject {
    url: Json,
    stage: String,
    reason: String,
    detail: String,
    warc_file: String,
    warc_offset: Json,
    record_id: Json,
}

const COLUMNS: [&str; 7] = [
    "url",
    "stage",
    "reason",
    "detail",
    "warc_file",
    "warc_offset",
    "record_id",
];

const REJECTS: &str = "rejects";
const REASON: &str = "reason";

impl Reasons {
    /// Counts the rows of the table. Waits for the store.
    fn read(corpus: &Version, budget: &Budget) -> Result<Reasons, Error> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for file in corpus.tables.files.get(REJECTS).into_iter().flatten() {
            let reader = TableReader::open(&corpus.output, file)?;
            for rows in reader.groups().filter(|rows| !rows.is_empty()) {
                budget.check()?;
                let batch = reader.read(&[REASON], rows)?;
                for row in 0..batch.num_rows() {
                    *counts.entry(text(&batch, REASON, row).to_owned()).or_default() += 1;
                }
            }
        }
        let mut reasons: Vec<Reason> = counts
            .into_iter()
            .map(|(reason, count)| Reason { reason, count })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        Ok(Reasons(reasons))
    }
}

/// Rejects, as the parameters of a request want them.
pub(crate) fn rejects(
    corpus: &Version,
    pairs: Vec<(String, String)>,
    budget: &Budget,
) -> Result<Rejects, Error> {
    let parameters = Parameters::read(pairs, &[REASON, "cursor", "limit"])?;
    let reasons = corpus.once(|| Reasons::read(corpus, budget))?;
    let reason = parameters.text(REASON);
    if let Some(name) = reason.filter(|name| !reasons.0.iter().any(|known| known.reason == *name)) {
        return Err(unknown(
            "reason",
            name,
            reasons.0.iter().map(|known| known.reason.as_str()),
        ));
    }
    let list = parameters.list(REJECTS);
    let (first, behind) = match parameters.cursor(list)? {
        None => (0, None),
        Some(Cursor::Row(file, row)) => (number_of(corpus, &file)?, Some(row)),
        Some(_) => return Err(of_another_list()),
    };
    let part = ListPart {
        corpus,
        reason,
        limit: parameters.limit()?,
        budget,
    };
    let (rejects, next, complete) = part.read(first, behind)?;
    Ok(Rejects {
        reasons: reasons.0.clone(),
        rejects,
        complete,
        next: next.map(|cursor| cursor.text(list)),
    })
}

/// The number of a file among those of the table. Files are named by their digests: a newer version may have the same ones.
fn number_of(corpus: &Version, name: &str) -> Result<usize, Error> {
    let files = corpus.tables.files.get(REJECTS).into_iter().flatten();
    let place = files.into_iter().position(|file| file.name == name);
    place.ok_or_else(|| {
        Error::bad_request("the corpus has changed: leave the cursor out to begin at the first reject")
    })
}

struct ListPart<'a> {
    corpus: &'a Version,
    reason: Option<&'a str>,
    limit: usize,
    budget: &'a Budget,
}

impl ListPart<'_> {
    /// Rejects from a file on, there behind a row; where they continue; and whether reading ended with them.
    fn read(&self, first: usize, behind: Option<u64>) -> Result<(Vec<Reject>, Option<Cursor>, bool), Error> {
        let mut found: Vec<(Reject, Cursor)> = Vec::new();
        let mut read_to = None;
        let files = self.corpus.tables.files.get(REJECTS).into_iter().flatten();
        for (number, file) in files.enumerate().skip(first) {
            let start = behind
                .filter(|_| number == first)
                .map_or(0, |row| row.saturating_add(1));
            let reader = TableReader::open(&self.corpus.output, file)?;
            for group in reader.groups().filter(|group| start < group.end) {
                if self.budget.is_over() {
                    return Ok((
                        found.into_iter().map(|(reject, _)| reject).collect(),
                        read_to,
                        false,
                    ));
                }
                let rows = self.rows(&reader, group.start.max(start)..group.end)?;
                let mut take = |row, batch: &RecordBatch, place| {
                    found.push((reject(batch, place), Cursor::Row(file.name.clone(), row)));
                    match found.len() > self.limit {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                reader.read_some(&COLUMNS, &rows, &mut take)?;
                if found.len() > self.limit {
                    found.truncate(self.limit);
                    let next = found.last().map(|(_, cursor)| cursor.clone());
                    return Ok((found.into_iter().map(|(reject, _)| reject).collect(), next, true));
                }
                read_to = Some(Cursor::Row(file.name.clone(), group.end - 1));
            }
        }
        Ok((found.into_iter().map(|(reject, _)| reject).collect(), None, true))
    }

    /// The rows of the reason among some.
    fn rows(&self, reader: &TableReader, rows: std::ops::Range<u64>) -> Result<Vec<u64>, Error> {
        let Some(wanted) = self.reason else {
            // One more than the limit is enough.
            return Ok(rows.take(self.limit + 1).collect());
        };
        if reader
            .limits(REASON, &rows)
            .is_some_and(|limits| !limits.may_have(wanted))
        {
            return Ok(Vec::new());
        }
        let batch = reader.read(&[REASON], rows.clone())?;
        let own = rows
            .enumerate()
            .filter(|(place, _)| text(&batch, REASON, *place) == wanted);
        Ok(own.map(|(_, row)| row).collect())
    }
}

fn reject(batch: &RecordBatch, row: usize) -> Reject {
    Reject {
        url: json(batch, "url", row),
        stage: text(batch, "stage", row).to_owned(),
        reason: text(batch, REASON, row).to_owned(),
        detail: text(batch, "detail", row).to_owned(),
        warc_file: text(batch, "warc_file", row).to_owned(),
        warc_offset: json(batch, "warc_offset", row),
        record_id: json(batch, "record_id", row),
    }
}
