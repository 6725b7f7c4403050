//! The expressions of `regexp.*` and `bullet`: the defaults, and how they are run.

use std::sync::{Mutex, PoisonError};

use regex::bytes::{RegexSet, RegexSetBuilder, SetMatches};

use crate::Error;
use crate::alternatives::lower_case;
use crate::eights::{HIGH, Heads, digits_and_others, letters, within};
use crate::expressions::{Among, Expressions, Regexps};

/// Maximum bytes of states of a lazily built automaton before it is cleared.
const AUTOMATON_BYTES: usize = 8 << 20;

/// Maximum distance between a numeral and the ends of a match among [`Among::Digits`]. The limit halves the
/// time of dates and times.
const NEAR_BYTES: usize = 64;

/// Months by name or abbreviation, in the languages of the Latin alphabet, and the rest of the
/// word: letters by their bytes, which keeps the automaton small.
const MONTHS: &str = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|jän|mär|mai|okt|dez|févr|fev|avr|juin|juil|août|déc|ene|abr|ago|set|dic|mag|giu|lug|ott|gen|out|maart|mrt|mei|led|úno|bře|dub|kvě|čer|srp|zář|říj|lis|pro|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|gru)(?-u:[a-z\x80-\xff])*\.?";
/// Months of Russian, Arabic and Thai.
const OTHER_MONTHS: &str = r"(?:янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)(?-u:[\x80-\xff])*|يناير|فبراير|مارس|أبريل|إبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر|มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม|[มกพสตธ]\.[คพย]\.";

impl Default for Regexps {
    fn default() -> Self {
        Regexps {
            url: list(Among::Dots, 300, url_patterns()),
            date: list(Among::Digits, 200, date_patterns()),
            time: list(Among::Digits, 200, time_patterns()),
            bullet: list(Among::Marks, 24, bullet_patterns()),
        }
    }
}

fn list(among: Among, bytes: usize, patterns: Vec<String>) -> Expressions {
    Expressions {
        among,
        bytes,
        patterns,
    }
}

fn own(patterns: &[&str]) -> Vec<String> {
    patterns.iter().map(|&pattern| pattern.to_owned()).collect()
}

fn url_patterns() -> Vec<String> {
    own(&[
        r"(?-u:\b)https?://[^ /]",
        r"(?-u:\b)www\.[a-z0-9-]",
        r"[a-z0-9_-]@[a-z0-9-]+\.[a-z][a-z]",
        r"[a-z0-9-]\.(?:com|org|net|edu|gov|info|io|co\.[a-z][a-z]|de|cz|fr|es|it|nl|pl|ru|pt|br|jp|cn|kr|eu|ch|at|uk)(?-u:\b)",
    ])
}

fn date_patterns() -> Vec<String> {
    vec![
        // January 5, 2007; 5 January 2007; 5. ledna 2007; 5 de enero de 2007
        format!(
            r"{MONTHS} [0-9][0-9]?(?:st|nd|rd|th)?,? [0-9]{{4}}|[0-9](?:st|nd|rd|th|er|º)?\.? (?:de |of )?(?:{MONTHS}|{OTHER_MONTHS}),? (?:de )?[0-9][0-9]"
        ),
        // 2007-08-05; 2007年8月5日; 2007년 8월 5일
        r"[0-9]{4}[-/.][0-9][0-9]?[-/.][0-9]|[0-9] ?[年년] ?[0-9][0-9]? ?[月월]".to_owned(),
        // 5.8.2007, 08/05/07
        r"[0-9](?:\. ?|[-/])[0-9][0-9]?(?:\. ?|[-/])[0-9][0-9]".to_owned(),
        // August 2007, Aug 5, 5 Aug
        format!(r"(?-u:\b){MONTHS} [0-9]|[0-9]\.? (?:{MONTHS}|{OTHER_MONTHS})"),
        // 3 hours ago; vor 3 Stunden; il y a 3 jours; 3 часа назад; 3日前
        r"[0-9] ?(?:second|minute|hour|day|week|month|year)s? ago|(?:vor|před|hace|há|fa|il y a) [0-9]+ |[0-9] (?-u:[a-z\x80-\xff])+ (?:назад|(?:temu|geleden|atrás|fa)(?-u:\b))|[0-9] ?(?:秒|分|分钟|分鐘|時間|小时|小時|日|天|か月|个月|年|초|분|시간|일) ?(?:前|전)".to_owned(),
        // a year by itself
        r"(?-u:\b)(?:19|20)[0-9][0-9](?-u:\b)".to_owned(),
    ]
}

fn time_patterns() -> Vec<String> {
    own(&[
        r"[0-9][:.][0-9][0-9](?:[:.][0-9][0-9])? ?(?:[ap]\.?m\.?|uhr|h|hod)(?-u:\b)",
        r"(?-u:\b)[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?(?-u:\b)",
        r"[0-9] ?(?:[ap]\.?m\.?|uhr|o['’]clock)(?-u:\b)|(?-u:\b)[0-2]?[0-9]h[0-5][0-9](?-u:\b)",
        r"[0-9] ?[時时点點시] ?[0-9][0-9]? ?[分분]",
    ])
}

