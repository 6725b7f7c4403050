//! Sets of rules: the first rule that a text fails, or none. A rule has the name of its measure.

use super::Signals;
use super::dclm::MOST_WORDS;
use super::fineweb2::Thresholds;
use crate::language::Language;

/// What a set of rules allows. A limit of 0 is none where DataTrove takes it for none.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) words: (u32, u32),
    pub(super) mean_word_length: (f64, f64),
    pub(super) symbols: f64,
    pub(super) bullet_lines: f64,
    pub(super) ellipsis_lines: f64,
    pub(super) alphabetic_tokens: f64,
    pub(super) stop_words: u32,
    pub(super) duplicate_paragraphs: f64,
    pub(super) duplicate_paragraph_characters: f64,
    pub(super) duplicate_lines: f64,
    pub(super) duplicate_line_characters: f64,
    pub(super) top_ngrams: [f64; 3],
    pub(super) duplicate_ngrams: [f64; 6],
    pub(super) punctuated_lines: f64,
    pub(super) short_lines: f64,
    pub(super) repeated_characters: f64,
    pub(super) newlines: f64,
}

/// The limits of Gopher (Rae et al. 2021, appendix A.1), and of FineWeb (Penedo et al. 2024, section 3.5).
pub(super) const ENGLISH: Limits = Limits {
    words: (50, 100_000),
    mean_word_length: (3.0, 10.0),
    symbols: 0.1,
    bullet_lines: 0.9,
    ellipsis_lines: 0.3,
    alphabetic_tokens: 0.8,
    stop_words: 2,
    duplicate_paragraphs: 0.3,
    duplicate_paragraph_characters: 0.2,
    duplicate_lines: 0.3,
    duplicate_line_characters: 0.2,
    top_ngrams: [0.2, 0.18, 0.16],
    duplicate_ngrams: [0.15, 0.14, 0.13, 0.12, 0.11, 0.1],
    punctuated_lines: 0.12,
    short_lines: 0.67,
    repeated_characters: 0.01,
    newlines: 0.3,
};

pub(super) const TOP: [&str; 3] = ["top_2_gram", "top_3_gram", "top_4_gram"];

pub(super) const DUPLICATE: [&str; 6] = [
    "duplicate_5_grams",
    "duplicate_6_grams",
    "duplicate_7_grams",
    "duplicate_8_grams",
    "duplicate_9_grams",
    "duplicate_10_grams",
];

/// The first rule of Gopher that a text fails: first those on repetition, then those on quality. They are for English.
pub fn gopher(signals: &Signals) -> Option<&'static str> {
    repetition(signals, &ENGLISH).or_else(|| quality(signals, &ENGLISH, Some(signals.gopher_stop_words)))
}

/// The first rule of C4 that a text fails: `has_lorem_ipsum`, `has_curly_bracket`, whichever comes first in the text, or
/// `sentences`, of which the lines that are kept must have five.
pub fn c4(signals: &Signals) -> Option<&'static str> {
    signals.c4.verdict()
}

/// As [`c4`], where lines may end as they like, as FineWeb has it.
pub fn fineweb_c4(signals: &Signals) -> Option<&'static str> {
    signals.fineweb_c4.verdict()
}

/// The first of FineWeb's own rules that a text fails. FineWeb also has those of [`gopher`] and [`fineweb_c4`].
pub fn fineweb(signals: &Signals) -> Option<&'static str> {
    lines(signals, &ENGLISH)
}

/// The first rule of FineWeb-2 that a text fails, with the limits of its language and script: those on repetition, then those of
/// FineWeb, then those on quality. English has its limits in [`gopher`] and [`fineweb`], but for short lines and repeated
/// paragraphs, for which FineWeb-2 has none. A language without limits fails the rule `language`.
///
/// Stop words are those of [`Signals::stop_words`]; where there is no list, this rule is left out. In scripts without spaces, of
/// which a word here is a character, words may be short.
pub fn fineweb2(signals: &Signals, language: &Language) -> Option<&'static str> {
    let Some(limits) = fineweb2_limits(language) else {
        return Some("language");
    };
    let stop_words = if is_english(language) {
        Some(signals.gopher_stop_words)
    } else {
        signals.stop_words
    };
    repetition(signals, &limits)
        .or_else(|| lines(signals, &limits))
        .or_else(|| quality(signals, &limits, stop_words))
}

