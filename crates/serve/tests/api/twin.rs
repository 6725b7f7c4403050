//! The slow twin: all rows in memory, filtered and sorted in plain Rust.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{DocumentRow, SignalRow};

use crate::made::Rows;

/// Parameters of a request that filter.
pub(crate) type Parameters = Vec<(String, String)>;

/// One form for letters that differ in case alone.
fn folded(text: &str) -> String {
    let letter = |letter: char| match letter {
        'ß' | 'ẞ' => 'ß',
        'ς' | 'σ' | 'Σ' => 'σ',
        other => other.to_lowercase().next().unwrap(),
    };
    text.chars().map(letter).collect()
}

/// The numbers of the documents that are wanted, in the order of the table.
pub(crate) fn wanted(rows: &Rows, parameters: &Parameters) -> Vec<usize> {
    let copies: BTreeSet<&str> = rows
        .duplicates
        .iter()
        .filter(|row| !row.survivor)
        .map(|row| row.row_id.as_str())
        .collect();
    let holds = |page: &usize| {
        let (document, signals) = (&rows.documents[*page].1, &rows.signals[*page]);
        parameters.iter().all(|(name, value)| match name.as_str() {
            "survivor" => copies.contains(document.row_id.as_str()) != (value == "true"),
            "is.rights.train" => rows
                .rights
                .iter()
                .any(|row| row.row_id == document.row_id && row.train == *value),
            name => test(name, value, document, signals),
        })
    };
    (0..rows.documents.len()).filter(holds).collect()
}

fn test(name: &str, value: &str, document: &DocumentRow, signals: &SignalRow) -> bool {
    let number = || value.parse::<f64>().unwrap();
    let is = |own: Option<&String>| own.is_some_and(|own| own == value);
    let confidence = || {
        document
            .confidence
            .map(|share| share.0.to_string().parse::<f64>().unwrap())
    };
    match name {
        "q" => {
            let title = folded(document.title.as_deref().unwrap_or_default());
            let text = folded(&document.text);
            let has = |word: &str| title.contains(&folded(word)) || text.contains(&folded(word));
            value.split_whitespace().all(has)
        }
        "url" => {
            let (url, part) = (document.url.to_ascii_lowercase(), value.to_ascii_lowercase());
            match part.starts_with("http") {
                true => url.starts_with(&part),
                false => url.contains(&part),
            }
        }
        "site" => document.site == value,
        "kind" | "is.page_kind" => is(document.page_kind.as_ref()),
        "language" => document.language == value,
        "min_words" | "min.word_count" => f64::from(document.word_count) >= number(),
        "max_words" => f64::from(document.word_count) <= number(),
        "min_confidence" => confidence().is_some_and(|own| own >= number()),
        "max.confidence" => confidence().is_some_and(|own| own <= number()),
        "is.http_status" => document.http_status.is_some_and(|own| own.to_string() == value),
        "is.signals.gopher" => is(signals.gopher.as_ref()),
        "is.signals.languages" => signals.languages.iter().any(|own| own == value),
        "min.signals.words" => f64::from(signals.words) >= number(),
        other => panic!("the twin has no {other}"),
    }
}

/// Puts documents into an order.
pub(crate) fn sort(rows: &Rows, pages: &mut [usize], sort: &str) {
    let document = |page: &usize| &rows.documents[*page].1;
    let by_id = |one: &usize, other: &usize| document(one).row_id.cmp(&document(other).row_id);
    match sort {
        "words" => pages.sort_by(|one, other| {
            let words = document(other).word_count.cmp(&document(one).word_count);
            words.then_with(|| by_id(one, other))
        }),
        "confidence" => pages.sort_by(|one, other| {
            let shares = match (document(one).confidence, document(other).confidence) {
                (Some(one), Some(other)) => one.cmp(&other),
                (None, None) => Ordering::Equal,
                (one, _) => {
                    if one.is_none() {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    }
                }
            };
            shares.then_with(|| by_id(one, other))
        }),
        _ => {}
    }
}

/// How many have each value.
pub(crate) fn counts(values: impl Iterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}
