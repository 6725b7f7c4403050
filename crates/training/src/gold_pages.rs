//! Pages with gold text: each gold file's pages read from the WARC file beside it, in parallel.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use gleaner_gold::{Folder, GoldPage};
use gleaner_html::page_file;
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_warc::{ReadSource, Reader, Record, Step, http};
use parking_lot::Mutex;

use crate::page_digest::page_digest;
use crate::pages::{FoundPage, PageSearch, Texts, Warn, captures};
use crate::{Error, annotated_pages};

/// A gold page with its value.
pub struct Sample<T> {
    /// Index of the gold file.
    pub set: usize,
    /// The line of the gold file.
    pub gold: GoldPage,
    /// The digest of the page's bytes.
    pub digest: u64,
    /// The value.
    pub value: T,
}

impl<T, U> Sample<(T, U)> {
    /// The sample with the first value, and the second value.
    pub fn split(self) -> (Sample<T>, U) {
        let (value, other) = self.value;
        let sample = Sample {
            set: self.set,
            gold: self.gold,
            digest: self.digest,
            value,
        };
        (sample, other)
    }
}

/// Reads pages with gold.
#[derive(Clone, Copy)]
pub struct GoldReader<'w> {
    /// Number of threads.
    pub workers: usize,
    /// Takes warnings.
    pub warn: Warn<'w>,
}

/// The key by which pages are grouped when some are held out: the host, or the whole URL of a page whose host is not known.
pub fn host_key(gold: &GoldPage) -> &str {
    match gold.host_known {
        Some(false) => &gold.url,
        _ => host(&gold.url),
    }
}

/// The host of an address; the whole address where it has none.
pub(crate) fn host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    })
}

/// The bytes of a page.
pub struct Body {
    set: usize,
    /// The line of the gold file.
    pub gold: GoldPage,
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Takes a page with its place in the gold file.
type Send<'s> = dyn FnMut(usize, Body) + 's;

impl GoldReader<'_> {
    /// Parses all pages of the gold files and gives each to `work`, as [`load_bodies`](Self::load_bodies) does. A body
    /// that is not a page is an empty page.
    ///
    /// # Errors
    /// A gold file or an archive cannot be read, or no page can be used.
    pub fn load<T, W>(
        self,
        files: &[PathBuf],
        config: &PageConfig,
        work: impl Fn() -> W + Sync,
    ) -> Result<Vec<Sample<T>>, Error>
    where
        T: std::marker::Send,
        W: FnMut(&Page, &GoldPage) -> T,
    {
        self.load_bodies(files, || {
            let (mut parser, mut work) = (Parser::new(config.clone()), work());
            move |body: &Body| {
                let empty = Page::default();
                let page = parser
                    .parse(&body.bytes, body.content_type.as_deref())
                    .unwrap_or(&empty);
                annotated_pages::warn_of_lost_blocks(&body.gold, page, self.warn);
                work(page, &body.gold)
            }
        })
    }

    /// Reads all pages of the gold files and gives the bytes of each to `work`, on several threads. The samples
    /// come in the order of the gold files, whatever the number of threads.
    ///
    /// # Errors
    /// A gold file or an archive cannot be read, or no page can be used.
    pub fn load_bodies<T, W>(
        self,
        files: &[PathBuf],
        work: impl Fn() -> W + Sync,
    ) -> Result<Vec<Sample<T>>, Error>
    where
        T: std::marker::Send,
        W: FnMut(&Body) -> T,
    {
        let (sender, receiver) = sync_channel::<(usize, Body)>(2 * self.workers);
        let receiver = Mutex::new(receiver);
        let done = Mutex::new(Vec::new());
        thread::scope(|scope| -> Result<(), Error> {
            for _ in 0..self.workers {
                scope.spawn(|| work_on_all(&receiver, work(), &done));
            }
            let mut position = 0;
            for (set, path) in files.iter().enumerate() {
                self.read_set(set, path, &mut |order, body| {
                    // A closed channel is a thread that panicked, which the scope reports.
                    drop(sender.send((position + order, body)));
                })
                .map(|pages| position += pages)?;
            }
            drop(sender);
            if position == 0 && !files.is_empty() {
                return Err(no_page(files));
            }
            Ok(())
        })?;
        let mut done = done.into_inner();
        done.sort_by_key(|(order, _)| *order);
        Ok(done.into_iter().map(|(_, sample)| sample).collect())
    }

