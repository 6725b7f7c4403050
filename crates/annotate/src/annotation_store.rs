//! The annotation files of a folder: which page each belongs to, and the names of new ones.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use gleaner_gold::Annotation;
use gleaner_gold::annotation::{By, Decision, EXTENSION, Header, source_name};
use rustc_hash::FxHashMap;
use sha1::{Digest, Sha1};

use crate::Error;

/// The folder with annotation files, or the single annotation file.
pub(crate) struct AnnotationStore {
    /// The folder, without links and relative parts.
    folder: PathBuf,
    /// The single file, if the annotations of one page are wanted.
    single: Option<SingleFile>,
    /// The existing files by the keys of their pages.
    files: FxHashMap<PageKey, AnnotationFile>,
    /// Names that are in use.
    names: HashSet<PathBuf>,
}

/// The single annotation file.
struct SingleFile {
    file: AnnotationFile,
    /// The header of its page; `None` if the file does not exist yet.
    page: Option<Header>,
}

/// A key that identifies a page, the most reliable kind first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PageKey {
    Record(String),
    Digest(String),
    /// An HTML file.
    File(String),
    /// A record of an archive, with its digest: in an archive compressed in one piece all records have the same offset.
    ArchivePlace(String, u64, String),
}

/// An annotation file.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationFile {
    pub(crate) path: PathBuf,
    /// Number of labelled blocks, and of all blocks; `None` if the file does not exist yet.
    pub(crate) progress: Option<(usize, usize)>,
}

