//! Dates as people print them.
//!
//! A text is cut into numbers and words; the first place where they make a date counts. A date
//! with the name of a month is certain, one of numbers is read by its separators: 5.8.2016 is in
//! August, 5/8/2016 is in May on an American page and in August elsewhere.

use super::tokens::{Token, tokens};
use super::{Day, Order, YEARS};

/// What a text says of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// The year, of four digits.
    pub year: Option<u16>,
    /// The month, from 1.
    pub month: Option<u8>,
    /// The day of the month.
    pub day: Option<u8>,
}

impl Partial {
    /// The whole day, if all of it is known and there is such a day.
    pub fn whole(self) -> Option<Day> {
        Day::new(self.year?, self.month?, self.day?)
    }

    /// All of a day.
    pub fn of(day: Day) -> Partial {
        let (year, month, number) = day.parts();
        Partial {
            year: Some(year),
            month: Some(month),
            day: Some(number),
        }
    }

    /// With what is missing from another, if they do not contradict each other.
    pub fn completed_by(self, other: Partial) -> Option<Partial> {
        fn agree<T: PartialEq + Copy>(one: Option<T>, other: Option<T>) -> bool {
            one.zip(other).is_none_or(|(one, other)| one == other)
        }
        let sound =
            agree(self.year, other.year) && agree(self.month, other.month) && agree(self.day, other.day);
        sound.then(|| Partial {
            year: self.year.or(other.year),
            month: self.month.or(other.month),
            day: self.day.or(other.day),
        })
    }

    fn new(year: Option<u16>, month: u8, day: Option<u8>) -> Option<Partial> {
        // A leap year, so that the 29th of February is a day.
        Day::new(year.unwrap_or(2000), month, day.unwrap_or(1))?;
        Some(Partial {
            year,
            month: Some(month),
            day,
        })
    }
}

/// The first date in a text. `order` says how to read 5/8/2016: it is asked where there are numbers in such a form.
pub fn read(text: &str, order: &dyn Fn() -> Order) -> Option<Partial> {
    let tokens = tokens(text);
    let at = |from: usize| &tokens[from..];
    let era = |from: usize| era_year(&tokens[from], order);
    // The number behind an era is a year of that era and of no other.
    let is_of_era =
        |from: usize, before: usize| (from.saturating_sub(before)..from).any(|at| era(at).is_some());
    let places = |before| (0..tokens.len()).filter(move |&from| !is_of_era(from, before));
    let whole = places(1).find_map(|from| match era(from) {
        Some(first_year) => of_era(first_year, at(from + 1)),
        None => with_name(at(from)).or_else(|| of_numbers(at(from), order)),
    });
    whole.or_else(|| places(2).find_map(|from| without_year(at(from)).or_else(|| without_day(at(from)))))
}

/// The day in the path of an address, or year and month: `/2024/05/01/`, `/2024-05-01-title`,
/// `/2024/05/title`.
pub fn of_url(url: &str) -> Option<Partial> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next()?;
    let digits = |text: &str, most: usize| -> Option<u32> {
        let sound = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        sound.then(|| text.parse().ok()).flatten()
    };
    let parts: Vec<&str> = path.split(['/', '-', '_', '.']).skip(1).collect();
    let small = |text: &str| digits(text, 2).map(|number| number as u8);
    let year = |text: &str| digits(text, 4).filter(|_| text.len() == 4).and_then(a_year);
    let day = parts.windows(3).find_map(|three| {
        let date = Partial::new(Some(year(three[0])?), small(three[1])?, Some(small(three[2])?))?;
        date.whole().is_some().then_some(date)
    });
    let month = || {
        let of = |two: &[&str]| Partial::new(Some(year(two[0])?), small(two[1])?, None);
        parts.windows(2).find_map(of)
    };
    day.or_else(month)
}

fn a_year(number: u32) -> Option<u16> {
    u16::try_from(number).ok().filter(|year| YEARS.contains(year))
}

