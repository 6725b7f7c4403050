//! CleanEval's own files: a page in `N.html`, its gold text in `N.txt` or `N-cleaned.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gleaner_html::decode_body;

use crate::{Error, GoldPage, segments};

/// The pairs of pages and gold texts in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// In the order of their names.
    pub pairs: Vec<Pair>,
    /// Pages and texts without a partner.
    pub alone: Vec<PathBuf>,
}

/// A page and its gold text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name that both have: `12` for `12.html` and `12-cleaned.txt`.
    pub name: String,
    /// The file with the page.
    pub page: PathBuf,
    /// The file with the gold text.
    pub text: PathBuf,
}

/// Pages and texts of a name.
#[derive(Default)]
struct Named {
    pages: Vec<PathBuf>,
    texts: Vec<PathBuf>,
}

impl Folder {
    /// Finds the pairs in a folder. Where it holds none, pages and texts may be in different folders of it, as the shared
    /// task gives them out.
    ///
    /// # Errors
    /// The folder cannot be read, or there are two pages or texts of a name.
    pub fn read(path: &Path) -> Result<Folder, Error> {
        let mut named = BTreeMap::new();
        let folders = collect(path, &mut named)?;
        if !named.values().any(Named::is_pair) {
            for folder in folders {
                collect(&folder, &mut named)?;
            }
        }
        let mut folder = Folder::default();
        for (name, Named { pages, texts }) in named {
            match (&pages[..], &texts[..]) {
                ([page], [text]) => folder.pairs.push(Pair {
                    name,
                    page: page.clone(),
                    text: text.clone(),
                }),
                ([], _) | (_, []) => folder.alone.extend(pages.into_iter().chain(texts)),
                ([one, other, ..], _) | (_, [one, other, ..]) => {
                    return Err(Error::SameName {
                        name,
                        one: one.clone(),
                        other: other.clone(),
                    });
                }
            }
        }
        Ok(folder)
    }
}

impl Named {
    fn is_pair(&self) -> bool {
        !self.pages.is_empty() && !self.texts.is_empty()
    }
}

/// Collects the pages and texts of a folder by their names; gives the folders in it.
fn collect(folder: &Path, named: &mut BTreeMap<String, Named>) -> Result<Vec<PathBuf>, Error> {
    let failed = |source: io::Error| Error::Folder(folder.to_owned(), source);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths: Result<Vec<PathBuf>, io::Error> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.sort();
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| path.is_dir());
    for file in files {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match FileName::parse(&name) {
            Some(FileName::Page(name)) => named.entry(name.to_owned()).or_default().pages.push(file),
            Some(FileName::Text(name)) => named.entry(name.to_owned()).or_default().texts.push(file),
            None => {}
        }
    }
    Ok(folders)
}

/// What a file is by its name, and the name that it shares with its partner.
enum FileName<'a> {
    Page(&'a str),
    Text(&'a str),
}

impl FileName<'_> {
    fn parse(name: &str) -> Option<FileName<'_>> {
        let without = |name, end: &str| {
            let (before, last) = str::split_at_checked(name, name.len().checked_sub(end.len())?)?;
            (last.eq_ignore_ascii_case(end) && !before.is_empty()).then_some(before)
        };
        if name.starts_with('.') {
            return None;
        }
        if let Some(name) = without(name, ".txt") {
            return Some(FileName::Text(without(name, "-cleaned").unwrap_or(name)));
        }
        let unpacked = without(name, ".gz").unwrap_or(name);
        let page = [".html", ".htm", ".xhtml"]
            .iter()
            .find_map(|end| without(unpacked, end));
        page.map(FileName::Page)
    }
}

/// The name that a page's file shares with its gold text; `None` where it is no name of a page.
///
/// ```
/// assert_eq!(gleaner_gold::page_name("12.html.gz"), Some("12"));
/// assert_eq!(gleaner_gold::page_name("12.txt"), None);
/// ```
pub fn page_name(file: &str) -> Option<&str> {
    match FileName::parse(file)? {
        FileName::Page(name) => Some(name),
        FileName::Text(_) => None,
    }
}

