//! Classes of the parts of a program, as highlighters and viewers of files name them.

use std::sync::LazyLock;

use super::super::style::has_word;
use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Parts of the names of line numbers.
const NUMBERS: [&str; 14] = [
    "lineno",
    "linenum",
    "line-no",
    "line-num",
    "line_no",
    "line_num",
    "linenr",
    "gutter",
    "blob-num",
    "lines-num",
    "ln-num",
    "crayon-num",
    "pre-number",
    "diff-line-num",
];

/// Whole names of line numbers.
const NUMBER: [&str; 4] = ["ln", "lnt", "lnum", "hljs-ln-n"];

/// Names that hold such a part and are no numbers.
const NO_NUMBERS: [&str; 4] = ["gutterless", "no-gutter", "nogutter", "gutter-"];

/// Parts of the names of tools that draw programs.
const TOOLS: [&str; 18] = [
    "highlighter",
    "hljs",
    "crayon",
    "enlighter",
    "geshi",
    "prettyprint",
    "linenums",
    "codehilite",
    "codemirror",
    "monaco",
    "shiki",
    "chroma",
    "rouge",
    "sourcecode",
    "codeblock",
    "code-block",
    "wp_syntax",
    "js-file-line",
];

/// Parts of names that boxes of programs have, and other boxes too.
const BOXES: [&str; 8] = [
    "code",
    "highlight",
    "syntax",
    "source",
    "snippet",
    "fragment",
    "blob",
    "prism",
];

/// Names of the colours of numbers in a program.
const TOKENS: [&str; 10] = [
    "m",
    "mi",
    "mf",
    "mh",
    "il",
    "nu",
    "token",
    "hljs-number",
    "number",
    "crayon-cn",
];

/// Maximum bytes searched per class.
const LONGEST: usize = 400;

fn looked_at(class: &str) -> &str {
    class.get(..LONGEST).unwrap_or(class)
}

/// Whether a class names line numbers.
pub(super) fn is_of_numbers(class: &str) -> bool {
    let is_name = |name: &str| {
        let is_whole = NUMBER.iter().any(|whole| name.eq_ignore_ascii_case(whole));
        is_whole || has_part(name, &NUMBERS) && !has_part(name, &NO_NUMBERS)
    };
    let class = looked_at(class);
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(&[NUMBERS.as_slice(), &["ln"]].concat()));
    FINDER.is_match(class) && class.split_ascii_whitespace().any(is_name)
}

/// Whether a class names a tool that draws programs.
pub(super) fn is_of_tool(class: &str) -> bool {
    let class = looked_at(class);
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(&TOOLS));
    let is_dp = |name: &str| name.starts_with("dp-");
    FINDER.is_match(class) || class.contains("dp-") && class.split_ascii_whitespace().any(is_dp)
}

/// Whether a class may be that of the box of a program.
pub(super) fn is_of_box(class: &str) -> bool {
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(&[TOOLS.as_slice(), &BOXES].concat()));
    let class = looked_at(class);
    FINDER.is_match(class) || class.contains("dp-") && is_of_tool(class)
}

/// Whether the source of a page has what highlighters write: one of their names, or the class of a box or a line.
pub(super) fn is_in_source(source: &str) -> bool {
    const PARTS: [&str; 25] = [
        "ighlight",
        "yntax",
        "hljs",
        "rayon",
        "nlighter",
        "rettyprint",
        "odemirror",
        "odeMirror",
        "shiki",
        "chroma",
        "odeblock",
        "ode-block",
        "snippet",
        "blob-",
        "data-line",
        "-line\"",
        // Classes that begin so: class="code", class='code', class=code.
        "s=\"code",
        "s='code",
        "s=code",
        "s=\"source",
        "s='source",
        "s=source",
        "s=\"line",
        "s='line",
        "s=line",
    ];
    static FINDER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(PARTS));
    match &*FINDER {
        Some(finder) => finder.find(source).is_some(),
        None => PARTS.iter().any(|part| source.contains(part)),
    }
}