fn bullet_patterns() -> Vec<String> {
    own(&[
        r"^[-–—*•·●○■□▪▫►▶▸‣⁃◦✓✔❖➤»›>+・※◆◇★☆]",
        r"^[(（【\[]?[0-9]{1,3}[.):、．）\]】]|^[①-⑳]|^第?[0-9一二三四五六七八九十]{1,3}[、章条節节조]",
        r"^[(（]?\p{L}[.)）](?: |$)",
        r"^\(?[ivx]{1,5}[.)](?: |$)",
    ])
}

/// Compiled expressions of one feature.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    among: Among,
    bytes: usize,
    /// All as one automaton: most blocks match none, which is seen in one go.
    set: Compiled,
}

/// Patterns as one automaton, and whether it reads texts in lower case.
type Compiled = (RegexSet, bool);

/// What the pass over a block's characters found that expressions can be ruled out by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hints {
    /// The block has a numeral.
    pub(crate) digits: bool,
    /// The block has a full stop or colon right before a letter or a slash.
    pub(crate) dots: bool,
}

impl Matcher {
    pub(crate) fn new(feature: &'static str, expressions: &Expressions) -> Result<Matcher, Error> {
        let set = compiled(&expressions.patterns);
        Ok(Matcher {
            among: expressions.among,
            bytes: expressions.bytes,
            set: set.map_err(|source| Error::Expression(feature, Box::new(source)))?,
        })
    }

    /// The number of the first expression that matches a text, given as it is and with ASCII letters in lower case; counted
    /// from one, zero if none does.
    pub(crate) fn first(&self, text: [&str; 2], hints: Hints) -> u8 {
        let found = self.matching(text, hints);
        found.map_or(0, |set| set.iter().next().map_or(0, |number| number as u8 + 1))
    }

    /// A bit for each expression that matches, the first being the lowest.
    pub(crate) fn all(&self, text: [&str; 2], hints: Hints) -> u8 {
        let found = self.matching(text, hints);
        found.map_or(0, |set| set.iter().fold(0, |bits, number| bits | 1 << number))
    }

    /// The expressions that match; none if there are none.
    fn matching(&self, text: [&str; 2], hints: Hints) -> Option<SetMatches> {
        let (set, is_lower) = &self.set;
        let (start, from) = self.part(text[usize::from(*is_lower)], hints)?;
        // To know whether any does, the text is read up to the first match only, and nothing is allocated.
        set.is_match_at(start, from).then(|| set.matches_at(start, from))
    }

    /// The part of the text to look at and where in it to begin.
    fn part<'t>(&self, text: &'t str, hints: Hints) -> Option<(&'t [u8], usize)> {
        let start = &text.as_bytes()[..text.floor_char_boundary(self.bytes)];
        match self.among {
            Among::All => Some((start, 0)),
            Among::Digits if hints.digits => near_numerals(start),
            Among::Dots if hints.dots => Some((start, 0)),
            Among::Marks if has_mark(start) => Some((start, 0)),
            _ => None,
        }
    }
}

/// Compiles patterns. Models have the same ones, and compiling them takes longer than reading a page; so those that were
/// compiled are kept.
fn compiled(patterns: &[String]) -> Result<Compiled, regex::Error> {
    static KNOWN: Mutex<Vec<(Vec<String>, Compiled)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, set)) = known.iter().find(|(own, _)| own == patterns) {
        return Ok(set.clone());
    }
    let lower: Option<Vec<String>> = patterns.iter().map(|pattern| lower_case(pattern)).collect();
    let set = RegexSetBuilder::new(lower.as_deref().unwrap_or(patterns))
        .case_insensitive(lower.is_none())
        .dfa_size_limit(AUTOMATON_BYTES)
        .build()?;
    let compiled = (set, lower.is_some());
    known.push((patterns.to_vec(), compiled.clone()));
    Ok(compiled)
}

/// What is near numerals: up to an end, from a place on. All beyond ASCII may be numerals.
fn near_numerals(text: &[u8]) -> Option<(&[u8], usize)> {
    let heads = Heads::new(text);
    let found = |from: usize| Some(digits_and_others(heads.at(from))).filter(|&found| found != 0);
    let mut eights = (0..text.len()).step_by(8);
    let first = eights.find_map(|at| Some(at + found(at)?.trailing_zeros() as usize / 8))?;
    let mut eights = (0..text.len()).step_by(8).rev();
    let last = eights.find_map(|at| Some(at + 7 - found(at)?.leading_zeros() as usize / 8))?;
    let end = text.len().min(last + 1 + NEAR_BYTES);
    Some((&text[..end], first.saturating_sub(NEAR_BYTES)))
}

