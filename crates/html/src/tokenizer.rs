//! Tokenization: the HTML standard's algorithm (13.2.5), for what a tree without errors,
//! comments and unread attributes needs.
//!
//! The source is valid UTF-8 and all that steers the tokenizer is ASCII, so it works on bytes and
//! leaps from one interesting byte to the next. Text without character references is never
//! copied: it stays a range of the source, the bodies of scripts and styles too.

use memchr::{memchr, memchr2, memmem};

use crate::Attr;
use crate::arena::Text;
use crate::attributes::{Attributes, is_space};
use crate::builder::Builder;
use crate::doctype::is_quirky;
use crate::references::{decode_into, push_newlines};
use crate::token::{Characters, Content, Key, Special, StartTag, kept_attribute, without_prefix};
use crate::{Tag, TreeLimits};

/// Reads a source into a builder. Returns the limits that were met, and how many steps it took.
pub(crate) fn tokenize(builder: Builder<'_>, limits: &TreeLimits) -> (crate::TreeTruncation, u64) {
    let source = builder.source;
    let mut tokenizer = Tokenizer {
        bytes: source.as_bytes(),
        source,
        at: 0,
        has_nul: memchr(0, source.as_bytes()).is_some(),
        builder,
        limits,
        has_encoding: false,
        noscript_end: 0,
    };
    tokenizer.run();
    (tokenizer.builder.truncated, tokenizer.builder.steps.taken())
}

struct Tokenizer<'a> {
    bytes: &'a [u8],
    source: &'a str,
    at: usize,
    has_nul: bool,
    builder: Builder<'a>,
    limits: &'a TreeLimits,
    /// Whether the encoding of an annotation has been read.
    has_encoding: bool,
    /// Where the end tag of the `<noscript>` read last begins: the source's end where it has none.
    noscript_end: usize,
}

/// A name or a value in the source, without quotes.
type Span = std::ops::Range<usize>;

impl<'a> Tokenizer<'a> {
    fn run(&mut self) {
        while self.at < self.bytes.len() && !self.builder.is_full() {
            self.token();
            self.builder.count_token();
        }
        self.builder.end_of_file();
    }

    /// Reads a text, or a tag, or a comment.
    fn token(&mut self) {
        let rest = &self.bytes[self.at..];
        match rest {
            [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] => self.start_tag(),
            [b'<', b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => {
                self.at += 2;
                self.end_tag();
            }
            [b'<', b'/', b'>', ..] => self.at += 3,
            [b'<', b'/', _, ..] | [b'<', b'?', ..] => self.bogus_comment(),
            [b'<', b'!', ..] => self.declaration(),
            _ => self.text(),
        }
    }

    /// Text up to the next `<` that opens something.
    fn text(&mut self) {
        let start = self.at;
        let mut from = start + usize::from(self.bytes[start] == b'<');
        let end = loop {
            let Some(found) = memchr(b'<', &self.bytes[from..]) else {
                break self.bytes.len();
            };
            from += found;
            match self.bytes.get(from + 1) {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'?') => break from,
                Some(b'/') if from + 2 < self.bytes.len() => break from,
                _ => from += 1,
            }
        };
        self.at = end;
        self.data(start, end, true);
    }

    /// Hands text over, NULs apart from the rest.
    #[inline]
    fn data(&mut self, start: usize, end: usize, references: bool) {
        if !self.has_nul {
            return self.characters(start, end, references);
        }
        let mut from = start;
        while let Some(length) = memchr(0, &self.bytes[from..end]) {
            self.characters(from, from + length, references);
            self.builder.nul();
            from += length + 1;
        }
        self.characters(from, end, references);
    }

    #[inline]
    fn characters(&mut self, start: usize, end: usize, references: bool) {
        if start < end {
            let characters = self.decoded(start, end, references);
            self.builder.characters(characters);
        }
    }

    /// A part of the source as it is, or a copy of it with its references replaced.
    #[inline]
    fn decoded(&mut self, start: usize, end: usize, references: bool) -> Characters {
        if !references || memchr(b'&', &self.bytes[start..end]).is_none() {
            return Characters {
                pool: false,
                start: start as u32,
                end: end as u32,
            };
        }
        let pool = &mut self.builder.arena.pool;
        let from = pool.len() as u32;
        decode_into(pool, &self.source[start..end], false);
        Characters {
            pool: true,
            start: from,
            end: pool.len() as u32,
        }
    }

