//! Words and phrases that are looked for in texts, whatever their case.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use crate::Error;

/// The longest query, in bytes.
const LONGEST: usize = 1000;
/// Words of a query.
const MOST: usize = 32;
/// Characters of a snippet before and behind the match.
const BEFORE: usize = 60;
const BEHIND: usize = 140;

/// What a query asks for: a text has all of it, in whatever order. Cases are the same by Unicode's simple folding.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    terms: Vec<Term>,
}

/// A word, or the words of a phrase one behind the other.
#[derive(Clone, Debug)]
struct Term {
    pattern: Regex,
    /// Whether no part of a word stands directly before it, and behind it.
    begins: bool,
    ends: bool,
}

impl Words {
    /// The words of a query, as `tide`, `tide*`, `*tide` or `*tide*`, and its phrases, between quotation marks; none if it has none. A
    /// quotation that does not end goes to the end of the query.
    ///
    /// # Errors
    /// 400: it is too long.
    pub(crate) fn parse(query: &str) -> Result<Option<Words>, Error> {
        if query.len() > LONGEST || query.split_whitespace().count() > MOST {
            return Err(Error::bad_request(format!(
                "q is too long: at most {LONGEST} bytes and {MOST} words are looked for"
            )));
        }
        let mut terms = Vec::new();
        for (number, part) in query.split('"').enumerate() {
            match number % 2 == 1 {
                true => terms.extend(Term::phrase(part).transpose()?),
                false => {
                    for word in part.split_whitespace() {
                        terms.extend(Term::word(word).transpose()?);
                    }
                }
            }
        }
        Ok((!terms.is_empty()).then_some(Words { terms }))
    }

    /// Whether each word is in the title or the text.
    pub(crate) fn are_in(&self, title: &str, text: &str) -> bool {
        let has = |term: &Term| term.find(title).is_some() || term.find(text).is_some();
        self.terms.iter().all(has)
    }

    /// What stands around the first match in the text, or in the title if the text has none: before, match, behind.
    pub(crate) fn snippet(&self, title: &str, text: &str) -> Option<[String; 3]> {
        let first = |text: &str| -> Option<Range<usize>> {
            let found = self.terms.iter().filter_map(|term| term.find(text));
            found.min_by_key(|found| found.start)
        };
        let (of, place) = first(text)
            .map(|place| (text, place))
            .or_else(|| first(title).map(|place| (title, place)))?;
        let before = end_of(&of[..place.start], BEFORE);
        let behind = begin_of(&of[place.end..], BEHIND);
        Some([collapsed(before), collapsed(&of[place]), collapsed(behind)])
    }
}

impl Term {
    /// None if the word has stars alone.
    fn word(word: &str) -> Option<Result<Term, Error>> {
        let letters = word.trim_matches('*');
        let pattern = regex::escape(letters);
        let is_word = !letters.is_empty();
        is_word.then(|| Term::new(word, &pattern, !word.starts_with('*'), !word.ends_with('*')))
    }

    /// None if the phrase is empty. Between its words any white space stands.
    fn phrase(phrase: &str) -> Option<Result<Term, Error>> {
        let words: Vec<String> = phrase.split_whitespace().map(regex::escape).collect();
        (!words.is_empty()).then(|| Term::new(phrase, &words.join(r"\s+"), true, true))
    }

    fn new(written: &str, pattern: &str, begins: bool, ends: bool) -> Result<Term, Error> {
        let pattern = RegexBuilder::new(pattern).case_insensitive(true).build();
        let failed = |error| Error::bad_request(format!("'{written}' cannot be looked for: {error}"));
        Ok(Term {
            pattern: pattern.map_err(failed)?,
            begins,
            ends,
        })
    }

    /// The first place of a text where it stands.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        let mut from = 0;
        loop {
            let found = self.pattern.find_at(text, from)?;
            let begins = !self.begins || is_edge(text, found.start());
            if begins && (!self.ends || is_edge(text, found.end())) {
                return Some(found.range());
            }
            // The next match may overlap with this one.
            from = text.ceil_char_boundary(found.start() + 1);
        }
    }
}

/// Whether a word may begin or end at a place of a text: it does not within a word of a script that writes spaces between words. Other
/// scripts do not show where words begin and end: any place will do.
fn is_edge(text: &str, place: usize) -> bool {
    let (before, behind) = text.split_at(place);
    let is_within =
        before.chars().next_back().is_some_and(is_spaced) && behind.chars().next().is_some_and(is_spaced);
    !is_within
}

