//! Letters, signs and functions by their names in LaTeX.

use std::sync::LazyLock;

/// The name of a letter or a sign, without its backslash.
pub(super) fn of_sign(letter: char) -> Option<&'static str> {
    let at = SIGNS.binary_search_by_key(&letter, |&(sign, _)| sign).ok()?;
    Some(SIGNS[at].1)
}

/// Whether LaTeX has a command for a function of this name.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

/// Whether this is the name of a command that draws a part of a formula, by itself or of what follows it.
pub(super) fn is_command(name: &str) -> bool {
    is_function(name)
        || STRUCTURES.lines().any(|own| own == name)
        || name.len() > 1 && SIGNS.iter().any(|(_, own)| *own == name)
}

/// Whether a command is an operator whose limits stand above and below it.
pub(super) fn has_limits(command: &str) -> bool {
    const BRACES: [&str; 2] = ["overbrace{", "underbrace{"];
    LIMITED.lines().any(|own| own == command) || BRACES.iter().any(|brace| command.starts_with(brace))
}

/// What an accent above a base is: the command for one letter, and for more.
pub(super) fn of_accent(sign: char) -> Option<[&'static str; 2]> {
    Some(match sign {
        '^' | '\u{2c6}' | '\u{302}' => ["hat", "widehat"],
        '~' | '\u{2dc}' | '\u{303}' | '\u{223c}' => ["tilde", "widetilde"],
        '\u{af}' | '\u{2c9}' | '\u{304}' => ["bar", "overline"],
        '\u{203e}' | '\u{2015}' | '\u{305}' | '_' | '-' | '\u{2212}' | '\u{2013}' | '\u{2014}' => {
            ["overline"; 2]
        }
        '\u{2192}' | '\u{20d7}' | '\u{21c0}' | '\u{27f6}' => ["vec", "overrightarrow"],
        '\u{2190}' | '\u{20d6}' => ["overleftarrow"; 2],
        '\u{2194}' => ["overleftrightarrow"; 2],
        '.' | '\u{2d9}' | '\u{307}' => ["dot"; 2],
        '\u{a8}' | '\u{308}' => ["ddot"; 2],
        '\u{20db}' => ["dddot"; 2],
        '\u{2c7}' | '\u{30c}' => ["check"; 2],
        '\u{2d8}' | '\u{306}' => ["breve"; 2],
        '\u{b4}' | '\u{301}' => ["acute"; 2],
        '`' | '\u{300}' => ["grave"; 2],
        '\u{2da}' | '\u{30a}' => ["mathring"; 2],
        '\u{23de}' => ["overbrace"; 2],
        _ => return None,
    })
}

/// What a sign below a base is.
pub(super) fn of_sign_below(sign: char) -> Option<&'static str> {
    Some(match sign {
        '_' | '\u{af}' | '\u{203e}' | '\u{2015}' | '\u{332}' | '\u{2212}' | '-' => "underline",
        '\u{2192}' => "underrightarrow",
        '\u{2190}' => "underleftarrow",
        '\u{23df}' => "underbrace",
        _ => return None,
    })
}

/// The command of a value of `mathvariant`, and of one for words; empty for letters as they are set without one.
pub(super) fn of_variant(variant: &str) -> Option<[&'static str; 2]> {
    Some(match variant {
        "normal" => ["mathrm", "text"],
        "italic" => ["mathit", "textit"],
        "bold" => ["mathbf", "textbf"],
        "bold-italic" | "bold-sans-serif" | "sans-serif-bold-italic" => ["boldsymbol", "textbf"],
        "double-struck" => ["mathbb", "text"],
        "script" | "bold-script" => ["mathcal", "text"],
        "fraktur" | "bold-fraktur" => ["mathfrak", "text"],
        "sans-serif" | "sans-serif-italic" => ["mathsf", "textsf"],
        "monospace" => ["mathtt", "texttt"],
        _ => return None,
    })
}

