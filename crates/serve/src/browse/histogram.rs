//! Values of a column of all wanted documents, counted.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use gleaner_corpus::TableReader;
use gleaner_export::{Column, Value};
use gleaner_report::{Line, rule_limits, scale};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::bins::{Bin, Bins, FilterMap};
use super::budget::Budget;
use super::columns::{KnownColumn, RIGHTS, Scale, categories, find};
use super::filters::{self, Filters, number_at, row_id};
use super::parameters::Parameters;
use super::row_ids::{number_of, short};
use super::scan::{Scan, Selected};
use super::version::Version;
use crate::Error;

/// Values that are named; others are one number.
const NAMED: usize = 50;
/// Different values that are counted apart; a corpus may have millions of sites.
const MOST: usize = 1_000_000;

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Histogram {
    column: String,
    /// The number of wanted documents.
    rows: u64,
    /// Documents without a value.
    missing: u64,
    /// Whether all documents were read; if not, the time was over.
    complete: bool,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Counts {
    Numbers {
        bins: Vec<Bin>,
        /// What rule sets allow.
        limits: Vec<Line>,
    },
    Categories {
        values: Vec<Category>,
        /// Documents with values that are not named.
        others: u64,
    },
}

#[derive(Debug, Serialize)]
struct Category {
    value: String,
    count: u64,
    /// What finds these documents, and no others.
    filters: FilterMap,
}

/// The histogram that the parameters of a request want.
pub(crate) fn histogram(
    corpus: &Version,
    pairs: Vec<(String, String)>,
    budget: &Budget,
) -> Result<Histogram, Error> {
    let known: Vec<&str> = filters::NAMES.into_iter().chain(["column"]).collect();
    let parameters = Parameters::read(pairs, &known)?;
    let name = parameters.text("column");
    let name = name.ok_or_else(|| Error::bad_request("give column=NAME: /api/columns lists the names"))?;
    let column = find(corpus, name)?;
    let counting = Counting {
        corpus,
        filters: Filters::read(&parameters, corpus, budget)?,
        known: column,
        budget,
    };
    match (column.kind, column.column.table) {
        (Scale::Number, _) => counting.numbers(),
        (Scale::Category, RIGHTS) => counting.rights(),
        (Scale::Category, _) => counting.categories(),
    }
}

struct Counting<'a> {
    corpus: &'a Version,
    filters: Filters,
    known: &'a KnownColumn,
    budget: &'a Budget,
}

