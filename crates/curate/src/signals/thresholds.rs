//! The rules of rule sets as data: which measure a rule tests, and what it allows.

use super::c4::FEWEST_SENTENCES;
use super::dclm::MOST_WORDS;
use super::rules::{DUPLICATE, ENGLISH, Limits, TOP, fineweb2_limits, is_english};
use crate::language::Language;

/// A set of rules of another corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSet {
    /// [`gopher`](super::gopher).
    Gopher,
    /// [`c4`](super::c4()).
    C4,
    /// [`fineweb_c4`](super::fineweb_c4).
    FinewebC4,
    /// [`fineweb`](super::fineweb).
    Fineweb,
    /// [`fineweb2`](super::fineweb2).
    Fineweb2,
    /// [`dclm`](super::dclm).
    Dclm,
}

/// What a rule allows for a measure of a text. A rule with a least and a largest value has two thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// The name of the rule, as verdicts have it.
    pub rule: &'static str,
    /// The measure, by the name of its column in the table signals.
    pub column: &'static str,
    /// Which values pass.
    pub allowed: Allowed,
}

/// Which values pass a threshold. A measure that a text does not have passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// This one, and greater ones.
    AtLeast(f64),
    /// This one, and smaller ones.
    AtMost(f64),
    /// Greater ones.
    Above(f64),
    /// Smaller ones.
    Below(f64),
}

impl Allowed {
    /// Whether a value passes; NaN does.
    pub fn holds(self, value: f64) -> bool {
        let fails = match self {
            Allowed::AtLeast(limit) => value < limit,
            Allowed::AtMost(limit) => value > limit,
            Allowed::Above(limit) => value <= limit,
            Allowed::Below(limit) => value >= limit,
        };
        !fails
    }

    /// Where values begin to pass, or to fail.
    pub fn limit(self) -> f64 {
        match self {
            Allowed::AtLeast(limit)
            | Allowed::AtMost(limit)
            | Allowed::Above(limit)
            | Allowed::Below(limit) => limit,
        }
    }
}

impl RuleSet {
    /// All of them.
    pub const ALL: [RuleSet; 6] = [
        RuleSet::Gopher,
        RuleSet::C4,
        RuleSet::FinewebC4,
        RuleSet::Fineweb,
        RuleSet::Fineweb2,
        RuleSet::Dclm,
    ];

    /// The column of the table signals that has its verdict.
    pub fn column(self) -> &'static str {
        match self {
            RuleSet::Gopher => "gopher",
            RuleSet::C4 => "c4",
            RuleSet::FinewebC4 => "fineweb_c4",
            RuleSet::Fineweb => "fineweb",
            RuleSet::Fineweb2 => "fineweb2",
            RuleSet::Dclm => "dclm",
        }
    }

    /// What the rules allow texts of a language, in the order in which they are tested; none where the set has no limits for the
    /// language. Of [`RuleSet::FinewebC4`], the rules for signs have no measure in the table and are not here; of
    /// [`RuleSet::C4`] they are, in one order, and in verdicts in that of the text.
    pub fn thresholds(self, language: &Language) -> Option<Vec<Threshold>> {
        let mut all = Thresholds::default();
        match self {
            RuleSet::Gopher => {
                all.repetition(&ENGLISH);
                all.quality(&ENGLISH, "gopher_stop_words");
            }
            RuleSet::C4 => {
                all.push("has_lorem_ipsum", "c4_lorem_ipsum", Allowed::AtMost(0.0));
                all.push("has_curly_bracket", "c4_curly_bracket", Allowed::AtMost(0.0));
                all.push("sentences", "c4_sentences", FEW_SENTENCES);
            }
            RuleSet::FinewebC4 => all.push("sentences", "fineweb_c4_sentences", FEW_SENTENCES),
            RuleSet::Fineweb => all.lines(&ENGLISH),
            RuleSet::Fineweb2 => {
                let limits = fineweb2_limits(language)?;
                all.repetition(&limits);
                all.lines(&limits);
                all.quality(
                    &limits,
                    if is_english(language) {
                        "gopher_stop_words"
                    } else {
                        "stop_words"
                    },
                );
            }
            RuleSet::Dclm => all.push("lines", "removed_line_words", Allowed::AtMost(MOST_WORDS)),
        }
        Some(all.list)
    }
}

