//! The default expressions by hand, as far as that is simple.
//!
//! Most blocks that have a numeral have no date and no time, which a look at what stands around the
//! numeral tells much sooner than an automaton of thousands of states. What is found is sure, or there may
//! be a match that is left to the expression; whatever is neither is none. Where there is a byte beyond
//! ASCII in place of what is looked for there may be a match: it may begin a numeral's letter, or one that
//! is an ASCII letter in the other case. The commonest signs are told apart from letters.

use std::ops::BitOrAssign;

/// A test of the part of a block that expressions are run on.
pub(crate) type Quick = fn(&[u8]) -> Found;

/// A bit for each expression, the first being the lowest: those that match, and those that may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) sure: u8,
    pub(crate) may: u8,
}

impl Found {
    const NONE: Found = Found { sure: 0, may: 0 };

    const fn sure(expression: u8) -> Found {
        Found {
            sure: 1 << expression,
            may: 0,
        }
    }

    const fn may(expressions: u8) -> Found {
        Found {
            sure: 0,
            may: expressions,
        }
    }
}

impl BitOrAssign for Found {
    fn bitor_assign(&mut self, other: Found) {
        self.sure |= other.sure;
        self.may |= other.may;
    }
}

/// The default expressions for dates, by number: those with a name of a month and a year, of numerals with
/// the year first, of numerals, with a name of a month, of a time that has passed, a year.
const MONTH_AND_YEAR: u8 = 1;
const YEAR_FIRST: u8 = 1 << 1;
const NUMERALS: u8 = 1 << 2;
const MONTH: u8 = 1 << 3;
const PASSED: u8 = 1 << 4;
const YEAR: u8 = 1 << 5;
const ANY_DATE: u8 = MONTH_AND_YEAR | YEAR_FIRST | NUMERALS | MONTH | PASSED | YEAR;

/// The first three letters of the months that are ASCII there, in the order of the alphabet.
const MONTHS: [[u8; 3]; 46] = [
    *b"abr", *b"ago", *b"apr", *b"aug", *b"avr", *b"cze", *b"dec", *b"dez", *b"dic", *b"dub", *b"ene",
    *b"feb", *b"fev", *b"gen", *b"giu", *b"gru", *b"jan", *b"jui", *b"jul", *b"jun", *b"kwi", *b"led",
    *b"lip", *b"lis", *b"lug", *b"lut", *b"maa", *b"mag", *b"mai", *b"maj", *b"mar", *b"may", *b"mei",
    *b"mrt", *b"nov", *b"oct", *b"okt", *b"ott", *b"out", *b"pro", *b"sep", *b"set", *b"sie", *b"srp",
    *b"sty", *b"wrz",
];

/// The default expressions for dates.
pub(crate) fn dates(text: &[u8]) -> Found {
    let mut found = Found::NONE;
    for (start, end) in numerals(text) {
        if is_year(text, start, end) {
            found.sure |= YEAR;
        }
        found |= date_before(text, start, end);
        found |= date_behind(&text[end..]);
        found.sure |= date_of_numerals(end - start, &text[end..]);
    }
    found
}

/// The default expressions for times of the day.
pub(crate) fn times(text: &[u8]) -> Found {
    let mut found = Found::NONE;
    for (start, end) in numerals(text) {
        let rest = &text[end..];
        match rest {
            [b':' | b'.', ..]
                if rest[1..]
                    .first_chunk()
                    .is_some_and(|two: &[u8; 2]| is_number(two)) =>
            {
                let hour = &text[start..end];
                let of_day = hour.len() == 1 || (hour.len() == 2 && hour[0] <= b'2');
                let begins = text[..start].last().is_none_or(|&byte| !is_of_name(byte));
                let ends = rest.get(3).is_none_or(|&byte| !is_of_name(byte));
                if rest[0] == b':' && rest[1] <= b'5' && of_day && begins && ends {
                    found.sure |= 1 << 1;
                }
                found.may |= u8::from(part_of_day_may_follow(&rest[3..]));
            }
            [b'h' | b'H', digit, ..] if digit.is_ascii_digit() => found.may |= 1 << 2,
            _ => found.may |= part_of_day(rest.strip_prefix(b" ").unwrap_or(rest)),
        }
    }
    found
}

