//! The pages of a crawl by site, a sample of each.

use std::collections::{BTreeMap, BinaryHeap};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use anyhow::{Context, Result, bail};
use gleaner_corpus::page_url;
use gleaner_page::{PageConfig, Parser};
use gleaner_store::{Options as StoreOptions, Store};
use gleaner_template::page_key;
use gleaner_training::{FoundPage, Texts};
use parking_lot::Mutex;

use super::over::text_of;
use crate::args::Over;
use crate::inputs as input_files;
use crate::inputs::pages::search;
use crate::terminal::console;

/// A page of a sample; the order is that of the keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SampledPage {
    key: u64,
    pub(super) url: String,
    /// Distinguishes captures of one page, too.
    pub(super) text: String,
}

pub(super) struct Sampling<'a> {
    pub(super) over: Over,
    pub(super) config: &'a PageConfig,
    pub(super) pages: usize,
    pub(super) page_bytes: usize,
    pub(super) workers: usize,
}

#[derive(Default)]
struct Unread {
    count: u64,
    /// The first by name, and what is wrong with it: the same one whichever thread is faster.
    first: Option<(String, String)>,
}

impl Unread {
    fn add(&mut self, name: String, error: &anyhow::Error) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|(first, _)| name < *first) {
            self.first = Some((name, console::sentence(error.chain())));
        }
    }

    fn warn(self) {
        let Some((name, error)) = self.first else { return };
        console::say(&match self.count {
            1 => format!("warning: skipped 1 page that cannot be parsed: {name}: {error}"),
            count => format!(
                "warning: skipped {} pages that cannot be parsed, the first of them {name}: {error}",
                console::grouped(count)
            ),
        });
    }
}

/// A page's bytes on their way to a thread that parses.
struct Body {
    site: String,
    key: u64,
    url: String,
    content_type: Option<String>,
    is_text: bool,
    is_named: bool,
    bytes: Vec<u8>,
}

/// What the threads share.
struct Work<'a> {
    bodies: Mutex<Receiver<Body>>,
    sites: Mutex<BTreeMap<String, BinaryHeap<SampledPage>>>,
    sampling: &'a Sampling<'a>,
    failure: Mutex<Option<anyhow::Error>>,
    unread: Mutex<Unread>,
}

/// Reads all inputs, and keeps of every site the pages with the smallest keys: the same ones in
/// whatever order they come.
pub(super) fn read(inputs: &[String], sampling: &Sampling<'_>) -> Result<BTreeMap<String, Vec<SampledPage>>> {
    let store = Store::new(StoreOptions {
        texts: true,
        ..StoreOptions::default()
    })?;
    let shards = input_files::expand(&store, inputs, None)?;
    if shards.is_empty() {
        bail!("no input: the named lists and folders hold no WARC, ARC, WET, WACZ, HTML or text file");
    }
    let (sender, receiver) = sync_channel(2 * sampling.workers);
    let work = Work {
        bodies: Mutex::new(receiver),
        sites: Mutex::default(),
        sampling,
        failure: Mutex::default(),
        unread: Mutex::default(),
    };
    let mut keys = Keys {
        sample: sampling.pages,
        sites: BTreeMap::new(),
    };
    thread::scope(|scope| -> Result<()> {
        let sender = sender;
        for _ in 0..sampling.workers {
            scope.spawn(|| work.take_all());
        }
        for shard in &shards {
            let mut send = |found: FoundPage<'_>| -> Result<()> {
                if let Some(body) = body(&found, shard.named, &mut keys) {
                    // A closed channel is a thread that panicked, which the scope reports.
                    drop(sender.send(body));
                }
                Ok(())
            };
            search(Texts::All)
                .each_of(&store, shard, &mut send)
                .with_context(|| format!("could not read {}", shard.location))?;
        }
        Ok(())
    })?;
    let failure = work.failure.into_inner();
    if let Some(error) = failure {
        return Err(error);
    }
    work.unread.into_inner().warn();
    let sampled = work.sites.into_inner();
    Ok(sampled
        .into_iter()
        .filter_map(|(site, pages)| {
            // A page that could not be read leaves its place in the sample empty, whatever the order.
            let largest = keys.sites.get(&site)?.peek().copied()?;
            let mut sample = pages.into_sorted_vec();
            sample.retain(|page| page.key <= largest);
            Some((site, sample))
        })
        .collect())
}

