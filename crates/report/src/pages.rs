//! Sums over the pages of a corpus: the tables that have a row for each page, side by side.

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use chrono::{DateTime, Datelike, NaiveDate, TimeDelta};
use gleaner_export::{Column, Count, Error, PageColumns, PageFiles, Piece, Position, Value, Work, in_order};

use crate::histogram::Tally;
use crate::measures::Measure;
use crate::numbers::{Group, Totals, Year};
use crate::rule_sets::{self, RuleTally, numbers};

const DOCUMENTS: &str = "documents";

/// What is counted.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) measures: Vec<Measure>,
    pub(crate) confidence: Measure,
    pub(crate) has_signals: bool,
    /// Documents whose URLs are wanted, by `row_id`, in order.
    pub(crate) wanted: Vec<String>,
}

/// Sums over pages.
#[derive(Debug, Default)]
pub(crate) struct PageTally {
    pub(crate) totals: Totals,
    pub(crate) crawls: BTreeMap<Option<String>, Count>,
    pub(crate) languages: BTreeMap<Option<String>, Count>,
    pub(crate) page_kinds: BTreeMap<Option<String>, Count>,
    pub(crate) text_sources: BTreeMap<Option<String>, Count>,
    pub(crate) published: BTreeMap<Option<i32>, Count>,
    pub(crate) crawled: BTreeMap<Option<i32>, Count>,
    pub(crate) confidence: Tally,
    /// In the order of the plan.
    pub(crate) measures: Vec<Tally>,
    pub(crate) rules: RuleTally,
    /// URLs of the wanted documents.
    pub(crate) urls: BTreeMap<String, String>,
}

/// Counts all pages. Waits for the store.
pub(crate) fn count(files: &PageFiles, plan: &Plan, work: &Work) -> Result<PageTally, Error> {
    let mut sum = PageTally::new(plan);
    let columns = plan.columns();
    let pieces = files.pieces(Position::default());
    in_order(
        work.workers,
        pieces.map(|piece| work.check().and(piece)),
        |piece| PageTally::of(&piece, &columns, plan),
        |tally| {
            sum.add(tally);
            Ok(())
        },
    )?;
    Ok(sum)
}

/// The documents with each value of a column, the most frequent first.
pub(crate) fn groups(counts: BTreeMap<Option<String>, Count>) -> Vec<Group> {
    let groups = counts.into_iter().map(|(name, count)| Group { name, count });
    let mut groups: Vec<Group> = groups.collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.count.documents, group.count.words)));
    groups
}

/// The documents of each year, in order, those of no year last.
pub(crate) fn years(counts: BTreeMap<Option<i32>, Count>) -> Vec<Year> {
    let mut years: Vec<Year> = counts
        .into_iter()
        .map(|(year, count)| Year { year, count })
        .collect();
    years.sort_by_key(|year| (year.year.is_none(), year.year));
    years
}

fn own(name: &str) -> Column {
    Column::of(DOCUMENTS, name).expect("documents have this column")
}

impl Plan {
    fn columns(&self) -> Vec<Column> {
        const OWN: [&str; 9] = [
            "language",
            "word_count",
            "dropped_words",
            "char_count",
            "page_kind",
            "text_source",
            "published",
            "crawl_date",
            "truncated",
        ];
        let mut columns: Vec<Column> = OWN.map(own).to_vec();
        columns.extend(
            self.measures
                .iter()
                .chain([&self.confidence])
                .map(|measure| measure.column),
        );
        if self.has_signals {
            columns.extend(rule_sets::columns());
        }
        columns
    }
}

impl PageTally {
    fn new(plan: &Plan) -> PageTally {
        PageTally {
            measures: vec![Tally::default(); plan.measures.len()],
            ..PageTally::default()
        }
    }

    /// The sums of a piece.
    fn of(piece: &Piece, columns: &[Column], plan: &Plan) -> Result<PageTally, Error> {
        let read = piece.read(columns)?;
        let mut tally = PageTally::new(plan);
        let words = tally.count_words(&read);
        let counts: Vec<Count> = words
            .into_iter()
            .map(|words| Count { documents: 1, words })
            .collect();
        let column = |name: &str| read.column(&own(name));
        count_texts(&mut tally.languages, column("language"), &counts);
        count_texts(&mut tally.page_kinds, column("page_kind"), &counts);
        count_texts(&mut tally.text_sources, column("text_source"), &counts);
        count_years(&mut tally.published, column("published"), &counts);
        count_years(&mut tally.crawled, column("crawl_date"), &counts);
        if let Some(crawl) = piece.crawl() {
            counts
                .iter()
                .for_each(|count| add(&mut tally.crawls, Some(crawl.to_owned()), *count));
        }
        let values = |measure: &Measure| numbers(read.column(&measure.column), read.pages());
        tally
            .confidence
            .count(&plan.confidence.scale, &values(&plan.confidence));
        for (measure, tally) in plan.measures.iter().zip(&mut tally.measures) {
            tally.count(&measure.scale, &values(measure));
        }
        if plan.has_signals {
            tally.rules.count(&read);
        }
        tally.find_urls(piece, &read, &plan.wanted)?;
        Ok(tally)
    }

