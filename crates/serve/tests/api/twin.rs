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

/// Whether words with this letter stand between spaces, among the letters of made texts.
fn is_spaced(letter: char) -> bool {
    let is_thai = ('\u{e00}'..='\u{e7f}').contains(&letter);
    let is_han = ('\u{4e00}'..='\u{9fff}').contains(&letter);
    letter == '\u{301}' || letter.is_alphanumeric() && !is_thai && !is_han
}

/// A word, or the words of a phrase; whether a word has to begin with it, and end with it.
struct Term {
    words: Vec<Vec<char>>,
    begins: bool,
    ends: bool,
}

fn terms(query: &str) -> Vec<Term> {
    let folded = folded(query);
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let mut terms = Vec::new();
    let mut rest = folded.trim();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (phrase, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
            terms.push(Term {
                words: phrase.split_whitespace().map(letters).collect(),
                begins: true,
                ends: true,
            });
            rest = behind.trim();
            continue;
        }
        let end = rest.find([' ', '\n', '"']).unwrap_or(rest.len());
        let word = &rest[..end];
        terms.push(Term {
            words: vec![letters(word.trim_matches('*'))],
            begins: !word.starts_with('*'),
            ends: !word.ends_with('*'),
        });
        rest = rest[end..].trim();
    }
    terms.retain(|term| term.words.iter().any(|word| !word.is_empty()));
    terms
}

impl Term {
    fn is_in(&self, text: &[char]) -> bool {
        (0..text.len()).any(|start| {
            let end = self.end(text, start);
            end.is_some_and(|end| {
                (!self.begins || is_edge(text, start)) && (!self.ends || is_edge(text, end))
            })
        })
    }

    /// Where it ends in a text, if it begins there.
    fn end(&self, text: &[char], start: usize) -> Option<usize> {
        let mut place = start;
        for (number, word) in self.words.iter().enumerate() {
            let spaces = text[place..]
                .iter()
                .take_while(|letter| letter.is_whitespace())
                .count();
            match number {
                0 => {}
                _ if spaces == 0 => return None,
                _ => place += spaces,
            }
            text[place..].starts_with(word).then_some(())?;
            place += word.len();
        }
        Some(place)
    }
}

fn is_edge(text: &[char], place: usize) -> bool {
    let [before, behind] = [place.checked_sub(1), Some(place)].map(|place| text.get(place?));
    !(before.is_some_and(|letter| is_spaced(*letter)) && behind.is_some_and(|letter| is_spaced(*letter)))
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
    let is = |own: Option<&String>| own.is_some_and(|own| own == value);
    let bound = |column: &str, holds: fn(&f64, &f64) -> bool| {
        let own = number(column, document, signals);
        own.is_some_and(|own| holds(&own, &value.parse().unwrap()))
    };
    if let Some((test, column)) = name.split_once('.').filter(|(test, _)| *test != "is") {
        return match test {
            "min" => bound(column, f64::ge),
            "max" => bound(column, f64::le),
            "above" => bound(column, f64::gt),
            "below" => bound(column, f64::lt),
            other => panic!("the twin has no {other}"),
        };
    }
    match name {
        "q" => {
            let title = folded(document.title.as_deref().unwrap_or_default());
            let texts = [title, folded(&document.text)].map(|text| text.chars().collect::<Vec<char>>());
            let has = |term: &Term| texts.iter().any(|text| term.is_in(text));
            terms(value).iter().all(has)
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
        "min_words" => bound("word_count", f64::ge),
        "max_words" => bound("word_count", f64::le),
        "min_confidence" => bound("confidence", f64::ge),
        "is.http_status" => document.http_status.is_some_and(|own| own.to_string() == value),
        "is.site" => document.site == value,
        "is.crawl_date" => document.crawl_date.is_some_and(|date| year(date.0) == value),
        "is.signals.gopher" => is(signals.gopher.as_ref()),
        "is.signals.languages" => signals.languages.iter().any(|own| own == value),
        other => panic!("the twin has no {other}"),
    }
}

/// The year of a time between 1970 and 2099.
fn year(millis: i64) -> String {
    let mut days = millis / 86_400_000;
    let mut year = 1970;
    let length = |year: i64| if year % 4 == 0 { 366 } else { 365 };
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    year.to_string()
}

/// The number of a column; shares as they are written.
pub(crate) fn number(column: &str, document: &DocumentRow, signals: &SignalRow) -> Option<f64> {
    match column {
        "word_count" => Some(document.word_count.into()),
        "confidence" => document
            .confidence
            .map(|share| share.0.to_string().parse().unwrap()),
        "signals.words" => Some(signals.words.into()),
        "signals.mean_word_length" => Some(signals.mean_word_length.0),
        "signals.alphabetic_tokens" => Some(signals.alphabetic_tokens.0),
        "signals.top_2_gram" => Some(signals.top_2_gram.0),
        other => panic!("the twin has no {other}"),
    }
}

/// Puts documents into an order: those without a value last, equal ones by their ids.
pub(crate) fn sort(rows: &Rows, pages: &mut [usize], sort: &str) {
    let document = |page: &usize| &rows.documents[*page].1;
    let value = |page: &usize| match sort.trim_start_matches('-') {
        "words" => Some(f64::from(document(page).word_count)),
        "confidence" => document(page).confidence.map(|share| share.0.into()),
        "date" => document(page).crawl_date.map(|date| date.0 as f64),
        other => panic!("the twin has no {other}"),
    };
    let is_descending = ["words", "-confidence", "date"].contains(&sort);
    let values = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) if is_descending => other.total_cmp(&one),
        (Some(one), Some(other)) => one.total_cmp(&other),
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Greater,
        (_, None) => Ordering::Less,
    };
    if sort != "url" {
        pages.sort_by(|one, other| {
            let values = values(value(one), value(other));
            values.then_with(|| document(one).row_id.cmp(&document(other).row_id))
        });
    }
}

/// How many have each value.
pub(crate) fn counts(values: impl Iterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}
