//! Dates as people print them.
//!
//! A text is cut into numbers and words; the first place where they make a date counts. A date
//! with the name of a month is certain, one of numbers is read by its separators: 5.8.2016 is in
//! August, 5/8/2016 is in May on an American page and in August elsewhere.

use super::months::month;
use super::{Day, Order, YEARS};

/// What a text says of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Partial {
    pub(crate) year: Option<u16>,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
}

/// Texts are read this far: dates stand at the beginning of what is about them.
const MOST_BYTES: usize = 400;

/// Parts of a text that are looked at.
const MOST_PARTS: usize = 80;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A number, how many digits it has, and what stands behind it.
    Number(u32, usize, char),
    Month(u8),
    Word,
}

impl Partial {
    /// The whole day, if all of it is known and there is such a day.
    pub(crate) fn whole(self) -> Option<Day> {
        Day::new(self.year?, self.month?, self.day?)
    }

    /// All of a day.
    pub(crate) fn of(day: Day) -> Partial {
        let (year, month, number) = day.parts();
        Partial {
            year: Some(year),
            month: Some(month),
            day: Some(number),
        }
    }

    /// With what is missing from another, if they do not contradict each other.
    pub(crate) fn completed_by(self, other: Partial) -> Option<Partial> {
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

/// The first date in a text. `order` says how to read 5/8/2016.
pub(crate) fn read(text: &str, order: Order) -> Option<Partial> {
    let tokens = tokens(text);
    let at = |from: usize| &tokens[from..];
    let places = || 0..tokens.len();
    let whole = places().find_map(|from| with_name(at(from)).or_else(|| of_numbers(at(from), order)));
    whole.or_else(|| places().find_map(|from| without_year(at(from)).or_else(|| without_day(at(from)))))
}

/// The day in the path of an address, or year and month: `/2024/05/01/`, `/2024-05-01-title`,
/// `/2024/05/title`.
pub(crate) fn of_url(url: &str) -> Option<Partial> {
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

/// A year of two digits is of the time of the web.
fn short_year(number: u32) -> u16 {
    if number < 80 {
        2000 + number as u16
    } else {
        1900 + number as u16
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
        ] if after != ':' => Partial::new(Some(short_year(year)), month, day(number)),
        _ => None,
    }
}

/// 2016-07-08, 2016年7月8日, 8.7.2016, 7/8/2016, 8.7.16.
fn of_numbers(tokens: &[Token], order: Order) -> Option<Partial> {
    use Token::Number;
    let small = |number: u32| u8::try_from(number).ok();
    let [
        Number(a, first, one),
        Number(b, 1..=2, two),
        Number(c, last, after),
        ..,
    ] = *tokens
    else {
        return None;
    };
    let separated = matches!(one, '-' | '/' | '.' | '年' | '년' | '‐' | '–')
        && (two == one || matches!(two, '月' | '월'));
    if !separated {
        return None;
    }
    if first == 4 && last <= 2 {
        return Partial::new(Some(a_year(a)?), small(b)?, Some(small(c)?));
    }
    if order == Order::YearMonthDay && first == 2 && last <= 2 && after != ':' {
        let found = Partial::new(Some(short_year(a)), small(b)?, Some(small(c)?));
        if found.is_some() {
            return found;
        }
    }
    let year = match last {
        4 => a_year(c)?,
        // 12.30.45 is a time of day as well; a colon tells.
        2 if after != ':' && first <= 2 => short_year(c),
        _ => return None,
    };
    if first > 2 {
        return None;
    }
    let month_first = (order == Order::MonthDayYear && one == '/') || b > 12;
    let (month, day) = if month_first && a <= 12 { (a, b) } else { (b, a) };
    Partial::new(Some(year), small(month)?, Some(small(day)?))
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

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = &text[..text.floor_char_boundary(MOST_BYTES)];
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= MOST_PARTS {
            break;
        }
        rest = if digit(first).is_some() {
            number(rest, &mut tokens)
        } else if first.is_alphabetic() {
            word(rest, &mut tokens)
        } else {
            &rest[first.len_utf8()..]
        };
    }
    tokens
}

/// The value of a digit of the European, Arabic and Persian numerals and the wide ones of East Asia.
fn digit(letter: char) -> Option<u32> {
    match letter {
        '0'..='9' => Some(letter as u32 - '0' as u32),
        '٠'..='٩' => Some(letter as u32 - '٠' as u32),
        '۰'..='۹' => Some(letter as u32 - '۰' as u32),
        '０'..='９' => Some(letter as u32 - '０' as u32),
        _ => None,
    }
}

fn number<'t>(text: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    let digits: Vec<u32> = text.chars().map_while(digit).take(9).collect();
    let length: usize = text.chars().take(digits.len()).map(char::len_utf8).sum();
    let rest = &text[length..];
    let value = digits.iter().fold(0, |sum, digit| sum * 10 + digit);
    // An ending as in 1st or 2nd belongs to the number, and so does a space before a separator.
    let ending = ["st", "nd", "rd", "th", "er", "º", "ª", "°", "."]
        .into_iter()
        .find(|end| starts_with(rest, end) && !rest[end.len()..].starts_with(char::is_alphabetic));
    let rest = ending
        .filter(|end| *end != ".")
        .map_or(rest, |end| &rest[end.len()..]);
    let after = rest.trim_start().chars().next().unwrap_or(' ');
    tokens.push(Token::Number(value, digits.len(), after));
    rest.strip_prefix(['年', '月', '日', '년', '월', '일'])
        .unwrap_or(rest)
}

