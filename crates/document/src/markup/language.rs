//! The programming language of a program, as attributes and classes name it.

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;

/// Maximum boxes around a program searched for its language. Three times as many parts of a table are: highlighters put
/// numbers beside lines by one.
const NEAR: usize = 4;

/// What stands before a language in a name of a class.
const PREFIXES: [&str; 9] = [
    "language-",
    "lang-",
    "lang:",
    "brush:",
    "mw-highlight-lang-",
    "highlight-source-",
    "highlight-text-",
    "highlight-",
    "enlighter-l-",
];

/// What stands before a language that is known, and before other words as well.
const PREFIXES_OF_KNOWN: [&str; 6] = ["dp-", "src-", "source-", "code-", "syntax-", "brush-"];

/// Classes of highlighters that name the language in another class of the same element.
const HIGHLIGHTERS: [&str; 4] = ["hljs", "sourceCode", "brush:", "mw-geshi"];

/// Parts of classes beside which a known language may stand.
const BOXES: [&str; 6] = ["highlight", "code", "syntax", "geshi", "enlighter", "prettyprint"];

/// Names that say that there is none, or are no language.
const NO_LANGUAGES: [&str; 16] = [
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
    "raw",
    "auto",
    "generic",
    "unknown",
];

/// Names by which a class is a language with nothing else that says so.
#[rustfmt::skip]
const KNOWN: [&str; 101] = [
    "actionscript", "ada", "apache", "applescript", "arduino", "asm", "awk", "bash", "bat", "batch", "c", "c#", "c++", "cc",
    "clojure", "cmake", "cobol", "coffeescript", "cpp", "cs", "csharp", "css", "dart", "delphi", "diff", "dockerfile",
    "elixir", "elm", "erlang", "f#", "fortran", "fsharp", "gherkin", "glsl", "go", "golang", "graphql", "groovy", "haskell",
    "hcl", "html", "http", "ini", "java", "javascript", "jinja", "js", "json", "jsx", "julia", "kotlin", "latex", "less",
    "lisp", "lua", "makefile", "markdown", "matlab", "nginx", "nim", "nix", "objc", "objective-c", "objectivec",
    "ocaml", "pascal", "perl", "php", "powershell", "prolog", "properties", "proto", "ps1", "py", "python", "r", "rb", "rs",
    "ruby", "rust", "sass", "scala", "scheme", "scss", "sh", "shell", "solidity", "sql", "swift", "tcl", "terraform", "tex",
    "toml", "ts", "tsx", "typescript", "vb", "vue", "xml", "yaml", "yml",
];

/// Other names of languages: with a version, as documentation has them, and short ones of old highlighters. Renderers of
/// Markdown do not know them.
const OTHER_NAMES: [(&str, &str); 3] = [("python3", "python"), ("ipython3", "python"), ("jscript", "js")];

/// The language of a program: that of its `<code>`, its own, or that of a box around it.
pub(super) fn find(page: &Page, pre: u32) -> Option<String> {
    let tag = |element: u32| page.elements[element as usize].tag;
    let children = page.elements[pre as usize].end.min(pre + 1 + NEAR as u32);
    let code = (pre + 1..children).find(|&child| tag(child) == Tag::Code);
    let is_part = |up: u32| {
        matches!(
            tag(up),
            Tag::Table | Tag::Tbody | Tag::Tr | Tag::Td | Tag::Code | Tag::Pre
        )
    };
    let around = || page.ancestors(pre).skip(1).take(3 * NEAR).map(|up| (up, false));
    let parts = around().filter(|(up, _)| is_part(*up));
    let boxes = around().filter(|(up, _)| !is_part(*up)).take(NEAR - 1);
    let own = code.into_iter().chain([pre]).map(|own| (own, true));
    own.chain(boxes)
        .chain(parts)
        .find_map(|(element, is_own)| of_element(page, element, is_own))
}

/// The language that an element names. A program by itself (`is_own`) may have the bare name of one.
fn of_element(page: &Page, element: u32, is_own: bool) -> Option<String> {
    let attribute = |name| page.attribute(element, name);
    let named = attribute(Attr::DataLanguage)
        .and_then(|value| of_class(value, false).or_else(|| language(value.trim())));
    let of_lang = || attribute(Attr::Lang).filter(|_| is_own).and_then(known);
    let class = || attribute(Attr::Class).and_then(|class| of_class(class, is_own));
    named.or_else(class).or_else(of_lang)
}

fn of_class(class: &str, is_own: bool) -> Option<String> {
    let names = || {
        class
            .split([' ', '\t', '\n', '\r', '\u{c}', ';'])
            .filter(|name| !name.is_empty())
    };
    let behind = |name: &'_ str, prefixes: &[&str]| {
        let of = |prefix: &&str| name.strip_prefix(*prefix).map(str::to_owned);
        prefixes.iter().find_map(of)
    };
    let prefixed = |name: &str| {
        let any = behind(name, &PREFIXES).and_then(|name| language(&name));
        any.or_else(|| behind(name, &PREFIXES_OF_KNOWN).and_then(|name| known(&name)))
    };
    let is_of_highlighter = |name: &str| HIGHLIGHTERS.contains(&name);
    let beside = || {
        let others = names().filter(|name| !is_of_highlighter(name));
        others
            .filter_map(language)
            .next()
            .filter(|_| names().any(is_of_highlighter))
    };
    let is_box = || BOXES.iter().any(|part| class.to_ascii_lowercase().contains(part));
    let bare = || names().find_map(known).filter(|_| is_own || is_box());
    names().find_map(prefixed).or_else(beside).or_else(bare)
}

/// A name as that of a language, if it may be one.
fn language(name: &str) -> Option<String> {
    const LONGEST: usize = 20;
    let name = name.trim_matches(['"', '\'', ';']).to_ascii_lowercase();
    let is_letter =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '#' | '-' | '_' | '.');
    let is_name = !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_letter);
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
    let name = other.map_or(name.as_str(), |(_, language)| language);
    (is_name && !NO_LANGUAGES.contains(&name)).then(|| name.to_owned())
}

/// A name as that of a language that is known by it.
fn known(name: &str) -> Option<String> {
    language(name).filter(|name| KNOWN.binary_search(&name.as_str()).is_ok())
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
            ("brush:php;toolbar:false", Some("php")),
            ("sourceCode numberLines haskell", Some("haskell")),
            ("prettyprint linenums lang-js", Some("js")),
            ("mw-highlight mw-highlight-lang-lua mw-content-ltr", Some("lua")),
            (
                "enlighter-default enlighter-t-godzilla enlighter-l-kotlin",
                Some("kotlin"),
            ),
            ("lang:ruby decode:true", Some("ruby")),
            ("highlight yaml", Some("yaml")),
            ("syntaxhighlighter  java", Some("java")),
            ("dp-xml", Some("xml")),
            ("dp-highlighter", None),
            ("highlight js-file-line-container", None),
            ("highlight-default notranslate", None),
            ("language-", None),
            ("code wide", None),
            ("go", None),
        ] {
            assert_eq!(of_class(class, false).as_deref(), expected, "{class}");
        }
        assert_eq!(of_class("go", true).as_deref(), Some("go"));
    }

    #[test]
    fn known_names_are_sorted() {
        assert!(KNOWN.is_sorted());
    }
}
