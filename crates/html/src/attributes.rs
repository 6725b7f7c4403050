//! The attributes of a tag in bytes that are not decoded yet.

use std::ops::Range;

/// Where the name and the value of an attribute stand; the value without its quotes.
type Attribute = (Range<usize>, Range<usize>);

/// A place among the attributes of a tag. `None` from the functions means that the bytes end before the tag does.
pub(crate) struct Attributes<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

/// What bytes are in a tag: one of these, or a part of a name.
const SPACE: u8 = 1;
const SLASH: u8 = 2;
const EQUALS: u8 = 4;
const END: u8 = 8;

static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let (mut space, spaces) = (0, *b"\t\n\x0c\r ");
    while space < spaces.len() {
        kinds[spaces[space] as usize] = SPACE;
        space += 1;
    }
    kinds[b'/' as usize] = SLASH;
    kinds[b'=' as usize] = EQUALS;
    kinds[b'>' as usize] = END;
    kinds
};

#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    KINDS[byte as usize] == SPACE
}

impl Attributes<'_> {
    /// "Get an attribute", HTML standard 13.2.3.2: the next one, or `Some(None)` at the `>` of the tag.
    #[inline(always)]
    pub(crate) fn next_one(&mut self) -> Option<Option<Attribute>> {
        self.pass(SPACE | SLASH);
        if self.peek()? == b'>' {
            return Some(None);
        }
        let start = self.at;
        // An equals sign that begins a name is part of it.
        self.at += 1;
        self.skip_until(|byte| KINDS[byte as usize] != 0);
        let name = start..self.at;
        self.pass(SPACE);
        if self.peek()? != b'=' {
            return Some(Some((name, self.at..self.at)));
        }
        self.at += 1;
        self.pass(SPACE);
        let value = self.value()?;
        Some(Some((name, value)))
    }

    /// Passes over bytes of some kinds.
    #[inline]
    fn pass(&mut self, kinds: u8) {
        self.skip_until(|byte| KINDS[byte as usize] & kinds == 0);
    }

    #[inline]
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let length = memchr::memchr(quote, &self.bytes[start + 1..])?;
                self.at = start + length + 2;
                Some(start + 1..start + 1 + length)
            }
            _ => {
                self.skip_until(|byte| KINDS[byte as usize] & (SPACE | END) != 0);
                self.peek()?;
                Some(start..self.at)
            }
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    pub(crate) fn skip_until(&mut self, found: impl Fn(u8) -> bool) {
        let mut at = self.at;
        while self.bytes.get(at).is_some_and(|&byte| !found(byte)) {
            at += 1;
        }
        self.at = at;
    }
}
