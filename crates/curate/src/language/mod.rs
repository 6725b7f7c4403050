//! In which languages a text is written.
//!
//! In: a text, and the language that its page declares, as a hint. Out: up to three [languages](Language) with their shares,
//! the first one first ([`Languages`]).
//!
//! Two identifiers give them. [`LanguageIdentifier`] needs nothing else: the tables of CLD2 (Compact Language Detector 2, four
//! letters and whole words, naive Bayes) are in the program, with 122 languages. [`FastText`] reads a model that a user brings,
//! such as GlotLID or lid.176.
//!
//! # The cost
//!
//! Of a text of more than 640 bytes four pieces of 160 bytes are read, spread over it: the cost of a text has a bound.

mod codes;
mod fasttext;
mod sample;
mod scripts;
mod tables;

pub use codes::Language;
pub(crate) use codes::short_code;
pub use fasttext::{FastText, FastTextError};

use sample::{MIN_LETTERS, sample};
use scripts::Scripts;

/// The languages of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Languages {
    /// At most three, the first one with most of the text. None if the text is too short, or in no language that is known.
    pub languages: Vec<LanguageShare>,
    /// The script (ISO 15924) with most letters; `Zyyy` if there are none.
    pub script: &'static str,
}

/// A language of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageShare {
    /// The language and its script.
    pub language: Language,
    /// By the tables: the share of the text that is in this language, from 0 to 1. By a model: the probability that the text
    /// is in this language.
    pub share: f32,
    /// By the tables: whether the language is well ahead of the next one. By a model: whether its probability is at least a
    /// half.
    pub is_reliable: bool,
}

impl Languages {
    /// The first language; `und` if none is known.
    pub fn language(&self) -> Language {
        let first = self.languages.first();
        first.map_or(Language::undetermined(), |first| first.language.clone())
    }

    /// How sure the first language is, from 0 to 1: its share, and half of that if it is not reliable. 0 if none is known.
    pub fn probability(&self) -> f32 {
        let first = self.languages.first();
        first.map_or(0.0, |first| {
            first.share * if first.is_reliable { 1.0 } else { 0.5 }
        })
    }
}

/// The identifier that is in the program. Its memory is kept from one text to the next.
///
/// ```
/// use gleaner_curate::LanguageIdentifier;
///
/// let mut identifier = LanguageIdentifier::default();
/// let languages = identifier.identify("Das Boot lief um sieben aus dem Hafen aus und kam am Abend zurück.", None);
/// assert_eq!(languages.language().to_string(), "deu_Latn");
/// assert_eq!(languages.script, "Latn");
/// assert_eq!(identifier.identify("2026", None).language().to_string(), "und");
/// ```
#[derive(Debug, Default)]
pub struct LanguageIdentifier {
    sample: String,
}

impl LanguageIdentifier {
    /// The languages of a text. What the page declares (a language tag such as `de-AT`) decides between languages that are
    /// about as probable.
    pub fn identify(&mut self, text: &str, declared: Option<&str>) -> Languages {
        let sample = sample(text, &mut self.sample);
        let scripts = Scripts::of(sample);
        let languages = if scripts.letters() < MIN_LETTERS {
            Vec::new()
        } else {
            tables::identify(sample, declared, &scripts)
        };
        Languages {
            languages,
            script: scripts.first(),
        }
    }
}

impl FastText {
    /// The languages of a text by the model, from the same pieces of a long text as by the tables.
    pub fn languages(&self, text: &str) -> Languages {
        let mut buffer = String::new();
        let sample = sample(text, &mut buffer);
        let scripts = Scripts::of(sample);
        let share = |(label, probability): (&str, f32)| LanguageShare {
            language: Language::of_label(label, &scripts),
            share: probability,
            is_reliable: probability >= 0.5,
        };
        let languages = if scripts.letters() < MIN_LETTERS {
            Vec::new()
        } else {
            self.predict(&sample.replace('\n', " "), 3)
                .into_iter()
                .map(share)
                .collect()
        };
        Languages {
            languages,
            script: scripts.first(),
        }
    }
}
