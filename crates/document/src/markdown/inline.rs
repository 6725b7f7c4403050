//! The text of a leaf with its emphasis, code, formulas and links.

use std::borrow::Cow;
use std::ops::Range;

use super::escape::{self, Escaping, Next};
use super::formula;
use super::notes::Notes;
use crate::markup::{BRACKETS, Markup, Span, Style, Target};

/// The text of a leaf while it is put together.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    /// Parts of the text one behind the other.
    parts: Vec<InlinePart>,
    /// White space before what is added next.
    space: &'static str,
    /// Whether an image stands last.
    is_behind_image: bool,
}

/// A part of a text that is set in one way.
#[derive(Clone, Debug)]
struct InlinePart {
    text: Range<usize>,
    style: Style,
    link: u32,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Paragraph,
    Heading,
    Cell,
}

impl Line {
    /// Adds white space, if more text follows. A newline is a line's end that the page has.
    pub(super) fn space(&mut self, white: &'static str) {
        self.space = white;
    }

    /// Adds the text of a block without its spans.
    pub(super) fn push_plain(&mut self, text: &str) {
        let space = std::mem::take(&mut self.space);
        self.push(space, Style::PLAIN, 0);
        self.push(text, Style::PLAIN, 0);
    }

    /// Adds the text of a block with its spans.
    pub(super) fn push_block(&mut self, text: &str, block: usize, markup: &Markup, notes: &Notes<'_>) {
        let spans = markup.spans(block);
        let link = |span: &Span| match markup.target(span.link) {
            Some(Target::Note(_)) if notes.label(span.link).is_none() => 0,
            _ => span.link,
        };
        let space = std::mem::take(&mut self.space);
        match spans.first().filter(|span| span.start == 0) {
            Some(first) => self.push_between(space, first.style, link(first)),
            None => self.push(space, Style::PLAIN, 0),
        }
        let mut at = 0;
        for span in spans {
            let (start, end) = (span.start as usize, span.end as usize);
            if span.is_image() {
                self.push(&text[at..start], Style::PLAIN, 0);
                self.push_image(span.link, markup);
                at = start;
                continue;
            }
            self.push_between(&text[at..start], span.style, link(span));
            self.push(&text[start..end], span.style, link(span));
            at = end;
        }
        self.push(&text[at..], Style::PLAIN, 0);
    }

    /// Adds what stands before a span: a space between two spans of one link is of that, and has the style of both.
    fn push_between(&mut self, text: &str, style: Style, link: u32) {
        let last = self.parts.last().filter(|last| text == " " && last.link == link);
        // Two formulas with a space between them stay two.
        let alone = Style::CODE.with(Style::FORMULA).with(Style::DISPLAY);
        match last.map(|last| last.style.common(style).without(alone)) {
            Some(common) => self.push(text, common, link),
            None => self.push(text, Style::PLAIN, 0),
        }
    }

    /// Adds an image, apart from the text on both sides.
    pub(super) fn push_image(&mut self, image: u32, markup: &Markup) {
        if let Some(Target::Image { text, .. }) = markup.target(image) {
            if !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
                self.push(" ", Style::PLAIN, 0);
            }
            self.push(text, Style::PLAIN, image);
            self.is_behind_image = true;
        }
    }

    fn push(&mut self, text: &str, style: Style, link: u32) {
        if !text.is_empty()
            && std::mem::take(&mut self.is_behind_image)
            && !text.starts_with(char::is_whitespace)
        {
            self.push(" ", Style::PLAIN, 0);
        }
        let start = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        if start == end {
            return;
        }
        match self.parts.last_mut() {
            Some(last) if last.style == style && last.link == link => last.text.end = end,
            _ => self.parts.push(InlinePart {
                text: start..end,
                style,
                link,
            }),
        }
    }

    /// The parts of the text: each with its style, and the number of its link.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&str, Style, u32)> {
        let parts = self.parts.iter();
        parts.map(|part| (&self.text[part.text.clone()], part.style, part.link))
    }

    /// The text as it stands.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text as Markdown.
    pub(super) fn render(&self, markup: &Markup, notes: &Notes<'_>, kind: LineKind) -> String {
        let count = |sign| self.text.matches(sign).count();
        // Of each part by itself, as it is written: behind it there may be a tag.
        let has_formula =
            |part: &InlinePart| part.style.has(Style::FORMULA) || formula::has(&self.text[part.text.clone()]);
        let has_deleted = self.parts.iter().any(|part| part.style.has(Style::DELETED));
        let mut writer = Writer {
            line: self,
            kind,
            escaping: Escaping {
                line_break: match kind {
                    LineKind::Paragraph => "  \n",
                    LineKind::Heading => " ",
                    LineKind::Cell => "<br>",
                },
                is_in_cell: kind == LineKind::Cell,
                is_in_link: false,
                has_dollars: count('$') > 1 || self.parts.iter().any(has_formula),
                has_tildes: count('~') > 1 || has_deleted,
            },
            out: String::with_capacity(self.text.len() + self.text.len() / 8),
            is_behind_note: false,
        };
        let mut at = 0;
        while at < self.parts.len() {
            let link = self.parts[at].link;
            let same = self.parts[at..]
                .iter()
                .take_while(|part| part.link == link)
                .count();
            match (markup.target(link), notes.label(link)) {
                (Some(Target::Address(address)), _) => writer.linked(at..at + same, address),
                (Some(Target::Image { text, address }), _) => writer.image(text, address),
                (_, Some(label)) if writer.text_of(at..at + same).trim_matches(BRACKETS) == label => {
                    writer.note(label)
                }
                _ => (at..at + same).for_each(|part| writer.part(part)),
            }
            at += same;
        }
        writer.out.trim().to_owned()
    }
}

