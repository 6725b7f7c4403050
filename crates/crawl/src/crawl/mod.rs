//! The crawl itself: one thread decides what is fetched next and writes what came; others fetch.

mod end;
mod follow;
mod start;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::Error;
use crate::archive::{Names, Part};
use crate::fetch::{Connection, Connector};
use crate::frontier::{Frontier, HostId};
use crate::journal::{End, Journal, Line};
use crate::resume::{Beginning, begin};
use crate::rules::AllRules;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::since::Earlier;
use crate::summary::{Limit, Summary};
use crate::work::{Report, Shared};

/// How often the crawl checks whether it should stop.
const LOOK: Duration = Duration::from_millis(100);
/// URLs of a host, one after the other, that could not be reached, after which the host is given up.
const LOST_IN_A_ROW: u32 = 5;
/// The shortest wait after a failure.
const LEAST_WAIT: Duration = Duration::from_millis(100);

/// How far a crawl is, for who watches it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Pages that were fetched.
    pub pages: AtomicU64,
    /// Bytes of all bodies.
    pub bytes: AtomicU64,
    /// URLs that wait.
    pub waiting: AtomicU64,
    /// Requests under way.
    pub active: AtomicU64,
}

/// Fetches what the settings ask for, or continues a crawl that was begun with them. `stop` ends it: then, and after an error, the
/// same call continues.
///
/// # Errors
/// A file cannot be read or written, or the crawl was stopped.
pub fn crawl(settings: Settings, stop: &AtomicBool, progress: &Progress) -> Result<Summary, Error> {
    let names = Names::new(&settings.out)?;
    // (First what may fail before anything is written.)
    let earlier = Earlier::read(&settings.since)?;
    let beginning = begin(&names, &settings)?;
    if let Some(end) = beginning.end {
        return finish(&names, beginning.journal, end.number, beginning.summary);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Error::Threads)?;
    let mut crawl = Crawl::new(names, settings, earlier, beginning)?;
    let limit = runtime.block_on(crawl.run(stop, progress));
    // (Requests that are under way have no place in the archive.)
    runtime.shutdown_background();
    let limit = limit?;
    let number = crawl.number;
    crawl.journal.add(&Line::End(End {
        number,
        limit,
        waiting: crawl.frontier.waiting(),
    }));
    crawl.journal.write()?;
    crawl.summary.limit = limit;
    crawl.summary.waiting = crawl.frontier.waiting();
    crawl.summary.hosts = crawl.frontier.hosts();
    finish(&crawl.names, crawl.journal, number, crawl.summary)
}

/// Gives the last file its name, and removes the journal.
fn finish(names: &Names, journal: Journal, number: u32, mut summary: Summary) -> Result<Summary, Error> {
    names.finish(number, true)?;
    journal.remove()?;
    let files = names.all(number).into_iter();
    summary.files = files.map(|file| file.display().to_string()).collect();
    Ok(summary)
}

/// A crawl under way.
struct Crawl {
    shared: Arc<Shared>,
    names: Names,
    journal: Journal,
    part: Part,
    /// The number of the part among the files.
    number: u32,
    frontier: Frontier,
    rules: AllRules,
    scope: Scope,
    summary: Summary,
    /// Requests under way, and how many of them are for pages.
    active: usize,
    active_pages: u64,
    /// Connections without a request, the oldest first.
    idle: Vec<(String, Connection)>,
    /// How often the robots.txt of an origin was asked for in vain.
    robots_tries: FxHashMap<String, u32>,
    lost_in_a_row: FxHashMap<HostId, u32>,
    /// The delay of the host, by its last rules.
    delays: FxHashMap<HostId, Duration>,
    sender: UnboundedSender<Report>,
    reports: UnboundedReceiver<Report>,
    begun: Instant,
}

impl Crawl {
    fn new(names: Names, settings: Settings, earlier: Earlier, beginning: Beginning) -> Result<Crawl, Error> {
        let part = Part::open(&names, beginning.length, &settings)?;
        let (sender, reports) = unbounded_channel();
        let seed_hosts = settings.seeds.iter().filter_map(Url::host_str);
        let named_hosts = seed_hosts.map(str::to_owned).collect();
        let connector = Connector::new(named_hosts, settings.resolve.clone());
        let shared = Shared {
            user_agent: settings.user_agent(),
            connector,
            earlier,
            benches: Mutex::default(),
            settings,
        };
        Ok(Crawl {
            shared: Arc::new(shared),
            names,
            journal: beginning.journal,
            part,
            number: beginning.number,
            frontier: beginning.frontier,
            rules: beginning.rules,
            scope: beginning.scope,
            summary: beginning.summary,
            active: 0,
            active_pages: 0,
            idle: Vec::new(),
            robots_tries: FxHashMap::default(),
            lost_in_a_row: FxHashMap::default(),
            delays: FxHashMap::default(),
            sender,
            reports,
            begun: Instant::now(),
        })
    }

    fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Fetches until nothing waits or a limit is met, which it returns.
    async fn run(&mut self, stop: &AtomicBool, progress: &Progress) -> Result<Option<Limit>, Error> {
        loop {
            if stop.load(Relaxed) {
                return Err(Error::Interrupted);
            }
            let limit = self.limit();
            if limit.is_none() {
                self.start()?;
            }
            self.show(progress);
            let next = self.frontier.next_time();
            if self.active == 0 && (limit.is_some() || next.is_none()) {
                return Ok(limit.filter(|_| next.is_some()));
            }
            let look = Instant::now() + LOOK;
            let may_start = limit.is_none() && self.may_start();
            let until = next.filter(|_| may_start).map_or(look, |next| next.min(look));
            tokio::select! {
                Some(report) = self.reports.recv() => self.end(report)?,
                () = sleep_until(until) => {}
            }
            while let Ok(report) = self.reports.try_recv() {
                self.end(report)?;
            }
            self.journal.write()?;
        }
    }

    fn show(&self, progress: &Progress) {
        progress.pages.store(self.summary.pages, Relaxed);
        progress.bytes.store(self.summary.bytes, Relaxed);
        progress.active.store(self.active as u64, Relaxed);
        let waiting = self.frontier.waiting();
        progress.waiting.store(waiting, Relaxed);
    }

    /// The limit that is met.
    fn limit(&self) -> Option<Limit> {
        let limits = &self.settings().limits;
        let is_met = |most: Option<u64>, number| most.is_some_and(|most| number >= most);
        if is_met(limits.pages, self.summary.pages) {
            Some(Limit::MaxPages)
        } else if is_met(limits.bytes, self.summary.bytes) {
            Some(Limit::MaxBytes)
        } else {
            let is_over = limits.time.is_some_and(|time| self.begun.elapsed() >= time);
            is_over.then_some(Limit::MaxTime)
        }
    }

    /// Ends the file, if it is as long as it may be, and begins another.
    fn cut_if_full(&mut self) -> Result<(), Error> {
        let most = self.settings().file_size;
        if most.is_none_or(|most| self.part.length() < most) {
            return Ok(());
        }
        self.journal.add(&Line::Cut(self.number));
        self.journal.write()?;
        self.names.finish(self.number, false)?;
        self.number += 1;
        self.part = Part::open(&self.names, 0, &self.shared.settings)?;
        Ok(())
    }
}
