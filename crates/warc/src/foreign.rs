//! Files that are neither archives nor pages: what they look like, and what to do with them.

use std::fmt;

use crate::{
    Container,
    codec::{self, MAGIC_BYTES},
};

/// A file that is neither an archive of records nor a page. Printed as what it looks like and its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// What it looks like.
    pub kind: ForeignKind,
    /// How that is stored.
    pub container: Container,
    /// Its first bytes, decompressed, as text.
    pub begin: String,
    /// Whether its name calls it an archive.
    pub called_archive: bool,
}

/// What a file looks like that is neither an archive of records nor a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ForeignKind {
    /// A ZIP file, which a WACZ is too.
    Zip,
    /// A package of files: what it is called, with its article.
    Package(&'static str),
    /// Something compressed in a way that is not read.
    Compressed(&'static str),
    /// Something compressed twice.
    CompressedTwice,
    /// What stands in a repository for a large file that was not fetched.
    LfsPointer,
    /// An HTML page under the name of an archive, or a piece of one that no name calls a page.
    Html,
    /// XML that is no page, such as the error of a bucket.
    Xml,
    /// JSON.
    Json,
    /// A list of archives.
    List,
    /// Other text.
    Text,
    /// A document, a picture, a program and the like.
    Other(&'static str),
    /// Something else.
    Unknown,
}

const TAR: ForeignKind = ForeignKind::Package("a tar file");
const DOCUMENT: ForeignKind = ForeignKind::Other("a PDF or PostScript document");
const OFFICE: ForeignKind = ForeignKind::Other("an office document");
const PICTURE: ForeignKind = ForeignKind::Other("a picture");
const MEDIA: ForeignKind = ForeignKind::Other("a sound or video file");
const PROGRAM: ForeignKind = ForeignKind::Other("a program");
const DATABASE: ForeignKind = ForeignKind::Other("a database");
const TABLE: ForeignKind = ForeignKind::Other("a table of data");
pub(crate) const ZEROS: ForeignKind = ForeignKind::Other("zero bytes");

/// Kinds by their first bytes.
const MAGIC: [(&[u8], ForeignKind); 40] = [
    (b"PK\x03\x04", ForeignKind::Zip),
    (b"PK\x05\x06", ForeignKind::Zip),
    (b"PK\x07\x08", ForeignKind::Zip),
    (b"7z\xbc\xaf\x27\x1c", ForeignKind::Package("a 7z file")),
    (b"Rar!\x1a\x07", ForeignKind::Package("a RAR file")),
    (
        b"\xfd7zXZ\0",
        ForeignKind::Compressed("a file compressed with xz"),
    ),
    (
        b"LZIP\x01",
        ForeignKind::Compressed("a file compressed with lzip"),
    ),
    (b"%PDF-", DOCUMENT),
    (b"%!PS", DOCUMENT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OFFICE),
    (b"{\\rtf", OFFICE),
    (b"\x89PNG\r\n\x1a\n", PICTURE),
    (b"\xff\xd8\xff", PICTURE),
    (b"GIF87a", PICTURE),
    (b"GIF89a", PICTURE),
    (b"II*\0", PICTURE),
    (b"MM\0*", PICTURE),
    (b"\0\0\x01\0", PICTURE),
    (b"RIFF", MEDIA),
    (b"OggS", MEDIA),
    (b"fLaC", MEDIA),
    (b"ID3", MEDIA),
    (b"\x1a\x45\xdf\xa3", MEDIA),
    (b"FLV\x01", MEDIA),
    (b"\x7fELF", PROGRAM),
    (b"\xfe\xed\xfa\xce", PROGRAM),
    (b"\xfe\xed\xfa\xcf", PROGRAM),
    (b"\xcf\xfa\xed\xfe", PROGRAM),
    (b"\xca\xfe\xba\xbe", PROGRAM),
    (b"\0asm", PROGRAM),
    (b"#!/", PROGRAM),
    (b"SQLite format 3\0", DATABASE),
    (b"DUCK", DATABASE),
    (b"PAR1", TABLE),
    (b"ARROW1\0\0", TABLE),
    (b"Obj\x01", TABLE),
    (b"ORC", TABLE),
    (b"\x89HDF\r\n\x1a\n", TABLE),
    (b"\x93NUMPY", TABLE),
    (b"version https://git-lfs", ForeignKind::LfsPointer),
];

/// A magic number so short that text can begin with it counts only where what follows is no text.
const SHORT_MAGIC: usize = 4;

/// The kind of `text` by its first bytes; `None` if they do not decide it.
pub(crate) fn by_magic(text: &[u8]) -> Option<ForeignKind> {
    let found = MAGIC.iter().find(|(magic, _)| text.starts_with(magic));
    if let Some((magic, kind)) = found
        && (magic.len() > SHORT_MAGIC || !magic.is_ascii() || !is_ascii_text(text))
    {
        return Some(*kind);
    }
    by_structure(text)
}

/// Kinds whose first bytes have a form rather than a value.
fn by_structure(text: &[u8]) -> Option<ForeignKind> {
    match text {
        [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if rest.starts_with(b"1AY&SY") => {
            Some(ForeignKind::Compressed("a file compressed with bzip2"))
        }
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some(MEDIA),
        _ if is_windows_program(text) => Some(PROGRAM),
        _ if is_tar(text) => Some(TAR),
        _ => None,
    }
}

/// Whether a container begins inside what was decompressed.
pub(crate) fn is_compressed(text: &[u8]) -> bool {
    text.len() >= MAGIC_BYTES && codec::container_of(text).is_some()
}

fn is_ascii_text(text: &[u8]) -> bool {
    text.iter()
        .take(64)
        .all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'))
}

fn is_windows_program(text: &[u8]) -> bool {
    let Some(&[a, b, c, d]) = text.get(0x3c..0x40) else {
        return false;
    };
    let header = u32::from_le_bytes([a, b, c, d]) as usize;
    text.starts_with(b"MZ")
        && text
            .get(header..)
            .is_some_and(|header| header.starts_with(b"PE\0\0"))
}

const TAR_HEADER: usize = 512;
const TAR_CHECKSUM: std::ops::Range<usize> = 148..156;

/// Whether the checksum of a tar header is right: the sum of its bytes, with blanks in the place of the sum.
fn is_tar(text: &[u8]) -> bool {
    let Some(header) = text.get(..TAR_HEADER) else {
        return false;
    };
    let field = String::from_utf8_lossy(&header[TAR_CHECKSUM]);
    let Ok(wanted) = u32::from_str_radix(field.trim_matches(['\0', ' ']), 8) else {
        return false;
    };
    let blank = u32::from(b' ');
    let sum = header.iter().enumerate().map(|(at, &byte)| match at {
        at if TAR_CHECKSUM.contains(&at) => blank,
        _ => u32::from(byte),
    });
    wanted > TAR_CHECKSUM.len() as u32 * blank && sum.sum::<u32>() == wanted
}

impl ForeignKind {
    /// What the file looks like, with its article.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Zip => "a ZIP file",
            Self::Package(name) | Self::Compressed(name) | Self::Other(name) => name,
            Self::CompressedTwice => "a compressed file",
            Self::LfsPointer => "a Git LFS pointer",
            Self::Html => "an HTML page",
            Self::Xml => "an XML file",
            Self::Json => "a JSON file",
            Self::List => "a list of archives",
            Self::Text => "a text file",
            Self::Unknown => "a file of an unknown format",
        }
    }

    /// Whether other files are in it: what they hold is read once they are unpacked.
    pub(crate) fn is_package(self) -> bool {
        matches!(self, Self::Zip | Self::Package(_) | Self::CompressedTwice)
    }

    /// What to do.
    fn mend(self) -> &'static str {
        match self {
            Self::Zip => "unpack it (gleaner build reads ZIP files that end in .wacz)",
            Self::Package(_) => "unpack it and give the archives in it",
            Self::Compressed(_) => "decompress it, or compress it with gzip, Zstandard or LZ4 instead",
            Self::CompressedTwice => "decompress it once",
            Self::LfsPointer => "fetch the file itself with 'git lfs pull'",
            Self::Html => {
                "if the page is wanted, give the file a name that ends in .html, else download the archive again"
            }
            Self::List => "put @ before its name to read the archives that it lists",
            _ => "leave it out, or download it again if it should be an archive",
        }
    }
}

