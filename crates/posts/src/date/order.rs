//! In which order a language and its region write the numbers of a date.

/// The order of day, month and year where all of them are numbers. A year of four digits at the beginning is one in any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// 8/7/2016, as in most of the world.
    #[default]
    DayMonthYear,
    /// 7/8/2016, as in the United States.
    MonthDayYear,
    /// 16/7/8, and else as where the day is first.
    YearMonthDay,
}

/// Regions in which English has the month first.
const MONTH_FIRST_ENGLISH: [&str; 11] = ["us", "as", "fm", "gu", "mh", "mp", "ph", "pr", "pw", "um", "vi"];
/// Languages that have the year first.
const YEAR_FIRST: [&str; 9] = ["eu", "hu", "ja", "ko", "lt", "mn", "sv", "yue", "zh"];

impl Order {
    /// The order of a language tag, such as `en-GB` or `pt_BR`; English without a region is that of the United States.
    pub(crate) fn of(language: &str) -> Order {
        let language = language.trim().to_ascii_lowercase();
        let mut subtags = language.split(['-', '_', '.']);
        let name = subtags.next().unwrap_or_default();
        // A script (en-Latn-US) has four letters.
        let region = subtags.find(|subtag| subtag.len() == 2);
        let is_month_first = match (name, region) {
            ("en", None) | ("fil", _) => true,
            ("en", Some(region)) => MONTH_FIRST_ENGLISH.contains(&region),
            ("es", Some(region)) => ["pa", "pr"].contains(&region),
            _ => false,
        };
        match is_month_first {
            true => Order::MonthDayYear,
            false if YEAR_FIRST.contains(&name) => Order::YearMonthDay,
            false => Order::DayMonthYear,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Order::{self, DayMonthYear, MonthDayYear, YearMonthDay};

    #[test]
    fn languages_and_regions_have_their_order() {
        for (language, order) in [
            ("en", MonthDayYear),
            ("en-US", MonthDayYear),
            ("EN_us", MonthDayYear),
            ("en_US.UTF-8", MonthDayYear),
            ("en-Latn-US", MonthDayYear),
            ("en-GB", DayMonthYear),
            ("en-AU", DayMonthYear),
            ("es-PR", MonthDayYear),
            ("es-US", DayMonthYear),
            ("de", DayMonthYear),
            ("pt_BR", DayMonthYear),
            ("hu", YearMonthDay),
            ("zh-Hant-TW", YearMonthDay),
            ("", DayMonthYear),
            ("english", DayMonthYear),
        ] {
            assert_eq!(Order::of(language), order, "{language}");
        }
    }
}