    /// Sends the pages of one gold file or folder with their place in it; returns how many there are.
    fn read_set(self, set: usize, path: &Path, send: &mut Send<'_>) -> Result<usize, Error> {
        if annotated_pages::is_annotations(path) {
            let sources = annotated_pages::read(path, self.warn)?;
            let count = sources.iter().map(|(_, pages)| pages.len()).sum();
            for (source, pages) in sources {
                read_archive(&source, path, set, pages, send)?;
            }
            return Ok(count);
        }
        if path.is_dir() {
            return self.read_folder(set, path, send);
        }
        let pages: Vec<_> = gleaner_gold::read(path)?.into_iter().enumerate().collect();
        let count = pages.len();
        read_archive(&archive_beside(path)?, path, set, pages, send)?;
        Ok(count)
    }

    /// Sends the pages of a folder of CleanEval's files, and warns of those without a partner.
    fn read_folder(self, set: usize, path: &Path, send: &mut Send<'_>) -> Result<usize, Error> {
        let folder = Folder::read(path)?;
        if folder.pairs.is_empty() {
            return Err(Error::NoGold(path.to_owned()));
        }
        self.warn_of_single_files(&folder.alone);
        for (order, pair) in folder.pairs.iter().enumerate() {
            let mut gold = Some(pair.gold()?);
            self.each(&pair.page, &mut |found| {
                let Some(mut gold) = gold.take() else {
                    return Err(Error::ArchiveForText(pair.page.clone()));
                };
                if !found.url.is_empty() {
                    found.url.clone_into(&mut gold.url);
                } else if gold.url.is_empty() {
                    gold.url = file_name(&pair.page);
                }
                send(
                    order,
                    Body {
                        set,
                        gold,
                        content_type: found.content_type,
                        bytes: found.body.to_vec(),
                    },
                );
                Ok(())
            })?;
            if gold.is_some() {
                return Err(Error::EmptyFile(pair.page.clone()));
            }
        }
        Ok(folder.pairs.len())
    }

