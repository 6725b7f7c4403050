//! The crawl itself: one thread decides what is fetched next and writes what came; others fetch.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rustc_hash::FxHashMap;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::Error;
use crate::address::is_trap;
use crate::archive::{Names, Part, now};
use crate::capture::{REDIRECT, sitemap_link};
use crate::fetch::{Connection, Connector};
use crate::frontier::{Frontier, HostId, Waiting};
use crate::journal::{Done, End, Found, Journal, Line, RobotsLine, RobotsVerdict, Seed};
use crate::links::Link;
use crate::resume::{Beginning, begin};
use crate::rules::{AllRules, Known};
use crate::scope::Scope;
use crate::settings::Settings;
use crate::since::Earlier;
use crate::summary::{Limit, LinkReason, LostSeed, Outcome, Reason, Summary};
use crate::work::{Answered, Job, Page, Report, Shared, work};

/// How often it is looked whether the crawl should stop.
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

/// Fetches what the settings ask for, or goes on with a crawl that was begun so. `stop` ends it: then, and after an error, the
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
            benches: Default::default(),
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

    /// Whether another request may be under way: each may bring a page.
    fn may_start(&self) -> bool {
        let pages = self.summary.pages + self.active_pages;
        let most = self.settings().limits.pages;
        self.active < self.settings().pace.connections && most.is_none_or(|most| pages < most)
    }

    /// Begins requests, as many as may be under way.
    fn start(&mut self) -> Result<(), Error> {
        while self.may_start() {
            let Some((host, waiting)) = self.frontier.take(Instant::now()) else {
                break;
            };
            self.start_one(host, waiting)?;
        }
        self.journal.write()
    }

    /// Begins the request for a URL, or first that for the rules of its origin; or notes that it is not fetched.
    fn start_one(&mut self, host: HostId, waiting: Waiting) -> Result<(), Error> {
        let found = self.journal.found(waiting.at)?;
        let Ok(url) = Url::parse(&found.url) else {
            self.frontier.skip(host);
            return Ok(());
        };
        let origin = url.origin().ascii_serialization();
        let rules = match self.rules.of(&origin, &mut self.journal)? {
            Known::Rules(rules) => rules,
            Known::Asked => {
                self.frontier.put_back(host, waiting);
                return Ok(());
            }
            Known::No => {
                self.frontier.put_back(host, waiting);
                return self.start_robots(host, origin, &url);
            }
        };
        let is_over = self.frontier.pages(host) >= self.settings().limits.pages_per_host;
        let reason = rules.forbid(&url).or(is_over.then_some(Reason::HostLimit));
        if let Some(reason) = reason {
            self.note(waiting.at, &found, Outcome::Failed(reason), 0, BTreeMap::new());
            self.frontier.skip(host);
            return Ok(());
        }
        let pace = &self.settings().pace;
        let asked = rules.delay.unwrap_or_default().min(pace.most_delay);
        let delay = pace.delay.max(asked);
        self.delays.insert(host, delay);
        let via = found.via.map(|at| self.journal.found(at)).transpose()?;
        let page = Page {
            waiting,
            found,
            url,
            via: via.map(|via| via.url),
        };
        self.active_pages += 1;
        self.spawn(host, origin, Job::Page(page));
        Ok(())
    }

    fn start_robots(&mut self, host: HostId, origin: String, url: &Url) -> Result<(), Error> {
        let Ok(url) = url.join("/robots.txt") else {
            return Ok(());
        };
        self.rules.ask(&origin);
        let job = Job::Robots {
            origin: origin.clone(),
            url,
        };
        self.spawn(host, origin, job);
        Ok(())
    }

    fn delay(&self, host: HostId) -> Duration {
        let known = self.delays.get(&host).copied();
        known.unwrap_or(self.settings().pace.delay)
    }

    fn spawn(&mut self, host: HostId, origin: String, job: Job) {
        let is_page = matches!(job, Job::Page(_));
        self.frontier
            .begin(host, Instant::now(), self.delay(host), is_page);
        self.active += 1;
        let kept = self.idle.iter().rposition(|(of, _)| *of == origin);
        let kept = kept.map(|place| self.idle.remove(place).1);
        let (shared, sender) = (Arc::clone(&self.shared), self.sender.clone());
        tokio::spawn(async move {
            let report = work(shared, host, job, kept).await;
            // (Nobody takes reports any more once the crawl has ended.)
            drop(sender.send(report));
        });
    }

    /// Takes what came of a request.
    fn end(&mut self, report: Report) -> Result<(), Error> {
        let Report {
            host,
            job,
            result,
            robots,
            connection,
        } = report;
        self.active -= 1;
        let (origin, rest) = match job {
            Job::Page(page) => {
                self.active_pages -= 1;
                let origin = page.url.origin().ascii_serialization();
                let rest = match result {
                    Ok(answered) => self.end_page(host, page, answered)?,
                    Err(failure) => self.end_failed(host, page, failure.reason()),
                };
                (origin, rest)
            }
            Job::Robots { origin, url } => {
                let rest = self.end_robots(
                    &origin,
                    &url,
                    result.ok(),
                    robots.unwrap_or(Err(Reason::RobotsUnknown)),
                )?;
                (origin, rest)
            }
        };
        if let Some(connection) = connection {
            self.keep(origin, connection);
        }
        let rest = rest.max(self.delay(host));
        self.frontier.end(host, Instant::now(), rest);
        Ok(())
    }

    /// Keeps a connection for the next request; of too many, the oldest is closed.
    fn keep(&mut self, origin: String, connection: Connection) {
        if self.idle.len() >= self.settings().pace.connections {
            drop(self.idle.remove(0));
        }
        self.idle.push((origin, connection));
    }

    /// Returns how long the host rests.
    fn end_page(&mut self, host: HostId, page: Page, answered: Answered) -> Result<Duration, Error> {
        let Page {
            waiting, found, url, ..
        } = page;
        self.lost_in_a_row.remove(&host);
        let may_pass = matches!(answered.status, 408 | 429 | 502 | 503 | 504);
        if may_pass && waiting.tries < self.settings().pace.retries {
            return Ok(self.try_again(host, waiting, answered.retry_after));
        }
        if answered.is_unwanted {
            self.note(
                waiting.at,
                &found,
                Outcome::Failed(Reason::MediaType),
                0,
                BTreeMap::new(),
            );
            return Ok(Duration::ZERO);
        }
        let outcome = match answered.captured.is_unchanged {
            true => Outcome::Unchanged,
            false => Outcome::Fetched(answered.status),
        };
        self.part.write(&answered.captured.records)?;
        let mut refused = BTreeMap::new();
        for link in answered.captured.links {
            if let Some(reason) = self.follow(&found, waiting.at, &url, &link) {
                *refused.entry(reason).or_default() += 1;
            }
        }
        self.note(waiting.at, &found, outcome, answered.bytes, refused);
        self.cut_if_full()?;
        Ok(answered
            .retry_after
            .filter(|_| may_pass)
            .map_or(Duration::ZERO, |wait| self.bounded(wait)))
    }

    fn bounded(&self, wait: Duration) -> Duration {
        wait.min(self.settings().pace.most_delay)
    }

    /// Puts a URL back for another try. Returns how long the host rests before that.
    fn try_again(&mut self, host: HostId, waiting: Waiting, asked: Option<Duration>) -> Duration {
        let tries = waiting.tries + 1;
        self.frontier.put_back(host, Waiting { tries, ..waiting });
        self.bounded(asked.unwrap_or_else(|| self.back_off(host, tries)))
    }

    fn back_off(&self, host: HostId, tries: u32) -> Duration {
        self.delay(host).max(LEAST_WAIT) * 2u32.saturating_pow(tries)
    }

    fn end_failed(&mut self, host: HostId, page: Page, reason: Reason) -> Duration {
        let may_pass = matches!(
            reason,
            Reason::NoAddress | Reason::NoConnection | Reason::BadHttp | Reason::Timeout
        );
        if may_pass && page.waiting.tries < self.settings().pace.retries {
            return self.try_again(host, page.waiting, None);
        }
        let outcome = Outcome::Failed(reason);
        self.note(page.waiting.at, &page.found, outcome, 0, BTreeMap::new());
        let lost = self.lost_in_a_row.entry(host).or_default();
        *lost += u32::from(may_pass);
        if *lost >= LOST_IN_A_ROW {
            for at in self.frontier.drain(host) {
                self.note_at(at, outcome, 0, BTreeMap::new());
            }
        }
        Duration::ZERO
    }

    /// Takes the rules of an origin. Returns how long the host rests.
    fn end_robots(
        &mut self,
        origin: &str,
        url: &Url,
        answered: Option<Answered>,
        said: Result<(RobotsVerdict, Vec<String>), Reason>,
    ) -> Result<Duration, Error> {
        let retry_after = answered.as_ref().and_then(|answered| answered.retry_after);
        let (verdict, sitemaps) = match said {
            Ok(said) => said,
            Err(reason) => {
                let tries = self.robots_tries.entry(origin.to_owned()).or_default();
                *tries += 1;
                let tries = *tries;
                let is_final = matches!(reason, Reason::Certificate | Reason::Tls | Reason::PrivateAddress);
                if !is_final && tries <= self.settings().pace.retries {
                    self.rules.forget(origin);
                    let wait = self.settings().pace.delay.max(LEAST_WAIT) * 2u32.saturating_pow(tries);
                    return Ok(self.bounded(retry_after.unwrap_or(wait)));
                }
                (RobotsVerdict::Unknown(reason), Vec::new())
            }
        };
        self.robots_tries.remove(origin);
        let (mut outcome, mut bytes) = (Outcome::Failed(Reason::RobotsUnknown), 0);
        if let Some(answered) = answered {
            self.part.write(&answered.captured.records)?;
            outcome = match answered.captured.is_unchanged {
                true => Outcome::Unchanged,
                false => Outcome::Fetched(answered.status),
            };
            bytes = answered.bytes;
            self.summary.robots_files += 1;
            self.summary.bytes += bytes;
        }
        if self.settings().sitemaps {
            let robots = Found {
                url: url.to_string(),
                depth: 0,
                redirects: 0,
                seed: None,
                via: None,
            };
            for link in sitemaps.iter().filter_map(|address| sitemap_link(url, address)) {
                self.follow_found(&robots, None, &link);
            }
        }
        let robots = RobotsLine {
            origin: origin.to_owned(),
            verdict,
            time: now(),
        };
        let done = Done {
            at: None,
            length: self.part.length(),
            outcome,
            bytes,
            links: BTreeMap::new(),
            robots: Some(robots.clone()),
        };
        let at = self.journal.add(&Line::Done(done));
        self.rules.set(&robots, at);
        self.cut_if_full()?;
        Ok(Duration::ZERO)
    }

    /// Follows a link, or returns why not. What was found before is not counted.
    fn follow(&mut self, page: &Found, at: u64, url: &Url, link: &Link) -> Option<LinkReason> {
        if link.url == *url {
            return None;
        }
        self.follow_found(page, Some(at), link)
    }

    fn follow_found(&mut self, page: &Found, via: Option<u64>, link: &Link) -> Option<LinkReason> {
        let Link {
            url,
            place,
            is_followed,
        } = link;
        // (A robots.txt is fetched before the pages, by itself.)
        let is_robots = url.path() == "/robots.txt" && url.query().is_none();
        if is_robots || self.frontier.has_seen(url) {
            return None;
        }
        let mut found = Found {
            url: url.to_string(),
            depth: page.depth,
            redirects: 0,
            seed: None,
            via,
        };
        if *place == REDIRECT {
            found.redirects = page.redirects + 1;
            found.seed = page.seed.map(|_| Seed::Redirected);
        } else {
            found.depth += 1;
        }
        let limits = &self.shared.settings.limits;
        let reason = if !is_followed {
            LinkReason::Nofollow
        } else if is_trap(url) {
            LinkReason::Trap
        } else if found.redirects > limits.redirects {
            LinkReason::Redirects
        } else if found.seed.is_none() && !self.scope.has(url) {
            LinkReason::OutOfScope
        } else if found.depth > limits.depth {
            LinkReason::Depth
        } else if self.frontier.variants(url) >= limits.variants {
            LinkReason::Variants
        } else {
            if found.seed.is_some() {
                self.scope.add(url);
            }
            self.frontier.see(url);
            let at = self.journal.add(&Line::Url(found));
            self.frontier.push(url, at);
            return None;
        };
        Some(reason)
    }

    /// Notes what became of a URL, after its records are in the archive.
    fn note(
        &mut self,
        at: u64,
        found: &Found,
        outcome: Outcome,
        bytes: u64,
        links: BTreeMap<LinkReason, u64>,
    ) {
        if found.seed.is_some() {
            self.summary.lost_seeds.extend(lost_seed(&found.url, outcome));
        }
        self.note_at(at, outcome, bytes, links);
    }

    fn note_at(&mut self, at: u64, outcome: Outcome, bytes: u64, links: BTreeMap<LinkReason, u64>) {
        self.summary.count(outcome, bytes);
        self.summary.count_links(&links);
        self.journal.add(&Line::Done(Done {
            at: Some(at),
            length: self.part.length(),
            outcome,
            bytes,
            links,
            robots: None,
        }));
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

/// A seed without a page, if it has none.
pub(crate) fn lost_seed(url: &str, outcome: Outcome) -> Option<LostSeed> {
    let is_lost = match outcome {
        Outcome::Fetched(status) => status >= 400,
        Outcome::Unchanged => false,
        Outcome::Failed(_) => true,
    };
    is_lost.then(|| LostSeed {
        url: url.to_owned(),
        reason: outcome.to_string(),
    })
}
