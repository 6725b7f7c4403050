//! Search in the texts of a page, ignoring case.

use std::ops::Range;

/// What is searched for, letters folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    folded: Vec<char>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Pattern {
        Pattern {
            folded: text.chars().map(fold).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    /// The first place at or after `from`, where a letter begins, at which the text has the pattern.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let first = *self.folded.first()?;
        let mut candidates = text[from..].char_indices().filter(|&(_, c)| fold(c) == first);
        candidates.find_map(|(at, _)| {
            let start = from + at;
            let length = self.length_at(&text[start..])?;
            Some(start..start + length)
        })
    }

    /// The length of the pattern at the beginning of a text, if it is there.
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut letters = text.char_indices();
        for &wanted in &self.folded {
            letters.next().filter(|&(_, c)| fold(c) == wanted)?;
        }
        Some(letters.next().map_or(text.len(), |(at, _)| at))
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.find(text, 0).is_some()
    }
}

/// One letter for all cases of it.
fn fold(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter_and_places_are_of_the_text() {
        let pattern = Pattern::new("ÎLE");
        assert_eq!(pattern.find("Une Île, une île", 0), Some(4..8));
        assert_eq!(pattern.find("Une Île, une île", 6), Some(14..18));
        assert_eq!(pattern.find("Une Île", 6), None);
        assert!(Pattern::new("道は").is_in("灯台までの道は二つ"));
        assert!(!Pattern::new("aab").is_in("aaa") && !Pattern::default().is_in("a"));
    }
}
