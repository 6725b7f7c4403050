//! What cannot be read as a page at all.

use thiserror::Error;

/// Why a body is no page. Everything else is read as far as it goes, as browsers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PageError {
    /// It begins like a file of a known kind that is not text.
    #[error("the body is no page but {0}")]
    Known(&'static str),
    /// Its beginning is mostly bytes that no text has.
    #[error("the body is binary: {controls} of its first {looked_at} bytes are controls")]
    Binary {
        /// Control bytes, without white space and escape.
        controls: usize,
        /// How many bytes were looked at.
        looked_at: usize,
    },
}

impl PageError {
    /// A name for counting.
    pub fn reason(self) -> &'static str {
        match self {
            PageError::Known(_) => "not-a-page",
            PageError::Binary { .. } => "binary-body",
        }
    }
}

const MAGIC: [(&[u8], &str); 18] = [
    (b"%PDF-", "a PDF file"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"PK\x03\x04", "a ZIP file"),
    (b"Rar!\x1a\x07", "a RAR file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE document"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"\x7fELF", "a program"),
    (b"\x00\x00\x01\x00", "an icon"),
];

/// Control bytes that any text may have.
const FEW: usize = 8;

/// Looks at the first bytes of a body.
pub(crate) fn refuse_binary(body: &[u8]) -> Result<(), PageError> {
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| body.starts_with(magic)) {
        return Err(PageError::Known(kind));
    }
    if body.starts_with(b"RIFF") && matches!(body.get(8..12), Some(b"WEBP" | b"WAVE" | b"AVI ")) {
        return Err(PageError::Known("a RIFF file"));
    }
    let start = &body[..body.len().min(1024)];
    let controls = start.iter().filter(|&&byte| is_control(byte)).count();
    // UTF-16 without a mark has a NUL beside every letter of a tag: half of the bytes.
    let half = controls * 2 > start.len() + 1;
    let quarter = controls * 4 > start.len() && !every_second(start);
    if controls >= FEW && (half || quarter) {
        return Err(PageError::Binary {
            controls,
            looked_at: start.len(),
        });
    }
    Ok(())
}

/// Controls other than tab, line feed, form feed, carriage return, shift (ISO-2022) and escape.
fn is_control(byte: u8) -> bool {
    byte < 9 || byte == 11 || (16..27).contains(&byte) || (28..32).contains(&byte) || byte == 127
}

/// Whether nearly all NULs stand at odd or nearly all at even places, as in UTF-16.
fn every_second(bytes: &[u8]) -> bool {
    let nul = |first: usize| {
        bytes
            .iter()
            .skip(first)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let (even, odd) = (nul(0), nul(1));
    even.max(odd) >= 8 && even.min(odd) * 10 <= even.max(odd)
}
