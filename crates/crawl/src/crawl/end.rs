//! What came of requests: records to the archive, then lines to the journal.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::{Crawl, LEAST_WAIT, LOST_IN_A_ROW};
use crate::Error;
use crate::archive::now;
use crate::capture::sitemap_link;
use crate::fetch::{Connection, Failure};
use crate::frontier::{HostId, Waiting};
use crate::journal::{Done, Found, Line, RobotsLine, RobotsVerdict};
use crate::summary::{LinkReason, LostSeed, Outcome, Reason};
use crate::work::{Answered, Came, Page, Report, RobotsSaid};

impl Crawl {
    /// Takes what came of a request.
    pub(super) fn end(&mut self, report: Report) -> Result<(), Error> {
        let Report {
            host,
            came,
            connection,
        } = report;
        self.active -= 1;
        let (origin, rest) = match came {
            Came::Page(page, result) => {
                self.active_pages -= 1;
                let origin = page.url.origin().ascii_serialization();
                let rest = match result {
                    Ok(answered) => self.end_page(host, page, answered)?,
                    Err(failure) => self.end_failed(host, page, &failure),
                };
                (origin, rest)
            }
            Came::Robots {
                origin,
                url,
                answered,
                said,
            } => {
                let rest = self.end_robots(&origin, &url, answered, said)?;
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
        let Page { waiting, found, .. } = page;
        self.lost_in_a_row.remove(&host);
        let may_pass = matches!(answered.status, 408 | 429 | 502 | 503 | 504);
        if may_pass && waiting.tries < self.settings().pace.retries {
            return Ok(self.try_again(host, waiting, answered.retry_after));
        }
        if answered.is_unwanted {
            self.note_failed(waiting.at, &found, Reason::MediaType, "");
            return Ok(Duration::ZERO);
        }
        let outcome = answered.outcome();
        self.part.write(&answered.captured.records)?;
        let refused = self.follow_all(&found, Some(waiting.at), &answered.captured.links);
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

    fn end_failed(&mut self, host: HostId, page: Page, failure: &Failure) -> Duration {
        let reason = failure.reason();
        let may_pass = matches!(
            reason,
            Reason::NoAddress | Reason::NoConnection | Reason::BadHttp | Reason::Timeout
        );
        if may_pass && page.waiting.tries < self.settings().pace.retries {
            return self.try_again(host, page.waiting, None);
        }
        self.note_failed(page.waiting.at, &page.found, reason, &failure.to_string());
        let lost = self.lost_in_a_row.entry(host).or_default();
        *lost += u32::from(may_pass);
        if *lost >= LOST_IN_A_ROW {
            for at in self.frontier.drain(host) {
                self.note_at(at, Outcome::Failed(reason), 0, BTreeMap::new());
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
        said: RobotsSaid,
    ) -> Result<Duration, Error> {
        let retry_after = answered.as_ref().and_then(|answered| answered.retry_after);
        let (verdict, sitemaps) = match said {
            Ok(said) => said,
            Err((reason, detail)) => {
                let tries = self.robots_tries.entry(origin.to_owned()).or_default();
                *tries += 1;
                let tries = *tries;
                let is_final = matches!(reason, Reason::Certificate | Reason::Tls | Reason::PrivateAddress);
                if !is_final && tries <= self.settings().pace.retries {
                    self.rules.forget(origin);
                    let wait = self.settings().pace.delay.max(LEAST_WAIT) * 2u32.saturating_pow(tries);
                    return Ok(self.bounded(retry_after.unwrap_or(wait)));
                }
                (RobotsVerdict::Unknown(reason, detail), Vec::new())
            }
        };
        self.robots_tries.remove(origin);
        let (outcome, bytes) = match answered {
            Some(answered) => {
                self.part.write(&answered.captured.records)?;
                (answered.outcome(), answered.bytes)
            }
            None => (Outcome::Failed(Reason::RobotsUnknown), 0),
        };
        self.summary.count_robots(outcome, bytes);
        let links = self.follow_sitemaps(url, &sitemaps);
        self.summary.count_links(&links);
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
            links,
            robots: Some(robots.clone()),
        };
        let at = self.journal.add(&Line::Done(done));
        self.rules.set(&robots, at);
        self.cut_if_full()?;
        Ok(self.bounded(robots.verdict.delay()))
    }

    /// Follows the addresses of sitemaps in a robots.txt, if sitemaps are read. Returns how many were not followed.
    fn follow_sitemaps(&mut self, robots: &Url, sitemaps: &[String]) -> BTreeMap<LinkReason, u64> {
        if !self.settings().sitemaps {
            return BTreeMap::new();
        }
        let found = Found {
            url: robots.to_string(),
            depth: 0,
            redirects: 0,
            seed: None,
            via: None,
        };
        let links = sitemaps
            .iter()
            .filter_map(|address| sitemap_link(robots, address));
        let links: Vec<_> = links.collect();
        self.follow_all(&found, None, &links)
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
            self.summary
                .lost_seeds
                .extend(LostSeed::of(&found.url, outcome, ""));
        }
        self.note_at(at, outcome, bytes, links);
    }

    /// Notes that a URL was not fetched, and why.
    pub(super) fn note_failed(&mut self, at: u64, found: &Found, reason: Reason, detail: &str) {
        let outcome = Outcome::Failed(reason);
        if found.seed.is_some() {
            self.summary
                .lost_seeds
                .extend(LostSeed::of(&found.url, outcome, detail));
        }
        self.note_at(at, outcome, 0, BTreeMap::new());
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
}
