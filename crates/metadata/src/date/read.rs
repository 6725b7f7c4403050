//! Dates as people print them.
//!
//! A text is cut into numbers and words; the first place where they make a date counts. A date
//! with the name of a month is certain, one of numbers is read by its separators: 5.8.2016 is in
//! August, 5/8/2016 is in May on an American page and in August elsewhere.

use std::ops::Range;

use super::months::{Meaning, MonthPlace, chosen, english};
use super::tokens::{Token, Tokens, tokens};
use super::{Day, Order, YEARS};
use crate::Language;

/// Returns the language of a date. It is called only where the date depends on it.
pub type AskLanguage<'a> = &'a dyn Fn() -> Option<Language>;

/// The parts of a day that a text has.
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
    pub fn from_day(day: Day) -> Partial {
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

/// A date in a text, with where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundDate {
    pub(crate) date: Partial,
    /// Where it stands in the text of [`Dates`].
    pub(crate) place: Range<usize>,
}

/// The whole dates of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dates {
    /// The text as far as it is read, without what is not seen.
    pub(crate) text: String,
    pub(crate) found: Vec<FoundDate>,
}

/// The first date in a text: one that is whole, else one without its year or its day.
pub fn read(text: &str, language: AskLanguage<'_>) -> Option<Partial> {
    let tokens = tokens(text);
    let reader = Reader {
        tokens: &tokens,
        language,
    };
    reader
        .whole_from(0)
        .map(|(date, _)| date)
        .or_else(|| reader.part())
}

/// All whole dates in a text.
pub(crate) fn read_all(text: &str, language: AskLanguage<'_>) -> Dates {
    let tokens = tokens(text);
    let reader = Reader {
        tokens: &tokens,
        language,
    };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((date, own)) = reader.whole_from(from) {
        let place = tokens.places[own.start].start..tokens.places[own.end - 1].end;
        found.push(FoundDate { date, place });
        from = own.end;
    }
    Dates {
        found,
        text: tokens.text.into_owned(),
    }
}

/// The day in the path of an address, or year and month: `/2024/05/01/`, `/2024/may/01/`, `/2024-05-01-title`,
/// `/2024/05/title`.
pub fn of_url(url: &str) -> Option<Partial> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next()?;
    let digits = |text: &str, most: usize| -> Option<u32> {
        let sound = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        sound.then(|| text.parse().ok()).flatten()
    };
    // Each part with what stands behind it.
    let parts: Vec<(&str, &str)> = path
        .split_inclusive(['/', '-', '_', '.'])
        .skip(1)
        .map(|part| part.split_at(part.trim_end_matches(['/', '-', '_', '.']).len()))
        .collect();
    let small = |text: &str| digits(text, 2).map(|number| number as u8);
    let month = |(text, by): (&str, &str)| small(text).or_else(|| english(text).filter(|_| by == "/"));
    let year = |text: &str| digits(text, 4).filter(|_| text.len() == 4).and_then(a_year);
    let day = parts.windows(3).find_map(|three| {
        let [(own_year, by), own_month, (day, _)] = *three else {
            return None;
        };
        // In `version-2024-4-4` there is none.
        let is_one = by == own_month.1 && (by == "/" || (own_month.0.len() == 2 && day.len() == 2));
        let date = Partial::new(Some(year(own_year)?), month(own_month)?, Some(small(day)?))?;
        date.whole().filter(|_| is_one).map(|_| date)
    });
    day.or_else(|| {
        let of = |two: &[(&str, &str)]| Partial::new(Some(year(two[0].0)?), month(two[1])?, None);
        parts.windows(2).find_map(of)
    })
}

