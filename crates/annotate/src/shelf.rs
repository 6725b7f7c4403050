//! Annotation files in a folder: which page each is of, and what a new one is called.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use gleaner_gold::Annotation;
use gleaner_gold::annotation::{EXTENSION, Header};
use rustc_hash::FxHashMap;
use sha1::{Digest, Sha1};

use crate::Error;
use crate::desk::progress;

/// The folder, or the one file, that annotations are kept in.
pub(crate) struct Shelf {
    /// The folder, without links and relative parts.
    folder: PathBuf,
    /// The one file, where it is one.
    only: Option<Only>,
    /// What is there already, by what pages are known by.
    known: FxHashMap<Key, Place>,
    /// Names that are given away.
    names: HashSet<PathBuf>,
}

/// The one annotation file.
struct Only {
    place: Place,
    /// The page that it is of; `None` where it is not there yet.
    of: Option<Header>,
}

/// What pages are known by, the surest first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Record(String),
    Digest(String),
    /// An HTML file.
    File(String),
    /// A record of an archive; where that is compressed in one piece, all have the same offset.
    Place(String, u64, String),
}

/// An annotation file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// How many blocks are done of how many; `None` where the file is not there yet.
    pub(crate) progress: Option<(usize, usize)>,
}

impl Shelf {
    /// Opens a folder, which is made if it is not there, or a file called `NAME.anno`.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or holds an annotation file that is not sound.
    pub(crate) fn open(out: &Path) -> Result<Shelf, Error> {
        let is_file = out.extension().is_some_and(|end| end == EXTENSION) && !out.is_dir();
        let folder = match is_file {
            true => out
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new(".")),
            false => out,
        };
        let failed = |source| Error::Folder {
            path: folder.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut shelf = Shelf {
            folder: folder.canonicalize().map_err(failed)?,
            only: None,
            known: FxHashMap::default(),
            names: HashSet::new(),
        };
        if is_file {
            shelf.only = Some(only(out)?);
            return Ok(shelf);
        }
        for entry in fs::read_dir(&shelf.folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|end| end == EXTENSION) {
                shelf.add(path)?;
            }
        }
        Ok(shelf)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.only.is_some()
    }

    fn add(&mut self, path: PathBuf) -> Result<(), Error> {
        let annotation = Annotation::read(&path)?;
        let place = place(path.clone(), &annotation);
        for key in keys(&annotation.header) {
            self.known.entry(key).or_insert_with(|| place.clone());
        }
        self.names.insert(path);
        Ok(())
    }

    /// The annotation file of a page: the one there is, else a name for one.
    ///
    /// # Errors
    /// The one file there is to be is there, and of another page.
    pub(crate) fn place(&mut self, page: &Header) -> Result<Place, Error> {
        if let Some(only) = &self.only {
            only.check(page)?;
            return Ok(only.place.clone());
        }
        if let Some(known) = keys(page).iter().find_map(|key| self.known.get(key)) {
            return Ok(known.clone());
        }
        let path = self.free_name(page);
        self.names.insert(path.clone());
        Ok(Place { path, progress: None })
    }

    /// A name that says where the page is from, and that is the same whenever the page is met.
    fn free_name(&self, page: &Header) -> PathBuf {
        let from = if page.url.is_empty() {
            &page.source
        } else {
            &page.url
        };
        let identity = match page.record_id.as_str() {
            "" => format!("{}\n{}", page.digest, page.source),
            // As names were made when ids had no brackets here.
            id => id.trim_matches(['<', '>']).to_owned(),
        };
        let hash = hex(&Sha1::digest(&identity)[..4]);
        let name = |suffix: &str| {
            self.folder
                .join(format!("{}-{hash}{suffix}.{EXTENSION}", slug(from)))
        };
        let is_free = |path: &PathBuf| !self.names.contains(path);
        (0..)
            .map(|number| {
                if number == 0 {
                    name("")
                } else {
                    name(&format!("-{number}"))
                }
            })
            .find(is_free)
            .expect("one of all numbers is free")
    }

    /// A file's name as seen from the folder. Where the two share nothing but the root, the whole
    /// name.
    pub(crate) fn relative(&self, file: &Path) -> String {
        let Ok(file) = file.canonicalize() else {
            return file.display().to_string();
        };
        let shared = file
            .components()
            .zip(self.folder.components())
            .take_while(|(a, b)| a == b)
            .count();
        let named = |component: &Component<'_>| matches!(component, Component::Normal(_));
        if !file.components().take(shared).any(|component| named(&component)) {
            return file.display().to_string();
        }
        let up = self.folder.components().skip(shared).map(|_| "..".into());
        let down = file
            .components()
            .skip(shared)
            .map(|part| part.as_os_str().to_string_lossy());
        up.chain(down).collect::<Vec<_>>().join("/")
    }
}

/// The one file, which may not be there yet.
fn only(path: &Path) -> Result<Only, Error> {
    let path = path.to_owned();
    if !path.exists() {
        let place = Place { path, progress: None };
        return Ok(Only { place, of: None });
    }
    let annotation = Annotation::read(&path)?;
    Ok(Only {
        place: place(path, &annotation),
        of: Some(annotation.header),
    })
}

