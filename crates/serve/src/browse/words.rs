//! Words that are looked for in texts, whatever their case.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::Error;

/// The longest query, in bytes.
const LONGEST: usize = 1000;
/// Words of a query.
const MOST: usize = 32;
/// Characters of a snippet before and behind the match.
const BEFORE: usize = 60;
const BEHIND: usize = 140;

/// The words of a query. A text has them all: also as parts of longer words, for not all scripts have spaces. Cases are the same by
/// Unicode's simple folding.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    patterns: Vec<Regex>,
}

impl Words {
    /// The words of a query; none if it has none.
    ///
    /// # Errors
    /// 400: it is too long.
    pub(crate) fn parse(query: &str) -> Result<Option<Words>, Error> {
        let words: Vec<&str> = query.split_whitespace().collect();
        if query.len() > LONGEST || words.len() > MOST {
            return Err(Error::bad_request(format!(
                "q is too long: at most {LONGEST} bytes and {MOST} words are looked for"
            )));
        }
        let pattern = |word: &&str| {
            let pattern = RegexBuilder::new(&regex::escape(word))
                .case_insensitive(true)
                .build();
            pattern.map_err(|error| Error::bad_request(format!("'{word}' cannot be looked for: {error}")))
        };
        let patterns: Vec<Regex> = words.iter().map(pattern).collect::<Result<_, _>>()?;
        Ok((!patterns.is_empty()).then_some(Words { patterns }))
    }

    /// Whether each word is in the title or the text.
    pub(crate) fn are_in(&self, title: &str, text: &str) -> bool {
        let has = |pattern: &Regex| pattern.is_match(title) || pattern.is_match(text);
        self.patterns.iter().all(has)
    }

    /// What stands around the first match in the text, or in the title if the text has none: before, match, behind.
    pub(crate) fn snippet(&self, title: &str, text: &str) -> Option<[String; 3]> {
        let first = |text: &str| -> Option<Range<usize>> {
            let found = self.patterns.iter().filter_map(|pattern| pattern.find(text));
            found.map(|found| found.range()).min_by_key(|found| found.start)
        };
        let (of, place) = first(text)
            .map(|place| (text, place))
            .or_else(|| first(title).map(|place| (title, place)))?;
        let before = end_of(&of[..place.start], BEFORE);
        let behind = begin_of(&of[place.end..], BEHIND);
        Some([collapsed(before), collapsed(&of[place]), collapsed(behind)])
    }
}

/// The last characters of a text, from the beginning of a word on if there is one.
fn end_of(text: &str, characters: usize) -> &str {
    let Some((start, _)) = text
        .char_indices()
        .rev()
        .nth(characters - 1)
        .filter(|(start, _)| *start > 0)
    else {
        return text;
    };
    let cut = &text[start..];
    match cut.find(char::is_whitespace) {
        Some(space) => cut[space..].trim_start(),
        None => cut,
    }
}

/// The first characters of a text, up to the end of a word if there is one.
fn begin_of(text: &str, characters: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(characters) else {
        return text;
    };
    let cut = &text[..end];
    match cut.rfind(char::is_whitespace) {
        Some(space) if space > 0 => cut[..space].trim_end(),
        _ => cut,
    }
}

/// Each run of white space as one space.
fn collapsed(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_whitespace() {
            false => words.push(letter),
            true if words.ends_with(' ') => {}
            true => words.push(' '),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(query: &str) -> Words {
        Words::parse(query).unwrap().unwrap()
    }

    #[test]
    fn all_words_are_in_the_title_or_the_text_whatever_their_case() {
        let title = "Ebbe und FLUT";
        let text = "Die Straße am Hafen, ΑΣ 東京タワー";
        for query in [
            "flut straße",
            "STRAßE",
            "hafen",
            "ας",
            "東京",
            "σ",
            "ebbe  hafen\n",
        ] {
            assert!(words(query).are_in(title, text), "{query}");
        }
        for query in ["strasse", "flut see", "e.b"] {
            assert!(!words(query).are_in(title, text), "{query}");
        }
        assert!(Words::parse(" \n").unwrap().is_none());
        assert_eq!(Words::parse(&"a ".repeat(33)).unwrap_err().status, 400);
        assert_eq!(Words::parse(&"a".repeat(1001)).unwrap_err().status, 400);
    }

    #[test]
    fn a_snippet_is_of_the_first_match_and_of_whole_words() {
        let snippet = |query, title, text| words(query).snippet(title, text);
        let around = snippet("tide", "", "The high\n\ntide comes").unwrap();
        assert_eq!(around, ["The high ", "tide", " comes"]);
        assert_eq!(snippet("b a", "", "x A b").unwrap(), ["x ", "A", " b"]);
        assert_eq!(snippet("sea", "The Sea", "none").unwrap(), ["The ", "Sea", ""]);
        assert_eq!(snippet("sea", "", "none"), None);
        let long = "word ".repeat(100) + "tide" + &" word".repeat(100);
        let [before, found, behind] = snippet("tide", "", &long).unwrap();
        assert_eq!(found, "tide");
        assert!(before.starts_with("word ") && before.len() <= BEFORE, "{before}");
        assert!(behind.ends_with(" word") && behind.len() <= BEHIND, "{behind}");
    }

    proptest! {
        #[test]
        fn a_snippet_of_any_text_is_a_part_of_it(text in "[aé東 \n]{0,300}", query in "[aé東]{1,2}") {
            let words = words(&query);
            let has = text.contains(&query);
            prop_assert_eq!(words.are_in("", &text), has);
            let snippet = words.snippet("", &text);
            prop_assert_eq!(snippet.is_some(), has);
            if let Some(parts) = snippet {
                prop_assert_eq!(&parts[1], &query);
                prop_assert!(collapsed(&text).contains(&parts.concat()));
                prop_assert!(parts[0].chars().count() <= BEFORE && parts[2].chars().count() <= BEHIND);
            }
        }
    }
}