fn a_year(number: u32) -> Option<u16> {
    // Thailand counts its years from the Buddha's death.
    let number = if (2523..=2642).contains(&number) {
        number - 543
    } else {
        number
    };
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

fn small(number: u32) -> Option<u8> {
    u8::try_from(number).ok()
}

/// A text that is read.
struct Reader<'a, 't> {
    tokens: &'a Tokens<'t>,
    language: AskLanguage<'a>,
}

/// A date, and one past the last of its tokens.
type Made = (Partial, usize);

impl Reader<'_, '_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.tokens.get(at)
    }

    fn order(&self) -> Order {
        Order::from_language((self.language)().as_ref())
    }

    /// The first whole date from a token on, with its tokens.
    fn whole_from(&self, from: usize) -> Option<(Partial, Range<usize>)> {
        let places = from..self.tokens.tokens.len();
        places.filter(|&at| !self.is_of_era(at, 1)).find_map(|at| {
            let (date, end) = match self.era(at) {
                Some(first_year) => self.of_era(first_year, at + 1)?,
                None => self.with_name(at).or_else(|| self.of_numbers(at))?,
            };
            Some((date, at..end))
        })
    }

    /// The first date without a year, or without a day.
    fn part(&self) -> Option<Partial> {
        let places = 0..self.tokens.tokens.len();
        places
            .filter(|&at| !self.is_of_era(at, 2))
            .find_map(|at| self.without_year(at).or_else(|| self.without_day(at)))
    }

    /// The first year of the era that a token names. Letters for eras are those of Japanese, which has the year first.
    fn era(&self, at: usize) -> Option<u16> {
        match *self.token(at)? {
            Token::Era(first_year) => Some(first_year),
            Token::EraLetter(first_year) => (self.order() == Order::YearMonthDay).then_some(first_year),
            _ => None,
        }
    }

    /// Whether one of some tokens before names an era: the number behind it is a year of that era and of no other.
    fn is_of_era(&self, at: usize, before: usize) -> bool {
        (at.saturating_sub(before)..at).any(|at| self.era(at).is_some())
    }

    /// The number at a place, its digits and what stands behind it.
    fn number(&self, at: usize) -> Option<(u32, usize, char)> {
        match *self.token(at)? {
            Token::Number(number, digits, after) => Some((number, digits, after)),
            _ => None,
        }
    }

    /// The number of a day at a place.
    fn day(&self, at: usize) -> Option<u8> {
        let (number, digits, _) = self.number(at)?;
        small(number).filter(|_| digits <= 2 && !self.tokens.is_counted(at))
    }

    /// The month at a place, if it is one where it stands.
    fn month(&self, at: usize, place: MonthPlace) -> Option<Meaning> {
        match self.token(at)? {
            Token::Name(name, meanings) => chosen(meanings, name, place, self.language),
            _ => None,
        }
    }

    /// The next token behind one, over at most `fillers` fillers; none where something else stands between.
    fn next(&self, at: usize, fillers: usize) -> Option<usize> {
        let mut next = at + 1;
        for _ in 0..=fillers {
            if !self.tokens.is_joined(next - 1) {
                return None;
            }
            match self.token(next)? {
                Token::Filler => next += 1,
                _ => return Some(next),
            }
        }
        None
    }

    /// 8 July 2016, July 8th 2016, 2016 July 8, 8. Juli 16.
    fn with_name(&self, at: usize) -> Option<Made> {
        self.day_first(at)
            .or_else(|| self.month_first(at))
            .or_else(|| self.year_first(at))
    }

    /// 8 July 2016, 8 de julho de 2016, 8. Juli 16.
    fn day_first(&self, at: usize) -> Option<Made> {
        let day = self.day(at).filter(|_| !self.tokens.is_of_version(at))?;
        let month_at = self.next(at, 2)?;
        let place = match self.is_compact(at) && self.is_compact(month_at) {
            true => MonthPlace::Within,
            false => MonthPlace::Later,
        };
        let month = self.month(month_at, place)?;
        let year_at = self.next(month_at, 2)?;
        let (year, digits, after) = self.number(year_at)?;
        let year = match digits {
            4 => year,
            2 if month_at == at + 1 && year_at == month_at + 1 && after != ':' => short_year(year)?.into(),
            _ => return None,
        };
        Some((whole(year, month, day)?, year_at + 1))
    }

    /// Whether a hyphen or a slash stands between a token and the next, and nothing else.
    fn is_compact(&self, at: usize) -> bool {
        let places = &self.tokens.places;
        let between = |next: &Range<usize>| self.tokens.text.get(places[at].end..next.start);
        matches!(places.get(at + 1).and_then(between), Some("-" | "/"))
    }

    /// July 8th 2016, July 8, 16.
    fn month_first(&self, at: usize) -> Option<Made> {
        let month = self.month(at, MonthPlace::First)?;
        let day_at = self.next(at, 1)?;
        let day = self.day(day_at)?;
        let (_, _, after_day) = self.number(day_at)?;
        let year_at = self.next(day_at, 1)?;
        let (year, digits, after) = self.number(year_at)?;
        let year = match digits {
            4 => year,
            2 if after_day == ',' && after != ':' => short_year(year)?.into(),
            _ => return None,
        };
        Some((whole(year, month, day)?, year_at + 1))
    }

    /// 2016 July 8, 2021. április 4., 2021. gada 4. aprīlis.
    fn year_first(&self, at: usize) -> Option<Made> {
        let (year, 4, _) = self.number(at)? else {
            return None;
        };
        let second = self.next(at, 2)?;
        let third = self.next(second, 1)?;
        let (month_at, day_at) = match self.day(second) {
            Some(_) => (third, second),
            None => (second, third),
        };
        let month = self.month(month_at, MonthPlace::Later)?;
        // Of 2016 July 8 2017 the last number is the year.
        let (_, digits, _) = self.number(day_at)?;
        let is_of_other =
            digits > 2 || (month_at == third && self.number(third + 1).is_some_and(|next| next.1 == 4));
        if is_of_other {
            return None;
        }
        Some((whole(year, month, self.day(day_at)?)?, third + 1))
    }

    /// Three numbers with separators as in a date.
    fn numbers(&self, at: usize) -> Option<Numbers> {
        let (a, first, separator) = self.number(at)?;
        let (b, 1..=2, second) = self.number(at + 1)? else {
            return None;
        };
        let (c, last, after) = self.number(at + 2)?;
        let is_date = match separator {
            '年' | '년' => matches!(second, '月' | '월'),
            _ => SEPARATORS.contains(&separator) && second == separator,
        };
        let is_counted = is_date && (self.tokens.is_counted(at) || self.tokens.is_counted(at + 2));
        (is_date && !is_counted).then_some(Numbers {
            numbers: [a, b, c],
            first,
            last,
            separator,
            after,
        })
    }

    /// 2016-07-08, 2016年7月8日, 8.7.2016, 7/8/2016, 8.7.16, 7月 8, 2016.
    fn of_numbers(&self, at: usize) -> Option<Made> {
        let date = match self.numbers(at) {
            Some(numbers) => self.of_three(&numbers),
            None => self.of_numbered_month(at),
        };
        Some((date?, at + 3))
    }

    fn of_three(&self, numbers: &Numbers) -> Option<Partial> {
        let Numbers {
            numbers: [a, b, c],
            first,
            last,
            separator,
            after,
        } = *numbers;
        if first == 4 && last <= 2 {
            return Partial::new(Some(a_year(a)?), small(b)?, Some(small(c)?));
        }
        // 22年 without an era may be of any.
        if first > 2 || !matches!(last, 1 | 2 | 4) || matches!(separator, '年' | '년') {
            return None;
        }
        let order = self.order();
        // 12.30.45 may be a time of day: a colon marks it as one.
        let may_be_short = after != ':' && order != Order::DayMonthLongYear;
        if order == Order::YearMonthDay && first == 2 && last <= 2 && may_be_short {
            let found = short_year(a).and_then(|year| Partial::new(Some(year), small(b)?, Some(small(c)?)));
            if found.is_some() {
                return found;
            }
        }
        let month_first = order.is_month_first(separator) || b > 12;
        let (month, day) = if month_first && a <= 12 { (a, b) } else { (b, a) };
        match last {
            4 => Partial::new(Some(a_year(c)?), small(month)?, Some(small(day)?)),
            2 if may_be_short => Partial::new(Some(short_year(c)?), small(month)?, Some(small(day)?)),
            _ => None,
        }
    }

    /// 7月 8, 2016, as programs print it that know the names of months alone.
    fn of_numbered_month(&self, at: usize) -> Option<Partial> {
        let (month, 1..=2, '月' | '월') = self.number(at)? else {
            return None;
        };
        let (_, _, ',' | '，') = self.number(at + 1)? else {
            return None;
        };
        let (year, 4, _) = self.number(at + 2)? else {
            return None;
        };
        Partial::new(Some(a_year(year)?), small(month)?, Some(self.day(at + 1)?))
    }

    /// 平成22年4月5日, H22.4.5, without the era.
    fn of_era(&self, first_year: u16, at: usize) -> Option<Made> {
        let numbers = self
            .numbers(at)
            .filter(|numbers| numbers.first <= 3 && numbers.last <= 2)?;
        let [number, month, day] = numbers.numbers;
        let year = u32::from(first_year) + number.checked_sub(1)?;
        let date = Partial::new(Some(a_year(year)?), small(month)?, Some(small(day)?))?;
        Some((date, at + 3))
    }

    /// July 8, 8 July, 7月8日.
    fn without_year(&self, at: usize) -> Option<Partial> {
        let of = |month: Meaning, day: u8| Partial::new(None, month.month, Some(day));
        if let Some(month) = self.month(at, MonthPlace::First) {
            return of(month, self.day(self.next(at, 0)?)?);
        }
        let day = self.day(at).filter(|_| !self.tokens.is_of_version(at))?;
        let (number, _, after) = self.number(at)?;
        if matches!(after, '月' | '월') {
            let (_, _, '日' | '일' | '号' | '號') = self.number(at + 1)? else {
                return None;
            };
            return Partial::new(None, small(number)?, Some(self.day(at + 1)?));
        }
        of(self.month(self.next(at, 1)?, MonthPlace::Later)?, day)
    }

    /// July 2016.
    fn without_day(&self, at: usize) -> Option<Partial> {
        let month = self.month(at, MonthPlace::Later)?;
        let (year, 4, _) = self.number(self.next(at, 1)?)? else {
            return None;
        };
        Partial::new(Some(a_year(year)?), month.month, None)
    }
}

