//! The names of the months, by language.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::Language;
use crate::phrases::lines;

/// A line a language; see there.
const TABLE: &str = include_str!("months.txt");

/// What a word means in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    /// The codes of the language.
    codes: &'static str,
    /// The month, from 1.
    pub(super) month: u8,
    is_long: bool,
}

/// Where the month stands in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MonthPlace {
    /// Before the day.
    First,
    /// Behind the day or the year.
    Later,
    /// Between the day and the year, with hyphens or slashes and no spaces: no other word stands there.
    Within,
}

/// Names by the words, with what each means, as the table has them.
static NAMES: LazyLock<FxHashMap<String, Vec<Meaning>>> = LazyLock::new(|| {
    let mut names: FxHashMap<String, Vec<Meaning>> = FxHashMap::default();
    for (codes, months) in lines(TABLE).filter_map(|line| line.split_once(": ")) {
        for (month, own) in (1..).zip(months.split('|')) {
            let (long, short) = own.split_once(';').unwrap_or((own, ""));
            for (own, is_long) in [(long, true), (short, false)] {
                let meaning = Meaning {
                    codes,
                    month,
                    is_long,
                };
                for name in own.split_ascii_whitespace() {
                    names.entry(name.replace('_', " ")).or_default().push(meaning);
                }
            }
        }
    }
    names
});

/// What a word in lower case may mean.
pub(super) fn meanings(word: &str) -> Option<&'static [Meaning]> {
    NAMES.get(word).map(Vec::as_slice)
}

/// The month that a word names in English, as in addresses of pages.
pub(super) fn english(word: &str) -> Option<u8> {
    let own = meanings(&word.to_ascii_lowercase())?;
    own.iter()
        .find(|meaning| meaning.is_of("en"))
        .map(|meaning| meaning.month)
}

/// The meaning of a name where it stands, on a page of a language. That language's own names count, and those of English. A
/// name of another language counts where it cannot be another word: behind the day, and if it is not a short one; in
/// another script anywhere.
pub(super) fn chosen(
    meanings: &[Meaning],
    word: &str,
    place: MonthPlace,
    language: &dyn Fn() -> Option<Language>,
) -> Option<Meaning> {
    let first = *meanings.first()?;
    let english = meanings.iter().copied().find(|meaning| meaning.is_of("en"));
    if english.is_some_and(|english| meanings.iter().all(|other| other.month == english.month)) {
        return english;
    }
    let language = language();
    let own = language.as_ref().and_then(|language| {
        let own = |meaning: &&Meaning| meaning.is_of(&language.name);
        meanings.iter().find(own).copied()
    });
    let foreign = || {
        if !word.chars().any(is_latin) {
            return Some(first);
        }
        let long = meanings.iter().copied().find(|meaning| meaning.is_long);
        let is_clear = place == MonthPlace::Within || (language.is_none() && !ENGLISH_WORDS.contains(&word));
        let any = || Some(first).filter(|_| is_clear);
        long.or_else(any).filter(|_| place != MonthPlace::First)
    };
    own.or(english).or_else(foreign)
}

/// Short names that are English words: they count in their own language alone.
const ENGLISH_WORDS: [&str; 9] = ["ago", "gen", "led", "lip", "lug", "mag", "out", "pro", "set"];

fn is_latin(letter: char) -> bool {
    letter.is_alphabetic() && letter < '\u{250}'
}

impl Meaning {
    fn is_of(self, language: &str) -> bool {
        self.codes.split(' ').any(|code| code == language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_names_of_twelve_months() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (codes, months) = line.split_once(": ").unwrap();
            let months: Vec<&str> = months.split('|').collect();
            assert_eq!(months.len(), 12, "{codes}");
            for (number, own) in (1..).zip(months) {
                let names = own.split([';', ' ']).filter(|name| !name.is_empty());
                assert!(names.clone().count() > 0, "{codes} {number}");
                for name in names {
                    let name = name.replace('_', " ");
                    assert_eq!(name.to_lowercase(), name, "{codes}");
                    let of_language = |meaning: &&Meaning| meaning.codes == codes;
                    let found = meanings(&name).unwrap().iter().find(of_language);
                    assert_eq!(found.map(|found| found.month), Some(number), "{codes} {name}");
                }
            }
        }
    }

    #[test]
    fn a_name_counts_in_its_language_and_behind_the_day() {
        let month = |word: &str, place, language: &str| {
            let language = || Language::from_tags(language);
            let meanings = meanings(word).unwrap();
            chosen(meanings, word, place, &language).map(|meaning| meaning.month)
        };
        assert_eq!(month("listopada", MonthPlace::Later, "hr"), Some(10));
        assert_eq!(month("listopada", MonthPlace::Later, "pl"), Some(11));
        assert_eq!(month("mars", MonthPlace::First, "fr"), Some(3));
        assert_eq!(month("mars", MonthPlace::First, "en"), None);
        assert_eq!(month("mars", MonthPlace::Later, "en"), Some(3));
        assert_eq!(month("pro", MonthPlace::Later, "en"), None);
        assert_eq!(month("pro", MonthPlace::Later, "cs"), Some(12));
        assert_eq!(month("ago", MonthPlace::Later, "en"), None);
        assert_eq!(month("ago", MonthPlace::Within, "en"), Some(8));
        assert_eq!(month("may", MonthPlace::First, "de"), Some(5));
        assert_eq!(month("ene", MonthPlace::Later, ""), Some(1));
        assert_eq!(meanings("marraskuuta").map(<[_]>::len), Some(1));
        assert_eq!(meanings("magazine"), None);
    }
}
