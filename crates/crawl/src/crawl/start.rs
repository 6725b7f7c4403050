//! Which requests begin.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::Crawl;
use crate::Error;
use crate::frontier::{HostId, Waiting};
use crate::rules::Known;
use crate::summary::Reason;
use crate::work::{Job, Page, work};

impl Crawl {
    /// Whether another request may be under way: each may bring a page.
    pub(super) fn may_start(&self) -> bool {
        let pages = self.summary.pages + self.active_pages;
        let most = self.settings().limits.pages;
        self.active < self.settings().pace.connections && most.is_none_or(|most| pages < most)
    }

    /// Begins requests, as many as may be under way.
    pub(super) fn start(&mut self) -> Result<(), Error> {
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
        let forbidden = rules.forbid(&url);
        if let Some((reason, detail)) = forbidden.or(is_over.then_some((Reason::HostLimit, ""))) {
            self.note_failed(waiting.at, &found, reason, detail);
            self.frontier.skip(host);
            return Ok(());
        }
        let pace = &self.settings().pace;
        let asked = rules.delay.min(pace.most_delay);
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

    pub(super) fn delay(&self, host: HostId) -> Duration {
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
            // (Reports have no receiver once the crawl has ended.)
            drop(sender.send(report));
        });
    }
}
