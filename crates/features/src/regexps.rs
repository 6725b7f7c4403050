//! The expressions of `regexp.*` and `bullet`: the defaults, and how they are run.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::Error;
use crate::config::{Among, Expressions, Regexps};

/// Months by name or abbreviation, in the languages of the Latin alphabet.
const MONTHS: &str = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec\
    |jän|mär|mai|okt|dez|janv|févr|fev|avr|juin|juil|août|déc|ene|abr|ago|set|dic|mag|giu|lug|ott|gen\
    |out|maart|mrt|mei|led|úno|bře|dub|kvě|čer|srp|zář|říj|lis|pro|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|gru)[\\p{L}]{0,9}";
/// Months of Russian, Arabic and Thai.
const OTHER_MONTHS: &str = "(?:янв|фев|мар|апр|мая|май|июн|июл|авг|сен|окт|ноя|дек)[\\p{L}]{0,6}\
    |يناير|فبراير|مارس|أبريل|إبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر\
    |มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม\
    |[มกพสตธ]\\.[คพยิ]\\.";

fn list(among: Among, bytes: usize, patterns: impl IntoIterator<Item = String>) -> Expressions {
    Expressions {
        among,
        bytes,
        patterns: patterns.into_iter().collect(),
    }
}

impl Default for Regexps {
    fn default() -> Self {
        let own = |patterns: &[&str]| {
            patterns
                .iter()
                .map(|&pattern| pattern.to_owned())
                .collect::<Vec<_>>()
        };
        Regexps {
            url: list(
                Among::Dots,
                300,
                own(&[
                    r"(?-u:\b)https?://[^\s/]",
                    r"(?-u:\b)www\.[a-z0-9-]",
                    r"[a-z0-9._-]@[a-z0-9-]{1,63}\.[a-z]{2}",
                    r"(?-u:\b)[a-z0-9-]{2,63}\.(?:com|org|net|edu|gov|info|io|co\.[a-z]{2}|de|cz|fr|es|it|nl|pl|ru|pt|br|jp|cn|kr|eu|ch|at|uk)(?-u:\b)",
                ]),
            ),
            date: list(Among::Digits, 200, date_patterns()),
            time: list(
                Among::Digits,
                200,
                own(&[
                    r"(?-u:\b)[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?\s?(?:[ap]\.?m\.?|uhr|h|hod)(?-u:\b)",
                    r"(?-u:\b)(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9])?(?-u:\b)",
                    r"(?-u:\b)[0-9]{1,2}\s?(?:[ap]\.?m\.?|uhr|o['’]clock)(?-u:\b)|(?-u:\b)[0-9]{1,2}h[0-5][0-9](?-u:\b)",
                    r"[0-9]{1,2}\s?[時时点點시]\s?[0-9]{1,2}\s?[分분]",
                ]),
            ),
            bullet: list(
                Among::All,
                24,
                own(&[
                    r"^[-–—*•·●○■□▪▫►▶▸‣⁃◦✓✔❖➤»›>+・※◆◇★☆]",
                    r"^[(（【\[]?[0-9]{1,3}[.):、．）\]】]|^[①-⑳]|^第?[0-9一二三四五六七八九十]{1,3}[、章条節节조]",
                    r"^[(（]?\p{L}[.)）](?:\s|$)",
                    r"^\(?[ivx]{1,5}[.)](?:\s|$)",
                ]),
            ),
        }
    }
}

