//! The pages of a crawl by site, a sample of each.

use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};
use gleaner_page::{PageConfig, Parser};
use gleaner_store::{Options as StoreOptions, Shard, Store, Stream};
use gleaner_template::page_key;
use gleaner_warc::{Chunk, Options, Reader, Record, Source, Step, Wanted, http, web_page};

use super::over::text_of;
use crate::args::Over;
use crate::{console, inputs as input_files};

/// The pages of a site that were sampled.
pub(super) struct SitePages {
    /// All pages of the site, sampled or not.
    pub(super) pages: u64,
    /// The sample, by key.
    pub(super) sample: Vec<SampledPage>,
}

/// A page of a sample.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SampledPage {
    key: u64,
    pub(super) url: String,
    pub(super) text: String,
}

/// A page's bytes on their way to a thread that parses.
struct Body {
    site: String,
    key: u64,
    url: String,
    content_type: Option<String>,
    bytes: Vec<u8>,
}

/// What the threads share.
struct Work<'a> {
    bodies: Mutex<Receiver<Body>>,
    sites: Mutex<BTreeMap<String, BinaryHeap<SampledPage>>>,
    over: Over,
    config: &'a PageConfig,
    sample: usize,
    page_bytes: usize,
}

/// Reads all inputs, and keeps of every site the pages with the smallest keys: the same ones in
/// whatever order they come. Memory is that of the samples.
pub(super) fn read(
    inputs: &[String],
    over: Over,
    config: &PageConfig,
    (sample, page_bytes): (usize, usize),
    workers: usize,
) -> Result<BTreeMap<String, SitePages>> {
    let store = Store::new(StoreOptions::default())?;
    let shards = input_files::expand(&store, inputs, None)?;
    if shards.is_empty() {
        bail!("there is no input: the lists and folders named hold no WARC, ARC, WET, WACZ or HTML file");
    }
    let (sender, receiver) = sync_channel(2 * workers);
    let work = Work {
        bodies: Mutex::new(receiver),
        sites: Mutex::default(),
        over,
        config,
        sample,
        page_bytes,
    };
    let mut keys = Keys {
        sample,
        sites: BTreeMap::new(),
    };
    thread::scope(|scope| -> Result<()> {
        let sender = sender;
        for _ in 0..workers {
            scope.spawn(|| work.take_all());
        }
        for shard in &shards {
            match read_shard(&store, shard, &mut keys, &sender) {
                Err(error) if !shard.named && is_foreign(&error) => {
                    console::say(&format!("warning: {error}"));
                }
                read => read.with_context(|| format!("could not read {}", shard.name))?,
            }
        }
        Ok(())
    })?;
    let sampled = work.sites.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(sampled
        .into_iter()
        .filter_map(|(site, pages)| {
            let (all, keys) = keys.sites.remove(&site)?;
            // A page that could not be read leaves its place in the sample empty, whatever the order.
            let largest = keys.peek().copied()?;
            let mut sample = pages.into_sorted_vec();
            sample.retain(|page| page.key <= largest);
            Some((site, SitePages { pages: all, sample }))
        })
        .collect())
}

/// The keys of the samples, so that a page that is in none is not parsed.
struct Keys {
    sample: usize,
    /// By site: how many pages there are, and the smallest keys.
    sites: BTreeMap<String, (u64, BinaryHeap<u64>)>,
}

impl Keys {
    /// Counts a page, and says whether it may be in the sample of its site.
    fn add(&mut self, site: &str, key: u64) -> bool {
        let (pages, keys) = match self.sites.get_mut(site) {
            Some(found) => found,
            None => self.sites.entry(site.to_owned()).or_default(),
        };
        *pages += 1;
        keep_smallest(keys, key, self.sample)
    }
}