/// The default marks of list items.
pub(crate) fn bullets(text: &[u8]) -> Found {
    match text {
        [b'-' | b'*' | b'>' | b'+', ..] => Found::sure(0),
        [b'(' | b'[' | 0x80..=0xff, ..] => Found::may(0b1111),
        [b'0'..=b'9', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match rest.get(digits) {
                Some(b'.' | b')' | b':' | b']') if digits < 3 => Found::sure(1),
                Some(0x80..=0xff) => Found::may(1 << 1),
                _ => Found::NONE,
            }
        }
        [first, ..] if first.is_ascii_alphabetic() => {
            let is_roman = |byte: &&u8| matches!(byte.to_ascii_lowercase(), b'i' | b'v' | b'x');
            let mut found = enumerated(2, &text[1..]);
            let romans = text.iter().take_while(is_roman).count();
            if (1..=5).contains(&romans) {
                found |= enumerated(3, &text[romans..]);
            }
            found
        }
        _ => Found::NONE,
    }
}

/// What follows a letter or number that counts: `.` or `)` and then a space or nothing.
fn enumerated(expression: u8, rest: &[u8]) -> Found {
    match rest {
        [b'.' | b')'] | [b'.' | b')', b' ', ..] => Found::sure(expression),
        [0x80..=0xff, ..] => Found::may(1 << expression),
        _ => Found::NONE,
    }
}

/// Where runs of ASCII numerals begin and end.
fn numerals(text: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].iter().position(u8::is_ascii_digit)?;
        from = start + number_length(&text[start..]);
        Some((start, from))
    })
}

/// `:30 pm`: whether what follows hours and minutes may go on with seconds, or be a part of the day.
fn part_of_day_may_follow(rest: &[u8]) -> bool {
    let rest = match rest {
        [b':' | b'.', first, second, rest @ ..] if is_number(&[*first, *second]) => rest,
        rest => rest,
    };
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    matches!(
        rest.first().map(u8::to_ascii_lowercase),
        Some(b'a' | b'p' | b'u' | b'h' | 0x80..=0xff)
    )
}

/// `am`, `p.m.`, `Uhr`, `o'clock`, or signs for hours: the expressions that may match.
fn part_of_day(rest: &[u8]) -> u8 {
    let second = rest.get(1).map_or(0, u8::to_ascii_lowercase);
    let may_be = match rest.first().map_or(0, u8::to_ascii_lowercase) {
        b'a' | b'p' => matches!(second, b'm' | b'.'),
        b'u' => second == b'h',
        b'o' => matches!(second, b'\'' | 0x80..=0xff),
        0x80..=0xff => return u8::from(!is_sign(rest)) * 0b1111,
        _ => false,
    };
    u8::from(may_be) << 2
}

/// A year of these centuries by itself.
fn is_year(text: &[u8], start: usize, end: usize) -> bool {
    end - start == 4
        && matches!(text[start..start + 2], [b'1', b'9'] | [b'2', b'0'])
        && text[..start].last().is_none_or(|&byte| !is_of_name(byte))
        && text.get(end).is_none_or(|&byte| !is_of_name(byte))
}

/// `2007-08-05` and `5.8.2007`: the expressions that match where a numeral of this length begins.
fn date_of_numerals(length: usize, rest: &[u8]) -> u8 {
    let Some((tight, middle)) = after_separator(rest) else {
        return 0;
    };
    let digits = number_length(middle);
    if !(1..=2).contains(&digits) {
        return 0;
    }
    let Some((tight_too, last)) = after_separator(&middle[digits..]) else {
        return 0;
    };
    let year_first = length >= 4 && tight && tight_too && number_length(last) >= 1;
    let numerals = number_length(last) >= 2;
    u8::from(year_first) * YEAR_FIRST + u8::from(numerals) * NUMERALS
}

/// What follows a sign between numerals, and whether there is no space behind the sign.
fn after_separator(rest: &[u8]) -> Option<(bool, &[u8])> {
    match rest {
        [b'.', b' ', rest @ ..] => Some((false, rest)),
        [b'.' | b'-' | b'/', rest @ ..] => Some((true, rest)),
        _ => None,
    }
}

/// `January 5`, `vor 3 `: the month may begin anywhere in its word.
fn date_before(text: &[u8], start: usize, end: usize) -> Found {
    let Some(before) = text[..start].strip_suffix(b" ") else {
        return Found::NONE;
    };
    let (rest, word) = split_last_word(before.strip_suffix(b".").unwrap_or(before));
    let mut found = Found::NONE;
    let has = |wanted| word.windows(3).any(|three| month(three) == Some(wanted));
    if has(Month::Maybe) {
        found.may |= MONTH_AND_YEAR | MONTH;
    } else if has(Month::Sure) {
        found |= year_behind(end - start, &text[end..]);
        found |= month_in_front(rest, word);
    }
    let ago: [&[u8]; 4] = [b"vor", b"hace", b"fa", b"y a"];
    let ends_in = |ago: &&[u8]| {
        let at = before.len().checked_sub(ago.len());
        at.is_some_and(|at| before[at..].eq_ignore_ascii_case(ago))
    };
    if text.get(end) == Some(&b' ') && (has_latin_letter(word) || ago.iter().any(ends_in)) {
        found.may |= PASSED;
    }
    found
}

