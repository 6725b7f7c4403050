//! One input file.

use serde::{Deserialize, Serialize};

use crate::Place;

/// One file to be read: an archive, or a single HTML file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shard {
    /// The name as the user would write it; goes into the tables.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Whether it is an archive or an HTML file, by its name.
    pub kind: Kind,
    /// Its length in bytes, where it is known before it is read (pipes have none).
    pub size: Option<u64>,
    /// What changes when the file does: the ETag, else the time of the last change.
    pub version: Option<String>,
    /// Whether the user named this very file, and not a folder, a pattern or a list that holds it.
    pub named: bool,
}

impl Shard {
    /// One that was named by the user.
    pub(crate) fn named(self) -> Shard {
        Shard { named: true, ..self }
    }

    /// One that was found where the user said.
    pub(crate) fn found(self) -> Shard {
        Shard { named: false, ..self }
    }
}

/// What a file's name says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// WARC, ARC or WET, compressed or not; also every name that says nothing.
    Archive,
    /// A single HTML file.
    Html,
}

impl Kind {
    /// The kind of a file found in a folder; `None` where its name is of neither kind.
    pub(crate) fn of_found(name: &str) -> Option<Kind> {
        let name = name.to_ascii_lowercase();
        if is_html(&name) {
            return Some(Kind::Html);
        }
        let plain = [".gz", ".zst", ".lz4"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(&name);
        [".warc", ".arc", ".wet"]
            .iter()
            .any(|end| plain.ends_with(end))
            .then_some(Kind::Archive)
    }

    /// The kind of a file that was named by the user, who may give it any name.
    pub(crate) fn of_named(name: &str) -> Kind {
        let path = name.split('?').next().unwrap_or(name);
        if is_html(&path.to_ascii_lowercase()) {
            Kind::Html
        } else {
            Kind::Archive
        }
    }
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
            assert_eq!(Kind::of_found(name), Some(Kind::Archive), "{name}");
        }
        for name in ["a.html", "A.HTM", "a.xhtml"] {
            assert_eq!(Kind::of_found(name), Some(Kind::Html), "{name}");
        }
        for name in ["a.txt", "warc", "a.warc.gz.md5", "a.gz", ".cdx"] {
            assert_eq!(Kind::of_found(name), None, "{name}");
        }
        assert_eq!(Kind::of_named("http://h/x.html?y=.gz"), Kind::Html);
        assert_eq!(Kind::of_named("/dev/fd/63"), Kind::Archive);
    }
}