/// A year of two digits is of the time of the web, or of another calendar.
fn short_year(number: u32) -> Option<u16> {
    match number {
        0..40 => Some(2000 + number as u16),
        80..100 => Some(1900 + number as u16),
        _ => None,
    }
}

/// 8 July 2016, July 8th 2016, 2016 July 8, 8. Juli 16.
fn with_name(tokens: &[Token]) -> Option<Partial> {
    use Token::{Month, Number, Word};
    let day = |day: u32| u8::try_from(day).ok();
    match *tokens {
        [Number(number, 1..=2, _), Month(month), Number(year, 4, _), ..]
        | [
            Number(number, 1..=2, _),
            Word,
            Month(month),
            Number(year, 4, _),
            ..,
        ]
        | [
            Number(number, 1..=2, _),
            Month(month),
            Word,
            Number(year, 4, _),
            ..,
        ]
        | [
            Number(number, 1..=2, _),
            Word,
            Month(month),
            Word,
            Number(year, 4, _),
            ..,
        ]
        | [Month(month), Number(number, 1..=2, _), Number(year, 4, _), ..]
        | [
            Month(month),
            Number(number, 1..=2, _),
            Word,
            Number(year, 4, _),
            ..,
        ]
        | [Number(year, 4, _), Month(month), Number(number, 1..=2, _), ..] => {
            Partial::new(Some(a_year(year)?), month, day(number))
        }
        [Number(number, 1..=2, _), Month(month), Number(year, 2, after), ..]
        | [
            Month(month),
            Number(number, 1..=2, ','),
            Number(year, 2, after),
            ..,
        ] if after != ':' => Partial::new(Some(short_year(year)?), month, day(number)),
        _ => None,
    }
}

/// Three numbers with separators as in a date.
struct Numbers {
    numbers: [u32; 3],
    /// How many digits the first and the last have.
    first: usize,
    last: usize,
    separator: char,
    /// What stands behind them.
    after: char,
}

fn numbers(tokens: &[Token]) -> Option<Numbers> {
    use Token::Number;
    let [
        Number(a, first, separator),
        Number(b, 1..=2, second),
        Number(c, last, after),
        ..,
    ] = *tokens
    else {
        return None;
    };
    let is_date = match separator {
        '年' | '년' => matches!(second, '月' | '월'),
        _ => SEPARATORS.contains(&separator) && second == separator,
    };
    is_date.then_some(Numbers {
        numbers: [a, b, c],
        first,
        last,
        separator,
        after,
    })
}

/// What stands between the numbers of a date.
const SEPARATORS: [char; 11] = ['-', '/', '.', '‐', '‑', '–', '−', '؍', '／', '．', '－'];

fn small(number: u32) -> Option<u8> {
    u8::try_from(number).ok()
}

/// 2016-07-08, 2016年7月8日, 8.7.2016, 7/8/2016, 8.7.16.
fn of_numbers(tokens: &[Token], order: &dyn Fn() -> Order) -> Option<Partial> {
    let Numbers {
        numbers: [a, b, c],
        first,
        last,
        separator,
        after,
    } = numbers(tokens)?;
    if first == 4 && last <= 2 {
        return Partial::new(Some(a_year(a)?), small(b)?, Some(small(c)?));
    }
    // 22年 without an era may be of any.
    if first > 2 || !matches!(last, 1 | 2 | 4) || matches!(separator, '年' | '년') {
        return None;
    }
    let order = order();
    // 12.30.45 is a time of day as well; a colon tells.
    let may_be_short = after != ':' && order != Order::DayMonthLongYear;
    if order == Order::YearMonthDay && first == 2 && last <= 2 && may_be_short {
        let found = short_year(a).and_then(|year| Partial::new(Some(year), small(b)?, Some(small(c)?)));
        if found.is_some() {
            return found;
        }
    }
    let year = match last {
        4 => a_year(c)?,
        2 if may_be_short => short_year(c)?,
        _ => return None,
    };
    let month_first = order.is_month_first(separator) || b > 12;
    let (month, day) = if month_first && a <= 12 { (a, b) } else { (b, a) };
    Partial::new(Some(year), small(month)?, Some(small(day)?))
}