    fn bogus_comment(&mut self) {
        self.skip_through(b'>');
        self.builder.comment();
    }

    fn skip_through(&mut self, byte: u8) {
        let rest = &self.bytes[self.at..];
        self.at += memchr(byte, rest).map_or(rest.len(), |found| found + 1);
    }

    /// `<!`: a comment, a DOCTYPE, a CDATA section.
    fn declaration(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        if rest.starts_with(b"--") {
            self.comment();
        } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            let start = self.at + 9;
            self.skip_through(b'>');
            let end = self.at - usize::from(self.bytes[self.at - 1] == b'>');
            self.builder
                .doctype(is_quirky(&self.source[start..end.max(start)]));
        } else if rest.starts_with(b"[CDATA[") && self.builder.is_in_foreign_content() {
            let start = self.at + 9;
            let found = memmem::find(&self.bytes[start..], b"]]>");
            let end = found.map_or(self.bytes.len(), |length| start + length);
            self.at = self.bytes.len().min(end + 3);
            self.data(start, end, false);
        } else {
            self.bogus_comment();
        }
    }

    /// A comment ends at `-->` or `--!>`; the dashes that open it may be those of the former.
    fn comment(&mut self) {
        let dashes = self.at + 2;
        let mut from = dashes;
        loop {
            let Some(found) = memchr(b'>', &self.bytes[from..]) else {
                self.at = self.bytes.len();
                break;
            };
            let end = from + found;
            from = end + 1;
            if self.bytes[dashes..end].ends_with(b"--")
                || self.bytes[(dashes + 2).min(end)..end].ends_with(b"--!")
            {
                self.at = from;
                break;
            }
        }
        self.builder.comment();
    }

    fn end_tag(&mut self) {
        let (tag, name) = self.name();
        if self.skip_attributes() {
            let (tag, own) = without_prefix(tag, &self.bytes[name]);
            self.builder.end_tag(tag, Key::new(tag, own));
        }
    }

    fn start_tag(&mut self) {
        self.at += 1;
        let (tag, name) = self.name();
        let (tag, own) = without_prefix(tag, &self.bytes[name.clone()]);
        let mut token = StartTag {
            tag,
            key: Key::new(tag, own),
            self_closing: false,
            attributes: (self.builder.arena.attributes.len() as u32, 0),
            source: (self.at as u32, 0),
            special: Special::new(tag, own),
        };
        let used = self.builder.arena.nodes.len();
        if !self.attributes(&mut token) {
            return;
        }
        token.attributes.1 = self.builder.arena.attributes.len() as u32;
        token.source.1 = self.at as u32;
        let content = self.builder.start_tag(&token);
        if self.builder.arena.nodes.len() == used {
            self.forget_attributes(&token);
        }
        if tag == Tag::Noscript {
            self.enter_noscript();
        }
        if content != Content::Markup {
            self.content(content, name);
        }
    }

    fn enter_noscript(&mut self) {
        if self.noscript_end < self.at {
            let end = self.bytes.len();
            self.noscript_end = self.end_of_text(self.at..end, b"noscript").unwrap_or(end);
        }
    }

    /// Forgets the attributes of a tag that has left no element, unless another element got them.
    fn forget_attributes(&mut self, token: &StartTag) {
        let attributes = &mut self.builder.arena.attributes;
        if attributes.len() == token.attributes.1 as usize {
            attributes.truncate(token.attributes.0 as usize);
        }
    }

    /// The tag and the name of an element.
    #[inline(always)]
    fn name(&mut self) -> (Tag, Span) {
        let start = self.at;
        let (tag, length) = Tag::at_start(&self.bytes[start..]);
        self.at += length;
        (tag, start..self.at)
    }

    /// Passes over the attributes of an end tag and its `>`. False if the source ends before that: a tag that is not finished
    /// is as if it were not there.
    fn skip_attributes(&mut self) -> bool {
        // Nearly all end tags have none.
        if self.bytes.get(self.at) == Some(&b'>') {
            self.at += 1;
            return true;
        }
        let mut attributes = self.attributes_from_here();
        let is_finished = loop {
            match attributes.next_one() {
                Some(Some(_)) => self.builder.steps.step(),
                Some(None) => break true,
                None => break false,
            }
        };
        self.at = if is_finished {
            attributes.at + 1
        } else {
            self.bytes.len()
        };
        is_finished
    }

    fn attributes_from_here(&self) -> Attributes<'a> {
        Attributes {
            bytes: self.bytes,
            at: self.at,
        }
    }

    /// Reads the attributes of a start tag and its `>`. False if the source ends before that.
    fn attributes(&mut self, token: &mut StartTag) -> bool {
        self.has_encoding = false;
        let mut attributes = self.attributes_from_here();
        loop {
            // An unquoted value may end with a slash, which is none of the tag's.
            let after_last = attributes.at;
            match attributes.next_one() {
                Some(Some((name, value))) => self.attribute(token, name, value),
                Some(None) => {
                    let end = attributes.at;
                    token.self_closing = self.bytes[end - 1] == b'/' && end > after_last;
                    self.at = end + 1;
                    return true;
                }
                None => {
                    self.at = self.bytes.len();
                    self.builder
                        .arena
                        .attributes
                        .truncate(token.attributes.0 as usize);
                    return false;
                }
            }
        }
    }

    fn attribute(&mut self, token: &mut StartTag, name: Span, value: Span) {
        self.builder.steps.step();
        match token.special {
            _ if token.tag == Tag::Font => self.note_style(token, &name),
            Special::AnnotationXml(_) => self.note_encoding(token, &name, &value),
            _ => {}
        }
        if let Some(attribute) = kept_attribute(&self.bytes[name]) {
            self.keep(token, attribute, value);
        }
    }

    fn keep(&mut self, token: &StartTag, attribute: Attr, value: Span) {
        let own = &self.builder.arena.attributes[token.attributes.0 as usize..];
        if own.iter().any(|(name, _)| *name == attribute) {
            return;
        }
        if own.len() >= self.limits.attributes {
            self.builder.truncated.attributes = true;
            return;
        }
        let most = value.start + self.limits.attribute_bytes;
        let end = match value.end > most {
            true => self.source.floor_char_boundary(most),
            false => value.end,
        };
        self.builder.truncated.attributes |= end < value.end;
        let text = self.attribute_text(value.start..end);
        self.builder.arena.attributes.push((attribute, text));
    }

    fn attribute_text(&mut self, value: Span) -> Text {
        let bytes = &self.bytes[value.clone()];
        let plain = memchr2(b'&', b'\r', bytes).is_none() && !(self.has_nul && bytes.contains(&0));
        if plain {
            return Text::Source(value.start as u32..value.end as u32);
        }
        let pool = &mut self.builder.arena.pool;
        let start = pool.len() as u32;
        let text = &self.source[value];
        match self.has_nul {
            true => decode_into(pool, &text.replace('\0', "\u{fffd}"), true),
            false => decode_into(pool, text, true),
        }
        Text::Pool(start..pool.len() as u32)
    }

    fn note_style(&self, token: &mut StartTag, name: &Span) {
        let name = &self.bytes[name.clone()];
        let mut known = [&b"color"[..], b"face", b"size"].into_iter();
        if known.any(|known| known.eq_ignore_ascii_case(name)) {
            token.special = Special::StyledFont;
        }
    }

    fn note_encoding(&mut self, token: &mut StartTag, name: &Span, value: &Span) {
        if !self.bytes[name.clone()].eq_ignore_ascii_case(b"encoding") {
            return;
        }
        if !std::mem::replace(&mut self.has_encoding, true) {
            let mut decoded = String::new();
            decode_into(&mut decoded, &self.source[value.clone()], true);
            let html = ["text/html", "application/xhtml+xml"];
            let is_html = html.iter().any(|known| decoded.eq_ignore_ascii_case(known));
            token.special = Special::AnnotationXml(is_html);
        }
    }

    /// The content of an element that holds no markup, and its end tag.
    fn content(&mut self, content: Content, name: Span) {
        let start = self.at;
        if content == Content::Plaintext {
            self.at = self.bytes.len();
            return self.plaintext(start);
        }
        let name = &self.bytes[name];
        let limit = self.limit_of_text(start);
        let (found, limit) = match content {
            Content::Script => (self.end_of_script(start), self.bytes.len()),
            _ => (self.end_of_text(start..limit, name), limit),
        };
        let end = found.unwrap_or(limit);
        #[cfg(test)]
        if found.is_none() && limit < self.bytes.len() {
            let name = String::from_utf8_lossy(name).into_owned();
            self.builder.note_missing_end(limit, name);
        }
        self.raw(start, end, content == Content::Rcdata);
        self.at = end;
        if found.is_some() {
            self.at = end + 2 + name.len();
            self.skip_attributes();
        }
        self.builder.end_of_raw();
    }

    /// Where text that begins here ends if it has no end tag: with the page, or with the `<noscript>` it
    /// is in. There we differ from the standard's algorithm without scripting, by which `<noscript><iframe
    /// src="..." /></noscript>` makes all the rest of the page the frame's text. Browsers have scripting on: for
    /// them a `<noscript>` ends where its end tag is, so that it makes no difference.
    fn limit_of_text(&self, start: usize) -> usize {
        if start <= self.noscript_end {
            self.noscript_end
        } else {
            self.bytes.len()
        }
    }

    fn plaintext(&mut self, start: usize) {
        let end = self.bytes.len();
        if start == end {
            return;
        }
        let text = self.raw_text(start, end, false);
        self.builder.characters(text);
    }

    fn raw(&mut self, start: usize, end: usize, references: bool) {
        if start < end {
            let text = self.raw_text(start, end, references);
            self.builder.raw_characters(text);
        }
    }

    /// Text in which a NUL is shown as U+FFFD.
    fn raw_text(&mut self, start: usize, end: usize, references: bool) -> Characters {
        if !self.has_nul || memchr(0, &self.bytes[start..end]).is_none() {
            return self.decoded(start, end, references);
        }
        let text = self.source[start..end].replace('\0', "\u{fffd}");
        let pool = &mut self.builder.arena.pool;
        let from = pool.len() as u32;
        if references {
            decode_into(pool, &text, false);
        } else {
            push_newlines(pool, &text);
        }
        Characters {
            pool: true,
            start: from,
            end: pool.len() as u32,
        }
    }

    /// Where in a part of the source the end tag of a name begins.
    fn end_of_text(&self, part: Span, name: &[u8]) -> Option<usize> {
        let mut from = part.start;
        loop {
            from += memchr(b'<', &self.bytes[from..part.end])?;
            if self.is_end_tag(from, name) {
                return Some(from);
            }
            from += 1;
        }
    }

    /// Whether at a `<` there is the end tag of a name.
    fn is_end_tag(&self, at: usize, name: &[u8]) -> bool {
        self.bytes.get(at + 1) == Some(&b'/') && self.is_name(at + 2, name)
    }

    fn is_name(&self, at: usize, name: &[u8]) -> bool {
        let rest = &self.bytes[at..];
        rest.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
            && rest
                .get(name.len())
                .is_some_and(|&byte| is_space(byte) || byte == b'/' || byte == b'>')
    }

    /// Where the end tag of a script begins. Between `<!--` and `-->` a script may hold
    /// `<script>...</script>`, HTML standard 13.2.5.18 and on.
    fn end_of_script(&self, start: usize) -> Option<usize> {
        let mut from = start;
        loop {
            from += memchr(b'<', &self.bytes[from..])?;
            if self.is_end_tag(from, b"script") {
                return Some(from);
            }
            from += 1;
            if self.bytes[from..].starts_with(b"!--") {
                match self.escaped_script(from + 1)? {
                    Escaped::Over(at) => from = at,
                    Escaped::EndTag(at) => return Some(at),
                }
            }
        }
    }

    /// From the dashes of `<!--` on.
    fn escaped_script(&self, dashes: usize) -> Option<Escaped> {
        let mut from = dashes;
        let mut doubly = false;
        loop {
            from += memchr2(b'<', b'>', &self.bytes[from..])?;
            if self.bytes[from] == b'>' {
                if self.bytes[dashes..from].ends_with(b"--") {
                    return Some(Escaped::Over(from + 1));
                }
            } else if self.is_end_tag(from, b"script") {
                if !doubly {
                    return Some(Escaped::EndTag(from));
                }
                doubly = false;
            } else if self.is_name(from + 1, b"script") {
                doubly = true;
            }
            from += 1;
        }
    }
}

/// How the escaped part of a script ends.
enum Escaped {
    /// By `-->`.
    Over(usize),
    /// By the end tag of the script, which begins here.
    EndTag(usize),
}
