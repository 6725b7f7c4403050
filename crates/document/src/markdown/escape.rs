//! Text as CommonMark gives it back. Only what would be read as markup is escaped.

/// What follows a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The end of the leaf.
    End,
    /// Markup, which may begin with any sign.
    Markup,
}

/// How a text is escaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escaping {
    /// What breaks a line.
    pub(super) line_break: &'static str,
    /// Whether it stands in a cell.
    pub(super) is_in_cell: bool,
    /// Whether it is the text of a link.
    pub(super) is_in_link: bool,
    /// Whether two signs `$` may be read as a formula.
    pub(super) has_dollars: bool,
    /// Whether two signs `~` may be read as deleted text.
    pub(super) has_tildes: bool,
}

/// The letters that may be markup within a line, and what ends it.
const SIGNS: &[u8; 13] = b"\n`\\*_~$[]!<&|";

/// Whether a byte is one of them.
const IS_SIGN: [bool; 256] = {
    let mut signs = [false; 256];
    let mut at = 0;
    while at < SIGNS.len() {
        signs[SIGNS[at] as usize] = true;
        at += 1;
    }
    signs
};

/// Appends a text. What stands before it is the last letter of `out`.
pub(super) fn append(out: &mut String, text: &str, next: Next, escaping: Escaping) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| IS_SIGN[usize::from(byte)]) {
        let (plain, from) = rest.split_at(at);
        let (sign, behind) = from.split_at(1);
        out.push_str(plain);
        rest = behind;
        if sign == "\n" {
            out.push_str(escaping.line_break);
            continue;
        }
        let context = Context {
            before: out.chars().next_back(),
            rest,
            next,
        };
        if sign.chars().any(|sign| context.is_markup(sign, escaping)) {
            out.push('\\');
        }
        out.push_str(sign);
    }
    out.push_str(rest);
}

struct Context<'a> {
    before: Option<char>,
    rest: &'a str,
    next: Next,
}

impl Context<'_> {
    /// Whether a letter may be read as markup.
    fn is_markup(&self, letter: char, escaping: Escaping) -> bool {
        match letter {
            '`' => true,
            '\\' => self.is_before(|next| next.is_ascii_punctuation() || next == '\n'),
            '*' => !self.is_between(char::is_whitespace),
            '_' => !self.is_between(char::is_whitespace) && !self.is_between(char::is_alphanumeric),
            '~' => escaping.has_tildes,
            '$' => escaping.has_dollars,
            '[' => escaping.is_in_link || self.is_before(|next| next == '^'),
            ']' => escaping.is_in_link || self.is_before(|next| matches!(next, '(' | '[' | ':')),
            '!' => self.is_before(|next| next == '['),
            '<' => self.is_before(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => self.is_reference(),
            '|' => escaping.is_in_cell,
            _ => false,
        }
    }

    /// Whether such a letter may follow.
    fn is_before(&self, is_such: impl Fn(char) -> bool) -> bool {
        match self.rest.chars().next() {
            Some(next) => is_such(next),
            None => self.next == Next::Markup,
        }
    }

    /// Whether such letters stand on both sides.
    fn is_between(&self, is_such: impl Fn(char) -> bool) -> bool {
        self.before.is_some_and(&is_such) && self.rest.chars().next().is_some_and(&is_such)
    }

    /// Whether what follows `&` may make it a reference to a character.
    fn is_reference(&self) -> bool {
        let name = self.rest.strip_prefix('#').unwrap_or(self.rest);
        let behind = name.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
        behind.starts_with(';') || (behind.is_empty() && self.next == Next::Markup)
    }
}

/// A line with what it begins with escaped, if that would begin a block. Blanks before it change nothing.
pub(super) fn line_start(line: &str) -> String {
    let inner = line.trim_start_matches(' ');
    match sign_of_block(inner) {
        Some(sign) => {
            let (before, from) = line.split_at(line.len() - inner.len() + sign);
            [before, "\\", from].concat()
        }
        None => line.to_owned(),
    }
}

/// The place of the sign that makes a line begin a block, if there is one.
fn sign_of_block(line: &str) -> Option<usize> {
    let is_rule = || line.chars().all(|letter| matches!(letter, '-' | ':' | '|' | ' '));
    let ends_word = |at: usize| line[at..].is_empty() || line[at..].starts_with([' ', '\t']);
    let is_block = match line.chars().next()? {
        '#' => ends_word(line.len() - line.trim_start_matches('#').len()),
        '+' | '*' => ends_word(1),
        '-' => ends_word(1) || is_rule(),
        ':' | '|' => is_rule(),
        '=' => line.trim_end().bytes().all(|byte| byte == b'='),
        '>' => true,
        '~' => line.starts_with("~~~"),
        '[' => ["[ ]", "[x]", "[X]"].iter().any(|task| line.starts_with(task)),
        '0'..='9' => return number_sign(line).filter(|&at| ends_word(at + 1)),
        _ => false,
    };
    is_block.then_some(0)
}

/// Where the sign behind a number stands that may make it the number of an item.
fn number_sign(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let sign = line.as_bytes().get(digits)?;
    (digits <= 9 && matches!(sign, b'.' | b')')).then_some(digits)
}

/// An address as it may stand in the brackets of a link.
pub(super) fn address(address: &str) -> String {
    let mut escaped = String::with_capacity(address.len());
    for letter in address.chars() {
        match letter {
            ' ' | '(' | ')' | '<' | '>' | '\\' | '"' | '|' | '`' | '*' | '$' => {
                escaped.push_str(&format!("%{:02X}", letter as u32));
            }
            letter if letter.is_control() || letter.is_whitespace() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}
