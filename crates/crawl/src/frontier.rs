//! What waits to be fetched: a queue for each host, and the time at which each may be asked again.
//!
//! Memory: 8 bytes for a URL that waits (its place in the journal), about 10 for each that was found, some hundred for a host.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tokio::time::Instant;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::address::variant_group;
use crate::scope::host;

/// A host by its place in the list.
pub(crate) type HostId = u32;

/// A URL that waits: the place of its line in the journal, and how often it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) at: u64,
    pub(crate) tries: u32,
}

#[derive(Debug)]
struct Host {
    queue: VecDeque<u64>,
    /// What comes before the queue: it was asked for before, or its rules are fetched first.
    again: VecDeque<Waiting>,
    /// Before then it is not asked.
    next: Instant,
    active: usize,
    /// Pages that were begun.
    pages: u64,
    /// Whether it stands in the heap.
    is_ready: bool,
}

/// What waits to be fetched.
#[derive(Debug)]
pub(crate) struct Frontier {
    hosts: Vec<Host>,
    by_name: FxHashMap<Box<str>, HostId>,
    ready: BinaryHeap<Reverse<(Instant, HostId)>>,
    seen: FxHashSet<u64>,
    variants: FxHashMap<u64, u32>,
    salt: u64,
    per_host: usize,
    begin: Instant,
    waiting: u64,
}

impl Frontier {
    /// `per_host` requests to a host are under way at most.
    pub(crate) fn new(salt: u64, per_host: usize) -> Frontier {
        Frontier {
            hosts: Vec::new(),
            by_name: FxHashMap::default(),
            ready: BinaryHeap::new(),
            seen: FxHashSet::default(),
            variants: FxHashMap::default(),
            salt,
            per_host,
            begin: Instant::now(),
            waiting: 0,
        }
    }

    /// Whether a URL was found before.
    pub(crate) fn has_seen(&self, url: &Url) -> bool {
        self.seen.contains(&self.hash(url.as_str()))
    }

    /// Remembers a URL that was found.
    pub(crate) fn see(&mut self, url: &Url) {
        let hash = self.hash(url.as_str());
        self.seen.insert(hash);
        if let Some(group) = variant_group(url) {
            let hash = self.hash(&group);
            *self.variants.entry(hash).or_default() += 1;
        }
    }

    /// How many URLs were found that differ from one only in their query, or in what looks like the id of a session.
    pub(crate) fn variants(&self, url: &Url) -> u32 {
        let group = variant_group(url).map(|group| self.hash(&group));
        let count = group.and_then(|group| self.variants.get(&group));
        count.copied().unwrap_or_default()
    }

    fn hash(&self, text: &str) -> u64 {
        xxh3_64_with_seed(text.as_bytes(), self.salt)
    }

    /// Puts a URL at the end of the queue of its host.
    pub(crate) fn push(&mut self, url: &Url, at: u64) -> HostId {
        let id = self.host(host(url));
        self.hosts[id as usize].queue.push_back(at);
        self.waiting += 1;
        self.arm(id);
        id
    }