/// Whether there is anything but ASCII letters and spaces in the first eight bytes.
fn has_mark(text: &[u8]) -> bool {
    let eight = Heads::new(text).at(0);
    let plain = (letters(eight) | within(eight, b' ', b' ')) & !eight;
    (!plain & HIGH).trailing_zeros() as usize / 8 < text.len().min(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Hints = Hints {
        digits: true,
        dots: true,
    };

    fn first(matcher: &Matcher, text: &str, hints: Hints) -> u8 {
        matcher.first([text, &text.to_ascii_lowercase()], hints)
    }

    fn matcher(of: fn(Regexps) -> Expressions) -> Matcher {
        Matcher::new("test", &of(Regexps::default())).unwrap()
    }

    #[test]
    fn dates_of_many_languages() {
        let dates = matcher(|regexps| regexps.date);
        for (text, number) in [
            ("Posted on January 5, 2007 by x", 1),
            ("5. ledna 2007", 1),
            ("15 de enero de 2007", 1),
            ("12. März 2020", 1),
            ("3 août 2019", 1),
            ("5 мая 2021 г.", 1),
            ("5 ЯНВАРЯ 2021", 1),
            ("12 กุมภาพันธ์ 2563", 1),
            ("٢٠٢٠ ١ 7 يناير 2020", 1),
            ("2007-08-05T10:00", 2),
            ("2007年8月5日", 2),
            ("2007년 8월 5일", 2),
            ("5.8.2007", 3),
            ("08/05/07", 3),
            ("Aug 5", 4),
            ("3 hours ago", 5),
            ("vor 3 Stunden", 5),
            ("3 часа назад", 5),
            ("3日前", 5),
            ("Copyright 2007 by us", 6),
            ("Room 12007", 0),
            ("5 apples", 0),
        ] {
            assert_eq!(first(&dates, text, ALL), number, "{text}");
        }
    }

    #[test]
    fn dates_are_looked_for_near_numerals() {
        let dates = matcher(|regexps| regexps.date);
        let words = |count| "word ".repeat(count);
        for (before, after) in [(0, 0), (1, 30), (30, 0), (20, 20)] {
            let text = format!("{}5 januari 2020 {}", words(before), words(after));
            assert_eq!(first(&dates, &text, ALL), 1, "{text}");
        }
        // What begins a text does not begin the part that is looked at.
        let anchored = Expressions {
            patterns: own(&["^word word 5"]),
            ..Regexps::default().date
        };
        let anchored = Matcher::new("test", &anchored).unwrap();
        assert_eq!(first(&anchored, "word word 5", ALL), 1);
        assert_eq!(first(&anchored, &format!("{}5", words(30)), ALL), 0);
        assert_eq!(first(&anchored, &words(30), ALL), 0);
    }

    #[test]
    fn times_and_addresses() {
        let times = matcher(|regexps| regexps.time);
        for (text, number) in [
            ("at 10:30 am", 1),
            ("14:05", 2),
            ("7 Uhr", 3),
            ("18h30", 3),
            ("午後3時 5分", 4),
            ("1:234", 0),
        ] {
            assert_eq!(first(&times, text, ALL), number, "{text}");
        }
        let urls = matcher(|regexps| regexps.url);
        for (text, number) in [
            ("see https://a.example", 1),
            ("www.example", 2),
            ("me@host.example", 3),
            ("example.co.uk", 4),
            ("end.But", 0),
        ] {
            assert_eq!(first(&urls, text, ALL), number, "{text}");
        }
    }

    #[test]
    fn bullets_combine() {
        let bullets = matcher(|regexps| regexps.bullet);
        for (text, bits) in [
            ("• one", 1),
            ("- one", 1),
            ("12) one", 2),
            ("①one", 2),
            ("第三章 x", 2),
            ("b) one", 4),
            ("я) one", 4),
            ("i. one", 12),
            ("iv) one", 8),
            ("Plain text", 0),
        ] {
            assert_eq!(
                bullets.all([text, &text.to_ascii_lowercase()], ALL),
                bits,
                "{text}"
            );
        }
    }

    #[test]
    fn blocks_without_a_hint_are_not_looked_at() {
        let dates = matcher(|regexps| regexps.date);
        assert_eq!(first(&dates, "Aug 5", Hints::default()), 0);
        assert!(!has_mark(b"The first word") && has_mark(b"x-y") && !has_mark(b""));
    }

    #[test]
    fn patterns_may_distinguish_letter_cases() {
        let of = |patterns: &[&str]| list(Among::All, 300, own(patterns));
        let days = Matcher::new("test", &of(&["(?-i:May) [0-9]", "june"])).unwrap();
        let found = ["in may 5", "in May 5", "June"].map(|text| first(&days, text, ALL));
        assert_eq!(found, [0, 1, 2]);
    }

    #[test]
    fn no_expressions_match_nowhere() {
        let none = Expressions {
            among: Among::All,
            bytes: 10,
            patterns: vec![],
        };
        assert_eq!(first(&Matcher::new("test", &none).unwrap(), "text", ALL), 0);
    }
}