/// A letter that Unicode has once more in another form: the letter, and the value of `mathvariant` that it has.
pub(super) fn plain_letter(letter: char) -> Option<(char, &'static str)> {
    /// The alphabets of the block for mathematics, in its order.
    const ALPHABETS: [&str; 13] = [
        "bold",
        "",
        "bold-italic",
        "script",
        "bold-script",
        "fraktur",
        "double-struck",
        "bold-fraktur",
        "sans-serif",
        "bold-sans-serif",
        "sans-serif-italic",
        "sans-serif-bold-italic",
        "monospace",
    ];
    const GREEK: [&str; 5] = ["bold", "", "bold-italic", "bold-sans-serif", "bold-italic"];
    const DIGITS: [&str; 5] = [
        "bold",
        "double-struck",
        "sans-serif",
        "bold-sans-serif",
        "monospace",
    ];
    let code = letter as u32;
    let (first, step, base) = match code {
        0x1d400..0x1d6a4 => (0x1d400, 52, u32::from('A')),
        0x1d6a8..0x1d7ca => (0x1d6a8, 58, 0x391),
        0x1d7ce..0x1d800 => (0x1d7ce, 10, u32::from('0')),
        _ => return letterlike(letter),
    };
    let (alphabet, at) = ((code - first) / step, (code - first) % step);
    let variants: &[&str] = match step {
        52 => &ALPHABETS,
        58 => &GREEK,
        _ => &DIGITS,
    };
    let plain = match (step, at) {
        (52, 26..) => u32::from('a') + at - 26,
        // Nabla stands between the two cases, and other forms of letters behind them.
        (58, 25) => 0x2207,
        (58, 26..51) => 0x3b1 + at - 26,
        (58, 51..) => [0x2202, 0x3f5, 0x3d1, 0x3f0, 0x3d5, 0x3f1, 0x3d6][at as usize - 51],
        _ => base + at,
    };
    Some((char::from_u32(plain)?, variants[alphabet as usize]))
}

/// The letters that stood in Unicode before its block for mathematics.
fn letterlike(letter: char) -> Option<(char, &'static str)> {
    Some(match letter {
        '\u{2102}' => ('C', "double-struck"),
        '\u{210d}' => ('H', "double-struck"),
        '\u{2115}' => ('N', "double-struck"),
        '\u{2119}' => ('P', "double-struck"),
        '\u{211a}' => ('Q', "double-struck"),
        '\u{211d}' => ('R', "double-struck"),
        '\u{2124}' => ('Z', "double-struck"),
        '\u{210a}' => ('g', "script"),
        '\u{210b}' => ('H', "script"),
        '\u{2110}' => ('I', "script"),
        '\u{2112}' => ('L', "script"),
        '\u{211b}' => ('R', "script"),
        '\u{212c}' => ('B', "script"),
        '\u{212f}' => ('e', "script"),
        '\u{2130}' => ('E', "script"),
        '\u{2131}' => ('F', "script"),
        '\u{2133}' => ('M', "script"),
        '\u{2134}' => ('o', "script"),
        '\u{210c}' => ('H', "fraktur"),
        '\u{2128}' => ('Z', "fraktur"),
        '\u{212d}' => ('C', "fraktur"),
        _ => return None,
    })
}

/// Commands of functions, sorted.
const FUNCTIONS: [&str; 32] = [
    "Pr", "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec",
    "sin", "sinh", "sup", "tan", "tanh",
];

/// Commands that give a formula its form: one a line.
const STRUCTURES: &str = include_str!("structures.txt");

/// Commands of operators whose limits stand above and below them: one a line.
const LIMITED: &str = include_str!("limits.txt");

/// Letters and signs with their names, sorted: a row each.
static SIGNS: LazyLock<Vec<(char, &str)>> = LazyLock::new(|| {
    let rows = include_str!("signs.txt").lines();
    let cells = rows.filter_map(|row| row.split_once(' '));
    cells
        .filter_map(|(sign, name)| Some((sign.chars().next()?, name)))
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SIGNS.is_sorted_by(|one, next| one.0 < next.0));
        assert_eq!(SIGNS.len(), include_str!("signs.txt").lines().count());
        assert!(FUNCTIONS.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn letters_of_mathematics_are_letters_in_a_form() {
        for (letter, plain) in [
            ('\u{1d400}', ('A', "bold")),
            ('\u{1d44e}', ('a', "")),
            ('\u{1d538}', ('A', "double-struck")),
            ('\u{1d69a}', ('q', "monospace")),
            ('\u{1d6c2}', ('\u{3b1}', "bold")),
            ('\u{1d6c1}', ('\u{2207}', "bold")),
            ('\u{1d71b}', ('\u{3d6}', "")),
            ('\u{1d7d9}', ('1', "double-struck")),
            ('\u{211d}', ('R', "double-struck")),
        ] {
            assert_eq!(plain_letter(letter), Some(plain), "{letter}");
        }
        assert_eq!(plain_letter('x'), None);
    }
}
