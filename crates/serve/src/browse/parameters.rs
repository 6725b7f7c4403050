//! The parameters of a request, read by name: an unknown one is refused, so that a slip does not change a result.

use std::hash::{Hash, Hasher};
use std::str::FromStr;

use rustc_hash::FxHasher;

use super::cursor::Cursor;
use crate::Error;

/// The most rows of an answer, and how many there are by default.
pub(crate) const MOST: usize = 200;
const USUAL: usize = 50;

/// Names and values, as they stand behind the `?`. Empty values are as good as none: forms send them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
}

impl Parameters {
    /// # Errors
    /// 400: a name is not among the known ones, which may end in `.` for names that begin so, or is there twice. Tests of a column may
    /// be several: all have to hold.
    pub(crate) fn read(pairs: Vec<(String, String)>, known: &[&str]) -> Result<Parameters, Error> {
        for (number, (name, _)) in pairs.iter().enumerate() {
            let begins = |known: &&str| known.ends_with('.') && name.starts_with(*known);
            if !known.iter().any(|known| known == name || begins(known)) {
                return Err(unknown("parameter", name, known.iter().copied()));
            }
            let is_twice = || pairs[..number].iter().any(|(other, _)| other == name);
            if !name.contains('.') && is_twice() {
                return Err(Error::bad_request(format!(
                    "the parameter '{name}' is given twice: give it once"
                )));
            }
        }
        // An empty field of a form asks for nothing; a column can have an empty value.
        let asks = |(name, value): &(String, String)| !value.is_empty() || name.starts_with("is.");
        let pairs = pairs.into_iter().filter(asks);
        Ok(Parameters {
            pairs: pairs.collect(),
        })
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// # Errors
    /// 400: it is not of this type, which `words` describe.
    pub(crate) fn value<T: FromStr>(&self, name: &str, words: &str) -> Result<Option<T>, Error> {
        let parsed = self
            .text(name)
            .map(|value| value.parse().map_err(|_| unreadable(name, value, words)));
        parsed.transpose()
    }

    /// Values of names that begin so, with the rest of the names.
    pub(crate) fn beginning<'p>(&'p self, begin: &'p str) -> impl Iterator<Item = (&'p str, &'p str)> {
        let rest =
            move |(name, value): &'p (String, String)| Some((name.strip_prefix(begin)?, value.as_str()));
        self.pairs.iter().filter_map(rest)
    }

    /// # Errors
    /// 400: it is no number of rows.
    pub(crate) fn limit(&self) -> Result<usize, Error> {
        let limit = self.value("limit", "a number of rows")?.unwrap_or(USUAL);
        match limit {
            0 => Err(Error::bad_request(format!(
                "limit is 0: give a number from 1 to {MOST}"
            ))),
            MOST.. if limit > MOST => Err(Error::bad_request(format!(
                "limit is {limit}: give a number from 1 to {MOST}, and read on with next"
            ))),
            limit => Ok(limit),
        }
    }

    /// The cursor of a list, as [`Parameters::list`] gives it.
    ///
    /// # Errors
    /// 400: it is no cursor, or one of another list.
    pub(crate) fn cursor(&self, list: u32) -> Result<Option<Cursor>, Error> {
        let cursor = self.text("cursor").map(|text| Cursor::parse(text, list));
        cursor.transpose()
    }

    /// A number for the list that has this name and these parameters, in whatever order. Each part of a list may have another length.
    pub(crate) fn list(&self, name: &str) -> u32 {
        let is_part = |(name, _): &&(String, String)| !["cursor", "limit"].contains(&name.as_str());
        let mut pairs: Vec<&(String, String)> = self.pairs.iter().filter(is_part).collect();
        pairs.sort_unstable();
        let mut hasher = FxHasher::default();
        (name, pairs).hash(&mut hasher);
        (hasher.finish() >> 32) as u32
    }
}

/// A finite number.
///
/// # Errors
/// 400: it is none.
pub(crate) fn number(name: &str, value: &str) -> Result<f64, Error> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| unreadable(name, value, "a number"))
}

