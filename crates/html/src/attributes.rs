//! The attributes of a tag in bytes that are not decoded yet.

use std::ops::Range;

/// Where the name and the value of an attribute stand; the value without its quotes.
type Attribute = (Range<usize>, Range<usize>);

/// A place among the attributes of a tag. `None` from the functions means that the bytes end before the tag does.
pub(crate) struct Attributes<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

impl Attributes<'_> {
    /// "Get an attribute", HTML standard 13.2.3.2: the next one, or `Some(None)` at the `>` of the tag.
    pub(crate) fn next_one(&mut self) -> Option<Option<Attribute>> {
        self.skip_until(|byte| !is_space(byte) && byte != b'/');
        if self.peek()? == b'>' {
            return Some(None);
        }
        let start = self.at;
        self.at += 1;
        self.skip_until(|byte| is_space(byte) || matches!(byte, b'=' | b'/' | b'>'));
        let name = start..self.at;
        self.skip_until(|byte| !is_space(byte));
        if self.peek()? != b'=' {
            return Some(Some((name, self.at..self.at)));
        }
        self.at += 1;
        self.skip_until(|byte| !is_space(byte));
        let value = self.value()?;
        Some(Some((name, value)))
    }

    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let length = memchr::memchr(quote, &self.bytes[start + 1..])?;
                self.at = start + length + 2;
                Some(start + 1..start + 1 + length)
            }
            _ => {
                self.skip_until(|byte| is_space(byte) || byte == b'>');
                self.peek()?;
                Some(start..self.at)
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_until(&mut self, found: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at += rest.iter().position(|&byte| found(byte)).unwrap_or(rest.len());
    }
}