/// The first year of the era that a token names. Letters for eras are those of Japanese, which has the year first.
fn era_year(token: &Token, order: &dyn Fn() -> Order) -> Option<u16> {
    match *token {
        Token::Era(first_year) => Some(first_year),
        Token::EraLetter(first_year) => (order() == Order::YearMonthDay).then_some(first_year),
        _ => None,
    }
}

/// 平成22年4月5日, H22.4.5, without the era.
fn of_era(first_year: u16, tokens: &[Token]) -> Option<Partial> {
    let numbers = numbers(tokens).filter(|numbers| numbers.first <= 3 && numbers.last <= 2)?;
    let [number, month, day] = numbers.numbers;
    let year = u32::from(first_year) + number.checked_sub(1)?;
    Partial::new(Some(a_year(year)?), small(month)?, Some(small(day)?))
}

/// July 8, 8 July, 7月8日.
fn without_year(tokens: &[Token]) -> Option<Partial> {
    use Token::{Month, Number, Word};
    match *tokens {
        [Number(day, 1..=2, _), Month(month), ..]
        | [Number(day, 1..=2, _), Word, Month(month), ..]
        | [Month(month), Number(day, 1..=2, _), ..] => Partial::new(None, month, u8::try_from(day).ok()),
        [
            Number(month, 1..=2, '月' | '월'),
            Number(day, 1..=2, '日' | '일'),
            ..,
        ] => Partial::new(None, u8::try_from(month).ok()?, u8::try_from(day).ok()),
        _ => None,
    }
}

