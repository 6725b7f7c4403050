//! The measures whose values are drawn.

use gleaner_export::{Column, Kind};

use crate::histogram::Scale;

/// A measure of documents.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub(crate) column: Column,
    pub(crate) title: &'static str,
    pub(crate) scale: Scale,
}

/// The bins of a column of numbers: those of its measure, else by what it holds.
pub fn scale(column: &Column) -> Scale {
    let known = measures(true).into_iter().chain([confidence()]);
    let own = known.into_iter().find(|measure| measure.column == *column);
    own.map_or_else(
        || match column.kind {
            Kind::Share => share(),
            Kind::Real => Scale::linear(1.0, 50, true),
            _ => Scale::logarithmic(6),
        },
        |measure| measure.scale,
    )
}

/// The confidence of documents, drawn apart.
pub(crate) fn confidence() -> Measure {
    measure(
        "documents",
        "confidence",
        "Expected word F1 of the kept text",
        share(),
    )
}

/// The measures of a corpus with the table signals, or without.
pub(crate) fn measures(has_signals: bool) -> Vec<Measure> {
    let mut all = vec![measure(
        "documents",
        "language_probability",
        "Share of the text in its language",
        share(),
    )];
    if has_signals {
        let signals = of_signals().into_iter();
        all.splice(
            0..0,
            signals.map(|(name, title, scale)| measure("signals", name, title, scale)),
        );
    }
    all
}

fn of_signals() -> Vec<(&'static str, &'static str, Scale)> {
    vec![
        ("words", "Words", Scale::logarithmic(6)),
        (
            "mean_word_length",
            "Mean length of words, in characters",
            Scale::linear(16.0, 32, true),
        ),
        ("alphabetic_tokens", "Tokens with a letter, share of all", share()),
        ("duplicate_lines", "Duplicate lines, share of lines", share()),
        (
            "top_2_gram",
            "Most frequent two tokens, share of characters",
            Scale::linear(0.4, 40, true),
        ),
        (
            "duplicate_5_grams",
            "Duplicate runs of five tokens, share of characters",
            share(),
        ),
        (
            "duplicate_10_grams",
            "Duplicate runs of ten tokens, share of characters",
            share(),
        ),
        (
            "punctuated_lines",
            "Lines that end with a mark of punctuation, share",
            share(),
        ),
        ("short_lines", "Lines of at most 30 characters, share", share()),
        (
            "repeated_characters",
            "Characters of repeated lines, share",
            Scale::linear(0.2, 40, true),
        ),
        ("newlines", "Line feeds by tokens", Scale::linear(1.0, 50, true)),
        (
            "removed_line_words",
            "Words of lines that RefinedWeb leaves out, share",
            Scale::linear(0.5, 50, true),
        ),
        (
            "c4_sentences",
            "Sentences of the lines that C4 keeps",
            Scale::logarithmic(4),
        ),
        ("wds", "Score of HPLT's Web Docs Scorer", share()),
    ]
}

fn measure(table: &'static str, name: &str, title: &'static str, scale: Scale) -> Measure {
    Measure {
        column: Column::of(table, name).expect("the table has this column"),
        title,
        scale,
    }
}

fn share() -> Scale {
    Scale::linear(1.0, 50, false)
}