    /// Visits the pages of an input without gold.
    pub(crate) fn each(
        self,
        input: &Path,
        visit: &mut dyn FnMut(FoundPage<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let search = PageSearch {
            texts: Texts::None,
            out: None,
            warn: self.warn,
        };
        search.each(input, visit)
    }

    fn warn_of_single_files(self, files: &[PathBuf]) {
        if files.is_empty() {
            return;
        }
        let names: Vec<String> = files
            .iter()
            .take(MAX_NAMED)
            .map(|path| path.display().to_string())
            .collect();
        let more = match files.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (self.warn)(&format!(
            "warning: left out, because a page and its gold text must have the same name: {}{more}",
            names.join(", ")
        ));
    }
}

/// Maximum number of files named in a warning.
const MAX_NAMED: usize = 5;

fn no_page(files: &[PathBuf]) -> Error {
    match files.iter().any(|file| annotated_pages::is_annotations(file)) {
        true => Error::NoFinishedPage,
        false => Error::NoPage(files[0].clone()),
    }
}

fn work_on_all<T>(
    bodies: &Mutex<Receiver<(usize, Body)>>,
    mut work: impl FnMut(&Body) -> T,
    done: &Mutex<Vec<(usize, Sample<T>)>>,
) {
    loop {
        let next = bodies.lock().recv();
        let Ok((order, body)) = next else { return };
        let value = work(&body);
        let sample = Sample {
            set: body.set,
            digest: page_digest(&body.bytes),
            gold: body.gold,
            value,
        };
        done.lock().push((order, sample));
    }
}

/// Whether a file or folder has gold or annotations.
pub fn is_gold(path: &Path) -> bool {
    is_gold_folder(path)
        || [".gold.jsonl", ".anno"]
            .iter()
            .any(|end| path.to_string_lossy().ends_with(end))
}

/// Whether a folder holds annotation files, or pages with gold texts.
fn is_gold_folder(path: &Path) -> bool {
    let has_pairs = || Folder::read(path).is_ok_and(|folder| !folder.pairs.is_empty());
    path.is_dir() && (annotated_pages::is_annotations(path) || has_pairs())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Sends the pages that are in one archive, or the one that is an HTML file.
fn read_archive(
    archive: &Path,
    gold_file: &Path,
    set: usize,
    pages: Vec<(usize, GoldPage)>,
    send: &mut Send<'_>,
) -> Result<(), Error> {
    let mut wanted = by_key(archive, pages)?;
    let name = archive.display().to_string();
    let file = File::open(archive).map_err(|error| Error::Open(name.clone(), error))?;
    let mut reader = Reader::new(ReadSource::new(file), name.clone(), captures());
    let (mut scratch, limits) = (http::Scratch::default(), http::Limits::default());
    loop {
        let step = reader.step();
        match step.map_err(|error| Error::Archive(name.clone(), error))? {
            Step::Record(record) => {
                let golds = take(&mut wanted, &record);
                let Some((_, gold)) = golds.first() else { continue };
                let (content_type, bytes) = match record.is_http() {
                    true => response(record.content, &mut scratch, &limits)
                        .map_err(|error| Error::Record(archive.to_owned(), gold.url.clone(), error))?,
                    false if record.is_file() => {
                        let page = page_file(record.content);
                        (page.content_type, page.html.to_vec())
                    }
                    false => (None, record.content.to_vec()),
                };
                for (order, gold) in golds {
                    let body = Body {
                        set,
                        gold,
                        content_type: content_type.clone(),
                        bytes: bytes.clone(),
                    };
                    send(order, body);
                }
            }
            Step::Reject(_) => {}
            Step::Pending => return Err(Error::NotAFile(archive.to_owned())),
            Step::End => break,
        }
    }
    let missing = wanted.into_values().flatten().map(|(_, gold)| gold.url).min();
    match missing {
        Some(url) => Err(Error::MissingRecord(
            archive.to_owned(),
            url,
            gold_file.to_owned(),
        )),
        None => Ok(()),
    }
}

/// What distinguishes a page from the others of its archive: the record's id, else its place, else its address.
fn key(page: &GoldPage) -> String {
    let offset = page.annotation.as_ref().and_then(|own| own.header.offset);
    match (page.record_id.as_str(), offset) {
        ("", Some(offset)) => place_key(offset),
        ("", None) if has_address(page) => address_key(&page.url),
        // The one page of an HTML file.
        ("", None) => place_key(0),
        (id, _) => id.to_owned(),
    }
}

fn place_key(offset: u64) -> String {
    format!("#{offset}")
}

fn address_key(url: &str) -> String {
    format!("@{url}")
}

/// Whether an annotation says where on the web its page is.
fn has_address(page: &GoldPage) -> bool {
    let header = page.annotation.as_ref().map(|own| &own.header);
    header.is_none_or(|header| !header.url.is_empty())
}

/// The golds of a page, each with its place in the set: several, where several people labelled it.
type Golds = Vec<(usize, GoldPage)>;

/// # Errors
/// Different pages without ids, in an archive that is compressed in one piece, have the same place.
fn by_key(archive: &Path, pages: Golds) -> Result<HashMap<String, Golds>, Error> {
    let digest = |page: &GoldPage| page.annotation.as_ref().map(|own| own.header.digest.clone());
    let mut wanted: HashMap<String, Golds> = HashMap::new();
    for (order, page) in pages {
        let golds = wanted.entry(key(&page)).or_default();
        let other = golds.first().filter(|(_, other)| digest(other) != digest(&page));
        if let Some((_, other)) = other.filter(|_| page.record_id.is_empty()) {
            return Err(Error::SamePlace(archive.to_owned(), other.url.clone(), page.url));
        }
        golds.push((order, page));
    }
    Ok(wanted)
}

fn take(wanted: &mut HashMap<String, Golds>, record: &Record<'_>) -> Golds {
    let by_id = wanted.remove(record.record_id);
    let by_place = by_id.or_else(|| wanted.remove(&place_key(record.offset)));
    let found = by_place.or_else(|| wanted.remove(&address_key(record.target_uri)));
    if found.is_none() && record.target_uri.starts_with("file:") {
        // An HTML file, whose annotation may say where the page is from.
        return wanted.drain().flat_map(|(_, golds)| golds).collect();
    }
    found.unwrap_or_default()
}

/// The media type and the body of a response.
fn response(
    content: &[u8],
    scratch: &mut http::Scratch,
    limits: &http::Limits,
) -> Result<(Option<String>, Vec<u8>), http::Error> {
    let message = http::parse(content, scratch, limits)?;
    let content_type = message.headers.get("content-type");
    Ok((
        content_type.map(|value| String::from_utf8_lossy(value).into_owned()),
        message.body.to_vec(),
    ))
}

/// `NAME.warc.gz` (or another archive) beside `NAME.gold.jsonl`.
///
/// # Errors
/// The gold file has another name, or there is no archive.
pub fn archive_beside(gold: &Path) -> Result<PathBuf, Error> {
    let name = gold
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let Some(stem) = name.strip_suffix(".gold.jsonl") else {
        return Err(Error::GoldName(gold.to_owned()));
    };
    let mut candidates = ["warc.gz", "warc", "warc.zst"]
        .map(|end| gold.with_file_name(format!("{stem}.{end}")))
        .into_iter();
    let found = candidates.find(|path| path.is_file());
    found.ok_or_else(|| Error::NoArchive(gold.to_owned(), stem.to_owned()))
}