/// What finds parts of names, in letters of either case.
pub(in crate::blocks) fn finder(parts: &[&str]) -> AhoCorasick {
    let builder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(parts);
    builder.expect("a test finds them")
}

/// Whether a class names a line: `line`, `code-line`, `CodeMirror-line`.
pub(super) fn is_of_line(class: &str) -> bool {
    let is_line = |word: &str| word.eq_ignore_ascii_case("line") || word.eq_ignore_ascii_case("codeline");
    // Few classes have its letters.
    has_word(class, "line") && words(class).any(is_line)
}

/// Whether a class names a line of an editor or of a program, so that nothing else needs to.
pub(super) fn is_of_code_line(class: &str) -> bool {
    is_of_line(class)
        && has_part(
            looked_at(class),
            &["code", "token-line", "view-line", "cm-line", "ace_line"],
        )
}

/// Whether a class names the cell of a program.
pub(super) fn is_of_code_cell(class: &str) -> bool {
    words(class).any(|word| word.eq_ignore_ascii_case("code")) || is_of_tool(class)
}

/// Whether a class names a colour of a number.
pub(super) fn is_of_token(class: &str) -> bool {
    looked_at(class)
        .split_ascii_whitespace()
        .any(|name| TOKENS.contains(&name))
}

/// Whether a class names a line that a book has for compilers and hides from readers.
pub(super) fn is_of_hidden_line(class: &str) -> bool {
    class.split_ascii_whitespace().any(|name| name == "boring")
}

/// What a text or a class of a button has that copies a program.
const COPYING: [&str; 12] = [
    "copy",
    "copied",
    "clipboard",
    "toolbar",
    "copier",
    "copia",
    "kopier",
    "копир",
    "复制",
    "複製",
    "コピー",
    "복사",
];

/// Whether a text or a class is of copying a program.
pub(super) fn is_of_copying(text: &str) -> bool {
    static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(&COPYING));
    FINDER.is_match(looked_at(text))
}

fn words(class: &str) -> impl Iterator<Item = &str> {
    looked_at(class).split(|letter: char| !letter.is_ascii_alphabetic())
}

fn has_part(name: &str, parts: &[&str]) -> bool {
    let name = name.as_bytes();
    let is_in = |part: &&str| {
        let is_part = |window: &[u8]| window.eq_ignore_ascii_case(part.as_bytes());
        name.windows(part.len()).any(is_part)
    };
    parts.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_names_of_their_own() {
        for class in [
            "ln",
            "linenos",
            "codeLineNumber_x1",
            "js-line-number blob-num",
            "rouge-gutter gl",
            "LineNr",
        ] {
            assert!(is_of_numbers(class), "{class}");
        }
        for class in ["line", "number", "mi", "gutterless", "aln"] {
            assert!(!is_of_numbers(class), "{class}");
        }
    }

    #[test]
    fn highlighters_are_seen_in_the_source() {
        for source in [
            "<div class=\"line a\">",
            "<ol class=dp-highlighter>",
            "<i id=\"cm-line\">",
        ] {
            assert!(is_in_source(source), "{source}");
        }
        assert!(!is_in_source("<p class=a>The line of the ferry") && !is_in_source(""));
    }

    #[test]
    fn lines_and_boxes_have_names_of_their_own() {
        assert!(is_of_line("line number1 index0") && is_of_line("cm-line") && !is_of_line("underline lines"));
        assert!(is_of_code_line("token-line") && is_of_code_line("code-line") && !is_of_code_line("line"));
        assert!(is_of_tool("dp-py") && is_of_tool("SyntaxHighlighter") && !is_of_tool("highlight"));
        assert!(is_of_box("highlight") && !is_of_box("entry-content"));
        assert!(is_of_code_cell("blob-code") && !is_of_code_cell("postcodes"));
    }
}