fn date_patterns() -> Vec<String> {
    vec![
        // January 5, 2007; 5 January 2007; 5. ledna 2007; 5 de enero de 2007
        format!(
            r"{MONTHS}\.?\s[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s[0-9]{{4}}|[0-9]{{1,2}}(?:st|nd|rd|th|er|º)?\.?\s(?:de\s|of\s)?(?:{MONTHS}|{OTHER_MONTHS})\.?,?\s(?:de\s)?[0-9]{{2}}"
        ),
        // 2007-08-05; 2007年8月5日; 2007년 8월 5일
        r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{2,4}\s?[年년]\s?[0-9]{1,2}\s?[月월]".to_owned(),
        // 5.8.2007, 08/05/07
        r"[0-9]{1,2}(?:\.\s?|[-/])[0-9]{1,2}(?:\.\s?|[-/])(?:[0-9]{4}|[0-9]{2})(?-u:\b)".to_owned(),
        // August 2007, Aug 5
        format!(r"(?-u:\b){MONTHS}\.?\s[0-9]{{1,4}}(?-u:\b)|[0-9]{{1,2}}\.?\s(?:{MONTHS}|{OTHER_MONTHS})"),
        // 3 hours ago; vor 3 Stunden; il y a 3 jours; 3 часа назад; 3日前
        r"[0-9]\s?(?:second|minute|hour|day|week|month|year)s?\sago|(?:vor|před|hace|há|fa|il y a)\s[0-9]{1,4}\s\p{L}|[0-9]{1,4}\s\p{L}{1,12}\s(?:назад|temu|geleden|atrás|fa)(?-u:\b)|[0-9]\s?(?:秒|分|分钟|分鐘|時間|小时|小時|日|天|か月|个月|年|초|분|시간|일)\s?(?:前|전)".to_owned(),
        // a year by itself
        r"(?-u:\b)(?:19|20)[0-9]{2}(?-u:\b)".to_owned(),
    ]
}

/// What the lazily built automaton of an expression may take. The default of 2 MiB is too little
/// for months in all these languages: matching then falls back to a simulation of the NFA, which
/// took more than half of the time of a whole build.
const DFA_BYTES: usize = 64 << 20;

/// Compiled expressions of one feature.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    among: Among,
    bytes: usize,
    any: Regex,
    each: RegexSet,
}

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
        let fail = |source| Error::Expression {
            feature,
            source: Box::new(source),
        };
        let patterns = &expressions.patterns;
        let joined = patterns
            .iter()
            .map(|one| format!("(?:{one})"))
            .collect::<Vec<_>>()
            .join("|");
        // An alternative of nothing matches everywhere; what is wanted without patterns is nowhere.
        let joined = if patterns.is_empty() {
            r"[^\s\S]".to_owned()
        } else {
            joined
        };
        Ok(Matcher {
            among: expressions.among,
            bytes: expressions.bytes,
            any: RegexBuilder::new(&joined)
                .case_insensitive(true)
                .dfa_size_limit(DFA_BYTES)
                .build()
                .map_err(fail)?,
            each: RegexSetBuilder::new(patterns)
                .case_insensitive(true)
                .dfa_size_limit(DFA_BYTES)
                .build()
                .map_err(fail)?,
        })
    }

    /// The number of the first expression that matches, counted from one; zero if none does.
    pub(crate) fn first(&self, text: &str, hints: Hints) -> u8 {
        let Some(start) = self.candidate(text, hints) else {
            return 0;
        };
        self.each
            .matches(start)
            .iter()
            .next()
            .map_or(0, |index| index as u8 + 1)
    }

    /// A bit for each expression that matches, the first being the lowest.
    pub(crate) fn all(&self, text: &str, hints: Hints) -> u8 {
        let Some(start) = self.candidate(text, hints) else {
            return 0;
        };
        self.each
            .matches(start)
            .iter()
            .fold(0, |bits, index| bits | 1 << index)
    }

    /// The part of the text to look at, if anything matches there.
    fn candidate<'t>(&self, text: &'t str, hints: Hints) -> Option<&'t str> {
        let wanted = match self.among {
            Among::All => true,
            Among::Digits => hints.digits,
            Among::Dots => hints.dots,
        };
        let start = &text[..text.floor_char_boundary(self.bytes)];
        (wanted && self.any.is_match(start)).then_some(start)
    }
}