    /// Counts documents and words. Gives the words of each.
    fn count_words(&mut self, read: &PageColumns) -> Vec<u64> {
        let columns = ["word_count", "dropped_words", "char_count", "truncated"];
        let [words, dropped_words, characters, truncated] = columns.map(|name| read.column(&own(name)));
        let whole = |column, row| match Value::at(column, row) {
            Value::Whole(number) => number.cast_unsigned(),
            _ => 0,
        };
        let totals = &mut self.totals;
        let counted = (0..read.pages()).map(|row| {
            let words = whole(words, row);
            totals.documents += 1;
            totals.empty_documents += u64::from(words == 0);
            totals.truncated_documents += u64::from(Value::at(truncated, row) != Value::Null);
            totals.kept_words += words;
            totals.dropped_words += whole(dropped_words, row);
            totals.characters += whole(characters, row);
            words
        });
        counted.collect()
    }

    /// The URLs of the wanted documents among those of a piece.
    fn find_urls(&mut self, piece: &Piece, read: &PageColumns, wanted: &[String]) -> Result<(), Error> {
        let (ids, urls) = (own("row_id"), own("url"));
        if wanted.is_empty() {
            return Ok(());
        }
        let names = read.column(&ids);
        let found = (0..read.pages()).filter_map(|row| {
            let id = Value::at(names, row).text()?.to_owned();
            wanted.binary_search(&id).is_ok().then_some((row, id))
        });
        let found: Vec<(usize, String)> = found.collect();
        if found.is_empty() {
            return Ok(());
        }
        let with_urls = piece.read(&[urls])?;
        for (row, id) in found {
            let url = Value::at(with_urls.column(&urls), row);
            self.urls.insert(id, url.text().unwrap_or_default().to_owned());
        }
        Ok(())
    }

    fn add(&mut self, other: PageTally) {
        self.totals.add(other.totals);
        add_all(&mut self.crawls, other.crawls);
        add_all(&mut self.languages, other.languages);
        add_all(&mut self.page_kinds, other.page_kinds);
        add_all(&mut self.text_sources, other.text_sources);
        add_all(&mut self.published, other.published);
        add_all(&mut self.crawled, other.crawled);
        self.confidence.add(&other.confidence);
        for (own, other) in self.measures.iter_mut().zip(&other.measures) {
            own.add(other);
        }
        self.rules.add(other.rules);
        self.urls.extend(other.urls);
    }
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.documents += other.documents;
        self.empty_documents += other.empty_documents;
        self.truncated_documents += other.truncated_documents;
        self.kept_words += other.kept_words;
        self.dropped_words += other.dropped_words;
        self.characters += other.characters;
    }
}

fn count_texts(counts: &mut BTreeMap<Option<String>, Count>, column: &ArrayRef, pages: &[Count]) {
    for (row, count) in pages.iter().enumerate() {
        let value = Value::at(column, row);
        add(counts, value.text().map(str::to_owned), *count);
    }
}

fn count_years(counts: &mut BTreeMap<Option<i32>, Count>, column: &ArrayRef, pages: &[Count]) {
    for (row, count) in pages.iter().enumerate() {
        let year = match Value::at(column, row) {
            Value::Day(days) => NaiveDate::default()
                .checked_add_signed(TimeDelta::days(days.into()))
                .map(|date| date.year()),
            Value::Time(millis) => DateTime::from_timestamp_millis(millis).map(|time| time.year()),
            _ => None,
        };
        add(counts, year, *count);
    }
}

fn add<K: Ord>(counts: &mut BTreeMap<K, Count>, key: K, count: Count) {
    let there = counts.entry(key).or_default();
    there.documents += count.documents;
    there.words += count.words;
}

fn add_all<K: Ord>(counts: &mut BTreeMap<K, Count>, others: BTreeMap<K, Count>) {
    others
        .into_iter()
        .for_each(|(key, count)| add(counts, key, count));
}
