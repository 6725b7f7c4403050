//! Days, and how they are printed on pages.

mod counted;
mod digits;
mod eras;
mod months;
mod order;
mod read;
mod tokens;

use std::fmt;

use chrono::{DateTime, Datelike, NaiveDate};
use serde::{Serialize, Serializer};

pub use self::digits::digit;
use self::order::Order;
pub use self::read::{AskLanguage, Partial, of_url, read};
pub(crate) use self::read::{Dates, read_all};

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

/// Years that a post can be of: the web, and some room before it for archives.
const YEARS: std::ops::RangeInclusive<u16> = 1980..=2099;

impl Day {
    /// A day from 1980 to 2099; nothing where there is no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Day> {
        let sound = YEARS.contains(&year) && date(year, month, day).is_some();
        sound.then_some(Day { year, month, day })
    }

    /// Year, month and day.
    pub fn parts(self) -> (u16, u8, u8) {
        (self.year, self.month, self.day)
    }

    /// The day at the beginning of an ISO 8601 date or time.
    ///
    /// ```
    /// use gleaner_metadata::date::Day;
    ///
    /// assert_eq!(Day::from_iso("2024-02-29T23:00:00+01:00"), Day::new(2024, 2, 29));
    /// assert_eq!(Day::from_iso("2023-02-29"), None);
    /// ```
    pub fn from_iso(text: &str) -> Option<Day> {
        let (year, month, day) = iso_numbers(text)?;
        Day::new(year, month, day)
    }

    /// The day that a value for machines states: an ISO 8601 date or time, a date in words or numbers as people of a language
    /// write it, or seconds or milliseconds since the beginning of 1970.
    ///
    /// ```
    /// use gleaner_metadata::date::Day;
    ///
    /// for text in ["2023-01-02T10:00", "2 January 2023", "Mon, 02 Jan 2023 10:00:00 GMT", "1672653600"] {
    ///     assert_eq!(Day::stated(text, &|| None), Day::new(2023, 1, 2), "{text}");
    /// }
    /// ```
    pub fn stated(text: &str, language: AskLanguage<'_>) -> Option<Day> {
        Day::from_iso(text)
            .or_else(|| Day::from_clock(text.trim()))
            .or_else(|| read(text, language).and_then(Partial::whole))
    }

    /// The day of a number of seconds or milliseconds since the beginning of 1970, in UTC.
    fn from_clock(text: &str) -> Option<Day> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let seconds: i64 = match text.len() {
            10 if is_number => text.parse().ok()?,
            13 if is_number => text[..10].parse().ok()?,
            _ => return None,
        };
        let date = DateTime::from_timestamp(seconds, 0)?.date_naive();
        Day::from_number(date.to_epoch_days())
    }

    /// The day of a number of days since the beginning of 1970.
    pub fn from_number(number: i32) -> Option<Day> {
        let date = NaiveDate::from_epoch_days(number)?;
        Day::new(
            u16::try_from(date.year()).ok()?,
            date.month() as u8,
            date.day() as u8,
        )
    }

    /// Days since the beginning of 1970.
    pub fn number(self) -> i64 {
        let day = date(self.year, self.month, self.day);
        i64::from(day.expect("there is such a day").to_epoch_days())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Year, month and day as they stand at the beginning of an ISO 8601 date or time: `2024-05-01T10:00:00Z`, `20240501`. There
/// may be no such day.
fn iso_numbers(text: &str) -> Option<(u16, u8, u8)> {
    let text = text.trim().as_bytes();
    let number = |from: usize, to: usize| -> Option<u16> {
        let digits = text.get(from..to)?;
        digits.iter().all(u8::is_ascii_digit).then(|| {
            digits
                .iter()
                .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'))
        })
    };
    let (month, day) = match text.get(4)? {
        separator @ (b'-' | b'/' | b'.') if text.get(7) == Some(separator) => (number(5, 7)?, number(8, 10)?),
        _ => (number(4, 6)?, number(6, 8)?),
    };
    Some((number(0, 4)?, month as u8, day as u8))
}

fn date(year: u16, month: u8, day: u8) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year.into(), month.into(), day.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_iso_dates_are_read() {
        assert_eq!(iso_numbers(" 20240501T1000"), Some((2024, 5, 1)));
        assert_eq!(iso_numbers("2023-02-31"), Some((2023, 2, 31)));
        for none in ["May 1, 2024", "2024", "2024-5-1", "2024-05/01"] {
            assert_eq!(iso_numbers(none), None, "{none}");
        }
    }

    #[test]
    fn days_are_numbered_one_by_one() {
        assert_eq!(Day::new(1980, 1, 1).unwrap().number(), 3652);
        let mut number = 3651;
        for year in 1980..2100 {
            for month in 1..=12 {
                for day in (1..=31).filter_map(|day| Day::new(year, month, day)) {
                    number += 1;
                    assert_eq!(day.number(), number);
                }
            }
        }
        assert_eq!(Day::new(2023, 2, 29), None);
        assert_eq!(Day::new(2024, 2, 29).unwrap().to_string(), "2024-02-29");
    }
}