/// Adds a value to a heap that holds the smallest ones; says whether it is one of them.
fn keep_smallest<T: Ord>(heap: &mut BinaryHeap<T>, value: T, most: usize) -> bool {
    if heap.len() >= most && heap.peek().is_some_and(|largest| *largest < value) {
        return false;
    }
    heap.push(value);
    if heap.len() > most {
        heap.pop();
    }
    true
}

impl Work<'_> {
    fn take_all(&self) {
        let mut parser = Parser::new(self.config.clone());
        loop {
            let next = self.bodies.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(body) = next else { return };
            let text = text_of(self.over, &mut parser, &body.bytes, body.content_type.as_deref());
            // What is no page has no text to mine.
            let Ok(text) = text else { continue };
            let page = SampledPage {
                key: body.key,
                url: body.url,
                // What is not mined need not be kept.
                text: text[..text.floor_char_boundary(self.page_bytes)].to_owned(),
            };
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            keep_smallest(sites.entry(body.site).or_default(), page, self.sample);
        }
    }
}

/// Whether an input is neither an archive nor a page.
fn is_foreign(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(gleaner_warc::Error::NotAnArchive { .. })
    )
}

/// Sends the pages of a shard that may be in a sample. Damaged places are told and passed over.
fn read_shard(store: &Store, shard: &Shard, keys: &mut Keys, send: &SyncSender<Body>) -> Result<()> {
    let stream = store.open(shard, 0, None)?;
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(Waiting(stream), shard.name.clone(), options);
    let (mut scratch, mut damaged) = (http::Scratch::default(), 0);
    loop {
        match reader.step()? {
            Step::Record(record) => {
                let body = body(&record, &shard.name, &mut scratch);
                if let Some(body) = body.filter(|body| keys.add(&body.site, body.key)) {
                    // A closed channel is a thread that panicked, which the scope will tell.
                    drop(send.send(body));
                }
            }
            Step::Reject(_) => damaged += 1,
            Step::Pending | Step::End => break,
        }
    }
    console::warn_of_damage(&shard.name, damaged);
    Ok(())
}

/// The page in a record, if there is one.
fn body(record: &Record<'_>, file: &str, scratch: &mut http::Scratch) -> Option<Body> {
    let page = web_page(record, scratch)?;
    // A file is a page of the folder that it stands in.
    let (site, url) = match host(record.target_uri) {
        Some(host) => (host, record.target_uri.to_owned()),
        None => (folder(file).to_owned(), file.to_owned()),
    };
    Some(Body {
        key: page_key(&url),
        site,
        url,
        content_type: page.content_type,
        bytes: page.body.to_vec(),
    })
}

/// The host of a web address, lower case, without port.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority
        .rsplit('@')
        .next()?
        .split(':')
        .next()?
        .trim_end_matches('.');
    (scheme.starts_with("http") && !host.is_empty()).then(|| host.to_lowercase())
}

fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// A stream that is waited for.
struct Waiting(Stream);

impl Source for Waiting {
    fn next(&mut self) -> io::Result<Chunk> {
        Ok(match self.0.wait()? {
            Some(bytes) => Chunk::Data(bytes),
            None => Chunk::End,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_hosts_or_folders() {
        assert_eq!(
            host("https://me@Www.Example.org:80/a").as_deref(),
            Some("www.example.org")
        );
        assert_eq!(host("file:///tmp/a.html"), None);
        assert_eq!(host("dns:a.example"), None);
        assert_eq!((folder("a/b/c.html"), folder("c.html")), ("a/b", "."));
    }

    #[test]
    fn the_smallest_are_kept_in_any_order() {
        let kept = |values: &[u32]| {
            let mut heap = BinaryHeap::new();
            values.iter().for_each(|&value| {
                keep_smallest(&mut heap, value, 3);
            });
            heap.into_sorted_vec()
        };
        assert_eq!(kept(&[5, 1, 4, 2, 3]), [1, 2, 3]);
        assert_eq!(kept(&[1, 2, 3, 4, 5]), [1, 2, 3]);
        assert_eq!(kept(&[9]), [9]);
    }
}
