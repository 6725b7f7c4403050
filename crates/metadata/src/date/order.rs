//! In which order a language and its region write the numbers of a date.

use crate::Language;

/// The order of day, month and year where all of them are numbers. A year of four digits at the beginning is one in any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// 8/7/2016, as in most of the world.
    #[default]
    DayMonthYear,
    /// 7/8/2016, as in the United States.
    MonthDayYear,
    /// 7/8/2016 and 8.7.2016: English of no known region, for who writes points is from Europe.
    MonthDayYearButPoints,
    /// 16/7/8, and else as where the day is first.
    YearMonthDay,
    /// 8/7/2016, and years of two digits are of another calendar.
    DayMonthLongYear,
}

/// Regions in which English has the month first.
const MONTH_FIRST_ENGLISH: [&str; 11] = ["us", "as", "fm", "gu", "mh", "mp", "ph", "pr", "pw", "um", "vi"];
/// Languages that have the year first.
const YEAR_FIRST: [&str; 9] = ["eu", "hu", "ja", "ko", "lt", "mn", "sv", "yue", "zh"];
/// Languages of the Persian calendar.
const PERSIAN_CALENDAR: [&str; 6] = ["fa", "glk", "lrc", "mzn", "prs", "ps"];

impl Order {
    /// The order of a language.
    pub(super) fn from_language(language: Option<&Language>) -> Order {
        let Some(language) = language else {
            return Order::default();
        };
        match (language.name.as_str(), language.region.as_deref()) {
            ("en" | "eng", None) => Order::MonthDayYearButPoints,
            ("en" | "eng", Some(region)) if MONTH_FIRST_ENGLISH.contains(&region) => Order::MonthDayYear,
            ("fil" | "tl", _) | ("es", Some("pa" | "pr")) => Order::MonthDayYear,
            (name, _) if YEAR_FIRST.contains(&name) => Order::YearMonthDay,
            (name, _) if PERSIAN_CALENDAR.contains(&name) => Order::DayMonthLongYear,
            _ => Order::DayMonthYear,
        }
    }

    /// Whether the month stands before the day and the year, with a separator.
    pub(super) fn is_month_first(self, separator: char) -> bool {
        match self {
            Order::MonthDayYear => true,
            Order::MonthDayYearButPoints => separator != '.',
            Order::DayMonthYear | Order::YearMonthDay | Order::DayMonthLongYear => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Order::{
        self, DayMonthLongYear, DayMonthYear, MonthDayYear, MonthDayYearButPoints, YearMonthDay,
    };
    use super::*;

    #[test]
    fn languages_and_regions_have_their_order() {
        for (language, order) in [
            ("en", MonthDayYearButPoints),
            ("en-US", MonthDayYear),
            ("EN_us", MonthDayYear),
            ("en-Latn-US", MonthDayYear),
            ("en, en-US", MonthDayYear),
            ("en-GB", DayMonthYear),
            ("en-AU", DayMonthYear),
            ("en-001", DayMonthYear),
            ("en-150", DayMonthYear),
            ("es-PR", MonthDayYear),
            ("es-US", DayMonthYear),
            ("de", DayMonthYear),
            ("pt_BR", DayMonthYear),
            ("hu", YearMonthDay),
            ("zh-Hant-TW", YearMonthDay),
            ("fa-IR", DayMonthLongYear),
            ("", DayMonthYear),
            ("english", DayMonthYear),
        ] {
            let found = Order::from_language(Language::from_tags(language).as_ref());
            assert_eq!(found, order, "{language}");
        }
    }
}
