//! Distinguishes formulas in LaTeX from other text.

use super::names;

/// Whether a text that stands for a formula can be one: it has signs of LaTeX, or no words but functions.
pub(super) fn may_be_formula(text: &str) -> bool {
    let has_sign = || text.contains(['\\', '^', '_', '{']);
    let is_word = |word: &str| word.chars().nth(2).is_some() && !names::is_function(word);
    let mut words = text.split(|letter: char| !letter.is_alphabetic());
    !text.trim().is_empty() && (has_sign() || !words.any(is_word))
}

/// Whether a text is a formula, whatever it stands for: it has a command that draws a part of formulas.
pub(super) fn has_command(text: &str) -> bool {
    let mut parts = text.split('\\');
    let first = parts.next().unwrap_or_default();
    // A path on a disk.
    if first.ends_with(':') || first.is_empty() && text.starts_with("\\\\") {
        return false;
    }
    parts.any(|part| {
        let letters = part.bytes().take_while(u8::is_ascii_alphabetic).count();
        names::is_command(&part[..letters])
    })
}

/// Whether a text is a formula that draws nothing, between the signs that a page has around formulas.
pub(in crate::blocks) fn is_only_definitions(text: &str) -> bool {
    const DELIMITERS: [(&str, &str); 4] = [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$")];
    let inner = DELIMITERS
        .iter()
        .find_map(|(begin, end)| text.strip_prefix(begin)?.strip_suffix(end));
    inner.is_some_and(only_defines)
}

/// Whether a formula only defines commands for others, and draws nothing.
pub(super) fn only_defines(formula: &str) -> bool {
    let mut rest = formula.trim_start();
    let mut count = 0;
    while !rest.is_empty() {
        match behind_definition(rest) {
            Some(behind) => rest = behind.trim_start(),
            None => return false,
        }
        count += 1;
    }
    count > 0
}

/// What stands behind the definition that a text begins with.
fn behind_definition(text: &str) -> Option<&str> {
    const COMMANDS: [&str; 10] = [
        "newcommand",
        "renewcommand",
        "providecommand",
        "DeclareMathOperator",
        "DeclarePairedDelimiter",
        "newenvironment",
        "renewenvironment",
        "def",
        "let",
        "require",
    ];
    let name = text.strip_prefix('\\')?;
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let command = COMMANDS.iter().find(|command| **command == &name[..letters])?;
    let mut rest = name[letters..]
        .strip_prefix('*')
        .unwrap_or(&name[letters..])
        .trim_start();
    match *command {
        "let" => {
            let (_, behind) = command_name(rest)?;
            let behind = behind.trim_start();
            let behind = behind.strip_prefix('=').unwrap_or(behind).trim_start();
            return command_name(behind).map_or_else(|| behind.get(1..), |(_, behind)| Some(behind));
        }
        "def" => {
            let body = rest.find('{')?;
            return group(&rest[body..], '{', '}');
        }
        _ => {}
    }
    if let Some((_, behind)) = command_name(rest) {
        rest = behind.trim_start();
    }
    let mut has_group = false;
    loop {
        let next = match rest.chars().next() {
            Some('{') => group(rest, '{', '}')?,
            Some('[') => group(rest, '[', ']')?,
            _ => return has_group.then_some(rest),
        };
        has_group = true;
        rest = next.trim_start();
    }
}

/// The name of a command and what stands behind it.
fn command_name(text: &str) -> Option<(&str, &str)> {
    let name = text.strip_prefix('\\')?;
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let length = match letters {
        0 => name.chars().next()?.len_utf8(),
        letters => letters,
    };
    Some(name.split_at(length))
}

/// What stands behind a group in brackets.
fn group(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_u32;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' => is_escaped = true,
            letter if letter == open => depth += 1,
            letter if letter == close => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_formulas() {
        for formula in [
            "x",
            "2\\pi",
            "a_{1}",
            "n!",
            "sin x",
            "E = mc^2",
            "F = m a",
            "\\text{rain if it is cold}",
        ] {
            assert!(may_be_formula(formula), "{formula}");
        }
        for words in [
            "",
            " ",
            "equation",
            "A = view of the hill",
            "Mr Ode",
            "x squared",
            "photo 3",
        ] {
            assert!(!may_be_formula(words), "{words}");
        }
    }

    #[test]
    fn commands_make_a_formula_of_any_text() {
        for formula in [
            "\\frac{m}{v}",
            "a \\le b",
            "M = \\sum_i m_i",
            "\\begin{cases} a \\end{cases}",
        ] {
            assert!(has_command(formula), "{formula}");
        }
        for other in [
            "C:\\sum\\text\\a.png",
            "\\\\server\\in\\text",
            "a \\o/ b",
            "x_1",
            "\\summertime",
        ] {
            assert!(!has_command(other), "{other}");
        }
    }

    #[test]
    fn definitions_draw_nothing() {
        for definitions in [
            "\\newcommand{\\a}{b}",
            " \\newcommand\\a[1]{\\b{#1}} \\DeclareMathOperator*{\\E}{E} ",
            "\\def\\a#1{b{c}}\\let\\b=\\a \\let\\c\\d",
            "\\require{mhchem}",
        ] {
            assert!(only_defines(definitions), "{definitions}");
        }
        for other in [
            "",
            "x",
            "\\newcommand{\\a}{b} \\a",
            "\\newcommand{\\a}{b",
            "\\let",
            "\\def\\a",
            "\\newcommand",
        ] {
            assert!(!only_defines(other), "{other}");
        }
    }
}
