//! Which documents are wanted, and which row groups cannot have any of them.

use std::sync::{Arc, LazyLock};

use gleaner_corpus::{DocumentRow, Limits, Row, TableReader, surt};
use gleaner_export::{Column, PageColumns, Piece, Value};

use super::budget::Budget;
use super::columns::{RIGHTS, Scale, categories, find};
use super::duplicates::Duplicates;
use super::parameters::{Parameters, number};
use super::row_ids::{number_of, short};
use super::version::Version;
use super::words::Words;
use crate::Error;

/// The parameters of filters. Those that end in `.` are followed by the name of a column.
pub(crate) const NAMES: [&str; 14] = [
    "q",
    "url",
    "site",
    "kind",
    "language",
    "survivor",
    "min_words",
    "max_words",
    "min_confidence",
    "is.",
    "min.",
    "max.",
    "above.",
    "below.",
];

/// Which documents are wanted.
pub(crate) struct Filters {
    tests: Vec<Test>,
    pub(crate) words: Option<Words>,
}

/// What has to hold of a document.
enum Test {
    /// A column has a value.
    Is(Column, String),
    /// A number is so large, or so small. A document without the number is not wanted.
    Number(Column, Bound, f64),
    /// The URL has this part, or begins so; cases of ASCII are the same.
    Url(UrlPart),
    /// It survives in its cluster, or is in none; or is a copy.
    Survivor(Arc<Duplicates>, bool),
    /// It is one of these: 64 bits of the row id, in order.
    Among(Vec<u64>),
}

/// How numbers are compared with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Min,
    Max,
    Above,
    Below,
}

struct UrlPart {
    /// In lower case.
    part: String,
    is_begin: bool,
    /// How the SURT begins, if the part has the whole host.
    surt: Option<String>,
}

impl Filters {
    /// The filters that parameters name.
    ///
    /// # Errors
    /// 400: a value cannot be read, or there is no such column.
    pub(crate) fn read(parameters: &Parameters, corpus: &Version, budget: &Budget) -> Result<Filters, Error> {
        let mut tests = Vec::new();
        for (name, column) in [("site", "site"), ("kind", "page_kind"), ("language", "language")] {
            let value = parameters.text(name);
            tests.extend(value.map(|value| Test::Is(own(column), value.to_owned())));
        }
        tests.extend(parameters.text("url").map(|part| Test::Url(UrlPart::of(part))));
        for (name, bound) in [("min_words", Bound::Min), ("max_words", Bound::Max)] {
            let words: Option<u64> = parameters.value(name, "a whole number")?;
            tests.extend(words.map(|words| Test::Number(own("word_count"), bound, words as f64)));
        }
        let least = parameters.text("min_confidence");
        let least = least.map(|least| number("min_confidence", least)).transpose()?;
        tests.extend(least.map(|least| Test::Number(own("confidence"), Bound::Min, least)));
        for (name, value) in parameters.beginning("is.") {
            tests.push(is(name, value, corpus, budget)?);
        }
        for (begin, bound) in Bound::ALL {
            for (name, limit) in parameters.beginning(begin) {
                let limit = number(&format!("{begin}{name}"), limit)?;
                tests.push(Test::Number(column_of_numbers(name, corpus)?, bound, limit));
            }
        }
        if let Some(is_survivor) = parameters.value("survivor", "true or false")? {
            tests.push(Test::Survivor(
                Duplicates::of_version(corpus, budget)?,
                is_survivor,
            ));
        }
        Ok(Filters {
            tests,
            words: parameters.text("q").map(Words::parse).transpose()?.flatten(),
        })
    }

    /// Whether all documents are wanted.
    pub(crate) fn are_none(&self) -> bool {
        self.tests.is_empty() && self.words.is_none()
    }

    /// The columns that they test.
    pub(crate) fn columns(&self) -> Vec<Column> {
        self.tests.iter().filter_map(Test::column).collect()
    }

    /// Whether a row group may have such documents, by the limits of its columns.
    pub(crate) fn may_hold(&self, piece: &Piece) -> bool {
        self.tests.iter().all(|test| test.may_hold(piece))
    }

