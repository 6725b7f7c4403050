//! Which rules of rule sets documents fail.

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use gleaner_curate::{Allowed, Language, RuleSet, Threshold};
use gleaner_export::{Column, PageColumns, Value};
use rustc_hash::FxHashMap;

use crate::histogram::Line;
use crate::numbers::{RuleFails, RuleSetFails};
use crate::words::number;

const SIGNALS: &str = "signals";
const LANGUAGES: &str = "languages";
/// The rule that a text in a language without limits fails.
const LANGUAGE: &str = "language";

/// The fails of all rule sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleTally {
    /// By first language of the text, as `por_Latn`.
    languages: BTreeMap<String, u64>,
    sets: [SetTally; RuleSet::ALL.len()],
}

#[derive(Clone, Debug, Default)]
struct SetTally {
    documents: u64,
    first: BTreeMap<String, u64>,
    all: BTreeMap<&'static str, u64>,
}

/// The columns of signals that rules need.
pub(crate) fn columns() -> Vec<Column> {
    let english = language("eng_Latn");
    let of_languages = RuleSet::ALL
        .into_iter()
        .flat_map(|set| set.thresholds(&english).unwrap_or_default());
    let measures = of_languages.map(|threshold| threshold.column);
    let verdicts = RuleSet::ALL.into_iter().map(RuleSet::column);
    let mut names: Vec<&str> = verdicts
        .chain(measures)
        .chain([LANGUAGES, "stop_words"])
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(column).collect()
}

fn column(name: &str) -> Column {
    Column::of(SIGNALS, name).expect("signals has this column")
}

/// A language by its name in the table signals; undetermined without one.
fn language(name: &str) -> Language {
    match name.split_once('_') {
        Some((iso, script)) => Language::new(iso, script),
        None => Language::undetermined(),
    }
}

/// Numbers of a column; NaN for null.
pub(crate) fn numbers(column: &ArrayRef, rows: usize) -> Vec<f64> {
    let number = |row| match Value::at(column, row) {
        Value::Whole(number) => number as f64,
        Value::Share(share) => share.into(),
        Value::Real(number) => number,
        Value::Flag(flag) => f64::from(u8::from(flag)),
        _ => f64::NAN,
    };
    (0..rows).map(number).collect()
}

/// The limits that rule sets have for a column, whatever the language: without those of FineWeb-2.
pub fn rule_limits(column: &Column) -> Vec<Line> {
    match column.table {
        SIGNALS => RuleTally::default().lines(column.name),
        _ => Vec::new(),
    }
}

/// Columns of numbers, each read once.
struct Numbers<'c> {
    page_columns: &'c PageColumns,
    read: FxHashMap<&'static str, Vec<f64>>,
}

impl Numbers<'_> {
    fn value(&mut self, name: &'static str, row: usize) -> f64 {
        let (columns, rows) = (self.page_columns, self.page_columns.pages());
        let read = self.read.entry(name);
        read.or_insert_with(|| numbers(columns.column(&column(name)), rows))[row]
    }
}