impl Counting<'_> {
    fn scan<'s>(&'s self, columns: &'s [Column]) -> Scan<'s> {
        Scan::of_all(self.corpus, &self.filters, columns, self.budget)
    }

    fn numbers(&self) -> Result<Histogram, Error> {
        let column = self.known.column;
        let scale = scale(&column);
        let (mut sum, mut rows) = (Bins::new(&scale), 0);
        let scanned = self.scan(&[column]).run(
            |Selected { read, pages, .. }| {
                let mut bins = Bins::new(&scale);
                for page in &pages {
                    bins.count(number_at(&read, &column, *page));
                }
                Ok((pages.len() as u64, bins))
            },
            |(pages, bins)| {
                rows += pages;
                sum.add(&bins);
                ControlFlow::Continue(())
            },
        )?;
        Ok(Histogram {
            column: self.known.name.clone(),
            rows,
            missing: sum.missing(),
            complete: scanned.complete,
            counts: Counts::Numbers {
                bins: sum.of(&self.known.name),
                limits: rule_limits(&column),
            },
        })
    }

    fn categories(&self) -> Result<Histogram, Error> {
        let (mut values, mut rows, mut missing) = (Values::default(), 0, 0);
        let scanned = self.scan(&[self.known.column]).run(
            |Selected { read, pages, .. }| {
                let column = read.column(&self.known.column);
                let mut counts: BTreeMap<String, u64> = BTreeMap::new();
                let mut missing = 0;
                for page in &pages {
                    let own = categories(&Value::at(column, *page));
                    missing += u64::from(own.is_empty());
                    own.into_iter()
                        .for_each(|value| *counts.entry(value).or_default() += 1);
                }
                Ok((pages.len() as u64, missing, counts))
            },
            |(pages, without, counts)| {
                (rows, missing) = (rows + pages, missing + without);
                counts
                    .into_iter()
                    .for_each(|(value, count)| values.add(value, count));
                ControlFlow::Continue(())
            },
        )?;
        Ok(Histogram {
            column: self.known.name.clone(),
            rows,
            missing,
            complete: scanned.complete,
            counts: values.counts(&self.known.name),
        })
    }

    /// A document counts once for each value of its rows.
    fn rights(&self) -> Result<Histogram, Error> {
        let (wanted, rows, mut complete) = self.wanted()?;
        let (mut values, mut with) = (Values::default(), 0);
        for file in self.corpus.tables.files.get(RIGHTS).into_iter().flatten() {
            let reader = TableReader::open(&self.corpus.output, file)?;
            let mut page = OfPage::default();
            for group in reader.groups().filter(|group| !group.is_empty()) {
                if self.budget.is_over() {
                    complete = false;
                    break;
                }
                let batch = reader.read(&["row_id", self.known.column.name], group)?;
                let columns = ["row_id", self.known.column.name].map(|name| batch.column_by_name(name));
                let [Some(names), Some(column)] = columns else {
                    continue;
                };
                for row in 0..batch.num_rows() {
                    let name = Value::at(names, row);
                    let Some(id) = name.text().and_then(number_of) else {
                        continue;
                    };
                    if wanted
                        .as_ref()
                        .is_some_and(|wanted| wanted.binary_search(&short(id)).is_err())
                    {
                        continue;
                    }
                    with += u64::from(page.is_next(id));
                    for value in categories(&Value::at(column, row)) {
                        if page.seen.insert(value.clone()) {
                            values.add(value, 1);
                        }
                    }
                }
            }
        }
        Ok(Histogram {
            column: self.known.name.clone(),
            rows,
            missing: rows.saturating_sub(with),
            complete,
            counts: values.counts(&self.known.name),
        })
    }

    /// The wanted documents, 8 bytes each, if not all are wanted; how many; and whether all were looked at.
    fn wanted(&self) -> Result<(Option<Vec<u64>>, u64, bool), Error> {
        if self.filters.are_none() {
            return Ok((None, self.corpus.documents(), true));
        }
        let mut ids = Vec::new();
        let scanned = self.scan(&[]).run(
            |Selected { read, pages, .. }| {
                let own = pages.iter().filter_map(|page| row_id(&read, *page).map(short));
                Ok(own.collect::<Vec<u64>>())
            },
            |own| {
                ids.extend(own);
                ControlFlow::Continue(())
            },
        )?;
        ids.sort_unstable();
        let rows = ids.len() as u64;
        Ok((Some(ids), rows, scanned.complete))
    }
}

/// The values of a document whose rows stand one behind the other.
#[derive(Default)]
struct OfPage {
    id: Option<u128>,
    seen: FxHashSet<String>,
}

impl OfPage {
    /// Whether a row is of another document than the one before.
    fn is_next(&mut self, id: u128) -> bool {
        let is_next = self.id.replace(id) != Some(id);
        if is_next {
            self.seen.clear();
        }
        is_next
    }
}

/// Values with their counts, a limited number of different ones.
#[derive(Default)]
struct Values {
    counts: FxHashMap<String, u64>,
    others: u64,
}

impl Values {
    fn add(&mut self, value: String, count: u64) {
        match self.counts.len() < MOST || self.counts.contains_key(&value) {
            true => *self.counts.entry(value).or_default() += count,
            false => self.others += count,
        }
    }

    /// The most frequent values, among equally frequent ones in the order of their letters.
    fn counts(self, column: &str) -> Counts {
        let mut all: Vec<(String, u64)> = self.counts.into_iter().collect();
        all.sort_unstable_by(|(one, one_count), (other, other_count)| {
            (other_count, one).cmp(&(one_count, other))
        });
        let rest: u64 = all.iter().skip(NAMED).map(|(_, count)| count).sum();
        all.truncate(NAMED);
        let values = all.into_iter().map(|(value, count)| Category {
            filters: [(format!("is.{column}"), value.clone())].into(),
            value,
            count,
        });
        Counts::Categories {
            values: values.collect(),
            others: self.others + rest,
        }
    }
}
