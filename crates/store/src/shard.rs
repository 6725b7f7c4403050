//! One input file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Error, Place};

/// One file to be read: an archive, or a single HTML file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shard {
    /// The name in the tables: its path below the input, wherever that is.
    pub name: String,
    /// What can be opened, as the user would write it: for messages.
    pub location: String,
    /// Where it is.
    pub place: Place,
    /// Whether it is an archive or an HTML file, by its name.
    pub kind: Kind,
    /// Its length in bytes, where it is known before it is read (pipes have none).
    pub size: Option<u64>,
    /// What changes when the file does: the ETag, else the time of the last change, else a digest.
    pub version: Option<String>,
    /// Whether the user named this very file, and not a folder, a pattern or a list that holds it.
    pub named: bool,
    /// Which bytes of the file at `place` it is, where it is a file within that file.
    #[serde(default)]
    pub member: Option<Member>,
}

impl Shard {
    /// One that was named by the user.
    pub(crate) fn named(self) -> Shard {
        Shard { named: true, ..self }
    }

    /// Found in a folder or by a pattern of the user.
    pub(crate) fn found(self) -> Shard {
        Shard { named: false, ..self }
    }

    /// The same under another name in the tables.
    pub(crate) fn called(self, name: String) -> Shard {
        Shard { name, ..self }
    }

    /// Whether reading can begin at any byte without reading those before it.
    pub fn is_seekable(&self) -> bool {
        self.member
            .as_ref()
            .is_none_or(|member| member.deflated.is_none())
    }

    /// A start beyond the end is an error.
    pub(crate) fn check_offset(&self, offset: u64) -> Result<(), Error> {
        check_offset(&self.location, self.size, offset)
    }

    /// The file at the shard's place, and what of it is read.
    pub(crate) fn target(&self) -> Target {
        let member = self.member.as_ref();
        Target {
            name: self.location.clone(),
            found: (
                member.map_or(self.size, |member| Some(member.file_size)),
                self.version.clone(),
            ),
            within: member.map(|member| member.start..member.start + member.stored),
        }
    }
}

/// Whether there is a byte at an offset, or the end, of what has a size.
pub(crate) fn check_offset(name: &str, size: Option<u64>, offset: u64) -> Result<(), Error> {
    match size {
        Some(size) if offset > size => Err(Error::Offset {
            input: name.to_owned(),
            size,
            offset,
        }),
        _ => Ok(()),
    }
}

/// A file within a ZIP file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Member {
    /// Length of the ZIP file in bytes.
    pub file_size: u64,
    /// Where the member's bytes begin in it.
    pub start: u64,
    /// How many bytes it takes there.
    pub stored: u64,
    /// The checksum (CRC-32) of a deflated member's bytes; `None` for one that is stored as it is.
    pub deflated: Option<u32>,
}

/// A file, and what of it is read.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The shard's location, for errors.
    pub(crate) name: String,
    /// Size and version of the file at first sight.
    pub(crate) found: (Option<u64>, Option<String>),
    /// The bytes of the file that are wanted, if not all.
    pub(crate) within: Option<Range<u64>>,
}

impl Target {
    /// Where the wanted bytes begin in the file.
    pub(crate) fn start(&self) -> u64 {
        self.within.as_ref().map_or(0, |within| within.start)
    }

    /// Where they end; `None` where that is not known.
    pub(crate) fn end(&self) -> Option<u64> {
        self.within
            .as_ref()
            .map_or(self.found.0, |within| Some(within.end))
    }
}

/// The kind of a file by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// WARC, ARC or WET, compressed or not; also every unknown name.
    Archive,
    /// A single HTML file.
    Html,
}

impl Kind {
    /// The kind of a file found in a folder; `None` where its name is of neither kind.
    pub(crate) fn from_found(name: &str) -> Option<Kind> {
        let name = name.to_ascii_lowercase();
        if is_html(&name) {
            return Some(Kind::Html);
        }
        let plain = without_end(&name, &[".gz", ".zst", ".lz4"]);
        [".warc", ".arc", ".wet"]
            .iter()
            .any(|end| plain.ends_with(end))
            .then_some(Kind::Archive)
    }

    /// The kind of a file found in a folder, where a WACZ is replaced by the archives in it.
    pub(crate) fn from_found_or_wacz(name: &str) -> Option<Kind> {
        Kind::from_found(name).or_else(|| is_wacz(name).then_some(Kind::Archive))
    }

    /// The kind of a file that was named by the user, who may give it any name.
    pub(crate) fn from_named(name: &str) -> Kind {
        let path = name.split('?').next().unwrap_or(name);
        if is_html(&path.to_ascii_lowercase()) {
            Kind::Html
        } else {
            Kind::Archive
        }
    }
}

/// Whether a name, without what follows a `?`, is that of a WACZ: archives in a ZIP file.
pub(crate) fn is_wacz(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".wacz")
}

/// The name of a plain text, compressed or not, without its folder and its ends; `None` of other files, and of requests of a
/// site to crawlers.
pub(crate) fn text_stem(name: &str) -> Option<&str> {
    let name = name.rsplit('/').next().unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    let stem = without_end(&lower, &[".gz", ".zst"]).strip_suffix(".txt")?;
    (stem != "robots").then(|| &name[..stem.len()])
}

/// A name without the first of these ends that it has.
fn without_end<'a>(name: &'a str, ends: &[&str]) -> &'a str {
    let mut ends = ends.iter();
    ends.find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

fn is_html(lower: &str) -> bool {
    [".html", ".htm", ".xhtml"].iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_name() {
        for name in [
            "a.warc",
            "A.WARC.GZ",
            "a.warc.zst",
            "a.warc.lz4",
            "a.arc.gz",
            "a.wet.gz",
            "x.warc.wet.gz",
        ] {
            assert_eq!(Kind::from_found(name), Some(Kind::Archive), "{name}");
        }
        for name in ["a.html", "A.HTM", "a.xhtml"] {
            assert_eq!(Kind::from_found(name), Some(Kind::Html), "{name}");
        }
        for name in ["a.txt", "warc", "a.warc.gz.md5", "a.gz", ".cdx"] {
            assert_eq!(Kind::from_found(name), None, "{name}");
        }
        for (name, stem) in [
            ("a.txt", Some("a")),
            ("x/A.b.TXT.gz", Some("A.b")),
            ("a.txt.zst", Some("a")),
            ("a.txt.lz4", None),
            ("x/robots.txt.gz", None),
            ("a.gz", None),
            ("a.txt.bz2", None),
        ] {
            assert_eq!(text_stem(name), stem, "{name}");
        }
        assert_eq!(Kind::from_named("http://h/x.html?y=.gz"), Kind::Html);
        assert_eq!(Kind::from_named("/dev/fd/63"), Kind::Archive);
    }
}