/// July 2016.
fn without_day(tokens: &[Token]) -> Option<Partial> {
    match *tokens {
        [Token::Month(month), Token::Number(year, 4, _), ..] => {
            Partial::new(Some(a_year(year)?), month, None)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Order::{DayMonthLongYear, DayMonthYear, MonthDayYear, MonthDayYearButPoints, YearMonthDay};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_of_many_languages_are_read() {
        let cases = [
            ("Friday, July 8th, 2016 at 12:00", "2016-07-08"),
            ("Jul 8 th , 2016", "2016-07-08"),
            ("Posted on 8 July 2016 by Ann", "2016-07-08"),
            ("8 de julho de 2016", "2016-07-08"),
            ("06 Mai 2010", "2010-05-06"),
            ("samedi 27 avril 2013", "2013-04-27"),
            ("1er août 2013", "2013-08-01"),
            ("2. května 2016", "2016-05-02"),
            ("20 декабря, 2022", "2022-12-20"),
            ("20.12.2022", "2022-12-20"),
            ("15 مارس، 2021", "2021-03-15"),
            ("١٥ مارس ٢٠٢١", "2021-03-15"),
            ("2011年8月20日 (土)", "2011-08-20"),
            ("2016년 4월 14일", "2016-04-14"),
            ("2016. 4. 14.", "2016-04-14"),
            ("2024-04-26 16:58", "2024-04-26"),
            ("2024-04-26T16:58:24", "2024-04-26"),
            ("31/12/2012", "2012-12-31"),
            ("12/31/2012", "2012-12-31"),
            ("8.5.16", "2016-05-08"),
            ("2 พ.ค. 2016", "2016-05-02"),
            ("2016 Oct 3", "2016-10-03"),
            ("the 3rd of March, 2009", "2009-03-03"),
        ];
        for (text, day) in cases {
            let found = read(text, &|| DayMonthYear).and_then(Partial::whole);
            assert_eq!(found.map(|day| day.to_string()).as_deref(), Some(day), "{text}");
        }
        let american = read("5/8/2016", &|| MonthDayYear).and_then(Partial::whole);
        assert_eq!(american, Day::new(2016, 5, 8));
        assert_eq!(
            read("5/8/2016", &|| DayMonthYear).and_then(Partial::whole),
            Day::new(2016, 8, 5)
        );
    }

    #[test]
    fn numbers_are_read_in_the_order_of_the_language() {
        let day = |text, order| {
            read(text, &|| order)
                .and_then(Partial::whole)
                .map(|day| day.to_string())
        };
        for (text, order, wanted) in [
            ("04/05/2010", DayMonthYear, "2010-05-04"),
            ("04/05/2010", MonthDayYear, "2010-04-05"),
            ("04/25/2010", DayMonthYear, "2010-04-25"),
            ("25/04/2010", MonthDayYear, "2010-04-25"),
            ("10/04/05", YearMonthDay, "2010-04-05"),
            ("16. 7. 8.", YearMonthDay, "2016-07-08"),
            ("16. 7. 08.", DayMonthYear, "2008-07-16"),
            ("04/05/2010", YearMonthDay, "2010-05-04"),
            ("2010/04/05", MonthDayYear, "2010-04-05"),
            ("2010-04-05", DayMonthYear, "2010-04-05"),
            ("04-05-2010 08:12:11", MonthDayYear, "2010-04-05"),
            ("4-5-10", MonthDayYear, "2010-04-05"),
            ("4.5.2010", MonthDayYear, "2010-04-05"),
            ("25.4.2010", MonthDayYear, "2010-04-25"),
            ("4-5-10", MonthDayYearButPoints, "2010-04-05"),
            ("4/5/2010", MonthDayYearButPoints, "2010-04-05"),
            ("5.4.2010", MonthDayYearButPoints, "2010-04-05"),
            ("04.13.2010", MonthDayYearButPoints, "2010-04-13"),
            ("05-04-2010", DayMonthYear, "2010-04-05"),
            ("05/04/2010", DayMonthLongYear, "2010-04-05"),
            ("۲۰۱۰/۰۴/۰۵", DayMonthLongYear, "2010-04-05"),
            ("٥\u{200f}/٤\u{200f}/٢٠١٠", DayMonthYear, "2010-04-05"),
            ("\u{200e}5\u{200e}.4\u{200e}.2010", DayMonthYear, "2010-04-05"),
            ("०५/०४/२०१०", DayMonthYear, "2010-04-05"),
            ("２０１０／０４／０５", YearMonthDay, "2010-04-05"),
        ] {
            assert_eq!(day(text, order).as_deref(), Some(wanted), "{text} {order:?}");
        }
    }

    #[test]
    fn years_of_eras_are_counted_from_their_first() {
        for (text, wanted) in [
            ("平成22年4月5日", "2010-04-05"),
            ("投稿日平成 22 年 4 月 5 日", "2010-04-05"),
            ("平成２２年４月５日（月）", "2010-04-05"),
            ("平成元年4月5日", "1989-04-05"),
            ("令和元年5月1日", "2019-05-01"),
            ("昭和63年4月5日", "1988-04-05"),
            ("㍻22.4.5", "2010-04-05"),
            ("平成22年(2010年)4月5日", "2010-04-05"),
            ("2010年（平成22年）4月5日", "2010-04-05"),
            ("H22.4.5", "2010-04-05"),
            ("更新 R2/4/5", "2020-04-05"),
            ("民國99年4月5日", "2010-04-05"),
            ("中華民國105年4月5日", "2016-04-05"),
            ("22年4月5日 / 2010年4月6日", "2010-04-06"),
        ] {
            let found = read(text, &|| YearMonthDay).and_then(Partial::whole);
            assert_eq!(
                found.map(|day| day.to_string()).as_deref(),
                Some(wanted),
                "{text}"
            );
        }
        // A letter is no era where the day is first.
        let found = read("S 8.7.2016, R1.5.16", &|| DayMonthYear).and_then(Partial::whole);
        assert_eq!(found, Day::new(2016, 7, 8));
    }

    #[test]
    fn years_of_other_calendars_are_none_of_the_web() {
        for (text, order) in [
            ("明治22年4月5日", YearMonthDay),
            ("大正10.4.5", YearMonthDay),
            ("S22.4.5", YearMonthDay),
            ("1389/01/16", DayMonthLongYear),
            ("۱۳۸۹/۱/۱۶", DayMonthLongYear),
            ("16/01/1389", DayMonthLongYear),
            ("05/04/10", DayMonthLongYear),
            ("89/01/16", DayMonthLongYear),
            ("5/4/53", DayMonthYear),
        ] {
            assert_eq!(read(text, &|| order), None, "{text}");
        }
        let without_year = Some(Partial {
            year: None,
            month: Some(4),
            day: Some(5),
        });
        for text in ["22年4月5日", "22년 4월 5일", "10 年 4 月 5 日"] {
            assert_eq!(read(text, &|| YearMonthDay), without_year, "{text}");
        }
    }

    #[test]
    fn the_order_is_asked_for_numbers_alone() {
        let order = || -> Order { panic!("no order is needed") };
        for text in [
            "8 July 2016",
            "2016-07-08",
            "平成22年4月5日",
            "Chapter 12",
            "7月8日",
            "12:30:45",
        ] {
            read(text, &order);
        }
    }

    #[test]
    fn what_is_missing_is_not_made_up() {
        let partial = |year, month, day| Some(Partial { year, month, day });
        assert_eq!(read("Feb 29", &|| DayMonthYear), partial(None, Some(2), Some(29)));
        assert_eq!(
            read("30 February 2010", &|| DayMonthYear),
            partial(Some(2010), Some(2), None)
        );
        assert_eq!(
            read("8月20日", &|| DayMonthYear),
            partial(None, Some(8), Some(20))
        );
        assert_eq!(
            read("Archive of June 2009", &|| DayMonthYear),
            partial(Some(2009), Some(6), None)
        );
        for text in ["", "12:30", "3 comments", "Chapter 12.3.4", "version 1.2.3456"] {
            assert_eq!(read(text, &|| DayMonthYear), None, "{text}");
        }
    }

    #[test]
    fn addresses_have_days_and_complete_what_is_printed() {
        let partial = |year, month, day| Some(Partial { year, month, day });
        let cases = [
            (
                "https://a.example/2024/05/1/title?x",
                partial(Some(2024), Some(5), Some(1)),
            ),
            (
                "https://a.example/blog/2024-05-01-title",
                partial(Some(2024), Some(5), Some(1)),
            ),
            ("2013/04/a.html", None),
            ("/2013/04/a.html", partial(Some(2013), Some(4), None)),
            ("https://a.example/2024/13/1", None),
            ("https://2024/05/01", None),
        ];
        for (url, date) in cases {
            assert_eq!(of_url(url), date, "{url}");
        }
        let printed = read("22 February", &|| DayMonthYear).unwrap();
        let whole = |url| printed.completed_by(of_url(url)?).and_then(Partial::whole);
        assert_eq!(whole("/2016/02/22/a"), Day::new(2016, 2, 22));
        assert_eq!(whole("/2016/02/a"), Day::new(2016, 2, 22));
        assert_eq!(whole("/2016/03/22/a"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,60}") {
            for order in [DayMonthYear, MonthDayYear, MonthDayYearButPoints, YearMonthDay, DayMonthLongYear] {
                let found = read(&text, &|| order);
                prop_assert!(found.is_none_or(|date| date.month.is_some()));
            }
        }

        #[test]
        fn a_year_of_an_era_is_that_many_after_the_first(year in 1989u16..2099, month in 1u8..=12, day in 1u8..=28) {
            let wanted = Day::new(year, month, day);
            let text = format!("平成{}年{month}月{day}日", year - 1988);
            prop_assert_eq!(read(&text, &|| YearMonthDay).and_then(Partial::whole), wanted);
        }

        #[test]
        fn numbers_make_the_day_they_were_made_of(number in 0u16..36000) {
            let year = 1980 + number / 360;
            let day = Day::new(year, (number % 12 + 1) as u8, (number % 28 + 1) as u8).unwrap();
            let (year, month, number) = day.parts();
            prop_assert_eq!(read(&format!("{number}.{month}.{year}"), &|| DayMonthYear).and_then(Partial::whole), Some(day));
        }
    }
}