impl AnnotationStore {
    /// Opens a folder, which is created if it does not exist, or a file named `NAME.anno`.
    ///
    /// # Errors
    /// The folder cannot be created or read, or has a damaged annotation file.
    pub(crate) fn open(out: &Path) -> Result<AnnotationStore, Error> {
        let is_file = out.extension().is_some_and(|end| end == EXTENSION) && !out.is_dir();
        let folder = match is_file {
            true => out
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new(".")),
            false => out,
        };
        let failed = |source| Error::Folder(folder.to_owned(), source);
        check_folder(folder)?;
        fs::create_dir_all(folder).map_err(failed)?;
        let mut store = AnnotationStore {
            folder: folder.canonicalize().map_err(failed)?,
            single: None,
            files: FxHashMap::default(),
            names: HashSet::new(),
        };
        if is_file {
            store.single = Some(SingleFile::open(out)?);
            return Ok(store);
        }
        for entry in fs::read_dir(&store.folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|end| end == EXTENSION) {
                store.add(path)?;
            }
        }
        Ok(store)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.single.is_some()
    }

    fn add(&mut self, path: PathBuf) -> Result<(), Error> {
        let annotation = read(&path)?;
        let file = AnnotationFile::new(path.clone(), &annotation);
        for key in keys(&annotation.header) {
            self.files.entry(key).or_insert_with(|| file.clone());
        }
        self.names.insert(path);
        Ok(())
    }

    /// The annotation file of a page: the existing one, or one with a new name.
    ///
    /// # Errors
    /// The single file belongs to another page.
    pub(crate) fn file(&mut self, page: &Header) -> Result<AnnotationFile, Error> {
        if let Some(single) = &self.single {
            single.check(page)?;
            return Ok(single.file.clone());
        }
        if let Some(file) = keys(page).iter().find_map(|key| self.files.get(key)) {
            return Ok(file.clone());
        }
        let path = self.free_name(page);
        self.names.insert(path.clone());
        Ok(AnnotationFile { path, progress: None })
    }

    /// A free name made of the URL or the file of the page, the same in every run.
    fn free_name(&self, page: &Header) -> PathBuf {
        let from = if page.url.is_empty() {
            &page.source
        } else {
            &page.url
        };
        let identity = match page.record_id.as_str() {
            "" => format!("{}\n{}", page.digest, page.source),
            // Older names were made of ids without brackets.
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

    /// The path of a file relative to the folder; the whole path if only the root is common.
    pub(crate) fn relative(&self, file: &Path) -> String {
        let Ok(file) = file.canonicalize() else {
            return source_name(file);
        };
        let shared = file
            .components()
            .zip(self.folder.components())
            .take_while(|(a, b)| a == b)
            .count();
        let named = |component: &Component<'_>| matches!(component, Component::Normal(_));
        if !file.components().take(shared).any(|component| named(&component)) {
            return source_name(&file);
        }
        let down: PathBuf = file.components().skip(shared).collect();
        let down = source_name(&down);
        let up = self.folder.components().skip(shared).map(|_| "..");
        up.chain([&*down]).collect::<Vec<_>>().join("/")
    }
}

impl SingleFile {
    /// Reads the file, if it exists.
    fn open(path: &Path) -> Result<SingleFile, Error> {
        let path = path.to_owned();
        if !path.exists() {
            let file = AnnotationFile { path, progress: None };
            return Ok(SingleFile { file, page: None });
        }
        let annotation = read(&path)?;
        Ok(SingleFile {
            file: AnnotationFile::new(path, &annotation),
            page: Some(annotation.header),
        })
    }

    /// # Errors
    /// The file belongs to another page. A page that was changed or moved is the same.
    fn check(&self, page: &Header) -> Result<(), Error> {
        let Some(of) = &self.page else { return Ok(()) };
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
        Err(Error::OtherPage(
            self.file.path.clone(),
            [&of.url, &of.source]
                .into_iter()
                .find(|name| !name.is_empty())
                .cloned()
                .unwrap_or_default(),
        ))
    }
}

impl AnnotationFile {
    /// The file at a path with this annotation.
    fn new(path: PathBuf, annotation: &Annotation) -> AnnotationFile {
        let decisions: Vec<_> = annotation.blocks.iter().map(|block| block.decision).collect();
        AnnotationFile {
            path,
            progress: Some(progress(&decisions)),
        }
    }
}

/// Reads the annotation file of a page.
///
/// # Errors
/// It is damaged, or no file.
pub(crate) fn read(path: &Path) -> Result<Annotation, Error> {
    check_file(path)?;
    Annotation::read(path).map_err(Error::Damaged)
}

/// Checks that there is a file, or nothing: a device would be read without end, and nothing takes the place of a folder.
pub(crate) fn check_file(path: &Path) -> Result<(), Error> {
    match path.metadata() {
        Ok(there) if !there.is_file() => Err(Error::NoFile(path.to_owned())),
        _ => Ok(()),
    }
}

/// Checks that what exists of the path of a folder are folders: the system says no more than "File exists" of others.
fn check_folder(folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|path| path.symlink_metadata().is_ok());
    match there.filter(|path| !path.is_dir()) {
        Some(file) if file.exists() => Err(Error::NoFolder(file.to_owned(), "a file")),
        Some(link) => Err(Error::NoFolder(link.to_owned(), "a link that leads nowhere")),
        None => Ok(()),
    }
}

/// The number of blocks that the user has decided, and the number of all blocks.
pub(crate) fn progress(decisions: &[Option<Decision>]) -> (usize, usize) {
    let by_person = |decision: &&Option<Decision>| decision.is_some_and(|own| own.by != By::Aligned);
    (decisions.iter().filter(by_person).count(), decisions.len())
}

fn keys(header: &Header) -> Vec<PageKey> {
    let Header {
        record_id,
        digest,
        source,
        offset,
        ..
    } = header;
    if !record_id.is_empty() {
        // Two records with the same body are two pages.
        return vec![PageKey::Record(record_id.clone())];
    }
    if let Some(offset) = offset {
        return vec![PageKey::ArchivePlace(source.clone(), *offset, digest.clone())];
    }
    let mut keys = Vec::new();
    if !source.is_empty() {
        keys.push(PageKey::File(source.clone()));
    }
    if !digest.is_empty() {
        keys.push(PageKey::Digest(digest.clone()));
    }
    keys
}

/// The beginning of a URL, with characters that every file system accepts.
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