/// Whether a language is English, whose limits and stop words are those of Gopher.
pub(super) fn is_english(language: &Language) -> bool {
    language.as_str() == "eng_Latn"
}

/// The limits of FineWeb-2 for a language, if there are some.
pub(super) fn fineweb2_limits(language: &Language) -> Option<Limits> {
    let own = Thresholds::of(language).map(Limits::from);
    let mut limits = own.or(is_english(language).then_some(ENGLISH))?;
    limits.duplicate_paragraphs = 0.0;
    limits.duplicate_paragraph_characters = 0.0;
    limits.duplicate_line_characters = 0.0;
    limits.short_lines = f64::INFINITY;
    limits.repeated_characters = 0.1;
    let script = language.script();
    if script.is_some_and(|script| WITHOUT_SPACES.contains(&script)) {
        limits.mean_word_length.0 = 0.0;
    }
    Some(limits)
}

/// `lines` if the lines that DCLM leaves out have more than a twentieth of the words.
pub fn dclm(signals: &Signals) -> Option<&'static str> {
    (signals.lines.words > MOST_WORDS).then_some("lines")
}

const WITHOUT_SPACES: [&str; 8] = ["Hani", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Lana"];

fn repetition(signals: &Signals, limits: &Limits) -> Option<&'static str> {
    let above = |value: f64, limit: f64, name| (limit > 0.0 && value > limit).then_some(name);
    let tops = signals.top_ngrams.iter().zip(limits.top_ngrams).zip(TOP);
    let duplicates = signals
        .duplicate_ngrams
        .iter()
        .zip(limits.duplicate_ngrams)
        .zip(DUPLICATE);
    above(
        signals.duplicate_paragraphs,
        limits.duplicate_paragraphs,
        "duplicate_paragraphs",
    )
    .or(above(
        signals.duplicate_paragraph_characters,
        limits.duplicate_paragraph_characters,
        "duplicate_paragraph_characters",
    ))
    .or(above(
        signals.duplicate_lines,
        limits.duplicate_lines,
        "duplicate_lines",
    ))
    .or(above(
        signals.duplicate_line_characters,
        limits.duplicate_line_characters,
        "duplicate_line_characters",
    ))
    .or_else(|| {
        let mut all = tops.chain(duplicates);
        all.find(|((value, limit), _)| *value > limit)
            .map(|(_, name)| name)
    })
}

fn quality(signals: &Signals, limits: &Limits, stop_words: Option<u32>) -> Option<&'static str> {
    let (shortest, longest) = limits.mean_word_length;
    let is_long = longest > 0.0 && signals.mean_word_length > longest;
    let has_few_stop_words = stop_words.is_some_and(|count| count < limits.stop_words);
    match signals {
        _ if signals.words < limits.words.0 || signals.words > limits.words.1 => Some("words"),
        _ if signals.mean_word_length < shortest || is_long => Some("mean_word_length"),
        _ if signals.hashes > limits.symbols => Some("hashes"),
        _ if signals.ellipses > limits.symbols => Some("ellipses"),
        _ if signals.bullet_lines > limits.bullet_lines => Some("bullet_lines"),
        _ if signals.ellipsis_lines > limits.ellipsis_lines => Some("ellipsis_lines"),
        _ if signals.alphabetic_tokens < limits.alphabetic_tokens => Some("alphabetic_tokens"),
        _ if has_few_stop_words => Some("stop_words"),
        _ => None,
    }
}

fn lines(signals: &Signals, limits: &Limits) -> Option<&'static str> {
    match signals {
        _ if signals.punctuated_lines <= limits.punctuated_lines => Some("punctuated_lines"),
        _ if signals.short_lines >= limits.short_lines => Some("short_lines"),
        _ if signals.repeated_characters >= limits.repeated_characters => Some("repeated_characters"),
        _ if signals.newlines > limits.newlines => Some("newlines"),
        _ => None,
    }
}

impl From<Thresholds> for Limits {
    fn from(thresholds: Thresholds) -> Limits {
        Limits {
            mean_word_length: thresholds.mean_word_length,
            alphabetic_tokens: thresholds.alphabetic_tokens,
            duplicate_lines: thresholds.duplicate_lines,
            top_ngrams: thresholds.top_ngrams,
            duplicate_ngrams: thresholds.duplicate_ngrams,
            punctuated_lines: thresholds.punctuated_lines,
            newlines: thresholds.newlines,
            ..ENGLISH
        }
    }
}