impl Pair {
    /// The gold text. Where it begins with a line `URL:`, that is the page's address.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn gold(&self) -> Result<GoldPage, Error> {
        let bytes = fs::read(&self.text).map_err(|source| Error::Read(self.text.clone(), source))?;
        Ok(GoldPage {
            page_id: Some(self.name.clone()),
            ..gold_of(&decode_body(&bytes, None))
        })
    }
}

/// The gold in the text of a file.
fn gold_of(written: &str) -> GoldPage {
    let (url, written) = segments::split_url_line(written);
    let parts = segments::segments(written);
    let has_tags = segments::has_tags(written);
    let text: Vec<&str> = parts.iter().map(|part| part.text.trim()).collect();
    GoldPage {
        url: url.to_owned(),
        text: text.join("\n"),
        cleaneval: has_tags.then(|| written.to_owned()),
        ..GoldPage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "<p>a").unwrap();
        }
        folder
    }

    /// The names of the pairs with their files, and of what is alone.
    fn found(files: &[&str]) -> (Vec<String>, Vec<String>) {
        let folder = folder_of(files);
        let short = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
        let found = Folder::read(folder.path()).unwrap();
        let pair = |pair: &Pair| format!("{} {} {}", pair.name, short(&pair.page), short(&pair.text));
        (
            found.pairs.iter().map(pair).collect(),
            found.alone.iter().map(short).collect(),
        )
    }

    #[test]
    fn pages_and_texts_of_a_name_belong_together() {
        let (pairs, alone) = found(&[
            "1.html",
            "1.txt",
            "2.HTM",
            "2-cleaned.TXT",
            "3.html.gz",
            "3.txt",
            "4.html",
            "README.txt",
            "a.css",
            ".5.html",
            ".5.txt",
            "more/6.html",
            "more/6.txt",
        ]);
        assert_eq!(
            pairs,
            ["1 1.html 1.txt", "2 2.HTM 2-cleaned.TXT", "3 3.html.gz 3.txt"]
        );
        assert_eq!(alone, ["4.html", "README.txt"]);
    }

    #[test]
    fn pages_and_texts_may_have_folders_of_their_own() {
        let (pairs, alone) = found(&[
            "original/1.html",
            "cleaned/1-cleaned.txt",
            "README.txt",
            "original/2.html",
        ]);
        assert_eq!(pairs, ["1 original/1.html cleaned/1-cleaned.txt"]);
        assert_eq!(alone, ["original/2.html", "README.txt"]);
        assert_eq!(found(&["a.warc.gz"]), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_is_not_clear_is_an_error() {
        for files in [
            &["1.html", "1.txt", "1-cleaned.txt"][..],
            &["1.html", "1.htm", "1.txt"],
            &["en/1.html", "de/1.html", "gold/1.txt"],
        ] {
            let folder = folder_of(files);
            let error = Folder::read(folder.path()).unwrap_err();
            assert!(
                matches!(&error, Error::SameName { name, .. } if name == "1"),
                "{error}"
            );
        }
        assert!(matches!(
            Folder::read(Path::new("no/such")),
            Err(Error::Folder(..))
        ));
    }

    #[test]
    fn gold_has_tags_or_none() {
        let tagged = gold_of("\n URL: http://a.example/?b \n\n<h>One\n\n<p>two &amp;\nthree</p>\n");
        assert_eq!(
            (tagged.url.as_str(), tagged.text.as_str()),
            ("http://a.example/?b", "One\ntwo &amp;\nthree")
        );
        assert_eq!(tagged.segments().map(|parts| parts.len()), Some(2));
        let plain = gold_of("One < two\n\nthree\n");
        assert_eq!(
            (plain.text.as_str(), plain.segments()),
            ("One < two\n\nthree", None)
        );
        assert_eq!(gold_of("URL: x").text, "");
    }

    #[test]
    fn texts_are_read_in_any_charset() {
        let folder = folder_of(&["1.html"]);
        let text = folder.path().join("1.txt");
        for bytes in [&b"\xef\xbb\xbfURL: u\n<p>caf\xc3\xa9"[..], b"URL: u\n<p>caf\xe9"] {
            fs::write(&text, bytes).unwrap();
            let gold = Folder::read(folder.path()).unwrap().pairs[0].gold().unwrap();
            assert_eq!((gold.url.as_str(), gold.text.as_str()), ("u", "caf\u{e9}"));
        }
    }
}