fn whole(year: u32, month: Meaning, day: u8) -> Option<Partial> {
    Partial::new(Some(a_year(year)?), month.month, Some(day))
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

/// What stands between the numbers of a date.
const SEPARATORS: [char; 11] = ['-', '/', '.', '‐', '‑', '–', '−', '؍', '／', '．', '－'];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_language(text: &str, tag: &str) -> Option<Partial> {
        read(text, &|| Language::from_tags(tag))
    }

    fn day_in(text: &str, tag: &str) -> Option<String> {
        let day = in_language(text, tag).and_then(Partial::whole);
        day.map(|day| day.to_string())
    }

    /// Lines of a language, a day or `-`, and a text that has it.
    #[test]
    fn the_table_of_cases_is_read() {
        for line in include_str!("cases.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
        {
            let mut fields = line.splitn(3, '\t');
            let (Some(tag), Some(day), Some(text)) = (fields.next(), fields.next(), fields.next()) else {
                panic!("{line}");
            };
            let wanted = Some(day).filter(|day| *day != "-");
            assert_eq!(day_in(text, tag.trim()).as_deref(), wanted, "{line}");
        }
    }

    #[test]
    fn all_dates_of_a_line_are_found_with_their_places() {
        let dates = read_all(
            "Updated 6 May 2024, 10:30 · first 2021-03-04 (4.3.2021)",
            &|| None,
        );
        let texts: Vec<_> = dates
            .found
            .iter()
            .map(|found| &dates.text[found.place.clone()])
            .collect();
        assert_eq!(texts, ["6 May 2024, 10:30", "2021-03-04", "4.3.2021"]);
    }

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
            let found = in_language(text, "de").and_then(Partial::whole);
            assert_eq!(found.map(|day| day.to_string()).as_deref(), Some(day), "{text}");
        }
        let american = in_language("5/8/2016", "en-US").and_then(Partial::whole);
        assert_eq!(american, Day::new(2016, 5, 8));
        assert_eq!(
            in_language("5/8/2016", "de").and_then(Partial::whole),
            Day::new(2016, 8, 5)
        );
    }

    #[test]
    fn numbers_are_read_in_the_order_of_the_language() {
        let day = |text, order| {
            in_language(text, order)
                .and_then(Partial::whole)
                .map(|day| day.to_string())
        };
        for (text, order, wanted) in [
            ("04/05/2010", "de", "2010-05-04"),
            ("04/05/2010", "en-US", "2010-04-05"),
            ("04/25/2010", "de", "2010-04-25"),
            ("25/04/2010", "en-US", "2010-04-25"),
            ("10/04/05", "ja", "2010-04-05"),
            ("16. 7. 8.", "ja", "2016-07-08"),
            ("16. 7. 08.", "de", "2008-07-16"),
            ("04/05/2010", "ja", "2010-05-04"),
            ("2010/04/05", "en-US", "2010-04-05"),
            ("2010-04-05", "de", "2010-04-05"),
            ("04-05-2010 08:12:11", "en-US", "2010-04-05"),
            ("4-5-10", "en-US", "2010-04-05"),
            ("4.5.2010", "en-US", "2010-04-05"),
            ("25.4.2010", "en-US", "2010-04-25"),
            ("4-5-10", "en", "2010-04-05"),
            ("4/5/2010", "en", "2010-04-05"),
            ("5.4.2010", "en", "2010-04-05"),
            ("04.13.2010", "en", "2010-04-13"),
            ("05-04-2010", "de", "2010-04-05"),
            ("05/04/2010", "fa", "2010-04-05"),
            ("۲۰۱۰/۰۴/۰۵", "fa", "2010-04-05"),
            ("٥\u{200f}/٤\u{200f}/٢٠١٠", "de", "2010-04-05"),
            ("\u{200e}5\u{200e}.4\u{200e}.2010", "de", "2010-04-05"),
            ("०५/०४/२०१०", "de", "2010-04-05"),
            ("２０１０／０４／０５", "ja", "2010-04-05"),
        ] {
            assert_eq!(day(text, order).as_deref(), Some(wanted), "{text} {order}");
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
            let found = in_language(text, "ja").and_then(Partial::whole);
            assert_eq!(
                found.map(|day| day.to_string()).as_deref(),
                Some(wanted),
                "{text}"
            );
        }
        // A letter is no era where the day is first.
        let found = in_language("S 8.7.2016, R1.5.16", "de").and_then(Partial::whole);
        assert_eq!(found, Day::new(2016, 7, 8));
    }

    #[test]
    fn years_of_other_calendars_are_none_of_the_web() {
        for (text, order) in [
            ("明治22年4月5日", "ja"),
            ("大正10.4.5", "ja"),
            ("S22.4.5", "ja"),
            ("1389/01/16", "de"),
            ("1300/01/16", "fa"),
            ("05/04/10", "fa"),
            ("89/01/16", "fa"),
            ("5/4/53", "de"),
        ] {
            assert_eq!(in_language(text, order), None, "{text}");
        }
        let without_year = Some(Partial {
            year: None,
            month: Some(4),
            day: Some(5),
        });
        for text in ["22年4月5日", "22년 4월 5일", "10 年 4 月 5 日"] {
            assert_eq!(in_language(text, "ja"), without_year, "{text}");
        }
    }

    #[test]
    fn the_language_is_asked_where_it_matters() {
        let language = || -> Option<Language> { panic!("no language is needed") };
        for text in [
            "8 July 2016",
            "2016-07-08",
            "平成22年4月5日",
            "Chapter 12",
            "7月8日",
            "12:30:45",
        ] {
            read(text, &language);
        }
    }

    #[test]
    fn what_is_missing_is_not_made_up() {
        let partial = |year, month, day| Some(Partial { year, month, day });
        assert_eq!(in_language("Feb 29", "de"), partial(None, Some(2), Some(29)));
        assert_eq!(
            in_language("30 February 2010", "de"),
            partial(Some(2010), Some(2), None)
        );
        assert_eq!(in_language("8月20日", "de"), partial(None, Some(8), Some(20)));
        assert_eq!(
            in_language("Archive of June 2009", "de"),
            partial(Some(2009), Some(6), None)
        );
        for text in ["", "12:30", "3 comments", "Chapter 12.3.4", "version 1.2.3456"] {
            assert_eq!(in_language(text, "de"), None, "{text}");
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
            (
                "https://a.example/2006/01/6-five.html",
                partial(Some(2006), Some(1), Some(6)),
            ),
            (
                "https://a.example/2023/October/03/title",
                partial(Some(2023), Some(10), Some(3)),
            ),
            ("https://a.example/best-of-2020-may-be-3", None),
            (
                "https://a.example/t/2024-4-4-2024-5-0-issue",
                partial(Some(2024), Some(4), None),
            ),
        ];
        for (url, date) in cases {
            assert_eq!(of_url(url), date, "{url}");
        }
        let printed = in_language("22 February", "de").unwrap();
        let whole = |url| printed.completed_by(of_url(url)?).and_then(Partial::whole);
        assert_eq!(whole("/2016/02/22/a"), Day::new(2016, 2, 22));
        assert_eq!(whole("/2016/02/a"), Day::new(2016, 2, 22));
        assert_eq!(whole("/2016/03/22/a"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,60}|([0-9一十元年月日平成:./ -]|tháng |Mai |Z ){0,30}") {
            for order in ["de", "en-US", "en", "ja", "fa", ""] {
                let found = in_language(&text, order);
                let all = read_all(&text, &|| None);
                prop_assert!(all.found.iter().all(|found| all.text.get(found.place.clone()).is_some()));
                prop_assert!(found.is_none_or(|date| date.month.is_some()));
            }
        }

        #[test]
        fn a_year_of_an_era_is_that_many_after_the_first(year in 1989u16..2099, month in 1u8..=12, day in 1u8..=28) {
            let wanted = Day::new(year, month, day);
            let text = format!("平成{}年{month}月{day}日", year - 1988);
            prop_assert_eq!(in_language(&text, "ja").and_then(Partial::whole), wanted);
        }

        #[test]
        fn numbers_make_the_day_they_were_made_of(number in 0u16..36000) {
            let year = 1980 + number / 360;
            let day = Day::new(year, (number % 12 + 1) as u8, (number % 28 + 1) as u8).unwrap();
            let (year, month, number) = day.parts();
            prop_assert_eq!(in_language(&format!("{number}.{month}.{year}"), "de").and_then(Partial::whole), Some(day));
        }
    }
}
