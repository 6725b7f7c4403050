//! In which order a language and its region write the numbers of a date.

/// The order of day, month and year where all of them are numbers. A year of four digits at the beginning is one in any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// 8/7/2016, as in most of the world.
    #[default]
    DayFirst,
    /// 7/8/2016, as in the United States.
    MonthFirst,
    /// 16/7/8, and else as where the day is first.
    YearFirst,
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
            true => Order::MonthFirst,
            false if YEAR_FIRST.contains(&name) => Order::YearFirst,
            false => Order::DayFirst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Order::{self, DayFirst, MonthFirst, YearFirst};

    #[test]
    fn languages_and_regions_have_their_order() {
        for (language, order) in [
            ("en", MonthFirst),
            ("en-US", MonthFirst),
            ("EN_us", MonthFirst),
            ("en_US.UTF-8", MonthFirst),
            ("en-Latn-US", MonthFirst),
            ("en-GB", DayFirst),
            ("en-AU", DayFirst),
            ("es-PR", MonthFirst),
            ("es-US", DayFirst),
            ("de", DayFirst),
            ("pt_BR", DayFirst),
            ("hu", YearFirst),
            ("zh-Hant-TW", YearFirst),
            ("", DayFirst),
            ("english", DayFirst),
        ] {
            assert_eq!(Order::of(language), order, "{language}");
        }
    }
}