fn starts_with(text: &str, lower: &str) -> bool {
    text.get(..lower.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(lower))
}

fn word<'t>(text: &'t str, tokens: &mut Vec<Token>) -> &'t str {
    let is_word = |letter: char| letter.is_alphabetic() || is_mark(letter);
    let end = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    // Short names in Thai have a point inside.
    let pointed = rest.strip_prefix('.').and_then(|rest| rest.chars().next());
    if let Some(next) = pointed.filter(|&next| ('\u{e00}'..='\u{e7f}').contains(&next)) {
        let both = &text[..end + 1 + next.len_utf8()];
        if let Some(month) = month(both) {
            tokens.push(Token::Month(month));
            return &text[both.len()..];
        }
    }
    let token = match month(&word.to_lowercase()) {
        Some(month) => Token::Month(month),
        // The day's name in a date of East Asia and the T of ISO times are no words.
        None if ["T", "年", "月", "日"].contains(&word) => return rest,
        None => Token::Word,
    };
    tokens.push(token);
    rest
}

/// Marks that stand on letters, in Arabic, Hindi, Thai and decomposed Latin.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{93c}'..='\u{94d}' | '\u{e31}'..='\u{e4e}')
}

#[cfg(test)]
mod tests {
    use super::Order::{DayMonthYear, MonthDayYear, YearMonthDay};
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
            let found = read(text, DayMonthYear).and_then(Partial::whole);
            assert_eq!(found.map(|day| day.to_string()).as_deref(), Some(day), "{text}");
        }
        let american = read("5/8/2016", MonthDayYear).and_then(Partial::whole);
        assert_eq!(american, Day::new(2016, 5, 8));
        assert_eq!(
            read("5/8/2016", DayMonthYear).and_then(Partial::whole),
            Day::new(2016, 8, 5)
        );
    }

    #[test]
    fn numbers_are_read_in_the_order_of_the_language() {
        let day = |text, order| {
            read(text, order)
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
        ] {
            assert_eq!(day(text, order).as_deref(), Some(wanted), "{text} {order:?}");
        }
    }

    #[test]
    fn what_is_missing_is_not_made_up() {
        let partial = |year, month, day| Some(Partial { year, month, day });
        assert_eq!(read("Feb 29", DayMonthYear), partial(None, Some(2), Some(29)));
        assert_eq!(
            read("30 February 2010", DayMonthYear),
            partial(Some(2010), Some(2), None)
        );
        assert_eq!(read("8月20日", DayMonthYear), partial(None, Some(8), Some(20)));
        assert_eq!(
            read("Archive of June 2009", DayMonthYear),
            partial(Some(2009), Some(6), None)
        );
        for text in ["", "12:30", "3 comments", "Chapter 12.3.4", "version 1.2.3456"] {
            assert_eq!(read(text, DayMonthYear), None, "{text}");
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
        let printed = read("22 February", DayMonthYear).unwrap();
        let whole = |url| printed.completed_by(of_url(url)?).and_then(Partial::whole);
        assert_eq!(whole("/2016/02/22/a"), Day::new(2016, 2, 22));
        assert_eq!(whole("/2016/02/a"), Day::new(2016, 2, 22));
        assert_eq!(whole("/2016/03/22/a"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,60}") {
            for order in [DayMonthYear, MonthDayYear, YearMonthDay] {
                let found = read(&text, order);
                prop_assert!(found.is_none_or(|date| date.month.is_some()));
            }
        }

        #[test]
        fn numbers_make_the_day_they_were_made_of(number in 0u16..36000) {
            let year = 1980 + number / 360;
            let day = Day::new(year, (number % 12 + 1) as u8, (number % 28 + 1) as u8).unwrap();
            let (year, month, number) = day.parts();
            prop_assert_eq!(read(&format!("{number}.{month}.{year}"), DayMonthYear).and_then(Partial::whole), Some(day));
        }
    }
}