const FEW_SENTENCES: Allowed = Allowed::AtLeast(FEWEST_SENTENCES as f64);

#[derive(Default)]
struct Thresholds {
    list: Vec<Threshold>,
}

impl Thresholds {
    fn push(&mut self, rule: &'static str, column: &'static str, allowed: Allowed) {
        self.list.push(Threshold {
            rule,
            column,
            allowed,
        });
    }

    /// A threshold of the measure that the rule is named by.
    fn own(&mut self, rule: &'static str, allowed: Allowed) {
        self.push(rule, rule, allowed);
    }

    fn repetition(&mut self, limits: &Limits) {
        let shares = [
            ("duplicate_paragraphs", limits.duplicate_paragraphs),
            (
                "duplicate_paragraph_characters",
                limits.duplicate_paragraph_characters,
            ),
            ("duplicate_lines", limits.duplicate_lines),
            ("duplicate_line_characters", limits.duplicate_line_characters),
        ];
        for (rule, limit) in shares.into_iter().filter(|(_, limit)| *limit > 0.0) {
            self.own(rule, Allowed::AtMost(limit));
        }
        let tops = TOP.into_iter().zip(limits.top_ngrams);
        for (rule, limit) in tops.chain(DUPLICATE.into_iter().zip(limits.duplicate_ngrams)) {
            self.own(rule, Allowed::AtMost(limit));
        }
    }

    fn quality(&mut self, limits: &Limits, stop_words: &'static str) {
        let count = f64::from;
        self.own("words", Allowed::AtLeast(count(limits.words.0)));
        self.own("words", Allowed::AtMost(count(limits.words.1)));
        let (shortest, longest) = limits.mean_word_length;
        if shortest > 0.0 {
            self.own("mean_word_length", Allowed::AtLeast(shortest));
        }
        if longest > 0.0 {
            self.own("mean_word_length", Allowed::AtMost(longest));
        }
        self.own("hashes", Allowed::AtMost(limits.symbols));
        self.own("ellipses", Allowed::AtMost(limits.symbols));
        self.own("bullet_lines", Allowed::AtMost(limits.bullet_lines));
        self.own("ellipsis_lines", Allowed::AtMost(limits.ellipsis_lines));
        self.own("alphabetic_tokens", Allowed::AtLeast(limits.alphabetic_tokens));
        self.push(
            "stop_words",
            stop_words,
            Allowed::AtLeast(count(limits.stop_words)),
        );
    }

