//! The header of a WARC record.

use memchr::memmem;

use crate::RecordType;

/// The longest name of a field that is taken for one.
const NAME_BYTES: usize = 64;

/// Whether something begins at the start of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begins {
    Yes,
    No,
    /// The bytes end before that is known.
    Unsure,
}

/// What a reader needs of a header. The strings are reused from record to record.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) kind: Option<RecordType>,
    pub(crate) target_uri: String,
    pub(crate) date: Option<i64>,
    pub(crate) record_id: String,
    pub(crate) payload_digest: String,
    pub(crate) content_type: String,
    pub(crate) identified_type: String,
    pub(crate) truncated: String,
    pub(crate) content_length: Option<u64>,
    pub(crate) segment: Segment,
}

/// Which part of a block a record has, if its block is stored in several records.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// `WARC-Segment-Number`, from 1 on.
    pub(crate) number: Option<u64>,
    /// `WARC-Segment-Origin-ID`: the record with the first part.
    pub(crate) origin: String,
    /// `WARC-Segment-Total-Length`: bytes of the whole block. Only the record with the last part has it.
    pub(crate) total: Option<u64>,
}

impl Segment {
    /// Whether the block of a record with `bytes` bytes continues in another record.
    pub(crate) fn continues(&self, bytes: u64) -> bool {
        match self.total {
            Some(total) => bytes < total,
            None => self.number == Some(1),
        }
    }
}

impl Head {
    pub(crate) fn clear(&mut self) {
        self.kind = None;
        self.date = None;
        self.content_length = None;
        self.segment.number = None;
        self.segment.total = None;
        for text in [
            &mut self.target_uri,
            &mut self.record_id,
            &mut self.payload_digest,
            &mut self.content_type,
            &mut self.identified_type,
            &mut self.truncated,
            &mut self.segment.origin,
        ] {
            text.clear();
        }
    }

    /// Reads the fields of `header`, which begins with the version line. Of a field that comes twice the
    /// first counts.
    pub(crate) fn parse_warc(&mut self, header: &[u8], folded: &mut Vec<u8>) {
        self.clear();
        let after_version = memchr::memchr(b'\n', header).map_or(header.len(), |end| end + 1);
        let mut lines = Lines {
            rest: &header[after_version..],
        };
        while let Some(line) = lines.next() {
            let Some(colon) = memchr::memchr(b':', line) else {
                continue;
            };
            let name = line[..colon].trim_ascii();
            let value = line[colon + 1..].trim_ascii();
            if lines.folds() {
                folded.clear();
                folded.extend_from_slice(value);
                while lines.folds() {
                    let more = lines.next().unwrap_or_default().trim_ascii();
                    if !folded.is_empty() {
                        folded.push(b' ');
                    }
                    folded.extend_from_slice(more);
                }
                self.field(name, folded);
            } else {
                self.field(name, value);
            }
        }
    }

    /// Whether the record has a later part of a block, whatever type it names.
    pub(crate) fn is_continuation(&self) -> bool {
        self.kind == Some(RecordType::Continuation) || self.segment.number.is_some_and(|number| number > 1)
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
        match name.len() {
            9 if is(b"WARC-Type") && self.kind.is_none() => {
                self.kind = Some(RecordType::parse(&String::from_utf8_lossy(value)));
            }
            9 if is(b"WARC-Date") && self.date.is_none() => {
                self.date = crate::date::parse(&String::from_utf8_lossy(value));
            }
            15 if is(b"WARC-Target-URI") => set(&mut self.target_uri, strip_brackets(value)),
            14 if is(b"WARC-Record-ID") && self.record_id.is_empty() => {
                let value = String::from_utf8_lossy(value);
                self.record_id.push_str(&crate::record_id(&value));
            }
            19 if is(b"WARC-Payload-Digest") => set(&mut self.payload_digest, value),
            12 if is(b"Content-Type") => set(&mut self.content_type, value),
            28 if is(b"WARC-Identified-Payload-Type") => set(&mut self.identified_type, value),
            14 if is(b"WARC-Truncated") => set(&mut self.truncated, value),
            14 if is(b"Content-Length") && self.content_length.is_none() => {
                self.content_length = parse_length(value);
            }
            19 if is(b"WARC-Segment-Number") && self.segment.number.is_none() => {
                self.segment.number = parse_length(value);
            }
            22 if is(b"WARC-Segment-Origin-ID") && self.segment.origin.is_empty() => {
                let value = String::from_utf8_lossy(value);
                self.segment.origin.push_str(&crate::record_id(&value));
            }
            25 if is(b"WARC-Segment-Total-Length") && self.segment.total.is_none() => {
                self.segment.total = parse_length(value);
            }
            _ => {}
        }
    }
}

