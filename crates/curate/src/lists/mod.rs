//! Lists of domains and URLs, such as those of the university of Toulouse (UT1): on which of them a page is.
//!
//! In: files with a domain, a host or the beginning of a URL a line, or folders of UT1 with the files `domains` and `urls`. Out: for a
//! URL the names of the lists that it is on.
//!
//! | line | is for |
//! |---|---|
//! | `example.org`, `.example.org`, `*.example.org` | the domain and all below it |
//! | `adult` | all hosts of a top-level domain |
//! | `192.0.2.1` | the host |
//! | `0.0.0.0 ads.example.org` (a hosts file) | the host alone |
//! | `example.org/forum`, `https://example.org/forum` | URLs of the host, with `www.` or without, that begin so, whatever the scheme |
//!
//! Empty lines, and what is behind `#` at the beginning of a line or after white space, are left out. Any other line is an error:
//! a list with half a file is worse than none.
//!
//! Each list has a [digest](UrlLists::digests) of the bytes of its files, whatever their order: who keeps what follows from a list
//! knows by it whether the list is another one.
//!
//! A domain has eight bytes of a hash (xxh3) and four for its lists. With five million domains, one of some 10^12 look-ups finds
//! a list by chance.

mod line;

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use line::Entry;
use rustc_hash::FxHashMap;
use url::Url;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// Lists of domains and URLs, by their names.
///
/// ```
/// use gleaner_curate::UrlLists;
///
/// let mut lists = UrlLists::default();
/// lists.add("forums", b"# forums\nforum.example\nexample.org/board\n".as_slice())?;
/// lists.add("ads", b"0.0.0.0 ads.example.org\n".as_slice())?;
/// assert_eq!(lists.names_of("https://www.forum.example/a"), ["forums"]);
/// assert_eq!(lists.names_of("http://www.example.org/board/7"), ["forums"]);
/// assert_eq!(lists.names_of("http://ads.example.org/"), ["ads"]);
/// assert!(lists.names_of("http://example.org/").is_empty());
/// # Ok::<(), gleaner_curate::BadUrlList>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct UrlLists {
    lists: Vec<List>,
    /// By the hash of a domain or host, the number of a set of lists.
    domains: FxHashMap<u64, u32>,
    hosts: FxHashMap<u64, u32>,
    /// By the hash of a host, paths and their lists.
    paths: FxHashMap<u64, Vec<(Box<str>, u32)>>,
    /// Sets of lists that occur, each in order.
    sets: Vec<Vec<u32>>,
}

#[derive(Clone, Debug)]
struct List {
    name: String,
    /// The digests of its files.
    files: Vec<u64>,
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadUrlList {
    /// It cannot be read.
    #[error("could not read the list {}", path.display())]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its bytes cannot be read.
    #[error("could not read the list")]
    Read(#[from] io::Error),
    /// A folder has no list.
    #[error("the folder {} has neither a file 'domains' nor a file 'urls'", .0.display())]
    NoList(PathBuf),
    /// A line is none of a list.
    #[error("line {line} is no domain, host or URL: {text:?}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// Its beginning.
        text: String,
    },
    /// A line of a file is none of a list.
    #[error("in {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Which line.
        source: Box<BadUrlList>,
    },
}

/// Characters of a line that an error shows.
const SHOWN: usize = 80;

impl UrlLists {
    /// Adds a file, or the files `domains` and `urls` of a folder, to the list of a name.
    pub fn add_path(&mut self, name: &str, path: &Path) -> Result<(), BadUrlList> {
        if !path.is_dir() {
            return self.add_file(name, path);
        }
        let files = ["domains", "urls"].map(|file| path.join(file));
        let mut files = files.iter().filter(|file| file.is_file()).peekable();
        if files.peek().is_none() {
            return Err(BadUrlList::NoList(path.to_owned()));
        }
        files.try_for_each(|file| self.add_file(name, file))
    }

    fn add_file(&mut self, name: &str, path: &Path) -> Result<(), BadUrlList> {
        let path = path.to_owned();
        match std::fs::File::open(&path) {
            Err(source) => Err(BadUrlList::Open { path, source }),
            Ok(file) => self
                .add(name, BufReader::new(file))
                .map_err(|source| BadUrlList::File {
                    path,
                    source: Box::new(source),
                }),
        }
    }

    /// Adds the lines of a file to the list of a name. Lines before a bad one are added.
    pub fn add(&mut self, name: &str, mut lines: impl BufRead) -> Result<(), BadUrlList> {
        let list = self.list(name);
        let mut bytes = Vec::new();
        let mut number = 0;
        let mut digest = Xxh3Default::new();
        while lines.read_until(b'\n', &mut bytes)? > 0 {
            number += 1;
            digest.update(&bytes);
            let text = std::str::from_utf8(&bytes).ok();
            let entries = text.and_then(|text| line::entries(text.trim_start_matches('\u{feff}').trim()));
            let Some(entries) = entries else {
                let text = String::from_utf8_lossy(&bytes);
                return Err(BadUrlList::Line {
                    line: number,
                    text: text.trim_end().chars().take(SHOWN).collect(),
                });
            };
            entries.into_iter().for_each(|entry| self.add_entry(list, entry));
            bytes.clear();
        }
        self.lists[list as usize].files.push(digest.digest());
        Ok(())
    }

