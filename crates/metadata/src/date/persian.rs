//! The Persian calendar.

use std::ops::RangeInclusive;

use super::Day;

/// Its years that are looked at.
pub(super) const YEARS: RangeInclusive<u32> = 1359..=1478;

/// The day of the Gregorian calendar: nothing where there is no such day.
pub(super) fn day(year: u32, month: u8, day: u8) -> Option<Day> {
    let length = match month {
        1..=6 => 31,
        7..=11 => 30,
        12 => 29 + u8::from(is_leap(year)),
        _ => return None,
    };
    if !YEARS.contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let years = (*YEARS.start()..year).map(|year| 365 + i32::from(is_leap(year)));
    let months = (i32::from(month) - 1) * 30 + i32::from(month - 1).min(6);
    Day::of_number(FIRST + years.sum::<i32>() + months + i32::from(day) - 1)
}

/// The first day of the first of the years, in days since the beginning of 1970: 21 March 1980.
const FIRST: i32 = 3732;

/// Eight years of 33 have a day more.
fn is_leap(year: u32) -> bool {
    (year * 8 + 29) % 33 < 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_gregorian_calendar() {
        for (own, gregorian) in [
            ((1359, 1, 1), "1980-03-21"),
            ((1370, 12, 30), "1992-03-20"),
            ((1389, 1, 16), "2010-04-05"),
            ((1399, 12, 30), "2021-03-20"),
            ((1400, 1, 1), "2021-03-21"),
            ((1402, 7, 1), "2023-09-23"),
            ((1403, 12, 30), "2025-03-20"),
            ((1404, 1, 1), "2025-03-21"),
        ] {
            let (year, month, number) = own;
            let found = day(year, month, number).map(|day| day.to_string());
            assert_eq!(found.as_deref(), Some(gregorian), "{own:?}");
        }
        for (year, month, number) in [
            (1400, 12, 30),
            (1400, 7, 31),
            (1400, 13, 1),
            (1400, 1, 0),
            (1300, 1, 1),
        ] {
            assert_eq!(day(year, month, number), None, "{year}-{month}-{number}");
        }
    }

    #[test]
    fn days_follow_each_other() {
        let mut number = i64::from(FIRST);
        for year in YEARS {
            for month in 1..=12 {
                for found in (1..=31).filter_map(|number| day(year, month, number)) {
                    assert_eq!(found.number(), number);
                    number += 1;
                }
            }
        }
    }
}
