//! The day of publication.

use std::borrow::Cow;

use chrono::NaiveDate;

use super::marked::{Marked, has_word};
use gleaner_page::{Attr, Tag};

/// A day: year, month from 1, day from 1.
pub type CalendarDay = (i16, u8, u8);

/// Marked elements that are looked at.
const ELEMENTS: usize = 12;
/// A date belongs to a page when it stands within so many blocks of the heading.
const NEAR: usize = 25;
/// Characters of a marked text that may hold a date.
const LONGEST: usize = 120;

/// Year, month and day as they stand at the beginning of an ISO 8601 date or time: `2024-05-01T10:00:00Z`,
/// `20240501`. There may be no such day.
///
/// ```
/// use gleaner_metadata::iso_numbers;
///
/// assert_eq!(iso_numbers(" 20240501T1000"), Some((2024, 5, 1)));
/// assert_eq!(iso_numbers("2023-02-31"), Some((2023, 2, 31)));
/// assert_eq!(iso_numbers("May 1, 2024"), None);
/// ```
pub fn iso_numbers(text: &str) -> Option<(u16, u8, u8)> {
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
        b'-' | b'/' | b'.' => (number(5, 7)?, number(8, 10)?),
        _ => (number(4, 6)?, number(6, 8)?),
    };
    Some((number(0, 4)?, month as u8, day as u8))
}

/// The day of an ISO 8601 date or time.
pub(super) fn iso(text: &str) -> Option<CalendarDay> {
    let (year, month, day) = iso_numbers(text)?;
    sound(year.into(), month.into(), day.into())
}

fn sound(year: u32, month: u32, day: u32) -> Option<CalendarDay> {
    let sound = (1990..=2100).contains(&year) && NaiveDate::from_ymd_opt(year as i32, month, day).is_some();
    sound.then_some((year as i16, month as u8, day as u8))
}

/// The day in the path of an address: `/2024/05/01/`, `/2024-05-01-title`. In `/2024/05/20-tips` there is none.
pub(super) fn of_url(url: &str) -> Option<CalendarDay> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next()?;
    let digits = |text: &str| -> Option<u32> {
        let sound = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        sound.then(|| text.parse().ok()).flatten()
    };
    // Each part with what stands behind it.
    let parts: Vec<(&str, &str)> = path
        .split_inclusive(['/', '-', '_'])
        .skip(1)
        .map(|part| part.split_at(part.trim_end_matches(['/', '-', '_']).len()))
        .collect();
    parts.windows(3).find_map(|three| {
        let [(year, by), (month, then_by), (day, end)] = three else {
            return None;
        };
        let is_one = by == then_by && (*by != "/" || matches!(*end, "/" | ""));
        (is_one && year.len() == 4 && month.len() <= 2 && day.len() <= 2)
            .then(|| sound(digits(year)?, digits(month)?, digits(day)?))
            .flatten()
    })
}

/// The day by elements that carry one: those that schema.org or a class mark as the publication's,
/// else the first `<time>` near the heading.
pub(super) fn marked(marked: &Marked<'_>) -> Option<CalendarDay> {
    let of = |element: u32| {
        let value = |name| marked.page.attribute(element, name).and_then(iso);
        value(Attr::Datetime).or_else(|| value(Attr::Content))
    };
    let published = marked.with_value(PUBLISHED, ELEMENTS, |name, value| {
        matches!(name, Attr::Itemprop | Attr::Class)
            && value
                .split_ascii_whitespace()
                .any(|token| PUBLISHED.contains(&token))
    });
    if let Some(day) = published.into_iter().find_map(of) {
        return Some(day);
    }
    let times = marked.of_tag(Tag::Time, ELEMENTS);
    times
        .into_iter()
        .filter(|&element| {
            marked
                .blocks_from_heading(element)
                .is_some_and(|blocks| blocks <= NEAR)
        })
        .find_map(of)
}

/// The day that is written in an element near the heading whose class, id or property says that it
/// holds one.
pub(super) fn written(marked: &Marked<'_>) -> Option<CalendarDay> {
    let mut elements = marked.of_tag(Tag::Time, ELEMENTS);
    elements.extend(marked.with_value(DATE_PARTS, ELEMENTS, |name, value| {
        matches!(name, Attr::Class | Attr::Id | Attr::Itemprop) && has_word(value, is_date_word)
    }));
    elements.sort_unstable();
    elements
        .into_iter()
        .filter(|&element| {
            marked
                .blocks_from_heading(element)
                .is_some_and(|blocks| blocks <= NEAR)
        })
        .map(|element| marked.text(element))
        .filter(|text| text.chars().count() <= LONGEST)
        .find_map(|text| in_words(&text))
}