/// Whether words with this character stand between spaces or punctuation.
fn is_spaced(letter: char) -> bool {
    static SPACED: LazyLock<Regex> = LazyLock::new(|| {
        let unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];
        let unspaced = unspaced.map(|script| format!(r"\p{{scx={script}}}")).concat();
        let class = format!(r"\A[\p{{L}}\p{{N}}\p{{M}}--[{unspaced}]]");
        Regex::new(&class).expect("a class of characters")
    });
    match letter.is_ascii() {
        true => letter.is_ascii_alphanumeric(),
        false => SPACED.is_match(letter.encode_utf8(&mut [0; 4])),
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
        let text = "Die Straße am Hafen, ΑΣ 東京タワー, 使用Rust语言 ho\u{308}he";
        let has = |query: &str| words(query).are_in(title, text);
        for query in [
            "flut straße",
            "STRAßE",
            "hafen",
            "ας",
            "ebbe  hafen\n",
            "東京",
            "京タ",
            "rust",
            "语",
            "hafen,",
            "*aße",
            "HAF*",
            "*σ",
            "*tra*",
            "ho\u{308}he",
            "am\"die straße\"flut",
            "\"hafen, ας",
            "\"\" * hafen **",
        ] {
            assert!(has(query), "{query}");
        }
        for query in [
            "strasse",
            "flut see",
            "e.b",
            "σ",
            "haf",
            "aße",
            "rus",
            "*haf",
            "ust*",
            "ho",
            "\"am straße\"",
            "\"und die\"",
            "\"straße* am\"",
            "\"hafen ας\"",
        ] {
            assert!(!has(query), "{query}");
        }
        for none in [" \n", "*", "** \"", "\" \" *"] {
            assert!(Words::parse(none).unwrap().is_none(), "{none}");
        }
        assert_eq!(Words::parse(&"a ".repeat(33)).unwrap_err().status, 400);
        assert_eq!(Words::parse(&"a".repeat(1001)).unwrap_err().status, 400);
    }

    #[test]
    fn scripts_without_spaces_have_no_edges() {
        for letter in "aß\u{301}ж한ا١हि1".chars() {
            assert!(is_spaced(letter), "{letter}");
        }
        for letter in "東々あーカไ่ລខမ _-'。".chars() {
            assert!(!is_spaced(letter), "{letter}");
        }
    }

    #[test]
    fn a_snippet_is_of_the_first_match_and_of_whole_words() {
        let snippet = |query, title, text| words(query).snippet(title, text);
        let around = snippet("tide", "", "The high\n\ntide comes").unwrap();
        assert_eq!(around, ["The high ", "tide", " comes"]);
        assert_eq!(snippet("b a", "", "x A b").unwrap(), ["x ", "A", " b"]);
        assert_eq!(snippet("sea", "The Sea", "none").unwrap(), ["The ", "Sea", ""]);
        assert_eq!(snippet("sea", "", "none"), None);
        // The first match is that of a whole word, or of the phrase.
        assert_eq!(snippet("sea", "", "Seal, sea").unwrap(), ["Seal, ", "sea", ""]);
        let around = snippet("\"a b a\"", "", "xa b a b\n a c").unwrap();
        assert_eq!(around, ["xa b ", "a b a", " c"]);
        let long = "word ".repeat(100) + "tide" + &" word".repeat(100);
        let [before, found, behind] = snippet("tide", "", &long).unwrap();
        assert_eq!(found, "tide");
        assert!(before.starts_with("word ") && before.len() <= BEFORE, "{before}");
        assert!(behind.ends_with(" word") && behind.len() <= BEHIND, "{behind}");
    }

    proptest! {
        /// Beside all parts of the text, one after the other.
        #[test]
        fn the_first_place_is_found(
            text in "[abé東\u{301}. \n]{0,40}",
            query in r#"\*?[abé東.]{1,3}\*?|"[ab東]{1,2} [ab東]{1,2}"#,
        ) {
            let terms: Vec<&str> = query.trim_matches(['*', '"']).split(' ').collect();
            let is_quoted = query.starts_with('"');
            let [begins, ends] = [query.starts_with('*'), query.ends_with('*')].map(|star| is_quoted || !star);
            let is_letter = |letter: &char| "abé\u{301}".contains(*letter);
            let letters: Vec<char> = text.chars().collect();
            let is_edge = |place: usize| {
                place == 0 || place == letters.len() || !is_letter(&letters[place - 1]) || !is_letter(&letters[place])
            };
            let is_found = |(from, to): &(usize, usize)| {
                let part: String = letters[*from..*to].iter().collect();
                let is_trimmed = part.trim() == part;
                let has = is_trimmed && part.split_whitespace().eq(terms.iter().copied());
                has && (!begins || is_edge(*from)) && (!ends || is_edge(*to))
            };
            let mut all = (0..letters.len()).flat_map(|from| (from + 1..=letters.len()).map(move |to| (from, to)));
            let expected = all.find(is_found);
            let expected = expected.map(|(from, to)| letters[from..to].iter().collect::<String>());
            let words = words(&query);
            let snippet = words.snippet("", &text);
            prop_assert_eq!(words.are_in("", &text), expected.is_some());
            let expected = expected.map(|found| collapsed(&found));
            prop_assert_eq!(snippet.map(|[_, found, _]| found), expected);
        }

        #[test]
        fn a_snippet_of_any_text_is_a_part_of_it(text in "[aé東 \n]{0,300}", query in "[aé東]{1,2}") {
            let words = words(&format!("*{query}*"));
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
