//! What bylines begin with.

use std::sync::LazyLock;

use crate::Language;
use crate::phrases::{lines, phrases};

/// Beginnings of bylines, a language a line; see there.
const PREFIXES: &str = include_str!("prefixes.txt");

/// The code of what archives of an author's posts begin with.
const LISTS: &str = "lists";

/// Prefixes that are parts of names, too: they are one before two words.
const PARTICLES: [&str; 9] = ["von", "de", "di", "da", "af", "av", "od", "per", "door"];

/// A text without what bylines begin with: a prefix of the page's language (English where it is not known), or one of any
/// language with a colon behind it.
pub(super) fn without_prefix<'t>(text: &'t str, language: Option<&Language>) -> &'t str {
    let own = language.map_or("en", |language| language.name.as_str());
    let mut rest = text.trim();
    // `Posted by: By Ada`, and no end without an end.
    for _ in 0..3 {
        let first = rest.chars().next().and_then(|first| first.to_lowercase().next());
        let mut prefixes = first.map_or(&[][..], beginning_with).iter();
        match prefixes.find_map(|(_, code, prefix)| after(rest, prefix, *code == own)) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// The prefixes that begin with a letter, each with its language, in the order of the table. The first letter rules out nearly
/// all.
fn beginning_with(letter: char) -> &'static [(char, &'static str, String)] {
    static BY_LETTER: LazyLock<Vec<(char, &str, String)>> = LazyLock::new(|| {
        let of_language = |line: &'static str| {
            let (code, prefixes) = line.split_once(':')?;
            Some(phrases(prefixes).filter_map(move |prefix| Some((prefix.chars().next()?, code, prefix))))
        };
        let mut all: Vec<_> = lines(PREFIXES).filter_map(of_language).flatten().collect();
        all.sort_by_key(|(letter, ..)| *letter);
        all
    });
    let start = BY_LETTER.partition_point(|(other, ..)| *other < letter);
    let end = BY_LETTER.partition_point(|(other, ..)| *other <= letter);
    &BY_LETTER[start..end]
}

/// Whether a text in lower case is a prefix alone.
pub(super) fn is_prefix(text: &str) -> bool {
    let mut prefixes = text.chars().next().map_or(&[][..], beginning_with).iter();
    prefixes.any(|(_, code, prefix)| *code != LISTS && prefix == text)
}

/// What stands behind a prefix, if a text begins with it.
fn after<'t>(text: &'t str, prefix: &str, is_own: bool) -> Option<&'t str> {
    let rest = strip(text, prefix)?;
    let bare = rest.trim_start();
    if let Some(after) = bare.strip_prefix([':', '：']) {
        return Some(after.trim_start());
    }
    if !is_own {
        return None;
    }
    let is_dense = prefix.starts_with(|letter: char| letter >= '\u{2e80}') && prefix.chars().count() > 1;
    if bare.is_empty() || (bare.len() == rest.len() && !is_dense && !rest.starts_with('/')) {
        return None;
    }
    let bare = bare.trim_start_matches('/');
    let is_name = PARTICLES.contains(&prefix) && bare.split_whitespace().count() < 2;
    (!is_name).then_some(bare)
}

/// What stands behind a beginning, in any letter case.
fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut letters = text.char_indices();
    for wanted in prefix.chars() {
        let (_, own) = letters.next()?;
        let is_same = own == wanted || own.to_lowercase().eq(wanted.to_lowercase());
        if !is_same {
            return None;
        }
    }
    Some(letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<'t>(text: &'t str, tag: &str) -> &'t str {
        without_prefix(text, Language::from_tags(tag).as_ref())
    }

    #[test]
    fn a_prefix_is_cut_off_in_its_language_or_before_a_colon() {
        for (text, tag, wanted) in [
            ("By Ada Lovelace", "en", "Ada Lovelace"),
            ("By Ada Lovelace", "", "Ada Lovelace"),
            ("By Larsen", "nb", "By Larsen"),
            ("Oleh Kovalchuk", "en", "Oleh Kovalchuk"),
            ("Oleh Kovalchuk", "uk", "Oleh Kovalchuk"),
            ("Oleh Budi Santoso", "id", "Budi Santoso"),
            ("Von Ada Lovelace", "de", "Ada Lovelace"),
            ("Von Miller", "en", "Von Miller"),
            ("Von Miller", "de", "Von Miller"),
            ("von: Ada", "en", "Ada"),
            ("Por Ana Silva", "es", "Ana Silva"),
            ("Por Thao", "en", "Por Thao"),
            ("Автор: Анна Иванова", "en", "Анна Иванова"),
            ("Автор Анна Иванова", "ru", "Анна Иванова"),
            ("作者：王小明", "", "王小明"),
            ("記者王小明", "zh", "王小明"),
            ("글렌 최", "ko", "글렌 최"),
            ("글 김민수", "ko", "김민수"),
            ("文月 涼", "ja", "文月 涼"),
            ("Di Maio", "it", "Di Maio"),
            ("di Mario Rossi", "it", "Mario Rossi"),
            ("Door Jan de Vries", "nl", "Jan de Vries"),
            ("Archives : admin", "en", "admin"),
            ("Written by: By Ada", "en", "Ada"),
            ("Byron Katie", "en", "Byron Katie"),
            ("Authorina Bell", "en", "Authorina Bell"),
            ("Guide by Ada Lovelace", "en", "Ada Lovelace"),
            ("By", "en", "By"),
            ("İ", "tr", "İ"),
        ] {
            assert_eq!(cut(text, tag), wanted, "{text} {tag}");
        }
    }
}
