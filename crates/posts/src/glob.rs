//! The patterns of rule files: `*` stands for any text, all else for itself.

/// A pattern, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    /// What stands between the stars: one part where there is no star.
    parts: Vec<String>,
}

impl Glob {
    pub(crate) fn new(pattern: &str) -> Glob {
        let parts = pattern.to_ascii_lowercase();
        Glob {
            parts: parts.split('*').map(str::to_owned).collect(),
        }
    }

    /// The longest text that each text has that the pattern fits; empty where it may be any.
    pub(crate) fn longest_part(&self) -> &str {
        let longest = self.parts.iter().max_by_key(|part| part.len());
        longest.map_or("", String::as_str)
    }

    /// Whether the pattern fits all of a text that is in lower case.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let [first, middle @ .., last] = &self.parts[..] else {
            return self.parts.first().is_some_and(|only| only == text);
        };
        let Some(rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        let Some(mut rest) = rest.strip_suffix(last.as_str()) else {
            return false;
        };
        // The leftmost place for each part leaves the most room for those behind it.
        for part in middle {
            let Some(at) = rest.find(part.as_str()) else {
                return false;
            };
            rest = &rest[at + part.len()..];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The obvious way: try every length for the first star.
    fn fits_slowly(pattern: &[u8], text: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|from| fits_slowly(rest, &text[from..])),
            Some((letter, rest)) => text.first() == Some(letter) && fits_slowly(rest, &text[1..]),
        }
    }

    #[test]
    fn stars_stand_for_any_text() {
        let cases = [
            ("post*", "post", true),
            ("post*", "posts hentry", true),
            ("post*", "blog-post", false),
            ("*entry*post*", "an-entry of posts", true),
            ("*entry*post*", "post-entry", false),
            ("entry", "entry", true),
            ("entry", "entry-content", false),
            ("a*a", "a", false),
        ];
        for (pattern, text, fits) in cases {
            assert_eq!(Glob::new(pattern).fits(text), fits, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn fits_as_the_obvious_way_does(pattern in "[ab*]{0,6}", text in "[ab]{0,8}") {
            prop_assert_eq!(Glob::new(&pattern).fits(&text), fits_slowly(pattern.as_bytes(), text.as_bytes()));
        }
    }
}
