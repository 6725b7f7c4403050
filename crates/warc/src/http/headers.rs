//! The header lines of an HTTP message.

use std::ops::Range;

use super::Error;

/// Where a header's name and value are in the header block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    name: Range<u32>,
    value: Range<u32>,
}

/// The headers of a message in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Headers<'a> {
    block: &'a [u8],
    lines: &'a [Line],
}

impl<'a> Headers<'a> {
    pub(super) fn new(block: &'a [u8], lines: &'a [Line]) -> Self {
        Self { block, lines }
    }

    /// The first header of that name (in any case), without the white space around it. Values are bytes:
    /// no charset is promised.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// All headers of that name.
    pub fn all<'n>(&self, name: &'n str) -> impl DoubleEndedIterator<Item = &'a [u8]> + use<'a, 'n> {
        self.iter()
            .filter(move |(found, _)| found.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// Every header: name and value.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let block = self.block;
        let part = move |range: &Range<u32>| &block[range.start as usize..range.end as usize];
        self.lines
            .iter()
            .map(move |line| (part(&line.name), part(&line.value)))
    }

    /// The header block as it came, without the status line, with the blank line.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.block
    }
}

/// Finds the header lines of `block`, which begins behind the status line; returns where the body begins. Lines end with CR LF, LF, or at the end
/// of the block. A line that is no header is skipped; one that begins with a tag is the body already (some
/// old servers left the blank line out).
pub(super) fn read(block: &[u8], lines: &mut Vec<Line>, limit: usize) -> Result<usize, Error> {
    lines.clear();
    let bounded = &block[..block.len().min(limit)];
    let mut at = 0;
    while at < bounded.len() {
        let end = memchr::memchr(b'\n', &bounded[at..]).map_or(bounded.len(), |end| at + end);
        let line = &bounded[at..end];
        let line = &line[..line.len() - line.iter().rev().take_while(|&&byte| byte == b'\r').count()];
        let next = (end + 1).min(bounded.len());
        if line.is_empty() {
            return Ok(next);
        }
        if line[0] == b'<' {
            return Ok(at);
        }
        add_line(bounded, at..at + line.len(), lines);
        at = next;
    }
    if block.len() > limit {
        Err(Error::HeaderTooLong(limit))
    } else {
        Ok(block.len())
    }
}

fn add_line(block: &[u8], line: Range<usize>, lines: &mut Vec<Line>) {
    let text = &block[line.clone()];
    if matches!(text, [b' ' | b'\t', ..]) {
        if let Some(last) = lines.last_mut() {
            last.value = trim(block, last.value.start as usize..line.end);
        }
        return;
    }
    if let Some(colon) = name_end(text) {
        let name = trim(block, line.start..line.start + colon);
        lines.push(Line {
            name,
            value: trim(block, line.start + colon + 1..line.end),
        });
    }
}

/// Where the name of a line ends. Names of HTTP/2 that are no headers begin with a colon: `:status: 200`.
fn name_end(line: &[u8]) -> Option<usize> {
    let first = usize::from(line.first() == Some(&b':'));
    memchr::memchr(b':', &line[first..]).map(|end| first + end)
}

/// Finds the headers that stand in fields of this name, one in each: `Name: header: value`.
pub(super) fn read_fields(fields: &[u8], name: &[u8], lines: &mut Vec<Line>) {
    lines.clear();
    let mut at = 0;
    for line in fields.split_inclusive(|&byte| byte == b'\n') {
        let end = at + line.len();
        let is_named = |colon: &usize| line[..*colon].trim_ascii().eq_ignore_ascii_case(name);
        if let Some(colon) = memchr::memchr(b':', line).filter(is_named) {
            let value = trim(fields, at + colon + 1..end);
            add_line(fields, value.start as usize..value.end as usize, lines);
        }
        at = end;
    }
}

/// Name and value of a line, if its name is one.
pub(super) fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = name_end(line)?;
    let name = &line[..colon];
    let letters = name.strip_prefix(b":").unwrap_or(name);
    let is_name = !letters.is_empty()
        && letters
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte));
    is_name.then_some((name, line[colon + 1..].trim_ascii()))
}

/// The range without the white space at its ends.
fn trim(block: &[u8], range: Range<usize>) -> Range<u32> {
    let text = &block[range.clone()];
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    let end = start + text.trim_ascii().len();
    start as u32..end as u32
}
