//! Formulas in LaTeX within text.

use std::ops::Range;

use memchr::memchr2;

/// A formula in a text.
pub(super) struct Formula {
    /// Its place with what stands around it.
    pub(super) whole: Range<usize>,
    /// Its place alone.
    pub(super) inner: Range<usize>,
    /// Whether it stands in a line of its own.
    pub(super) is_display: bool,
}

/// What stands around formulas of pages whose scripts draw them.
const DELIMITERS: [(&str, &str, bool); 4] = [
    ("\\(", "\\)", false),
    ("\\[", "\\]", true),
    ("$$", "$$", true),
    ("$", "$", false),
];

/// Whether a text has a formula.
pub(super) fn has(text: &str) -> bool {
    find(text).is_some()
}

/// The first formula of a text that may be written as one.
pub(super) fn find(text: &str) -> Option<Formula> {
    let mut at = 0;
    while let Some(sign) = memchr2(b'\\', b'$', &text.as_bytes()[at..]) {
        let start = at + sign;
        if let Some(found) = DELIMITERS
            .iter()
            .find_map(|delimiters| between(text, start, delimiters))
        {
            return Some(found);
        }
        // Behind both signs of a pair.
        let is_pair = text[start..].starts_with("\\\\") || text[start..].starts_with("$$");
        at = start + if is_pair { 2 } else { 1 };
    }
    None
}

/// The formula that begins at a place.
fn between(text: &str, start: usize, &(begin, end, is_display): &(&str, &str, bool)) -> Option<Formula> {
    /// Formulas are not longer, in bytes: the end of each is looked for.
    const LONGEST: usize = 1_000;
    let inside = text[start..].strip_prefix(begin)?;
    let near = &inside[..inside.floor_char_boundary(LONGEST)];
    let length = near.find(end)?;
    let inner = start + begin.len()..start + begin.len() + length;
    let whole = start..inner.end + end.len();
    let own = &text[inner.clone()];
    // Amounts of money stand between two signs, too.
    let is_sure = begin != "$" || (is_latex(own) && own.trim() == own);
    let is_before_letter =
        text[whole.end..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '$');
    (is_sure && may_be_written(own) && !is_before_letter).then_some(Formula {
        whole,
        inner,
        is_display,
    })
}

/// Whether a text is LaTeX rather than letters that are set beside each other.
pub(super) fn is_latex(text: &str) -> bool {
    text.contains(['\\', '^', '_'])
}

/// Whether parsers read a formula as one between dollar signs.
pub(super) fn may_be_written(formula: &str) -> bool {
    let inner = formula.trim();
    let is_plain = !inner.is_empty() && !inner.contains(['$', '\n', '`']) && !inner.ends_with('\\');
    is_plain && has_pairs_of_braces(inner)
}

fn has_pairs_of_braces(text: &str) -> bool {
    let mut open = 0_u32;
    let mut is_escaped = false;
    for letter in text.chars() {
        match letter {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' => is_escaped = true,
            '{' => open += 1,
            '}' => match open.checked_sub(1) {
                Some(rest) => open = rest,
                None => return false,
            },
            _ => {}
        }
    }
    open == 0
}