impl Only {
    /// # Errors
    /// The file is of another page. One that was changed or moved is the same.
    fn check(&self, page: &Header) -> Result<(), Error> {
        let Some(of) = &self.of else { return Ok(()) };
        let known = keys(of);
        let is_other = match (of.record_id.as_str(), page.record_id.as_str()) {
            ("", _) | (_, "") => {
                let of_url = !of.url.is_empty() && of.url == page.url;
                !known.is_empty() && !of_url && !keys(page).iter().any(|key| known.contains(key))
            }
            (one, other) => one != other,
        };
        if !is_other {
            return Ok(());
        }
        Err(Error::OtherPage {
            path: self.place.path.clone(),
            of: [&of.url, &of.source]
                .into_iter()
                .find(|name| !name.is_empty())
                .cloned()
                .unwrap_or_default(),
        })
    }
}

fn place(path: PathBuf, annotation: &Annotation) -> Place {
    let decisions: Vec<_> = annotation.blocks.iter().map(|block| block.decision).collect();
    Place {
        path,
        progress: Some(progress(&decisions)),
    }
}

fn keys(header: &Header) -> Vec<Key> {
    let Header {
        record_id,
        digest,
        source,
        offset,
        ..
    } = header;
    if !record_id.is_empty() {
        // Two records may have the same body; they are two pages all the same.
        return vec![Key::Record(record_id.clone())];
    }
    if let Some(offset) = offset {
        return vec![Key::Place(source.clone(), *offset, digest.clone())];
    }
    let mut keys = Vec::new();
    if !source.is_empty() {
        keys.push(Key::File(source.clone()));
    }
    if !digest.is_empty() {
        keys.push(Key::Digest(digest.clone()));
    }
    keys
}

/// The beginning of an address in letters that every file system takes.
fn slug(from: &str) -> String {
    let from = from.split_once("://").map_or(from, |(_, rest)| rest);
    let from = from.trim_start_matches(['.', '/']);
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let slug: String = from.chars().map(plain).take(60).collect();
    slug.trim_matches(['-', '.']).to_owned()
}

/// The digest of a body, as annotation files have it.
pub(crate) fn digest(body: &[u8]) -> String {
    format!("sha1:{}", hex(&Sha1::digest(body)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, record_id: &str, source: &str) -> Header {
        Header {
            url: url.into(),
            record_id: record_id.into(),
            source: source.into(),
            digest: digest(url.as_bytes()),
            ..Header::default()
        }
    }

    #[test]
    fn names_say_where_a_page_is_from() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::open(&folder.path().join("notes")).unwrap();
        let name = |place: Place| place.path.file_name().unwrap().to_string_lossy().into_owned();
        let tides = page("http://tides.example/a/?b=ř", "<urn:1>", "");
        let first = name(shelf.place(&tides).unwrap());
        assert!(
            first.starts_with("tides.example-a--b-") && first.ends_with(".anno"),
            "{first}"
        );
        let other = name(
            shelf
                .place(&page("http://tides.example/a/?b=ř", "<urn:2>", ""))
                .unwrap(),
        );
        assert_ne!(first, other);
        let file = name(shelf.place(&page("", "", "../pages/a.html")).unwrap());
        assert!(file.starts_with("pages-a.html-"), "{file}");
        // The same page in another run, with nothing saved yet.
        let mut again = Shelf::open(&folder.path().join("notes")).unwrap();
        assert_eq!(name(again.place(&tides).unwrap()), first);
    }

    #[test]
    fn a_file_is_not_taken_for_another_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.anno");
        let taken = |header: Header, page: &Header| {
            let annotation = Annotation {
                header,
                ..Annotation::default()
            };
            annotation.save(&path).unwrap();
            Shelf::open(&path).unwrap().place(page).is_ok()
        };
        let of = page("http://a.example/", "<urn:1>", "a.warc");
        assert!(taken(of.clone(), &of));
        assert!(!taken(
            of.clone(),
            &page("http://a.example/b", "<urn:2>", "a.warc")
        ));
        let file = page("", "", "a.html");
        let changed = Header {
            digest: digest(b"changed"),
            ..file.clone()
        };
        assert!(taken(file.clone(), &changed));
        let moved = Header {
            source: "b/a.html".into(),
            ..file.clone()
        };
        assert!(taken(file.clone(), &moved));
        let other = Header {
            digest: digest(b"other"),
            ..page("", "", "b.html")
        };
        assert!(!taken(file, &other));
        assert!(taken(Header::default(), &other));
    }

    #[test]
    fn a_file_is_known_by_its_page_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for (name, header) in [
            ("renamed.anno", page("http://a.example/", "<urn:1>", "")),
            ("b.anno", page("", "", "b.html")),
        ] {
            let annotation = Annotation {
                header,
                ..Annotation::default()
            };
            annotation.save(&folder.path().join(name)).unwrap();
        }
        let mut shelf = Shelf::open(folder.path()).unwrap();
        let mut found = |header: &Header| shelf.place(header).unwrap().path.file_name().map(PathBuf::from);
        assert_eq!(
            found(&page("http://a.example/", "<urn:1>", "x")),
            Some("renamed.anno".into())
        );
        // Changed, but in its place; and moved, but the same.
        let changed = Header {
            digest: digest(b"changed"),
            ..page("", "", "b.html")
        };
        assert_eq!(found(&changed), Some("b.anno".into()));
        assert_eq!(found(&page("", "", "elsewhere.html")), Some("b.anno".into()));
    }

    #[test]
    fn names_are_relative_where_something_is_shared() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("pages");
        fs::create_dir(&pages).unwrap();
        fs::write(pages.join("a.html"), "").unwrap();
        let shelf = Shelf::open(&folder.path().join("notes/mine")).unwrap();
        assert_eq!(shelf.relative(&pages.join("a.html")), "../../pages/a.html");
        let beside = Shelf::open(&pages.join("a.anno")).unwrap();
        assert_eq!(beside.relative(&pages.join("a.html")), "a.html");
    }
}
