//! The programming language of preformatted text, as classes name it.

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;

/// So many elements around a `<pre>` may name its language: highlighters put boxes around it.
const NEAR: usize = 3;

/// What stands before a language in a name of a class.
const PREFIXES: [&str; 5] = [
    "language-",
    "lang-",
    "highlight-source-",
    "highlight-text-",
    "highlight-",
];

/// Classes of highlighters that name the language in another class of the same element.
const HIGHLIGHTERS: [&str; 3] = ["hljs", "sourceCode", "brush:"];

/// Names that say that there is none, or are no language.
const NO_LANGUAGES: [&str; 12] = [
    "none",
    "default",
    "text",
    "plain",
    "plaintext",
    "nohighlight",
    "no-highlight",
    "undefined",
    "wrapper",
    "notranslate",
    "numberlines",
    "copy",
];

/// The language of a `<pre>`: that of its `<code>`, its own, or that of a box around it.
pub(super) fn of(page: &Page, pre: u32) -> Option<String> {
    let child = Some(pre + 1).filter(|&child| {
        let elements = page.elements.get(child as usize);
        elements.is_some_and(|element| element.parent == pre && element.tag == Tag::Code)
    });
    let near = child.into_iter().chain(page.ancestors(pre).take(NEAR));
    let mut classes = near.filter_map(|element| page.attribute(element, Attr::Class));
    classes.find_map(of_class)
}

fn of_class(class: &str) -> Option<String> {
    let names = || class.split_ascii_whitespace();
    let prefixed = |name: &str| {
        let of = |prefix: &&str| name.strip_prefix(*prefix);
        PREFIXES.iter().find_map(of).and_then(language)
    };
    let is_of_highlighter = |name: &str| HIGHLIGHTERS.contains(&name);
    let beside = || {
        let others = names().filter(|name| !is_of_highlighter(name));
        others
            .filter_map(language)
            .next()
            .filter(|_| names().any(is_of_highlighter))
    };
    names().find_map(prefixed).or_else(beside)
}

/// Names of languages with a version, as documentation has them: renderers of Markdown know only those without.
const VERSIONS: [(&str, &str); 2] = [("python3", "python"), ("ipython3", "python")];

/// A name as that of a language, if it may be one.
fn language(name: &str) -> Option<String> {
    const LONGEST: usize = 20;
    let name = name.trim_end_matches(';').to_ascii_lowercase();
    let is_letter =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '#' | '-' | '_' | '.');
    let is_name = !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_letter);
    let known = VERSIONS.iter().find(|(version, _)| *version == name);
    let name = known.map_or(name.as_str(), |(_, language)| language);
    (is_name && !NO_LANGUAGES.contains(&name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_name_languages() {
        for (class, expected) in [
            ("language-rust", Some("rust")),
            ("highlight lang-C++ x", Some("c++")),
            ("highlight highlight-source-shell", Some("shell")),
            ("highlight-python3 notranslate", Some("python")),
            ("hljs go", Some("go")),
            ("brush: js; gutter", Some("js")),
            ("sourceCode numberLines haskell", Some("haskell")),
            ("highlight-default notranslate", None),
            ("language-", None),
            ("code wide", None),
        ] {
            assert_eq!(of_class(class).as_deref(), expected, "{class}");
        }
    }
}
