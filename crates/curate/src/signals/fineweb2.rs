//! The limits of FineWeb-2 for languages.

use crate::language::Language;

/// What FineWeb-2 allows texts of a language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thresholds {
    pub(super) mean_word_length: (f64, f64),
    pub(super) alphabetic_tokens: f64,
    pub(super) duplicate_lines: f64,
    pub(super) top_ngrams: [f64; 3],
    pub(super) duplicate_ngrams: [f64; 6],
    pub(super) punctuated_lines: f64,
    pub(super) newlines: f64,
}

/// The figures of FineWeb-2's settings (Penedo et al. 2025, appendix), a line for each language and script, in order: the language, the
/// least and the largest mean length of words; and, in thousandths, the least share of alphabetic tokens, and the largest of
/// duplicate lines, of the top runs of 2, 3 and 4 tokens, of duplicate runs of 5 to 10 tokens; the share of punctuated lines
/// that a text must be above, and the largest ratio of line feeds.
const TABLE: &str = include_str!("fineweb2.tsv");

impl Thresholds {
    /// The limits of a language in a script, if there are some.
    pub(super) fn of(language: &Language) -> Option<Thresholds> {
        let numbers = row(TABLE, language.as_str())?;
        let mut numbers = numbers
            .split('\t')
            .map(|number| number.parse().unwrap_or(f64::NAN));
        let mut next = || numbers.next().unwrap_or(f64::NAN);
        let mean_word_length = (next(), next());
        let mut share = || next() / 1000.0;
        Some(Thresholds {
            mean_word_length,
            alphabetic_tokens: share(),
            duplicate_lines: share(),
            top_ngrams: [(); 3].map(|()| share()),
            duplicate_ngrams: [(); 6].map(|()| share()),
            punctuated_lines: share(),
            newlines: share(),
        })
    }
}

/// What is behind a key in a table whose lines are in the order of their keys.
fn row<'a>(table: &'a str, key: &str) -> Option<&'a str> {
    let (mut from, mut to) = (0, table.len());
    while from < to {
        let middle = table.floor_char_boundary((from + to) / 2);
        let start = table[..middle].rfind('\n').map_or(0, |end| end + 1);
        let line = table[start..].lines().next()?;
        let (found, numbers) = line.split_once('\t')?;
        match found.cmp(key) {
            std::cmp::Ordering::Equal => return Some(numbers),
            std::cmp::Ordering::Less => from = start + line.len() + 1,
            std::cmp::Ordering::Greater => to = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_found_with_all_of_its_limits() {
        assert!(TABLE.lines().is_sorted());
        for line in TABLE.lines() {
            let (key, _) = line.split_once('\t').expect("a key");
            let (iso, script) = key.split_once('_').expect("a language and a script");
            let limits = Thresholds::of(&Language::new(iso, script)).expect("limits");
            assert!(
                limits.newlines > 0.0 && limits.top_ngrams[2] > 0.0,
                "{key}: {limits:?}"
            );
            assert_eq!(line.split('\t').count(), 16);
        }
        for key in ["aaa", "zzz", "", "eng"] {
            assert_eq!(Thresholds::of(&Language::new(key, "Latn")), None, "{key}");
        }
    }

    #[test]
    fn limits_are_shares() {
        let german = Thresholds::of(&Language::new("deu", "Latn")).expect("German has limits");
        assert_eq!(german.mean_word_length, (0.0, 15.0));
        assert_eq!(german.alphabetic_tokens, 0.774);
        assert_eq!(german.top_ngrams, [0.169, 0.153, 0.137]);
        assert_eq!((german.punctuated_lines, german.newlines), (0.0, 0.152));
    }
}
