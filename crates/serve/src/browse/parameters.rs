//! The parameters of a request, read by name: an unknown one is refused, so that a slip does not change a result.

use std::str::FromStr;

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
    /// 400: a name is not among the known ones, which may end in `.` for names that begin so, or is there twice.
    pub(crate) fn read(pairs: Vec<(String, String)>, known: &[&str]) -> Result<Parameters, Error> {
        for (number, (name, _)) in pairs.iter().enumerate() {
            let begins = |known: &&str| known.ends_with('.') && name.starts_with(*known);
            if !known.iter().any(|known| known == name || begins(known)) {
                return Err(unknown("parameter", name, known.iter().copied()));
            }
            if pairs[..number].iter().any(|(other, _)| other == name) {
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
        let parsed = self.text(name).map(|value| {
            let parsed = value.parse().ok();
            parsed.ok_or_else(|| {
                Error::bad_request(format!("'{name}={value}' cannot be read: {name} is {words}"))
            })
        });
        parsed.transpose()
    }

    /// A finite number.
    ///
    /// # Errors
    /// 400: it is none.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        let number: Option<f64> = self.value(name, "a number")?;
        match number {
            Some(number) if !number.is_finite() => Err(Error::bad_request(format!(
                "'{name}={number}' cannot be read: {name} is a number"
            ))),
            number => Ok(number),
        }
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

    /// # Errors
    /// 400: it is no cursor.
    pub(crate) fn cursor(&self) -> Result<Option<Cursor>, Error> {
        self.text("cursor").map(Cursor::parse).transpose()
    }
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
            said(read(&[("q", "a"), ("q", "b")])),
            "the parameter 'q' is given twice: give it once"
        );
        let found = read(&[("is.language", "deu"), ("q", ""), ("is.host", "")]).unwrap();
        assert_eq!(
            found.beginning("is.").collect::<Vec<_>>(),
            [("language", "deu"), ("host", "")]
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
        let words = |value| read(&[("min_words", value)]).unwrap().number("min_words");
        assert_eq!(words("1e3").unwrap(), Some(1000.0));
        for bad in ["nan", "inf", "1,5", "0x1"] {
            assert!(said(words(bad)).ends_with("min_words is a number"), "{bad}");
        }
        assert!(said(read(&[("cursor", "?")]).unwrap().cursor()).starts_with("the cursor is none"));
    }
}
