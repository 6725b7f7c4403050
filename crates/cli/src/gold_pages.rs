//! Pages with gold text: each gold file's pages read from the WARC file beside it, in parallel.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use anyhow::{Context, Result, bail};
use gleaner_gold::{Folder, GoldPage};
use gleaner_html::page_file;
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_warc::{Options, ReadSource, Reader, Record, Step, Wanted, http};
use parking_lot::Mutex;

use crate::page_digest::page_digest;
use crate::{annotated_pages, console, pages};

/// A gold page and what was made of it.
pub(crate) struct Sample<T> {
    /// Index of the gold file.
    pub(crate) set: usize,
    pub(crate) gold: GoldPage,
    /// What the page is known by.
    pub(crate) digest: u64,
    pub(crate) value: T,
}

/// The key by which pages are grouped when some are held out: the host, or the whole URL of a page whose host is not known.
pub(crate) fn host_key(gold: &GoldPage) -> &str {
    match gold.host_known {
        Some(false) => &gold.url,
        _ => host(&gold.url),
    }
}

/// The host of an address; the whole of it where it has none.
pub(crate) fn host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or(rest)
    })
}

/// A page's bytes on their way to a thread that reads them.
pub(crate) struct Body {
    set: usize,
    pub(crate) gold: GoldPage,
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// Parses all pages of the gold files and gives each to `work`, as [`load_bodies`] does. A body that is no page is an empty
/// one.
pub(crate) fn load<T, W>(
    files: &[PathBuf],
    config: &PageConfig,
    workers: usize,
    work: impl Fn() -> W + Sync,
) -> Result<Vec<Sample<T>>>
where
    T: Send,
    W: FnMut(&Page, &GoldPage) -> T,
{
    load_bodies(files, workers, || {
        let (mut parser, mut work) = (Parser::new(config.clone()), work());
        move |body: &Body| {
            let empty = Page::default();
            let page = parser
                .parse(&body.bytes, body.content_type.as_deref())
                .unwrap_or(&empty);
            annotated_pages::tell_what_is_lost(&body.gold, page);
            work(page, &body.gold)
        }
    })
}

/// Reads all pages of the gold files and gives the bytes of each to `work`, on `workers` threads. The samples
/// come in the order of the gold files, whatever the number of threads.
pub(crate) fn load_bodies<T, W>(
    files: &[PathBuf],
    workers: usize,
    work: impl Fn() -> W + Sync,
) -> Result<Vec<Sample<T>>>
where
    T: Send,
    W: FnMut(&Body) -> T,
{
    let (sender, receiver) = sync_channel::<(usize, Body)>(2 * workers);
    let receiver = Mutex::new(receiver);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| -> Result<()> {
        for _ in 0..workers {
            scope.spawn(|| work_on_all(&receiver, work(), &done));
        }
        let mut position = 0;
        for (set, path) in files.iter().enumerate() {
            read_set(set, path, &mut |order, body| {
                // A closed channel is a thread that panicked, which the scope will tell.
                drop(sender.send((position + order, body)));
            })
            .map(|pages| position += pages)?;
        }
        drop(sender);
        if position == 0 && !files.is_empty() {
            bail!(no_page(files));
        }
        Ok(())
    })?;
    let mut done = done.into_inner();
    done.sort_by_key(|(order, _)| *order);
    Ok(done.into_iter().map(|(_, sample)| sample).collect())
}