    fn host(&mut self, name: &str) -> HostId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.hosts.len() as HostId;
        self.by_name.insert(name.into(), id);
        self.hosts.push(Host {
            queue: VecDeque::new(),
            again: VecDeque::new(),
            next: self.begin,
            active: 0,
            pages: 0,
            is_ready: false,
        });
        id
    }

    /// Puts a host in the heap, if it has work and a free connection.
    fn arm(&mut self, id: HostId) {
        let host = &mut self.hosts[id as usize];
        let has_work = !host.queue.is_empty() || !host.again.is_empty();
        if has_work && host.active < self.per_host && !host.is_ready {
            host.is_ready = true;
            self.ready.push(Reverse((host.next, id)));
        }
    }

    /// The host that may be asked now, and what it is asked for; `None` if none may. [`Frontier::begin`] or [`Frontier::put_back`]
    /// follows.
    pub(crate) fn take(&mut self, now: Instant) -> Option<(HostId, Waiting)> {
        loop {
            let &Reverse((time, id)) = self.ready.peek()?;
            if time > now {
                return None;
            }
            self.ready.pop();
            let host = &mut self.hosts[id as usize];
            host.is_ready = false;
            if host.next > time {
                // It has been put off since it came into the heap.
                self.arm(id);
                continue;
            }
            let first = || host.queue.pop_front().map(|at| Waiting { at, tries: 0 });
            let waiting = host.again.pop_front().or_else(first);
            if let Some(waiting) = waiting {
                self.waiting -= 1;
                return Some((id, waiting));
            }
        }
    }

    /// When a host may be asked next, if one waits.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.ready.peek().map(|&Reverse((time, _))| time)
    }

    /// A URL was dealt with without a request; the next of the host may follow at once.
    pub(crate) fn skip(&mut self, id: HostId) {
        self.arm(id);
    }

    /// A request to a host begins; until the delay is over there is no other.
    pub(crate) fn begin(&mut self, id: HostId, now: Instant, delay: Duration, is_page: bool) {
        let host = &mut self.hosts[id as usize];
        host.active += 1;
        host.pages += u64::from(is_page);
        host.next = host.next.max(now + delay);
        self.arm(id);
    }

    /// A request to a host is over; the host rests for the delay.
    pub(crate) fn end(&mut self, id: HostId, now: Instant, rest: Duration) {
        let host = &mut self.hosts[id as usize];
        host.active -= 1;
        host.next = host.next.max(now + rest);
        self.arm(id);
    }

    /// Puts a URL before the queue of its host.
    pub(crate) fn put_back(&mut self, id: HostId, waiting: Waiting) {
        self.hosts[id as usize].again.push_front(waiting);
        self.waiting += 1;
    }

    /// Pages of a host that were begun.
    pub(crate) fn pages(&self, id: HostId) -> u64 {
        self.hosts[id as usize].pages
    }

    /// Counts pages that were fetched before the crawl was interrupted, and takes them from the queue.
    pub(crate) fn forget_done(&mut self, done: &FxHashMap<u64, bool>) {
        for host in &mut self.hosts {
            let mut pages = 0;
            host.queue.retain(|at| match done.get(at) {
                Some(is_page) => {
                    self.waiting -= 1;
                    pages += u64::from(*is_page);
                    false
                }
                None => true,
            });
            host.pages += pages;
        }
    }

    /// What waits at a host, which is given up.
    pub(crate) fn drain(&mut self, id: HostId) -> Vec<u64> {
        let host = &mut self.hosts[id as usize];
        let again = std::mem::take(&mut host.again)
            .into_iter()
            .map(|waiting| waiting.at);
        let drained: Vec<u64> = again.chain(std::mem::take(&mut host.queue)).collect();
        self.waiting -= drained.len() as u64;
        drained
    }

    /// URLs that wait.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting
    }

    pub(crate) fn hosts(&self) -> u64 {
        self.hosts.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_secs(1);

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_host_rests_between_its_pages_and_others_continue() {
        let mut frontier = Frontier::new(1, 1);
        let start = Instant::now();
        for (at, text) in ["http://a.example/1", "http://a.example/2", "http://b.example/"]
            .iter()
            .enumerate()
        {
            frontier.push(&url(text), at as u64);
        }
        let (a, first) = frontier.take(start).unwrap();
        frontier.begin(a, start, DELAY, true);
        let (b, second) = frontier.take(start).unwrap();
        frontier.begin(b, start, DELAY, true);
        assert_eq!((first.at, second.at), (0, 2));
        assert_eq!(
            frontier.take(start + 9 * DELAY),
            None,
            "the only connection to a is taken"
        );
        frontier.end(a, start + DELAY, DELAY);
        assert_eq!(frontier.take(start + DELAY), None);
        assert_eq!(frontier.next_time(), Some(start + 2 * DELAY));
        let (_, third) = frontier.take(start + 2 * DELAY).unwrap();
        assert_eq!((third.at, frontier.waiting(), frontier.pages(a)), (1, 0, 1));
    }

    #[test]
    fn what_failed_comes_first_again() {
        let mut frontier = Frontier::new(1, 1);
        let start = Instant::now();
        frontier.push(&url("http://a.example/1"), 7);
        frontier.push(&url("http://a.example/2"), 8);
        let (id, first) = frontier.take(start).unwrap();
        frontier.begin(id, start, DELAY, true);
        frontier.put_back(id, Waiting { tries: 1, ..first });
        frontier.end(id, start, 5 * DELAY);
        assert_eq!(frontier.take(start + 4 * DELAY), None);
        assert_eq!(
            frontier.take(start + 5 * DELAY).unwrap().1,
            Waiting { at: 7, tries: 1 }
        );
        assert_eq!(frontier.drain(id), [8]);
    }

    #[test]
    fn variants_are_counted_and_urls_are_seen_once() {
        let mut frontier = Frontier::new(1, 1);
        for page in 0..3 {
            frontier.see(&url(&format!("http://a.example/?p={page}")));
        }
        assert_eq!(frontier.variants(&url("http://a.example/?p=9")), 3);
        assert_eq!(frontier.variants(&url("http://a.example/b?p=9")), 0);
        assert!(frontier.has_seen(&url("http://a.example/?p=2")));
        assert!(!frontier.has_seen(&url("http://a.example/?p=3")));
    }
}
