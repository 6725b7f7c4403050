//! Days, and how they are printed on pages.

mod digits;
mod eras;
mod months;
mod order;
mod read;
mod tokens;

use std::fmt;

use crate::iso_numbers;
use chrono::NaiveDate;
use serde::{Serialize, Serializer};

pub use self::digits::digit;
pub use self::order::Order;
pub use self::read::{Partial, of_url, read};

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

fn date(year: u16, month: u8, day: u8) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year.into(), month.into(), day.into())
}

#[cfg(test)]
mod tests {
    use super::*;

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
