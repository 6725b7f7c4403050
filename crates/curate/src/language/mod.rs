//! In which languages a text is written.
//!
//! In: a text, and the language that its page declares, as a hint. Out: up to three [languages](Language) with their shares,
//! the first one first ([`Languages`]).
//!
//! A [`LanguageIdentifier`] gives them, in one of two ways. By itself it needs nothing else: the tables of CLD2 (Compact Language
//! Detector 2, four letters and whole words, naive Bayes) are in the program, with 122 languages. Or it has a model that a user
//! brings, such as GlotLID or lid.176, which [`FastText`] reads.
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

use std::sync::Arc;

use sample::{MIN_LETTERS, sample};
use scripts::Scripts;

/// The languages of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Languages {
    /// At most three, the first one with most of the text. None if the text is too short, or in no language that is known.
    pub languages: Vec<LanguageShare>,
    /// How sure the first language is, from 0 to 1; 0 if none is known. By the tables: its share, and half of that if it is not
    /// reliable. By a model: its probability.
    pub probability: f32,
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

    /// The first language if it is reliable; else `und`.
    pub fn reliable_language(&self) -> Language {
        let first = self.languages.first().filter(|first| first.is_reliable);
        first.map_or(Language::undetermined(), |first| first.language.clone())
    }
}

/// Identifies languages by the tables that are in the program, or by a model. Its memory is kept from one text to the next.
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
    /// What takes the place of the tables.
    model: Option<Arc<FastText>>,
}

impl LanguageIdentifier {
    /// One by a model, if there is one.
    pub fn new(model: Option<Arc<FastText>>) -> LanguageIdentifier {
        LanguageIdentifier {
            sample: String::new(),
            model,
        }
    }

    /// The languages of a text. What the page declares (a language tag such as `de-AT`) decides between languages that are
    /// about as probable, by the tables.
    pub fn identify(&mut self, text: &str, declared: Option<&str>) -> Languages {
        if let Some(model) = &self.model {
            return model.languages_in(text, &mut self.sample);
        }
        let sample = sample(text, &mut self.sample);
        let scripts = Scripts::of(sample);
        let languages = if scripts.letters() < MIN_LETTERS {
            Vec::new()
        } else {
            tables::identify(sample, declared, &scripts)
        };
        let probability = languages.first().map_or(0.0, |first| {
            first.share * if first.is_reliable { 1.0 } else { 0.5 }
        });
        Languages {
            languages,
            probability,
            script: scripts.first(),
        }
    }
}

impl FastText {
    /// The languages of a text by the model, from the same pieces of a long text as by the tables.
    ///
    /// A label is a language with or without its script: `__label__deu_Latn`, `__label__de`. What else labels are is kept as it
    /// is. From `und` on, which some models have as a label, no language is known.
    pub fn languages(&self, text: &str) -> Languages {
        self.languages_in(text, &mut String::new())
    }

    fn languages_in(&self, text: &str, buffer: &mut String) -> Languages {
        let sample = sample(text, buffer);
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
                .take_while(|share| share.language.iso() != "und")
                .collect()
        };
        Languages {
            probability: languages.first().map_or(0.0, |first: &LanguageShare| first.share),
            languages,
            script: scripts.first(),
        }
    }
}