    /// Whether they hold for a document, but for words.
    pub(crate) fn hold(&self, read: &PageColumns, page: usize) -> bool {
        self.tests.iter().all(|test| test.holds(read, page))
    }
}

/// A column of documents.
pub(crate) fn own(name: &str) -> Column {
    static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
        let columns = DocumentRow::TABLE.columns().into_iter();
        columns
            .filter_map(|column| Column::of("documents", column.name))
            .collect()
    });
    let found = COLUMNS.iter().find(|column| column.name == name);
    *found.expect("documents have this column")
}

fn column_of_numbers(name: &str, corpus: &Version) -> Result<Column, Error> {
    let known = find(corpus, name)?;
    match known.kind {
        Scale::Number => Ok(known.column),
        Scale::Category => Err(Error::bad_request(format!(
            "the column '{name}' has no numbers: test it with is.{name}=VALUE"
        ))),
    }
}

fn is(name: &str, value: &str, corpus: &Version, budget: &Budget) -> Result<Test, Error> {
    let known = find(corpus, name)?;
    match (known.kind, known.column.table) {
        (Scale::Number, _) => Err(Error::bad_request(format!(
            "the column '{name}' has numbers: test it with min.{name} and max.{name}, or with above.{name} and below.{name}"
        ))),
        (Scale::Category, RIGHTS) => Ok(Test::Among(with_rights(corpus, known.column, value, budget)?)),
        (Scale::Category, _) => Ok(Test::Is(known.column, value.to_owned())),
    }
}