/// Words that mark an element with the day of publication.
const PUBLISHED: &[&str] = &[
    "datePublished",
    "dateCreated",
    "published",
    "dt-published",
    "entry-date",
];

/// Parts of the words of [`is_date_word`], whatever letter they begin with.
const DATE_PARTS: &[&str] = &[
    "date", "Date", "ublish", "osted", "imestamp", "yline", "atum", "echa", "data",
];

/// The day in a short line beside the heading: a byline without a mark.
pub(super) fn beside_heading(marked: &Marked<'_>) -> Option<CalendarDay> {
    let lines = marked.beside_heading();
    lines
        .filter(|line| line.chars().count() <= LONGEST_LINE)
        .find_map(in_words)
}

/// Characters of a line that is a byline.
const LONGEST_LINE: usize = 80;

fn is_date_word(word: &str) -> bool {
    matches!(
        word,
        "date"
            | "datetime"
            | "dateline"
            | "published"
            | "publish"
            | "pubdate"
            | "posted"
            | "postdate"
            | "timestamp"
            | "byline"
            | "bylines"
            | "datum"
            | "fecha"
            | "data"
    )
}

/// A date in a text: `2024年5月1日`, `1.5.2024`, `May 1st, 2024`, `1. května 2024`. Of `4/5/2024`
/// nobody knows which is the day.
fn in_words(text: &str) -> Option<CalendarDay> {
    let tokens = tokens(&without_clock(text));
    (0..tokens.len()).find_map(|at| {
        let three = tokens.get(at..at + 3)?;
        let [a, b, c] = [&three[0], &three[1], &three[2]];
        match (a.number, b.number, c.number) {
            (Some(year), Some(month), Some(day)) if year > 31 => sound(year, month, day),
            (Some(first), Some(second), Some(year)) => match b.after_dot || first > 12 {
                true => sound(year, second, first),
                false if second > 12 => sound(year, first, second),
                false => None,
            },
            (Some(day), None, Some(year)) => sound(year, month(&b.text)?, day),
            (None, Some(day), Some(year)) => sound(year, month(&a.text)?, day),
            _ => None,
        }
    })
}

/// Without the time of day and its zone, which may stand within a date: `Aug 6 10:27:28 PDT 2007`.
fn without_clock(text: &str) -> Cow<'_, str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_clock = |word: &str| {
        let word = word.trim_end_matches(',');
        word.contains(':')
            && word
                .split(':')
                .all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_zone = |word: &str| {
        let is_name = word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_offset = word
            .strip_prefix(['+', '-'])
            .is_some_and(|digits| digits.len() == 4);
        (is_name && month(&word.to_lowercase()).is_none()) || is_offset
    };
    if !words.iter().any(|word| is_clock(word)) {
        return Cow::Borrowed(text);
    }
    let is_told =
        |at: usize| is_clock(words[at]) || (at > 0 && is_clock(words[at - 1]) && is_zone(words[at]));
    let kept: Vec<&str> = (0..words.len())
        .filter(|&at| !is_told(at))
        .map(|at| words[at])
        .collect();
    Cow::Owned(kept.join(" "))
}

/// A number or a word of a text.
struct Token {
    text: String,
    number: Option<u32>,
    /// A full stop stands before it.
    after_dot: bool,
}

/// Words that stand within dates and say nothing: `1 de mayo de 2024`, `1st`.
const FILLERS: &[&str] = &[
    "de", "del", "of", "th", "st", "nd", "rd", "er", "d", "the", "г", "года",
];

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut dot = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let same = |letter: char| match is_digit {
            true => letter.is_ascii_digit(),
            false => letter.is_alphabetic() && first.is_alphabetic(),
        };
        let length = rest.find(|letter| !same(letter)).unwrap_or(rest.len());
        let length = length.max(first.len_utf8());
        let token = rest[..length].to_lowercase();
        rest = &rest[length..];
        if is_digit || (first.is_alphabetic() && !FILLERS.contains(&token.as_str()) && !is_cjk_unit(&token)) {
            tokens.push(Token {
                number: token.parse().ok().filter(|_| is_digit && token.len() <= 4),
                text: token,
                after_dot: std::mem::take(&mut dot),
            });
        }
        dot = first == '.';
    }
    tokens
}