/// A number of bytes, digits only.
pub(crate) fn parse_length(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?;
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

fn set(text: &mut String, value: &[u8]) {
    if text.is_empty() {
        text.push_str(&String::from_utf8_lossy(value));
    }
}

fn strip_brackets(uri: &[u8]) -> &[u8] {
    uri.strip_prefix(b"<")
        .and_then(|uri| uri.strip_suffix(b">"))
        .unwrap_or(uri)
}

/// Lines without their ends.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Whether the next line continues the field before it.
    fn folds(&self) -> bool {
        matches!(self.rest, [b' ' | b'\t', ..]) && !self.rest.trim_ascii().is_empty()
    }
}

/// Whether a WARC record begins at the start of `bytes`: a version line, then a line that begins like a
/// field. The same answer holds for every longer run of bytes once it is not `Unsure`.
pub(crate) fn begins_warc(bytes: &[u8]) -> Begins {
    let version = bytes.len().min(5);
    if !bytes[..version].eq_ignore_ascii_case(&b"WARC/"[..version]) {
        return Begins::No;
    }
    let line = &bytes[..bytes.len().min(16)];
    let Some(end) = memchr::memchr(b'\n', line) else {
        return if line.len() < 16 {
            Begins::Unsure
        } else {
            Begins::No
        };
    };
    if is_version(line[5..end].trim_ascii_end()) {
        begins_field(&bytes[end + 1..])
    } else {
        Begins::No
    }
}

/// `1.0`, `1.1`, `0.17`: digits, a dot, digits.
fn is_version(text: &[u8]) -> bool {
    let mut parts = text.split(|&byte| byte == b'.');
    let mut number = || {
        parts
            .next()
            .is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
    };
    number() && number() && parts.next().is_none()
}

fn begins_field(bytes: &[u8]) -> Begins {
    let name = &bytes[..bytes.len().min(NAME_BYTES)];
    match name
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || b"-_. ".contains(byte)))
    {
        Some(end) if end > 0 && name[end] == b':' => Begins::Yes,
        None if name.len() < NAME_BYTES => Begins::Unsure,
        _ => Begins::No,
    }
}

/// Where the header ends (after its blank line), searched from `from`, which is what an earlier search
/// returned as an error: how far it got.
pub(crate) fn header_end(bytes: &[u8], from: usize) -> Result<usize, usize> {
    let mut at = from;
    while let Some(found) = memchr::memchr(b'\n', bytes.get(at..).unwrap_or_default()) {
        let next = at + found + 1;
        match &bytes[next..] {
            [b'\n', ..] => return Ok(next + 1),
            [b'\r', b'\n', ..] => return Ok(next + 2),
            [] | [b'\r'] => return Err(next - 1),
            _ => at = next,
        }
    }
    Err(bytes.len())
}

/// The first place in `bytes` at which a WARC record begins, or from where to look again when there is more.
pub(crate) fn find_warc(bytes: &[u8]) -> Result<usize, usize> {
    let finder = memmem::Finder::new(b"WARC/");
    let mut at = 0;
    while let Some(found) = finder.find(&bytes[at..]) {
        match begins_warc(&bytes[at + found..]) {
            Begins::Yes => return Ok(at + found),
            Begins::Unsure => return Err(at + found),
            Begins::No => at += found + 1,
        }
    }
    Err(at.max(bytes.len().saturating_sub(4)))
}

/// Whether `bytes` begins with `prefix` in any case.
pub(crate) fn starts_with_ignore_case(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes
        .get(..prefix.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}