/// The documents that have a row of rights with a value: 8 bytes each.
fn with_rights(corpus: &Version, column: Column, value: &str, budget: &Budget) -> Result<Vec<u64>, Error> {
    let mut ids = Vec::new();
    for file in corpus.tables.files.get(RIGHTS).into_iter().flatten() {
        let reader = TableReader::open(&corpus.output, file)?;
        for rows in reader.groups().filter(|rows| !rows.is_empty()) {
            budget.check()?;
            let batch = reader.read(&["row_id", column.name], rows)?;
            let [Some(names), Some(values)] = ["row_id", column.name].map(|name| batch.column_by_name(name))
            else {
                continue;
            };
            for row in 0..batch.num_rows() {
                if categories(&Value::at(values, row)).iter().any(|own| own == value) {
                    let name = Value::at(names, row);
                    ids.extend(name.text().and_then(number_of).map(short));
                }
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The row id of a document as a number.
pub(crate) fn row_id(read: &PageColumns, page: usize) -> Option<u128> {
    Value::at(read.column(&own("row_id")), page)
        .text()
        .and_then(number_of)
}

impl Test {
    fn column(&self) -> Option<Column> {
        match self {
            Test::Is(column, _) | Test::Number(column, ..) => Some(*column),
            Test::Url(_) => Some(own("url")),
            Test::Survivor(..) | Test::Among(_) => None,
        }
    }

    fn holds(&self, read: &PageColumns, page: usize) -> bool {
        match self {
            Test::Is(column, value) => match Value::at(read.column(column), page) {
                Value::Text(own) => own == value.as_str(),
                other => categories(&other).iter().any(|own| own == value),
            },
            Test::Number(column, bound, limit) => {
                number_at(read, column, page).is_some_and(|own| bound.holds(own, *limit))
            }
            Test::Url(part) => Value::at(read.column(&own("url")), page)
                .text()
                .is_some_and(|url| part.is_in(url)),
            Test::Survivor(duplicates, wanted) => {
                let id = row_id(read, page);
                id.is_some_and(|id| duplicates.of(id).is_none_or(|own| own.survives) == *wanted)
            }
            Test::Among(ids) => row_id(read, page).is_some_and(|id| ids.binary_search(&short(id)).is_ok()),
        }
    }

    fn may_hold(&self, piece: &Piece) -> bool {
        match self {
            Test::Is(column, value) => piece.limits(column).is_none_or(|limits| limits.may_have(value)),
            Test::Number(column, bound, limit) => match piece.limits(column) {
                Some(Limits::Numbers { least, most }) => {
                    bound.holds(shown(column, bound.nearest(least, most)), *limit)
                }
                _ => true,
            },
            Test::Url(UrlPart {
                surt: Some(begin), ..
            }) => {
                let limits = piece.limits(&own("surt"));
                limits.is_none_or(|limits| limits.may_have_begin(begin))
            }
            Test::Url(_) | Test::Survivor(..) | Test::Among(_) => true,
        }
    }
}

impl Bound {
    /// How the parameters begin.
    const ALL: [(&str, Bound); 4] = [
        ("min.", Bound::Min),
        ("max.", Bound::Max),
        ("above.", Bound::Above),
        ("below.", Bound::Below),
    ];

    fn holds(self, number: f64, limit: f64) -> bool {
        match self {
            Bound::Min => number >= limit,
            Bound::Max => number <= limit,
            Bound::Above => number > limit,
            Bound::Below => number < limit,
        }
    }

    /// Of the least and the largest number of a row group, the one for which it holds if it holds for any.
    fn nearest(self, least: f64, most: f64) -> f64 {
        match self {
            Bound::Min | Bound::Above => most,
            Bound::Max | Bound::Below => least,
        }
    }
}

/// A number or a time of a document; none for null and NaN.
pub(crate) fn number_at(read: &PageColumns, column: &Column, page: usize) -> Option<f64> {
    let number = match Value::at(read.column(column), page) {
        Value::Whole(number) | Value::Time(number) => number as f64,
        Value::Share(share) => shown(column, share.into()),
        Value::Real(number) => number,
        _ => return None,
    };
    Some(number).filter(|number| !number.is_nan())
}

/// A share as it is written: 0.65, and not 0.6499999761581421.
fn shown(column: &Column, number: f64) -> f64 {
    match column.kind {
        gleaner_export::Kind::Share => (number as f32).to_string().parse().unwrap_or(number),
        _ => number,
    }
}

impl UrlPart {
    fn of(part: &str) -> UrlPart {
        let lower = part.to_ascii_lowercase();
        let is_begin = ["http://", "https://"]
            .iter()
            .any(|scheme| lower.starts_with(scheme));
        UrlPart {
            surt: is_begin.then(|| begin_of_surt(part)).flatten(),
            part: lower,
            is_begin,
        }
    }

    fn is_in(&self, url: &str) -> bool {
        let url = url.to_ascii_lowercase();
        match self.is_begin {
            true => url.starts_with(&self.part),
            false => url.contains(&self.part),
        }
    }
}

/// How the SURTs of all URLs begin that begin so: with the host, if it is whole.
fn begin_of_surt(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = &rest[..rest.find(['/', '?', '#'])?];
    // (Other forms of hosts have SURTs of other forms.)
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let is_host = !host.is_empty() && host.bytes().all(is_plain);
    let surt = is_host.then(|| surt(url))?;
    Some(surt[..=surt.find(')')?].to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_is_a_beginning_and_anything_else_a_part() {
        let is_in = |part: &str, url: &str| UrlPart::of(part).is_in(url);
        assert!(is_in("https://Sea.example/A", "https://sea.example/a/b"));
        assert!(!is_in("https://sea.example/b", "https://sea.example/a/b"));
        assert!(is_in("example/a", "https://sea.example/a/b"));
        assert!(!is_in("example/b", "https://sea.example/a/b"));
        let begin = |part: &str| UrlPart::of(part).surt;
        assert_eq!(
            begin("https://www.sea.example/a").as_deref(),
            Some("example,sea,www)")
        );
        assert_eq!(begin("https://www.sea.exam"), None);
        assert_eq!(begin("https://ü.example/"), None);
        assert_eq!(begin("sea.example/a"), None);
    }

    proptest! {
        /// No row group is left out whose URLs begin so.
        #[test]
        fn urls_that_begin_so_have_surts_that_begin_so(
            url in "(https?|HTTP)://([a-c.]{1,9}|[0-9.]{1,5}|[a-c]@b)(:80|:8)?[/?#][a-c/:@ü]{0,6}",
            length in 0..40_usize,
        ) {
            let part = &url[..url.floor_char_boundary(length)];
            let wanted = UrlPart::of(part);
            prop_assert!(wanted.is_in(&url));
            if let Some(begin) = wanted.surt {
                prop_assert!(surt(&url).starts_with(&begin), "{} of {}", begin, surt(&url));
            }
        }
    }
}
