//! What files are called in the tables.
//!
//! A name is the path below the folder, the pattern or the prefix that the user gave, so that it is the same wherever the
//! files are, from whichever folder they are named, and whatever other inputs there are:
//!
//! | input | file | name |
//! |---|---|---|
//! | folder `/data/crawl`, prefix `s3://bucket/crawl/` | `a/x.warc.gz` in it | `a/x.warc.gz` |
//! | pattern `/data/crawl/2024-*/*.warc.gz` | `2024-01/x.warc.gz` below its fixed folders | `2024-01/x.warc.gz` |
//! | file `/data/x.warc.gz`, URL `https://host/x.warc.gz?v=2` | | `x.warc.gz`, `x.warc.gz?v=2` |
//! | line `2024-01/x.warc.gz` of a list | | the text of the line, without the base |

use std::ffi::OsStr;
use std::path::{Component, Path};

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use crate::place::absolute;
use crate::{Error, Place, Shard};

/// Where the names of the files of an input begin.
#[derive(Clone, Copy)]
pub(crate) enum NameRoot<'a> {
    /// At the input: a folder, the fixed folders of a pattern, a prefix. A file has its own name.
    Input,
    /// At the folder that a line of a list is relative to.
    Base(&'a Place),
    /// Nowhere: a line of a list that is a whole path or URL is the name.
    Whole,
}

impl NameRoot<'_> {
    /// The name of a file that was found in a folder.
    pub(crate) fn found(self, place: &Place, folder: &Place) -> String {
        self.name(place, || below(place, folder))
    }

    /// The name of a file that is an input by itself.
    pub(crate) fn file(self, place: &Place) -> String {
        self.name(place, || own(place))
    }

    fn name(self, place: &Place, of_input: impl FnOnce() -> Option<String>) -> String {
        let name = match self {
            NameRoot::Input => of_input(),
            NameRoot::Base(base) => below(place, base),
            NameRoot::Whole => None,
        };
        name.filter(|name| !name.is_empty())
            .unwrap_or_else(|| place.to_string())
    }
}

impl Place {
    /// The name of a file that is an input by itself: the last part of its path, of a URL with its query.
    pub fn file_name(&self) -> String {
        NameRoot::Input.file(self)
    }
}

/// The path from a folder to a place within; `None` if it is not within.
fn below(place: &Place, folder: &Place) -> Option<String> {
    let key = |text: &str, folder: &str| {
        let rest = text.strip_prefix(folder)?;
        let is_open = folder.is_empty() || folder.ends_with('/');
        Some(if is_open { rest } else { rest.strip_prefix('/')? }.to_owned())
    };
    match (place, folder) {
        (Place::Local(path), Place::Local(folder)) => {
            let rest = path.strip_prefix(folder).map(path_name);
            // Names in no charset are known by their whole path.
            let whole = || Some(path_name(absolute(path).strip_prefix(absolute(folder)).ok()?));
            rest.ok().or_else(whole)
        }
        (Place::Object { key: text, .. }, Place::Object { key: folder, .. }) => key(text, folder),
        (Place::Web { url, .. }, Place::Web { url: folder, .. }) => key(url, folder),
        _ => None,
    }
}

/// The last segment of a path; that of a URL with its query, by which servers distinguish files.
fn own(place: &Place) -> Option<String> {
    match place {
        Place::Local(path) => path.file_name().map(|name| path_name(Path::new(name))),
        Place::Object { key, .. } => key.rsplit('/').next().map(str::to_owned),
        Place::Web { url, .. } => {
            let path = url.find('?').map_or(&**url, |query| &url[..query]);
            let begin = path.rfind('/').map_or(0, |slash| slash + 1);
            (begin < path.len()).then(|| url[begin..].to_owned())
        }
    }
}

/// A relative path with `/` between its parts. Bytes in no charset are written as in URLs.
fn path_name(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(text_of(name)),
        Component::ParentDir => Some("..".to_owned()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn text_of(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        text.extend(percent_encode(chunk.invalid(), NON_ALPHANUMERIC));
    }
    text
}

/// Checks that no two files have one name: nothing would distinguish their rows. They are in the order of their names.
///
/// # Errors
///
/// Two have.
pub fn check_names(shards: &[Shard]) -> Result<(), Error> {
    let mut pairs = shards.windows(2);
    match pairs.find(|pair| pair[0].name == pair[1].name) {
        Some([first, second]) => Err(Error::SameName {
            name: first.name.clone(),
            first: first.location.clone(),
            second: second.location.clone(),
            mend: mend(&first.location, &second.location),
        }),
        _ => Ok(()),
    }
}

/// One input that holds both files: a folder, if both have one, and a pattern, if the folders within have a beginning in common.
fn mend(first: &str, second: &str) -> String {
    let paths = [first, second].map(|path| path.split('/').collect::<Vec<_>>());
    let [one, other] = &paths;
    let common = one
        .iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count();
    let is_remote = first.contains("://") || second.contains("://");
    let parts = [one, other].map(|path| path.get(common).copied().unwrap_or_default());
    let beginning = same_beginning(parts);
    let folder = one[..common].join("/");
    let folder_of = |name: &str| match (common, &*folder) {
        (0, _) => name.to_owned(),
        (_, folder) => format!("{folder}/{name}"),
    };
    let mut mends = Vec::new();
    if !beginning.is_empty() && one.len() == other.len() && common + 1 < one.len() {
        mends.push(format!(
            "a pattern in quotes ('{}')",
            folder_of(&format!("{beginning}*"))
        ));
    }
    // (The last part of what URLs have in common may be a server, which has no folders.)
    match (is_remote, common) {
        (false, 0) => mends.push("the folder above them ('.')".to_owned()),
        (false, _) => mends.push(format!("the folder above them ('{}')", folder_of(""))),
        (true, _) => {}
    }
    mends.push("a list of their paths (@FILE)".to_owned());
    format!("give {}", mends.join(", or "))
}

fn same_beginning([one, other]: [&str; 2]) -> &str {
    let same = one.char_indices().zip(other.chars());
    let end = same.take_while(|((_, one), other)| one == other).last();
    end.map_or("", |((at, letter), _)| &one[..at + letter.len_utf8()])
}
