//! The day it is.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today by the machine's clock, UTC: `2026-11-21`.
pub(crate) fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    day(now.map_or(0, |since| since.as_secs() / 86_400))
}

/// A day of the Gregorian calendar, from the number of days since 1970-01-01.
fn day(days: u64) -> String {
    // Counted in cycles of 400 years of 146,097 days, in years that begin in March.
    let days = days + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{day:02}", cycle * 400 + year + next_year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(
            [0, 11_016, 11_017, 20_777, 47_541].map(day),
            [
                "1970-01-01",
                "2000-02-29",
                "2000-03-01",
                "2026-11-20",
                "2100-03-01"
            ]
        );
    }
}