/// `January 5`: a month by itself begins its word, which stands behind the rest of a text. Where there is no
/// rest, the text may have been cut there.
fn month_in_front(rest: &[u8], word: &[u8]) -> Found {
    let begins = word.get(..3).and_then(month) == Some(Month::Sure);
    match rest.last() {
        // A sign is no letter, and a month may begin behind it.
        _ if !word.is_ascii() => Found::may(MONTH),
        _ if !begins => Found::NONE,
        None => Found::may(MONTH),
        Some(&byte) if is_of_name(byte) => Found::NONE,
        Some(_) => Found { sure: MONTH, may: 0 },
    }
}

/// `5th, 2007`: what is behind the day, of so many numerals, that is behind a month.
fn year_behind(length: usize, rest: &[u8]) -> Found {
    // A long `s` is an `s` in the other case.
    if rest.first() == Some(&0xc5) {
        return Found::may(MONTH_AND_YEAR);
    }
    let rest = match rest {
        [first, second, rest @ ..] if is_any_of(&[*first, *second], &[b"st", b"nd", b"rd", b"th"]) => rest,
        rest => rest,
    };
    let year = rest.strip_prefix(b",").unwrap_or(rest).strip_prefix(b" ");
    let is_year = length <= 2 && year.is_some_and(|year| number_length(year) >= 4);
    Found {
        sure: u8::from(is_year) * MONTH_AND_YEAR,
        may: 0,
    }
}

/// What may follow a numeral in a date: a month, a unit of time, a sign.
fn date_behind(rest: &[u8]) -> Found {
    match rest {
        [0x80..=0xff, ..] if is_sign(rest) => Found::NONE,
        [0x80..=0xff, ..] => Found::may(ANY_DATE),
        [b'.', b' ', rest @ ..] | [b' ', rest @ ..] => date_in_word(rest),
        // "5th of May", "5hours ago"
        [first, ..] if first.is_ascii_alphabetic() => {
            let (word, behind) = rest.split_at(word_length(rest));
            let behind = behind.strip_prefix(b".").unwrap_or(behind);
            let Some(next) = behind.strip_prefix(b" ") else {
                return Found::NONE;
            };
            let mut found = date_in_word(next);
            let is_ordinal = is_any_of(word, &[b"st", b"nd", b"rd", b"th", b"er"]);
            found.sure &= u8::from(is_ordinal) * MONTH_AND_YEAR;
            found.may |= passed(next);
            found
        }
        _ => Found::NONE,
    }
}

/// A word behind a numeral and a space.
fn date_in_word(rest: &[u8]) -> Found {
    let (of, name) = match rest {
        [0x80..=0xff, ..] if !is_sign(rest) => return Found::may(ANY_DATE),
        [b'd' | b'D', b'e' | b'E', b' ', name @ ..] | [b'o' | b'O', b'f' | b'F', b' ', name @ ..] => {
            (true, name)
        }
        name => (false, name),
    };
    let mut found = Found::may(rest[word_length(rest)..].strip_prefix(b" ").map_or(0, passed));
    match name.get(..3).and_then(month) {
        _ if name.first().is_some_and(|first| !first.is_ascii()) && !is_sign(name) => {
            found.may |= MONTH_AND_YEAR | MONTH;
        }
        Some(Month::Maybe) => found.may |= MONTH_AND_YEAR | MONTH,
        Some(Month::Sure) => {
            found.sure |= u8::from(!of) * MONTH;
            found.sure |= u8::from(is_before_year(&name[word_length(name)..])) * MONTH_AND_YEAR;
        }
        None => {}
    }
    found
}

/// `., de 07`: what follows a month's name where a year does.
fn is_before_year(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b".").unwrap_or(rest);
    let rest = rest.strip_prefix(b",").unwrap_or(rest);
    let year = match rest {
        [b' ', b'd' | b'D', b'e' | b'E', b' ', year @ ..] | [b' ', year @ ..] => year,
        _ => return false,
    };
    number_length(year) >= 2
}