struct Writer<'l> {
    line: &'l Line,
    kind: LineKind,
    escaping: Escaping,
    out: String,
    is_behind_note: bool,
}

impl Writer<'_> {
    fn text_of(&self, parts: Range<usize>) -> &str {
        let parts = &self.line.parts[parts];
        let [first, .., last] = parts else {
            return parts
                .first()
                .map_or("", |part| &self.line.text[part.text.clone()]);
        };
        &self.line.text[first.text.start..last.text.end]
    }

    /// Appends an image.
    fn image(&mut self, text: &str, address: &str) {
        self.out.push_str("![");
        let escaping = Escaping {
            is_in_link: true,
            ..self.escaping
        };
        escape::append(&mut self.out, text, Next::Markup, escaping);
        self.out
            .push_str(&["](", &escape::address(address), ")"].concat());
    }

    /// Appends the number of a footnote.
    fn note(&mut self, label: &str) {
        self.out.push_str(&["[^", label, "]"].concat());
        self.is_behind_note = true;
    }

    /// Appends parts that have one link.
    fn linked(&mut self, parts: Range<usize>, address: &str) {
        if self.text_of(parts.clone()).trim().is_empty() {
            return parts.for_each(|part| self.part(part));
        }
        self.out.push('[');
        self.escaping.is_in_link = true;
        parts.for_each(|part| self.part(part));
        self.escaping.is_in_link = false;
        self.out.push_str("](");
        self.out.push_str(&escape::address(address));
        self.out.push(')');
    }

    fn part(&mut self, number: usize) {
        let part = &self.line.parts[number];
        let text = &self.line.text[part.text.clone()];
        let inner = text.trim();
        let is_last = number + 1 == self.line.parts.len() && !self.escaping.is_in_link;
        let next = if is_last { Next::End } else { Next::Markup };
        if part.style.has(Style::CODE) && self.may_be_code(inner) {
            return self.around(text, inner, |writer| writer.code(inner));
        }
        if part.style.has(Style::FORMULA) && !self.out.ends_with('$') {
            let after = &self.line.text[part.text.end - (text.len() - text.trim_end().len())..];
            let (formula, is_own_display) = formula::inside(inner);
            let is_display =
                part.style.has(Style::DISPLAY) || is_own_display || inner == self.line.text.trim();
            if let Some(written) = self.written(formula, is_display)
                && formula::is_apart(after)
            {
                return self.around(text, inner, |writer| writer.formula(&written, is_display));
            }
        }
        if let Some((begin, end)) = index_tags(part.style, inner) {
            return self.around(text, inner, |writer| {
                writer.out.push_str(begin);
                writer.plain(inner, Next::Markup);
                writer.out.push_str(end);
            });
        }
        match self.mark(part, text) {
            Some(mark) => self.around(text, inner, |writer| {
                writer.out.push_str(mark);
                writer.plain(inner, Next::Markup);
                writer.out.push_str(mark);
            }),
            None => self.plain(text, next),
        }
    }

    /// Appends the inner part of a text, and the white space around it outside.
    fn around(&mut self, text: &str, inner: &str, append: impl FnOnce(&mut Self)) {
        let start = text.len() - text.trim_start().len();
        self.plain(&text[..start], Next::Markup);
        append(self);
        self.plain(&text[start + inner.len()..], Next::Markup);
    }

    /// Appends text that has no markup but formulas.
    fn plain(&mut self, text: &str, next: Next) {
        let mut rest = text;
        while let Some(found) = formula::find(rest) {
            let (before, inner) = (&rest[..found.whole.start], &rest[found.inner.clone()]);
            self.escaped(before, Next::Markup);
            match self.written(inner, found.is_display) {
                Some(written) if !self.out.ends_with('$') => self.formula(&written, found.is_display),
                _ => self.escaped(&rest[found.whole.clone()], Next::Markup),
            }
            rest = &rest[found.whole.end..];
        }
        self.escaped(rest, next);
    }

    /// Appends text that has no markup. Behind the number of a footnote, a bracket would begin the address of a link, and a colon
    /// the text of the footnote.
    fn escaped(&mut self, text: &str, next: Next) {
        if std::mem::take(&mut self.is_behind_note) && text.starts_with(['(', ':']) {
            self.out.push('\\');
        }
        escape::append(&mut self.out, text, next, self.escaping);
    }

    /// A formula as it is written here, if a parser reads it. In a cell a bar would end that: parsers of tables take the sign
    /// before it away. That of `\|`, which is another sign, has a name.
    fn written<'f>(&self, formula: &'f str, is_display: bool) -> Option<Cow<'f, str>> {
        let written = formula::written(formula, self.is_display(is_display))?;
        Some(match self.escaping.is_in_cell && written.contains('|') {
            true => {
                let written = written.replace("\\|", "\\Vert ").replace('|', "\\|");
                written.trim_end().to_owned().into()
            }
            false => written,
        })
    }

    /// Whether a formula stands between two dollar signs.
    fn is_display(&self, is_display: bool) -> bool {
        is_display && self.kind == LineKind::Paragraph
    }

    fn formula(&mut self, written: &str, is_display: bool) {
        let mark = if self.is_display(is_display) { "$$" } else { "$" };
        self.out.push_str(&[mark, written, mark].concat());
    }

    fn may_be_code(&self, inner: &str) -> bool {
        !inner.is_empty() && !inner.contains('\n') && !self.out.ends_with('`')
    }

    /// Appends code between more backticks than it has in a row.
    fn code(&mut self, code: &str) {
        let fence = "`".repeat(longest_run(code, '`') + 1);
        let pad = if code.starts_with('`') || code.ends_with('`') {
            " "
        } else {
            ""
        };
        let code = match self.escaping.is_in_cell {
            true => code.replace('|', "\\|"),
            false => code.to_owned(),
        };
        self.out.push_str(&[&fence, pad, &code, pad, &fence].concat());
    }

    /// What stands on both sides of a part that is emphasised or deleted, where a parser would see it.
    fn mark(&self, part: &InlinePart, text: &str) -> Option<&'static str> {
        let style = match self.kind {
            // A heading is strong already.
            LineKind::Heading => part.style.without(Style::STRONG),
            _ => part.style,
        };
        let mark = match (style.has(Style::STRONG), style.has(Style::EMPHASIS)) {
            (true, true) => "***",
            (true, false) => "**",
            (false, true) => "*",
            (false, false) if style.has(Style::DELETED) && !self.out.ends_with('~') => "~~",
            (false, false) => return None,
        };
        let inner = text.trim();
        let start = part.text.start + (text.len() - text.trim_start().len());
        let before = match text.starts_with(inner) {
            true => self.out.chars().next_back(),
            false => Some(' '),
        };
        let after = self.line.text[start + inner.len()..].chars().next();
        let opens = inner.starts_with(char::is_alphanumeric) || is_outside(before);
        let closes = inner.ends_with(char::is_alphanumeric) || is_outside(after);
        let is_apart = before.is_none_or(|before| !matches!(before, '*' | '_' | '~'));
        let is_text = !inner.is_empty() && !inner.contains('\n');
        (is_text && opens && closes && is_apart).then_some(mark)
    }
}

/// The tags around an index or an exponent, for which Markdown has no sign: without them `10<sup>6</sup>` would be read as 106.
/// Several letters are the end of an abbreviation or a number, as in `1<sup>st</sup>`, and signs such as `®` change no meaning:
/// they have none.
pub(super) fn index_tags(style: Style, text: &str) -> Option<(&'static str, &'static str)> {
    let tags = match (style.has(Style::SUP), style.has(Style::SUB)) {
        (true, false) => ("<sup>", "</sup>"),
        (false, true) => ("<sub>", "</sub>"),
        _ => return None,
    };
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let is_index = (letters == 1 || text.contains(char::is_numeric)) && !text.contains('\n');
    is_index.then_some(tags)
}

/// Whether a letter beside a mark lets it begin or end with any sign.
fn is_outside(letter: Option<char>) -> bool {
    letter.is_none_or(|letter| letter.is_whitespace() || letter.is_ascii_punctuation())
}

/// How often a letter follows itself at most.
pub(super) fn longest_run(text: &str, letter: char) -> usize {
    let runs = text.split(|other| other != letter);
    runs.map(str::len).max().unwrap_or(0)
}
