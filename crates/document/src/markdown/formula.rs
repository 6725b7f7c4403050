//! Formulas in LaTeX within text.

use std::borrow::Cow;
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

/// Environments that are formulas by themselves, sorted. Those that only stand within a formula are written without one around
/// them by pages whose scripts find them all the same.
const ENVIRONMENTS: [&str; 26] = [
    "Bmatrix",
    "CD",
    "Vmatrix",
    "align",
    "alignat",
    "aligned",
    "alignedat",
    "array",
    "bmatrix",
    "cases",
    "dcases",
    "displaymath",
    "eqnarray",
    "equation",
    "flalign",
    "gather",
    "gathered",
    "math",
    "matrix",
    "multline",
    "pmatrix",
    "rcases",
    "smallmatrix",
    "split",
    "subequations",
    "vmatrix",
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
        let found = DELIMITERS
            .iter()
            .find_map(|delimiters| between(text, start, delimiters));
        if let Some(found) = found.or_else(|| environment(text, start)) {
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
    /// Maximum bytes of a formula between single dollar signs.
    const LONGEST: usize = 1_000;
    let inside = text[start..].strip_prefix(begin)?;
    let near = match begin {
        "$" => &inside[..inside.floor_char_boundary(LONGEST)],
        _ => inside,
    };
    let length = near.find(end)?;
    let inner = start + begin.len()..start + begin.len() + length;
    let whole = start..inner.end + end.len();
    let own = &text[inner.clone()];
    // Another one begins before the end: this one has none. So no text is looked at more than twice.
    let is_whole = begin == end || !own.contains(begin);
    // Amounts of money stand between two signs, too.
    let is_sure = begin != "$" || (is_latex(own) && own.trim() == own);
    (is_whole && is_sure && is_apart(&text[whole.end..]) && written(own, is_display).is_some()).then_some(
        Formula {
            whole,
            inner,
            is_display,
        },
    )
}

/// The environment that begins at a place, which is a formula with its `\begin` and `\end`.
fn environment(text: &str, start: usize) -> Option<Formula> {
    /// Maximum bytes per formula: the end of each is searched for.
    const LONGEST: usize = 20_000;
    let name = text[start..].strip_prefix("\\begin{")?;
    let name = &name[..name.bytes().take(16).position(|byte| byte == b'}')?];
    ENVIRONMENTS.binary_search(&name.trim_end_matches('*')).ok()?;
    let [begin, end] = ["\\begin{", "\\end{"].map(|command| [command, name, "}"].concat());
    let near = &text[start..];
    let near = &near[..near.floor_char_boundary(LONGEST)];
    let (mut at, mut open) = (begin.len(), 1);
    while open > 0 {
        let length = near[at..].find(&end)?;
        open += near[at..at + length].matches(&begin).count();
        open -= 1;
        at += length + end.len();
    }
    let whole = start..start + at;
    let is_written = is_apart(&text[whole.end..]) && written(&text[whole.clone()], true).is_some();
    is_written.then_some(Formula {
        inner: whole.clone(),
        whole,
        is_display: true,
    })
}

/// Whether what follows a formula leaves its last dollar sign one.
pub(super) fn is_apart(behind: &str) -> bool {
    !behind.starts_with(|letter: char| letter.is_numeric() || letter == '$')
}

/// A formula without the signs around it that say that it is one, and whether they put it in a line of its own.
pub(super) fn inside(text: &str) -> (&str, bool) {
    let inner = DELIMITERS.iter().find_map(|&(begin, end, is_display)| {
        let inner = text.strip_prefix(begin)?.strip_suffix(end)?;
        let is_one = !inner.is_empty() && !inner.contains(begin) && !inner.contains(end);
        is_one.then_some((inner, is_display))
    });
    inner.unwrap_or((text, false))
}

/// Whether a text is LaTeX rather than letters that are set beside each other.
pub(super) fn is_latex(text: &str) -> bool {
    text.contains(['\\', '^', '_'])
}

/// A formula as it is written between dollar signs, if parsers read it as one there.
pub(super) fn written(formula: &str, is_display: bool) -> Option<Cow<'_, str>> {
    let mut inner = formula.trim();
    let backslashes = inner.len() - inner.trim_end_matches('\\').len();
    if backslashes % 2 == 1 && formula.trim_start().len() > inner.len() {
        // What stood at the end was a blank.
        inner = inner[..inner.len() - 1].trim_end();
    }
    let is_plain =
        !inner.is_empty() && !inner.contains('`') && !inner.ends_with('\\') && has_pairs_of_braces(inner);
    // In lines, a sign of LaTeX makes all that follows a comment.
    if !is_plain || inner.contains('\n') && inner.contains('%') {
        return None;
    }
    let inner = match inner.contains('\n') {
        true => Cow::Owned(inner.replace('\n', " ")),
        false => Cow::Borrowed(inner),
    };
    match inner.contains('$') {
        false => Some(inner),
        true if is_display && !inner.contains("$$") && has_dollars_in_braces_alone(&inner) => Some(inner),
        true => without_dollars(&inner).map(Cow::Owned),
    }
}

/// Whether each dollar sign stands between braces: another one could end the formula.
fn has_dollars_in_braces_alone(formula: &str) -> bool {
    let mut depth = 0_u32;
    let mut bytes = formula.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'$' if depth == 0 => return false,
            _ => {}
        }
    }
    true
}

/// A formula whose texts have formulas between dollar signs, with these beside the texts: `\text{if }x` of `\text{if $x$}`.
fn without_dollars(formula: &str) -> Option<String> {
    const TEXTS: [&str; 6] = [
        "\\text{",
        "\\mbox{",
        "\\hbox{",
        "\\textrm{",
        "\\textnormal{",
        "\\mathrm{",
    ];
    /// Maximum texts: each is searched for in all that is behind the one before.
    const LONGEST: usize = 4_000;
    let next_text = |rest: &str| {
        let found = TEXTS
            .iter()
            .filter_map(|command| Some((rest.find(command)?, *command)));
        found.min()
    };
    let (mut out, mut rest) = (String::with_capacity(formula.len()), formula);
    while let Some((at, command)) = next_text(rest).filter(|_| formula.len() <= LONGEST) {
        let (before, inside) = (&rest[..at], &rest[at + command.len()..]);
        let body = &inside[..end_of_group(inside)?];
        let behind = &inside[body.len() + 1..];
        out.push_str(before);
        let signs = body.matches('$').count();
        let is_of_script = before.ends_with(['_', '^']) && signs > 0;
        if is_of_script || signs % 2 == 1 || body.contains("\\$") {
            return None;
        }
        for (number, part) in body.split('$').enumerate() {
            match number % 2 {
                0 if part.is_empty() => {}
                0 => out.push_str(&[command, part, "}"].concat()),
                _ => out.push_str(part),
            }
        }
        // A letter would make the command before it longer.
        if behind.starts_with(|letter: char| letter.is_ascii_alphabetic()) && body.ends_with('$') {
            out.push(' ');
        }
        rest = behind;
    }
    out.push_str(rest);
    (!out.contains('$')).then_some(out)
}

/// Where the brace stands that closes a group.
fn end_of_group(inside: &str) -> Option<usize> {
    let mut open = 1_u32;
    let mut is_escaped = false;
    for (at, letter) in inside.char_indices() {
        match letter {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' => is_escaped = true,
            '{' => open += 1,
            '}' if open == 1 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
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