impl RuleTally {
    /// Counts the pages of a piece.
    pub(crate) fn count(&mut self, columns: &PageColumns) {
        let names = columns.column(&column(LANGUAGES));
        let first = |row| match Value::at(names, row) {
            Value::List(names) => names.first().and_then(Value::text).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let languages: Vec<String> = (0..columns.pages()).map(first).collect();
        for name in &languages {
            *self.languages.entry(name.clone()).or_default() += 1;
        }
        let mut numbers = Numbers {
            page_columns: columns,
            read: FxHashMap::default(),
        };
        for (set, tally) in RuleSet::ALL.into_iter().zip(&mut self.sets) {
            tally.count_first(columns.column(&column(set.column())), columns.pages());
            tally.count_all(set, &languages, &mut numbers);
        }
    }

    pub(crate) fn add(&mut self, other: RuleTally) {
        for (name, pages) in other.languages {
            *self.languages.entry(name).or_default() += pages;
        }
        for (own, other) in self.sets.iter_mut().zip(other.sets) {
            own.documents += other.documents;
            for (rule, pages) in other.first {
                *own.first.entry(rule).or_default() += pages;
            }
            for (rule, pages) in other.all {
                *own.all.entry(rule).or_default() += pages;
            }
        }
    }

    /// The most frequent language that FineWeb-2 has limits for.
    fn main_language(&self) -> Option<&str> {
        let known = self
            .languages
            .iter()
            .filter(|(name, _)| RuleSet::Fineweb2.thresholds(&language(name)).is_some());
        known
            .max_by_key(|(_, pages)| **pages)
            .map(|(name, _)| name.as_str())
    }

    /// The thresholds of all rule sets, with whose they are; those of FineWeb-2 are those of the most frequent language.
    fn thresholds(&self) -> Vec<(RuleSet, Option<&str>, Vec<Threshold>)> {
        let main = self.main_language();
        let of_set = |set: RuleSet| {
            let name = (set == RuleSet::Fineweb2).then_some(main).flatten();
            (
                set,
                name,
                set.thresholds(&language(name.unwrap_or_default()))
                    .unwrap_or_default(),
            )
        };
        RuleSet::ALL.into_iter().map(of_set).collect()
    }

    /// The limits that rule sets have for a measure, equal ones together.
    pub(crate) fn lines(&self, measure: &str) -> Vec<Line> {
        let mut lines = Vec::new();
        for (set, language, thresholds) in self.thresholds() {
            for threshold in thresholds.iter().filter(|threshold| threshold.column == measure) {
                let of = match language {
                    Some(language) => format!("{} ({language})", title(set.column())),
                    None => title(set.column()).to_owned(),
                };
                add_line(&mut lines, threshold.allowed, of);
            }
        }
        lines.sort_by(|one: &Line, other| one.limit.total_cmp(&other.limit));
        lines
    }

    pub(crate) fn fails(&self) -> Vec<RuleSetFails> {
        let sets = self.thresholds().into_iter().zip(&self.sets);
        let fails = sets.map(|((set, language, thresholds), tally)| RuleSetFails {
            rule_set: set.column().to_owned(),
            language: language.map(str::to_owned),
            documents: tally.documents,
            rules: tally.rules(&thresholds),
        });
        fails.collect()
    }
}

/// Adds a limit to those that are there.
pub(crate) fn add_line(lines: &mut Vec<Line>, allowed: Allowed, of: String) {
    let words = words(allowed);
    match lines.iter_mut().find(|line| line.allowed == words) {
        Some(line) => line.of.push(of),
        None => lines.push(Line {
            limit: allowed.limit(),
            allowed: words,
            of: vec![of],
        }),
    }
}

/// What reports call a rule set.
pub(crate) fn title(column: &str) -> &str {
    match column {
        "gopher" => "Gopher",
        "c4" => "C4",
        "fineweb_c4" => "FineWeb (rules of C4)",
        "fineweb" => "FineWeb",
        "fineweb2" => "FineWeb-2",
        "dclm" => "DCLM",
        other => other,
    }
}

fn words(allowed: Allowed) -> String {
    let words = match allowed {
        Allowed::AtLeast(_) => "at least",
        Allowed::AtMost(_) => "at most",
        Allowed::Above(_) => "more than",
        Allowed::Below(_) => "less than",
    };
    format!("{words} {}", number(allowed.limit()))
}

impl SetTally {
    fn count_first(&mut self, verdicts: &ArrayRef, rows: usize) {
        for row in 0..rows {
            if let Some(rule) = Value::at(verdicts, row).text() {
                self.documents += 1;
                match self.first.get_mut(rule) {
                    Some(pages) => *pages += 1,
                    None => drop(self.first.insert(rule.to_owned(), 1)),
                }
            }
        }
    }

    fn count_all(&mut self, set: RuleSet, languages: &[String], numbers: &mut Numbers<'_>) {
        let mut known: FxHashMap<&str, Option<Vec<Threshold>>> = FxHashMap::default();
        for (row, name) in languages.iter().enumerate() {
            // Only the limits of FineWeb-2 depend on the language.
            let name = if set == RuleSet::Fineweb2 {
                name.as_str()
            } else {
                ""
            };
            let thresholds = known
                .entry(name)
                .or_insert_with(|| set.thresholds(&language(name)));
            let Some(thresholds) = thresholds else {
                *self.all.entry(LANGUAGE).or_default() += 1;
                continue;
            };
            // The two thresholds of a rule stand side by side.
            let mut last = "";
            for threshold in thresholds.iter() {
                if threshold.rule != last && !threshold.allowed.holds(numbers.value(threshold.column, row)) {
                    last = threshold.rule;
                    *self.all.entry(last).or_default() += 1;
                }
            }
        }
    }

    /// The rules in their order, and those that have no threshold here.
    fn rules(&self, thresholds: &[Threshold]) -> Vec<RuleFails> {
        let mut rules: Vec<RuleFails> = Vec::new();
        let others = self
            .first
            .keys()
            .map(String::as_str)
            .chain(self.all.keys().copied());
        let named = thresholds
            .iter()
            .map(|threshold| (threshold.rule, Some(threshold)));
        for (name, threshold) in named.chain(others.map(|name| (name, None))) {
            let allowed = threshold.map(words_of).unwrap_or_default();
            let there = rules.iter().position(|rule| rule.rule == name);
            match there.map(|place| &mut rules[place]) {
                Some(rule) if !allowed.is_empty() => rule.allowed = format!("{}, {allowed}", rule.allowed),
                Some(_) => {}
                None => rules.push(RuleFails {
                    rule: name.to_owned(),
                    first: self.first.get(name).copied().unwrap_or_default(),
                    all: self.all_of(name, threshold.is_some()),
                    allowed,
                }),
            }
        }
        rules
    }

    /// Documents that fail a rule. A rule without a threshold may be one of other languages, or one that is not measured.
    fn all_of(&self, rule: &str, has_threshold: bool) -> Option<u64> {
        let found = self.all.get(rule).copied();
        found.or(has_threshold.then_some(0))
    }
}

fn words_of(threshold: &Threshold) -> String {
    match threshold.column {
        "c4_lorem_ipsum" | "c4_curly_bracket" => "none".to_owned(),
        _ => words(threshold.allowed),
    }
}