/// Year, month and day as they stand after numbers in Chinese, Japanese and Korean.
fn is_cjk_unit(word: &str) -> bool {
    matches!(word, "年" | "月" | "日" | "년" | "월" | "일")
}

/// Beginnings of the months' names, from January; a language a line.
const MONTHS: &[[&str; 12]] = &[
    [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ],
    [
        "jän", "feb", "mär", "apr", "mai", "juni", "juli", "aug", "sept", "okt", "nov", "dez",
    ],
    [
        "janv", "fév", "mars", "avr", "mai", "juin", "juil", "aoû", "sept", "oct", "nov", "déc",
    ],
    [
        "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic",
    ],
    [
        "gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic",
    ],
    [
        "jan", "fev", "març", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez",
    ],
    [
        "jan", "feb", "maart", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
    ],
    [
        "sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru",
    ],
    [
        "led", "únor", "břez", "dub", "květ", "červn", "červenc", "srp", "září", "říj", "listop", "prosin",
    ],
    [
        "янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек",
    ],
    [
        "січ", "лют", "бер", "кві", "тра", "чер", "лип", "сер", "вер", "жов", "лис", "гру",
    ],
    [
        "oca", "şub", "mar", "nis", "mayıs", "haz", "tem", "ağu", "eyl", "eki", "kas", "ara",
    ],
    [
        "tam", "helmi", "maalis", "huhti", "touko", "kesä", "heinä", "elo", "syys", "loka", "marras", "joulu",
    ],
];

/// The number of a month by its name in lower case.
pub(super) fn month(name: &str) -> Option<u32> {
    let place = |language: &[&str; 12]| language.iter().position(|month| name.starts_with(month));
    MONTHS.iter().find_map(place).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_or_refused() {
        assert_eq!(iso("2024-05-01T10:00:00Z"), Some((2024, 5, 1)));
        assert_eq!(iso(" 20240229 "), Some((2024, 2, 29)));
        assert_eq!(iso("2023/02/29"), None);
        assert_eq!(iso("May 1, 2024"), None);
        assert_eq!(iso("2024"), None);
    }

    #[test]
    fn addresses_have_days() {
        assert_eq!(of_url("https://a.example/2024/05/1/title?x"), Some((2024, 5, 1)));
        assert_eq!(
            of_url("https://a.example/blog/2024-05-01-title"),
            Some((2024, 5, 1))
        );
        assert_eq!(of_url("https://a.example/2024/05/"), None);
        assert_eq!(
            of_url("https://a.example/2006/01/6-hi-project-day-five.html"),
            None
        );
        assert_eq!(of_url("https://a.example/2006/01/06"), Some((2006, 1, 6)));
        assert_eq!(of_url("https://2024/05/01"), None);
    }

    #[test]
    fn written_days_are_read_in_many_languages() {
        let first_of_may = Some((2024, 5, 1));
        for text in [
            "May 1st, 2024 at 10:30",
            "Posted on 1 May 2024",
            "1. Mai 2024",
            "1 mai 2024",
            "1 de mayo de 2024",
            "1. května 2024",
            "1 maja 2024",
            "1 мая 2024 г.",
            "2024年5月1日",
            "2024. 5. 1.",
            "2024-05-01",
            "01.05.2024",
            "1 Mayıs 2024",
        ] {
            assert_eq!(in_words(text), first_of_may, "{text}");
        }
        assert_eq!(in_words("13/5/2024"), Some((2024, 5, 13)));
        for clock in [
            "Wed May  1 10:27:28 PDT 2024",
            "Wed May 1 10:27:28 +0200 2024",
            "10:27 MAY 1, 2024",
        ] {
            assert_eq!(in_words(clock), first_of_may, "{clock}");
        }
        assert_eq!(in_words("5/13/2024"), Some((2024, 5, 13)));
        for none in [
            "4/5/2024",
            "5 minutes 2024",
            "May 2024",
            "31 June 2024",
            "12345678901 May 1",
        ] {
            assert_eq!(in_words(none), None, "{none}");
        }
    }
}
