//! What cannot be read as a page at all.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use thiserror::Error;

use crate::charset::is_coherent;

/// Why a body is no page. Everything else is read as far as it goes, as browsers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PageError {
    /// It begins like a file of a known kind that is not text.
    #[error("the body is no page but {0}")]
    Known(&'static str),
    /// Its beginning has many letters that no text has.
    #[error("the body is binary: {controls} of its first {looked_at} letters are none of a text")]
    Binary {
        /// Controls, without white space and escape; of UTF-16 what belongs to no script, too.
        controls: usize,
        /// How many letters were looked at.
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

/// How files begin that are no texts.
const MAGIC: [(&[u8], &str); 58] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"8BPS\0\x01", "a Photoshop image"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 image"),
    (b"AT&TFORM", "a DjVu file"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"\x00\x00\x02\x00", "a cursor"),
    (b"PK\x03\x04", "a ZIP file"),
    (b"PK\x05\x06", "a ZIP file"),
    (b"PK\x07\x08", "a ZIP file"),
    (b"Rar!\x1a\x07", "a RAR file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file"),
    (b"MSCF\0\0\0\0", "a cabinet file"),
    (b"!<arch>\n", "an ar archive"),
    (b"\xed\xab\xee\xdb", "an RPM package"),
    (b"\x1f\x8b\x08", "gzip data"),
    (b"\x1f\x9d", "compress data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"\x04\x22\x4d\x18", "LZ4 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"LZIP\x01", "lzip data"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS-Adobe-", "a PostScript file"),
    (b"\xc5\xd0\xd3\xc6", "a PostScript file"),
    (b"wOFF\0", "a font"),
    (b"wOF2\0", "a font"),
    (b"wOFFOTTO", "a font"),
    (b"wOF2OTTO", "a font"),
    (b"OTTO\0", "a font"),
    (b"ttcf\0", "a font"),
    (b"\0\x01\0\0\0", "a font"),
    (b"OggS\0", "an Ogg file"),
    (b"fLaC\0", "a FLAC file"),
    (b"MThd\0", "a MIDI file"),
    (b"FLV\x01", "a Flash video"),
    (b"\x1a\x45\xdf\xa3", "a Matroska file"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a Windows Media file"),
    (b"\0\0\x01\xba", "an MPEG file"),
    (b"\0\0\x01\xb3", "an MPEG file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xfe\xed\xfa\xce", "a program"),
    (b"\xfe\xed\xfa\xcf", "a program"),
    (b"\xce\xfa\xed\xfe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\0asm", "a program"),
    (b"dex\n03", "a program"),
    (b"SQLite format 3\0", "a database"),
    (b"\x89HDF\r\n\x1a\n", "an HDF file"),
    (b"ID3\x02", "an MP3 file"),
    (b"ID3\x03", "an MP3 file"),
    (b"ID3\x04", "an MP3 file"),
];

/// Refuses a body that begins as a file of a known kind does.
pub(crate) fn refuse_known(body: &[u8]) -> Result<(), PageError> {
    match known(body) {
        Some(kind) => Err(PageError::Known(kind)),
        None => Ok(()),
    }
}

fn known(body: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| body.starts_with(magic)) {
        return Some(kind);
    }
    // Readers of PDF pass over what stands before.
    if body.trim_ascii_start().starts_with(b"%PDF-") {
        return Some("a PDF file");
    }
    match body {
        [b'R', b'I', b'F', b'F', _, _, _, _, kind @ ..] => ["WEBP", "WAVE", "AVI ", "ACON"]
            .iter()
            .any(|known| kind.starts_with(known.as_bytes()))
            .then_some("a RIFF file"),
        [
            b'F',
            b'O',
            b'R',
            b'M',
            _,
            _,
            _,
            _,
            b'A',
            b'I',
            b'F',
            b'F' | b'C',
            ..,
        ] => Some("an AIFF file"),
        [0, _, _, _, b'f', b't', b'y', b'p', ..] => Some("an MP4 file"),
        [
            b'B',
            b'Z',
            b'h',
            b'1'..=b'9',
            b'1',
            b'A',
            b'Y',
            b'&',
            b'S',
            b'Y',
            ..,
        ] => Some("bzip2 data"),
        [b'F' | b'C' | b'Z', b'W', b'S', 1..=8 | 11..=12 | 14..=31, ..] => Some("a Flash file"),
        _ if body.get(257..262) == Some(b"ustar") => Some("a tar archive"),
        _ => None,
    }
}

/// Maximum letters searched: a page may end in zeros that fill a block.
const LOOKED_AT: usize = 1024;

/// Controls that any text may have.
const FEW: usize = 8;

/// Refuses a text that was no text before it was decoded. Texts have hardly any controls, and damaged ones have many of
/// one kind; in compressed data and programs they are of all kinds.
pub(crate) fn refuse_binary(text: &str, charset: &'static Encoding) -> Result<(), PageError> {
    let mut kinds = 0_u32;
    let (mut looked_at, mut controls) = (0, 0);
    for letter in text.chars().take(LOOKED_AT) {
        looked_at += 1;
        if is_control(letter) {
            controls += 1;
            kinds |= 1 << (letter as u32 & 31);
        }
    }
    let kinds = kinds.count_ones();
    let has_many = (controls >= FEW && controls * 4 > looked_at)
        || (kinds >= 3 && controls * 16 > looked_at)
        || (kinds >= 8 && controls * 50 > looked_at);
    let is_wide = charset == UTF_16LE || charset == UTF_16BE;
    if !has_many && !is_wide {
        return Ok(());
    }
    let end = text
        .char_indices()
        .nth(LOOKED_AT)
        .map_or(text.len(), |(at, _)| at);
    if !has_many && is_coherent(&text[..end]) {
        return Ok(());
    }
    Err(PageError::Binary { controls, looked_at })
}

/// Controls other than white space, shift (ISO-2022) and escape.
fn is_control(letter: char) -> bool {
    matches!(letter, '\0'..='\x08' | '\x0b' | '\x10'..='\x1a' | '\x1c'..='\x1f' | '\x7f')
}