/// The digest of a body, as written in annotation files.
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
    fn names_are_made_of_the_source_of_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = AnnotationStore::open(&folder.path().join("notes")).unwrap();
        let name = |file: AnnotationFile| file.path.file_name().unwrap().to_string_lossy().into_owned();
        let tides = page("http://tides.example/a/?b=ř", "<urn:1>", "");
        let first = name(store.file(&tides).unwrap());
        assert!(
            first.starts_with("tides.example-a--b-") && first.ends_with(".anno"),
            "{first}"
        );
        let other = name(
            store
                .file(&page("http://tides.example/a/?b=ř", "<urn:2>", ""))
                .unwrap(),
        );
        assert_ne!(first, other);
        let file = name(store.file(&page("", "", "../pages/a.html")).unwrap());
        assert!(file.starts_with("pages-a.html-"), "{file}");
        // The same page in another run, with nothing saved yet.
        let mut again = AnnotationStore::open(&folder.path().join("notes")).unwrap();
        assert_eq!(name(again.file(&tides).unwrap()), first);
    }

    #[test]
    fn what_is_no_folder_and_what_is_no_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("page.html"), "x").unwrap();
        fs::create_dir_all(path("notes/a.anno")).unwrap();
        let said = |name: &str| {
            let error = AnnotationStore::open(&path(name)).err().unwrap().to_string();
            error.replace(&format!("{}/", folder.path().display()), "")
        };
        for out in ["page.html", "page.html/deep/er", "page.html/one.anno"] {
            let expected = "page.html is a file: name a folder for annotation files";
            assert_eq!(said(out), expected, "{out}");
        }
        assert_eq!(
            said("notes"),
            "notes/a.anno is a folder or a device, and labels are saved in a file of this name: move it"
        );
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("none", path("link")).unwrap();
            let expected = "link is a link that leads nowhere: name a folder for annotation files";
            assert_eq!(said("link"), expected);
        }
    }

    /// Two files keep their annotations apart.
    #[cfg(unix)]
    #[test]
    fn names_in_no_charset_are_written_as_in_urls() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let mut store = AnnotationStore::open(&folder.path().join("notes")).unwrap();
        let files = [b"caf\xe9.html", b"caf\xe8.html"].map(|name| {
            let path = folder.path().join(OsStr::from_bytes(name));
            fs::write(&path, "x").unwrap();
            let source = store.relative(&path);
            let file = store.file(&page("", "", &source)).unwrap().path;
            (source, file)
        });
        assert_eq!(files[0].0, "../caf%E9.html");
        assert_eq!(files[1].0, "../caf%E8.html");
        assert_ne!(files[0].1, files[1].1);
    }

    #[test]
    fn a_single_file_is_refused_for_another_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.anno");
        let taken = |header: Header, page: &Header| {
            let annotation = Annotation {
                header,
                ..Annotation::default()
            };
            annotation.save(&path).unwrap();
            AnnotationStore::open(&path).unwrap().file(page).is_ok()
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
    fn a_renamed_file_still_belongs_to_its_page() {
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
        let mut store = AnnotationStore::open(folder.path()).unwrap();
        let mut found = |header: &Header| store.file(header).unwrap().path.file_name().map(PathBuf::from);
        assert_eq!(
            found(&page("http://a.example/", "<urn:1>", "x")),
            Some("renamed.anno".into())
        );
        // A changed page in the same file, and the same page in another file.
        let changed = Header {
            digest: digest(b"changed"),
            ..page("", "", "b.html")
        };
        assert_eq!(found(&changed), Some("b.anno".into()));
        assert_eq!(found(&page("", "", "elsewhere.html")), Some("b.anno".into()));
    }

    #[test]
    fn paths_are_relative_to_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("pages");
        fs::create_dir(&pages).unwrap();
        fs::write(pages.join("a.html"), "").unwrap();
        let store = AnnotationStore::open(&folder.path().join("notes/mine")).unwrap();
        assert_eq!(store.relative(&pages.join("a.html")), "../../pages/a.html");
        let beside = AnnotationStore::open(&pages.join("a.anno")).unwrap();
        assert_eq!(beside.relative(&pages.join("a.html")), "a.html");
    }
}