/// The beginnings of `ago`, `atrás`, `temu`, `geleden`, `fa` and `назад`.
fn passed(text: &[u8]) -> u8 {
    let may_be = match text {
        [0xd0, ..] => true,
        [first, second, ..] => matches!(
            [first.to_ascii_lowercase(), second.to_ascii_lowercase()],
            [b'a', b'g' | b't'] | [b't' | b'g', b'e'] | [b'f', b'a']
        ),
        _ => false,
    };
    u8::from(may_be) * PASSED
}

/// Whether a month's name begins somewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Month {
    Sure,
    Maybe,
}

fn month(three: &[u8]) -> Option<Month> {
    let three: [u8; 3] = std::array::from_fn(|at| three[at].to_ascii_lowercase());
    match &three {
        // "juin", "juil" and "maart" are not there without their other letters.
        b"jui" | b"maa" => Some(Month::Maybe),
        three if has_latin_letter(three) => Some(Month::Maybe),
        three => MONTHS.binary_search(three).ok().map(|_| Month::Sure),
    }
}

/// Whether a text has a letter beyond ASCII that months of the Latin alphabet are written with; the last two
/// bytes are of the sign for kelvin, which is a `k` in the other case.
fn has_latin_letter(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, 0xc3..=0xc5)) || text.windows(2).any(|two| two == [0xe2, 0x84])
}

/// Whether a text begins with a dash, a bullet or another sign that is not in dates: of Latin-1 but for the sign
/// for ordinals, or of the blocks for punctuation and symbols but for that for kelvin.
fn is_sign(text: &[u8]) -> bool {
    match text {
        [0xc2, second, ..] => *second != 0xba,
        [0xe2, second, ..] => *second != 0x84,
        _ => false,
    }
}

/// Whether a word is one of some, in either case.
fn is_any_of(word: &[u8], list: &[&[u8]]) -> bool {
    list.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn is_number(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_digit)
}

fn number_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A byte that a boundary of words is not between.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// How long the word is that a text begins with.
fn word_length(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_of_word(byte)).count()
}