fn unreadable(name: &str, value: &str, words: &str) -> Error {
    Error::bad_request(format!("'{name}={value}' cannot be read: {name} is {words}"))
}

/// The error for an unknown name: with the nearest known one, else with all.
pub(crate) fn unknown<'k>(what: &str, name: &str, known: impl Iterator<Item = &'k str>) -> Error {
    let known: Vec<&str> = known.collect();
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let slips = |other: &str| strsim::damerau_levenshtein(&plain(name), &plain(other));
    let most = (name.chars().count() / 3).max(1);
    let nearest = known
        .iter()
        .filter(|other| slips(other) <= most)
        .min_by_key(|other| slips(other));
    Error::bad_request(match nearest {
        Some(nearest) => format!("there is no {what} '{name}': did you mean '{nearest}'?"),
        None if known.is_empty() => format!("there is no {what} '{name}', nor any other"),
        None => format!("there is no {what} '{name}': known are {}", known.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Parameters, Error> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        Parameters::read(pairs.collect(), &["q", "limit", "cursor", "min_words", "is."])
    }

    fn said(error: Result<impl std::fmt::Debug, Error>) -> String {
        let error = error.unwrap_err();
        assert_eq!(error.status, 400);
        error.sentence
    }

    #[test]
    fn unknown_names_are_answered_with_the_nearest_known_one() {
        let sentence = |name| said(read(&[(name, "1")]));
        assert_eq!(
            sentence("min-word"),
            "there is no parameter 'min-word': did you mean 'min_words'?"
        );
        assert!(sentence("nothing").ends_with("known are q, limit, cursor, min_words, is."));
        assert_eq!(
            unknown("reason", "http", std::iter::empty()).sentence,
            "there is no reason 'http', nor any other"
        );
        assert_eq!(
            said(read(&[("q", "a"), ("q", "b")])),
            "the parameter 'q' is given twice: give it once"
        );
        let pairs = [
            ("is.language", "deu"),
            ("q", ""),
            ("is.host", ""),
            ("is.language", "eng"),
        ];
        let found = read(&pairs).unwrap();
        assert_eq!(
            found.beginning("is.").collect::<Vec<_>>(),
            [("language", "deu"), ("host", ""), ("language", "eng")]
        );
        assert_eq!(found.text("q"), None);
    }

    #[test]
    fn numbers_are_numbers() {
        let limit = |value| read(&[("limit", value)]).unwrap().limit();
        assert_eq!((limit("").unwrap(), limit("200").unwrap()), (50, 200));
        for bad in ["0", "201", "-1", "1e9", "ten", "99999999999999999999"] {
            assert!(said(limit(bad)).contains("limit"), "{bad}");
        }
        let least = |value| number("min.words", value);
        assert_eq!(least("1e3").unwrap(), 1000.0);
        for bad in ["nan", "inf", "1,5", "0x1", ""] {
            assert!(said(least(bad)).ends_with("min.words is a number"), "{bad}");
        }
        assert!(said(read(&[("cursor", "?")]).unwrap().cursor(0)).starts_with("the cursor is none"));
    }

    #[test]
    fn a_list_is_known_by_its_parameters() {
        let list = |pairs: &[(&str, &str)]| read(pairs).unwrap().list("documents");
        let own = list(&[("q", "a"), ("is.host", "b")]);
        for same in [
            [("is.host", "b"), ("q", "a"), ("limit", "3")].as_slice(),
            &[("q", "a"), ("min_words", ""), ("is.host", "b"), ("cursor", "x")],
        ] {
            assert_eq!(list(same), own);
        }
        for other in [
            [].as_slice(),
            &[("q", "a")],
            &[("q", "b"), ("is.host", "a")],
            &[("q", "a"), ("is.host", "b"), ("is.host", "")],
        ] {
            assert_ne!(list(other), own, "{other:?}");
        }
        assert_ne!(list(&[]), read(&[]).unwrap().list("clusters"));
    }
}