/// The keys of the samples, so that a page that is in none is not parsed.
struct Keys {
    sample: usize,
    /// By site: the smallest keys.
    sites: BTreeMap<String, BinaryHeap<u64>>,
}

impl Keys {
    /// Takes the key of a page, and says whether the page may be in the sample of its site.
    fn add(&mut self, site: &str, key: u64) -> bool {
        let keys = match self.sites.get_mut(site) {
            Some(found) => found,
            None => self.sites.entry(site.to_owned()).or_default(),
        };
        keep_smallest(keys, key, self.sample) != Some(key)
    }
}

/// Adds a value to a heap that holds the smallest ones; gives back the one that is none of them.
fn keep_smallest<T: Ord>(heap: &mut BinaryHeap<T>, value: T, most: usize) -> Option<T> {
    if heap.len() >= most && heap.peek().is_some_and(|largest| *largest < value) {
        return Some(value);
    }
    heap.push(value);
    if heap.len() > most { heap.pop() } else { None }
}

impl Work<'_> {
    fn take_all(&self) {
        let mut parser = Parser::new(self.sampling.config.clone());
        loop {
            let next = self.bodies.lock().recv();
            let Ok(body) = next else { return };
            if let Err(error) = self.take(body, &mut parser) {
                let mut failure = self.failure.lock();
                failure.get_or_insert(error);
            }
        }
    }

    /// Parses a page, and keeps its text if it is in the sample of its site.
    fn take(&self, body: Body, parser: &mut Parser) -> Result<()> {
        let text = text_of(
            self.sampling.over,
            parser,
            body.is_text,
            &body.bytes,
            body.content_type.as_deref(),
        );
        // What is no page has no text to mine.
        let text = match text {
            Ok(text) => text,
            Err(error) if body.is_named => {
                return Err(error).with_context(|| format!("{} cannot be read as a page", body.url));
            }
            Err(error) => {
                let mut unread = self.unread.lock();
                unread.add(body.url, &error);
                return Ok(());
            }
        };
        // What is not mined need not be kept.
        let text = &text[..text.floor_char_boundary(self.sampling.page_bytes)];
        let page = SampledPage {
            key: body.key,
            url: body.url,
            text: text.to_owned(),
        };
        let mut sites = self.sites.lock();
        keep_smallest(sites.entry(body.site).or_default(), page, self.sampling.pages);
        Ok(())
    }
}

fn body(found: &FoundPage<'_>, is_named: bool, keys: &mut Keys) -> Option<Body> {
    // A file is a page of the folder that it stands in.
    let (site, url, key) = match host(found.url) {
        Some(host) => (host, found.url, page_key(&page_url(found.url))),
        None => (
            folder(found.file).to_owned(),
            found.name(),
            page_key(found.name()),
        ),
    };
    if !keys.add(&site, key) {
        return None;
    }
    Some(Body {
        key,
        site,
        url: url.to_owned(),
        content_type: found.content_type.clone(),
        is_text: found.is_text,
        is_named: is_named && !found.is_record,
        bytes: found.body.to_vec(),
    })
}

/// The host of a web address as builds write it.
pub(super) fn host(url: &str) -> Option<String> {
    let url = page_url(url);
    let host = gleaner_corpus::host(&url);
    (url.starts_with("http") && !host.is_empty()).then_some(host)
}

pub(super) fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or(".", |(folder, _)| folder)
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
