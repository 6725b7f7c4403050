//! Links and buttons beside names: `Follow`, `Email the author`, `View profile`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::phrases::phrases;
use crate::title;

/// The words that they begin with; see there.
const CONTROLS: &str = include_str!("controls.txt");

/// Those of scripts without spaces.
static DENSE: LazyLock<Vec<String>> = LazyLock::new(|| phrases(include_str!("controls_dense.txt")).collect());

/// Them by their first words, each with whether it is whole.
static BY_WORD: LazyLock<FxHashMap<String, Vec<(String, bool)>>> = LazyLock::new(|| {
    let mut all: FxHashMap<String, Vec<(String, bool)>> = FxHashMap::default();
    for control in phrases(CONTROLS) {
        let words = title::words(&control);
        let own = all.entry(first_word(&words).to_owned()).or_default();
        own.push((words, control.ends_with('$')));
    }
    all
});

fn first_word(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

/// Whether the words of a text, in lower case, are those of a link or a button.
pub(super) fn is_control(words: &str) -> bool {
    let is = |(control, is_whole): &(String, bool)| {
        let rest = words.strip_prefix(control.as_str());
        rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with(' ') && !is_whole))
    };
    let own = BY_WORD.get(first_word(words));
    own.is_some_and(|own| own.iter().any(is))
        || DENSE.iter().any(|control| words.starts_with(control.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_known_in_many_languages() {
        for words in [
            "follow",
            "follow mia holt",
            "email the author",
            "view all posts",
            "e mail an die autorin",
            "suivre",
            "écrire à l auteur",
            "seguir",
            "scrivi all autore",
            "volg mia",
            "følg",
            "подписаться",
            "takip et",
            "フォローする",
            "关注",
            "팔로우",
            "متابعة",
        ] {
            assert!(is_control(words), "{words}");
        }
        for words in [
            "mia holt",
            "more o ferrall",
            "sharee lee",
            "bio lanterna",
            "volgin",
            "visagie",
            "kontakt",
        ] {
            assert_eq!(is_control(words), words == "kontakt", "{words}");
        }
    }
}