/// Why no page of gold files can be used.
fn no_page(files: &[PathBuf]) -> String {
    if files.iter().any(|file| annotated_pages::is_annotations(file)) {
        return "no page has a label for every block: finish one with gleaner annotate".to_owned();
    }
    format!(
        "{} has no page that can be used: a gold file of a blog needs a page of one post whose whole text is in the feed",
        files[0].display()
    )
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

/// Sends the pages of one gold file or folder with their place in it; returns how many there are.
fn read_set(set: usize, path: &Path, send: &mut dyn FnMut(usize, Body)) -> Result<usize> {
    if annotated_pages::is_annotations(path) {
        let sources = annotated_pages::read(path)?;
        let count = sources.iter().map(|(_, pages)| pages.len()).sum();
        for (source, pages) in sources {
            read_archive(&source, path, set, pages, send)?;
        }
        return Ok(count);
    }
    if path.is_dir() {
        return read_folder(set, path, send);
    }
    let pages: Vec<_> = gleaner_gold::read(path)?.into_iter().enumerate().collect();
    let count = pages.len();
    read_archive(&archive_beside(path)?, path, set, pages, send)?;
    Ok(count)
}

/// Whether a file or folder has gold or annotations.
pub(crate) fn is_gold(path: &Path) -> bool {
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

/// Sends the pages of a folder of CleanEval's files, and warns of those without a partner.
fn read_folder(set: usize, path: &Path, send: &mut dyn FnMut(usize, Body)) -> Result<usize> {
    let folder = Folder::read(path)?;
    if folder.pairs.is_empty() {
        bail!(
            "the folder {} has neither annotation files (NAME.anno) nor pages with gold texts of the same names \
             (N.html with N.txt or N-cleaned.txt)",
            path.display()
        );
    }
    warn_of_single_files(&folder.alone);
    for (order, pair) in folder.pairs.iter().enumerate() {
        let mut gold = Some(pair.gold()?);
        pages::each(&pair.page, &mut |found| {
            let Some(mut gold) = gold.take() else {
                bail!(
                    "{} is an archive: a gold text is of one page",
                    pair.page.display()
                );
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
            bail!("{} holds no page", pair.page.display());
        }
    }
    Ok(folder.pairs.len())
}

/// As many files are named in a warning.
const NAMED: usize = 5;

fn warn_of_single_files(files: &[PathBuf]) {
    if files.is_empty() {
        return;
    }
    let names: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|path| path.display().to_string())
        .collect();
    let more = match files.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    console::say_once(&format!(
        "warning: left out, because a page and its gold text must have the same name: {}{more}",
        names.join(", ")
    ));
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
    send: &mut dyn FnMut(usize, Body),
) -> Result<()> {
    let mut wanted = by_key(archive, pages)?;
    let file = File::open(archive).with_context(|| format!("could not open {}", archive.display()))?;
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(file), archive.display().to_string(), options);
    let (mut scratch, limits) = (http::Scratch::default(), http::Limits::default());
    loop {
        match reader
            .step()
            .with_context(|| format!("could not read {}", archive.display()))?
        {
            Step::Record(record) => {
                let golds = take(&mut wanted, &record);
                let Some((_, gold)) = golds.first() else { continue };
                let (content_type, bytes) = match record.is_http() {
                    true => response(record.content, &mut scratch, &limits).with_context(|| {
                        format!("{}: the record of {} is not a page", archive.display(), gold.url)
                    })?,
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
            Step::Pending => bail!("{} is not a regular file: name a file", archive.display()),
            Step::End => break,
        }
    }
    let missing = wanted.into_values().flatten().map(|(_, gold)| gold.url).min();
    match missing {
        Some(url) => bail!(
            "{} has no record for {url} of {}: the files do not belong together",
            archive.display(),
            gold_file.display()
        ),
        None => Ok(()),
    }
}

/// What tells a page from the others of its archive: the record's id, else its place, else its address.
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
fn by_key(archive: &Path, pages: Golds) -> Result<HashMap<String, Golds>> {
    let digest = |page: &GoldPage| page.annotation.as_ref().map(|own| own.header.digest.clone());
    let mut wanted: HashMap<String, Golds> = HashMap::new();
    for (order, page) in pages {
        let golds = wanted.entry(key(&page)).or_default();
        let other = golds.first().filter(|(_, other)| digest(other) != digest(&page));
        if let Some((_, other)) = other.filter(|_| page.record_id.is_empty()) {
            bail!(
                "{} does not distinguish {} from {}: its records have no ids, and it is compressed as one member; \
                 compress it record by record",
                archive.display(),
                other.url,
                page.url
            );
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
) -> Result<(Option<String>, Vec<u8>)> {
    let message = http::parse(content, scratch, limits)?;
    let content_type = message.headers.get("content-type");
    Ok((
        content_type.map(|value| String::from_utf8_lossy(value).into_owned()),
        message.body.to_vec(),
    ))
}

/// `NAME.warc.gz` (or another archive) beside `NAME.gold.jsonl`.
pub(crate) fn archive_beside(gold: &Path) -> Result<PathBuf> {
    let name = gold
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let Some(stem) = name.strip_suffix(".gold.jsonl") else {
        bail!(
            "{}: a gold file must be called NAME.gold.jsonl, beside NAME.warc.gz; for pages and gold texts in separate \
             files, name the folder",
            gold.display()
        );
    };
    let candidates = ["warc.gz", "warc", "warc.zst"].map(|end| gold.with_file_name(format!("{stem}.{end}")));
    let found = candidates.iter().find(|path| path.is_file());
    found.cloned().with_context(|| {
        format!(
            "{}: its pages are missing: put {stem}.warc.gz beside it",
            gold.display()
        )
    })
}