impl Foreign {
    /// What the file would have to be.
    pub(crate) fn expected(&self) -> &'static str {
        match self.kind {
            ForeignKind::Html => "a WARC, ARC or WET file",
            _ => "a WARC, ARC, WET or HTML file",
        }
    }

    /// Whether it is text, with markup or without.
    #[must_use]
    pub fn is_text(&self) -> bool {
        use ForeignKind::{Html, Json, List, Text, Xml};
        matches!(self.kind, Html | Xml | Json | List | Text)
    }

    /// What to do, in a phrase.
    #[must_use]
    pub fn mend(&self) -> &'static str {
        self.kind.mend()
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stored = match self.container {
            Container::Plain => "",
            Container::Gzip => " in gzip",
            Container::Zstd => " in Zstandard",
            Container::Lz4 => " in LZ4",
        };
        let (kind, begin) = (self.kind.as_str(), &self.begin);
        write!(out, "{kind}{stored} that begins with {begin:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tar header of a file of this name, with the mark of the newer format or without.
    fn tar(name: &str, mark: &[u8]) -> Vec<u8> {
        let mut header = vec![0; TAR_HEADER];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[257..257 + mark.len()].copy_from_slice(mark);
        header[TAR_CHECKSUM].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[TAR_CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header
    }

    #[test]
    fn kinds_follow_from_their_first_bytes() {
        for (bytes, kind) in [
            (&b"PK\x03\x04\x14\0"[..], Some(ForeignKind::Zip)),
            (
                b"BZh91AY&SY\xff",
                Some(ForeignKind::Compressed("a file compressed with bzip2")),
            ),
            (b"BZh of Bern", None),
            (b"\0\0\0\x20ftypisom", Some(MEDIA)),
            (b"ORC\x0a\x03\0", Some(TABLE)),
            (b"ORC is a format of columns", None),
            (b"ID3\x04\0\0", Some(MEDIA)),
            (b"MZ is no program by itself", None),
            (
                b"version https://git-lfs.github.com/spec/v1\n",
                Some(ForeignKind::LfsPointer),
            ),
            (b"version 2 of the plan", None),
            (b"", None),
        ] {
            assert_eq!(by_magic(bytes), kind, "{}", bytes.escape_ascii());
        }
        let mut program = vec![0; 256];
        program[..2].copy_from_slice(b"MZ");
        program[0x3c] = 128;
        program[128..132].copy_from_slice(b"PE\0\0");
        assert_eq!(by_magic(&program), Some(PROGRAM));
    }

    #[test]
    fn tar_is_recognised_by_its_checksum() {
        for mark in [&b"ustar\x0000"[..], b""] {
            let mut header = tar("crawl.warc.gz", mark);
            assert_eq!(by_magic(&header), Some(TAR));
            header[3] ^= 1;
            assert_eq!(by_magic(&header), None);
        }
        assert_eq!(by_magic(&[0; 1024]), None);
    }
}