    fn list(&mut self, name: &str) -> u32 {
        let known = self.lists.iter().position(|other| other.name == name);
        let number = known.unwrap_or_else(|| {
            self.lists.push(List {
                name: name.to_owned(),
                files: Vec::new(),
            });
            self.lists.len() - 1
        });
        number as u32
    }

    fn add_entry(&mut self, list: u32, entry: Entry) {
        match entry {
            Entry::Domain(domain) => {
                let set = self.domains.get(&key(&domain)).copied();
                let set = self.set_with(set, list);
                self.domains.insert(key(&domain), set);
            }
            Entry::Host(host) => {
                let set = self.hosts.get(&key(&host)).copied();
                let set = self.set_with(set, list);
                self.hosts.insert(key(&host), set);
            }
            Entry::Path(host, path) => {
                let paths = self.paths.entry(key(without_www(&host))).or_default();
                paths.push((path.into(), list));
            }
        }
    }

    /// The number of a set with a list more.
    fn set_with(&mut self, set: Option<u32>, list: u32) -> u32 {
        let mut lists = set.map_or_else(Vec::new, |set| self.sets[set as usize].clone());
        if !lists.contains(&list) {
            lists.push(list);
            lists.sort_unstable();
        }
        let known = self.sets.iter().position(|other| *other == lists);
        known.unwrap_or_else(|| {
            self.sets.push(lists);
            self.sets.len() - 1
        }) as u32
    }

    /// The names of all lists, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lists.iter().map(|list| &*list.name)
    }

    /// The name of each list with the digest of its files.
    pub fn digests(&self) -> impl Iterator<Item = (&str, u64)> {
        self.lists.iter().map(|list| {
            let mut files = list.files.clone();
            files.sort_unstable();
            let files: Vec<u8> = files.into_iter().flat_map(u64::to_le_bytes).collect();
            (&*list.name, xxh3_64(&files))
        })
    }

    /// The names of the lists that a URL, or a host, is on, in the order in which the lists were added. None if it is neither.
    pub fn names_of(&self, url: &str) -> Vec<&str> {
        if self.lists.is_empty() {
            return Vec::new();
        }
        let url = match Url::parse(url) {
            Err(url::ParseError::RelativeUrlWithoutBase) => Url::parse(&format!("http://{url}")),
            parsed => parsed,
        };
        let Ok(url) = url else {
            return Vec::new();
        };
        let mut lists = Vec::new();
        if let Some(host) = url.host_str() {
            self.add_lists(host.trim_end_matches('.'), &url, &mut lists);
        }
        lists.sort_unstable();
        lists.dedup();
        lists
            .into_iter()
            .map(|list| &*self.lists[list as usize].name)
            .collect()
    }

    fn add_lists(&self, host: &str, url: &Url, lists: &mut Vec<u32>) {
        let mut domain = host;
        loop {
            let set = self.domains.get(&key(domain));
            lists.extend(set.iter().flat_map(|set| &self.sets[**set as usize]));
            match domain.split_once('.') {
                Some((_, above)) if !above.is_empty() => domain = above,
                _ => break,
            }
        }
        let set = self.hosts.get(&key(host));
        lists.extend(set.iter().flat_map(|set| &self.sets[**set as usize]));
        if let Some(paths) = self.paths.get(&key(without_www(host))) {
            let path = line::path_of(url);
            let is_below = |entry: &&(Box<str>, u32)| path.starts_with(&*entry.0);
            lists.extend(paths.iter().filter(is_below).map(|entry| entry.1));
        }
    }
}