/// The word that a text ends with, behind the rest.
fn split_last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().rev().take_while(|&&byte| is_of_word(byte)).count();
    text.split_at(text.len() - length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::{Regex, RegexBuilder};

    use super::*;
    use crate::config::Regexps;

    /// What dates, times and marks are made of in the expressions, and what is nearly so.
    const PARTS: &[&str] = &[
        "0",
        "1",
        "5",
        "12",
        "19",
        "20",
        "31",
        "2007",
        "1999",
        "2107",
        " ",
        " ",
        " ",
        ".",
        ". ",
        ",",
        ", ",
        ":",
        "-",
        "/",
        "(",
        ")",
        "[",
        "]",
        "'",
        "’",
        "jan",
        "Januar",
        "may",
        "MARÇO",
        "août",
        "février",
        "září",
        "úno",
        "wrz",
        "paź",
        "kvě",
        "\u{212a}wi",
        "\u{17f}ep",
        "OKT",
        "mrt",
        "мая",
        "ЯНВ",
        "يناير",
        "มกราคม",
        "ม.ค.",
        "st",
        "ST",
        "\u{17f}t",
        "nd",
        "th",
        "er",
        "º",
        "de ",
        "of ",
        "Of ",
        "second",
        "\u{17f}econd",
        "minutes",
        "hour",
        "days",
        "wee\u{212a}",
        "year",
        "s",
        "ago",
        "AGO",
        "vor",
        "před",
        "hace",
        "há",
        "fa",
        "il y a",
        "назад",
        "temu",
        "geleden",
        "atrás",
        "日",
        "时间",
        "小時",
        "前",
        "전",
        "분",
        "年",
        "월",
        "a",
        "p",
        "am",
        "pm",
        "P.M.",
        "uhr",
        "Uhr",
        "h",
        "hod",
        "o'clock",
        "o’clock",
        "oclock",
        "时",
        "시",
        "•",
        "–",
        "*",
        ">",
        "第",
        "三",
        "章",
        "、",
        "（",
        "）",
        "】",
        "①",
        "i",
        "iv",
        "xviii",
        "X",
        "я",
        "é",
        "x",
        "_",
        "word",
        "é ",
    ];

    const NEARLY_DATES: &[&str] = &[
        "jan",
        "Juin",
        "maa",
        "maart",
        "xmay",
        "_Mar",
        "août",
        "\u{17f}ep",
        "5",
        "12",
        "207",
        "2007",
        " ",
        " ",
        " ",
        ".",
        ",",
        "th",
        "St",
        "\u{17f}t",
        "er",
        "of ",
        "De ",
        "é",
        "x",
        "–",
        "·",
        "€",
        "\u{a0}",
        "\u{212a}wi",
        "o\u{212a}t",
        "před",
        "temu",
        "назад",
        "мая",
        "pm",
        "时",
    ];

    fn compile(patterns: &[String]) -> Vec<Regex> {
        let compile = |pattern: &String| RegexBuilder::new(pattern).case_insensitive(true).build().unwrap();
        patterns.iter().map(compile).collect()
    }

    fn assert_agrees(text: &str) {
        thread_local! {
            static EXPRESSIONS: [(Vec<Regex>, Quick); 3] = {
                let Regexps { date, time, bullet, .. } = Regexps::default();
                [(date, dates as Quick), (time, times), (bullet, bullets)]
                    .map(|(expressions, quick)| (compile(&expressions.patterns), quick))
            };
        }
        EXPRESSIONS.with(|all| {
            for (expressions, quick) in all {
                let Found { sure, may } = quick(text.as_bytes());
                for (number, expression) in expressions.iter().enumerate() {
                    let found = expression.is_match(text.as_bytes());
                    let (sure, may) = (sure >> number & 1 != 0, may >> number & 1 != 0);
                    assert!(
                        if found { sure || may } else { !sure },
                        "{expression:?} in {text:?}: {found}"
                    );
                }
            }
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn no_match_is_missed_or_invented(parts in prop::collection::vec(prop::sample::select(PARTS), 0..9)) {
            assert_agrees(&parts.concat());
        }

        #[test]
        fn nor_in_what_is_nearly_a_date_with_a_month(
            parts in prop::collection::vec(prop::sample::select(NEARLY_DATES), 0..10)
        ) {
            assert_agrees(&parts.concat());
        }
    }

    #[test]
    fn nor_is_any_way_to_write_a_date() {
        let behind = [
            "",
            " ",
            " 2007",
            ", 2007",
            " ago",
            "s ago",
            " de 07",
            "th, 2007",
            "\u{17f}t 2007",
            "., 20",
            "/07",
            ".2007",
            " temu",
            " назад",
        ];
        for day in ["5", "05", "12", "2007"] {
            for between in [
                " ", ". ", "th ", "th of ", "er. ", " de ", "-", ".", "/", "", "年", " 年 ",
            ] {
                for (middle, behind) in PARTS
                    .iter()
                    .flat_map(|middle| behind.map(|behind| (middle, behind)))
                {
                    assert_agrees(&format!("{day}{between}{middle}{behind}"));
                    assert_agrees(&format!("{middle}{between}{day}{behind}"));
                }
            }
        }
    }

    #[test]
    fn much_is_told_at_once() {
        for text in [
            "5 comments",
            "12 new products",
            "$19.95",
            "Chapter 3",
            "24/7 help",
            "1,234 people ask",
        ] {
            assert_eq!(times(text.as_bytes()), Found::NONE, "{text}");
        }
        for text in [
            "5 comments",
            "12 new shoes",
            "Chapter 3",
            "1,234 people ask",
            "19 of 20 users",
            "• 5 comments – 12 € · 20 more",
        ] {
            assert_eq!(dates(text.as_bytes()), Found::NONE, "{text}");
        }
        for text in [
            "A title",
            "2007 was",
            "",
            "viii parts",
            "\"quoted\"",
            "x",
            "1234. x",
        ] {
            assert_eq!(bullets(text.as_bytes()), Found::NONE, "{text}");
        }
        assert_eq!(times(b"at 14:05."), Found::sure(1));
        assert_eq!(dates("© 2007, all rights".as_bytes()), Found::sure(5));
        assert_eq!(
            dates(b"on 5.8.2007"),
            Found {
                sure: NUMERALS | YEAR,
                may: 0
            }
        );
        for text in [
            "on January 5th, 2007",
            "on 5. Januar 2007",
            "on 5 de enero de 2007",
            "on 1st of Jan. 07",
        ] {
            let Found { sure, may } = dates(text.as_bytes());
            assert!(sure & MONTH_AND_YEAR != 0 && may == 0, "{text}");
        }
        for text in ["on Aug 5", "on 5 Aug"] {
            assert_eq!(dates(text.as_bytes()), Found { sure: MONTH, may: 0 }, "{text}");
        }
        assert_eq!(bullets(b"iv) one"), Found::sure(3));
    }
}