    fn lines(&mut self, limits: &Limits) {
        // Below 0 is no share: such a limit is none.
        if limits.punctuated_lines >= 0.0 {
            self.own("punctuated_lines", Allowed::Above(limits.punctuated_lines));
        }
        if limits.short_lines.is_finite() {
            self.own("short_lines", Allowed::Below(limits.short_lines));
        }
        self.own("repeated_characters", Allowed::Below(limits.repeated_characters));
        self.own("newlines", Allowed::AtMost(limits.newlines));
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::signals::{Signals, dclm, fineweb, fineweb_c4, fineweb2, gopher};

    /// The measure in a column.
    fn measure(signals: &Signals, column: &str) -> f64 {
        let place = |names: &[&str]| names.iter().position(|name| *name == column);
        if let Some(place) = place(&TOP) {
            return signals.top_ngrams[place];
        }
        if let Some(place) = place(&DUPLICATE) {
            return signals.duplicate_ngrams[place];
        }
        match column {
            "duplicate_paragraphs" => signals.duplicate_paragraphs,
            "duplicate_paragraph_characters" => signals.duplicate_paragraph_characters,
            "duplicate_lines" => signals.duplicate_lines,
            "duplicate_line_characters" => signals.duplicate_line_characters,
            "words" => signals.words.into(),
            "mean_word_length" => signals.mean_word_length,
            "hashes" => signals.hashes,
            "ellipses" => signals.ellipses,
            "bullet_lines" => signals.bullet_lines,
            "ellipsis_lines" => signals.ellipsis_lines,
            "alphabetic_tokens" => signals.alphabetic_tokens,
            "gopher_stop_words" => signals.gopher_stop_words.into(),
            "stop_words" => signals.stop_words.map_or(f64::NAN, f64::from),
            "punctuated_lines" => signals.punctuated_lines,
            "short_lines" => signals.short_lines,
            "repeated_characters" => signals.repeated_characters,
            "newlines" => signals.newlines,
            "c4_sentences" => signals.c4.sentences.into(),
            "c4_lorem_ipsum" => f64::from(u8::from(signals.c4.has_lorem_ipsum)),
            "c4_curly_bracket" => f64::from(u8::from(signals.c4.has_curly_bracket)),
            "fineweb_c4_sentences" => signals.fineweb_c4.sentences.into(),
            "removed_line_words" => signals.lines.words,
            other => panic!("{other}"),
        }
    }

    fn signals(shares: &[f64], counts: &[u32]) -> Signals {
        let mut shares = shares.iter().copied();
        let mut share = || shares.next().unwrap();
        let mut signals = Signals {
            words: counts[0],
            mean_word_length: f64::from(counts[1]) / 10.0,
            gopher_stop_words: counts[2] % 5,
            stop_words: (!counts[3].is_multiple_of(7)).then_some(counts[3] % 5),
            // Few texts pass all rules at random: most measures are far from their limits.
            hashes: share() / 9.0,
            ellipses: share() / 9.0,
            bullet_lines: share(),
            ellipsis_lines: share() / 3.0,
            alphabetic_tokens: 1.0 - share() / 4.0,
            duplicate_paragraphs: share() / 3.0,
            duplicate_paragraph_characters: share() / 4.5,
            duplicate_lines: share() / 3.0,
            duplicate_line_characters: share() / 4.5,
            top_ngrams: [(); 3].map(|()| share() / 5.0),
            duplicate_ngrams: [(); 6].map(|()| share() / 7.0),
            punctuated_lines: share(),
            short_lines: share(),
            repeated_characters: share() / 50.0,
            newlines: share() / 3.0,
            ..Signals::default()
        };
        signals.lines.words = share() / 10.0;
        signals.c4.sentences = counts[4] % 10;
        signals.fineweb_c4.sentences = counts[4] % 10;
        signals.c4.has_lorem_ipsum = counts[5].is_multiple_of(4);
        signals.c4.has_curly_bracket = counts[5] % 4 == 1;
        signals
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The first threshold that does not hold is the verdict.
        #[test]
        fn thresholds_are_those_of_the_verdicts(
            shares in vec(prop_oneof![3 => 0.0..0.9, 1 => 0.0..1.3, 1 => Just(0.0)], 24),
            counts in vec(prop_oneof![3 => 50_u32..90, 1 => 0_u32..200, 1 => 99_990_u32..100_010], 6),
            language in prop_oneof![
                Just(("eng", "Latn")), Just(("deu", "Latn")), Just(("jpn", "Jpan")), Just(("aak", "Latn")), Just(("xxx", "Latn")),
            ],
        ) {
            let language = Language::new(language.0, language.1);
            let signals = signals(&shares, &counts);
            let first = |set: RuleSet| match set.thresholds(&language) {
                None => Some("language"),
                Some(all) => all
                    .iter()
                    .find(|threshold| !threshold.allowed.holds(measure(&signals, threshold.column)))
                    .map(|threshold| threshold.rule),
            };
            prop_assert_eq!(first(RuleSet::Gopher), gopher(&signals));
            prop_assert_eq!(first(RuleSet::C4), crate::c4(&signals));
            prop_assert_eq!(first(RuleSet::FinewebC4), fineweb_c4(&signals));
            prop_assert_eq!(first(RuleSet::Fineweb), fineweb(&signals));
            prop_assert_eq!(first(RuleSet::Fineweb2), fineweb2(&signals, &language));
            prop_assert_eq!(first(RuleSet::Dclm), dclm(&signals));
        }
    }
}