fn key(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn lists(text: &str) -> Result<UrlLists, BadUrlList> {
        let mut lists = UrlLists::default();
        lists.add("list", text.as_bytes()).map(|()| lists)
    }

    fn has(text: &str, url: &str) -> bool {
        !lists(text).expect("a list").names_of(url).is_empty()
    }

    #[test]
    fn domains_have_what_is_below_them() {
        for line in [
            "example.org",
            ".example.org",
            "*.example.org",
            "EXAMPLE.org.",
            "  example.org  # c",
            "\u{feff}example.org\r",
        ] {
            for url in [
                "http://example.org/",
                "https://a.b.example.org:8080/x?y",
                "example.org",
                "http://example.org./",
            ] {
                assert!(has(line, url), "{line} {url}");
            }
            for url in [
                "http://notexample.org/",
                "http://example.org.evil.example/",
                "http://org/",
                "mailto:a@example.org",
                "",
            ] {
                assert!(!has(line, url), "{line} {url}");
            }
        }
        assert!(has("xxx", "http://a.xxx/b") && !has("xxx", "http://xxx.example/"));
        assert!(has("bücher.example", "http://www.xn--bcher-kva.example/"));
        assert!(has("192.0.2.7", "http://192.0.2.7/a") && !has("192.0.2.7", "http://1.192.0.2.7.example/"));
    }

    #[test]
    fn hosts_are_hosts_alone() {
        let file = "127.0.0.1 localhost\n::1 ip6-localhost\n0.0.0.0 ads.example.org track.example.org # two\n0.0.0.0 0.0.0.0\n";
        assert!(has(file, "http://ads.example.org/x") && has(file, "http://track.example.org/"));
        assert!(
            !has(file, "http://a.ads.example.org/")
                && !has(file, "http://localhost/")
                && !has(file, "http://0.0.0.0/")
        );
    }

    #[test]
    fn paths_are_beginnings() {
        for line in [
            "example.org/forum",
            "http://www.example.org/forum",
            "https://EXAMPLE.org/forum",
        ] {
            for url in [
                "http://example.org/forum",
                "https://www.example.org/forum/7?a=b",
                "http://example.org/forums",
            ] {
                assert!(has(line, url), "{line} {url}");
            }
            assert!(!has(line, "http://example.org/foru") && !has(line, "http://a.example.org/forum"));
        }
        assert!(has("example.org/a?b=c", "http://example.org/a?b=cd"));
    }

    #[test]
    fn garbage_is_an_error_with_its_line() {
        for line in [
            "half a line",
            "exa\u{0}mple.org",
            "example",
            "http://",
            "a..b",
            "-",
            "<html>",
            "1.2.3.4 <",
            "exam ple.org",
            "http:///x",
            "127.0.0.1",
        ] {
            let text = format!("# list\nexample.org\n\n{line}\n");
            match lists(&text) {
                Err(BadUrlList::Line { line: 4, text }) => assert_eq!(text, line),
                other => assert!(line == "127.0.0.1" && other.is_ok(), "{line}: {other:?}"),
            }
        }
        let mut bytes = UrlLists::default();
        let error = bytes
            .add("list", b"a.example\n\xff\xfe.example\n".as_slice())
            .expect_err("no UTF-8");
        assert!(error.to_string().starts_with("line 2 is no domain"), "{error}");
    }

    #[test]
    fn folders_of_ut1_have_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut lists = UrlLists::default();
        assert!(matches!(
            lists.add_path("ut1", folder.path()),
            Err(BadUrlList::NoList(_))
        ));
        std::fs::write(folder.path().join("domains"), "a.example\n").expect("written");
        std::fs::write(folder.path().join("urls"), "b.example/x\n").expect("written");
        std::fs::write(folder.path().join("expressions"), "(a|b) c\n").expect("written");
        lists.add_path("ut1", folder.path()).expect("a list");
        assert_eq!(
            (
                lists.names_of("http://a.example/"),
                lists.names_of("http://b.example/x")
            ),
            (vec!["ut1"], vec!["ut1"])
        );
        std::fs::write(folder.path().join("urls"), "b.example/x\nno good\n").expect("written");
        let error = lists.add_path("ut1", folder.path()).expect_err("a bad line");
        let source = std::error::Error::source(&error).expect("a source").to_string();
        assert!(
            error.to_string().ends_with("urls") && source == "line 2 is no domain, host or URL: \"no good\"",
            "{error}: {source}"
        );
        assert!(matches!(
            lists.add_path("x", &folder.path().join("none")),
            Err(BadUrlList::Open { .. })
        ));
    }

    #[test]
    fn digests_are_of_names_and_files() {
        let digests = |files: &[(&str, &str)]| -> Vec<(String, u64)> {
            let mut lists = UrlLists::default();
            for (name, text) in files {
                lists.add(name, text.as_bytes()).expect("a list");
            }
            let digests = lists.digests();
            digests.map(|(name, digest)| (name.to_owned(), digest)).collect()
        };
        let (one, other) = (("a", "one.example\n"), ("a", "two.example\n"));
        assert_eq!(digests(&[one, other]), digests(&[other, one]));
        assert_ne!(digests(&[one]), digests(&[other]));
        assert_ne!(digests(&[one]), digests(&[one, one]));
        let two = digests(&[one, ("b", "one.example\n")]);
        assert_eq!((&*two[0].0, &*two[1].0, two[0].1), ("a", "b", two[1].1));
    }

    proptest! {
        /// As by comparing the host with each entry.
        #[test]
        fn look_ups_are_those_of_the_slow_way(files in vec(vec("([abc]\\.){1,3}[de]", 0..6), 1..4), host in "([abc]\\.){1,4}[de]") {
            let mut lists = UrlLists::default();
            for (number, lines) in files.iter().enumerate() {
                lists.add(&number.to_string(), lines.join("\n").as_bytes()).expect("a list");
            }
            let is_below = |domain: &String| host == *domain || host.ends_with(&format!(".{domain}"));
            let expected: Vec<String> = files.iter().enumerate().filter(|(_, lines)| lines.iter().any(is_below)).map(|(number, _)| number.to_string()).collect();
            prop_assert_eq!(lists.names_of(&format!("http://{host}/x")), expected);
        }
    }
}
