//! What the robots.txt of each origin allows: fetched once a day, and read again from the journal.

use std::sync::Arc;
use std::time::Duration;

use gleaner_curate::{Robots, Verdict, crawl_delay, robots_sitemaps, robots_text};
use rustc_hash::FxHashMap;
use url::Url;

use crate::archive::now;
use crate::journal::{Journal, RobotsLine, RobotsVerdict};
use crate::summary::Reason;
use crate::{AGENT, Error};

/// How long rules may be used (RFC 9309, section 2.4), in milliseconds.
const DAY: i64 = 86_400_000;
/// Rules that are held in memory at once.
const MOST_HELD: usize = 1000;

/// The rules of an origin.
#[derive(Debug)]
pub(crate) struct Rules {
    robots: Robots,
    /// Why the rules are not known, so that nothing is fetched.
    unknown: Option<(Reason, String)>,
    /// Between two requests.
    pub(crate) delay: Duration,
}

impl Rules {
    fn of(verdict: &RobotsVerdict) -> Rules {
        let agents = [AGENT.to_owned()];
        Rules {
            robots: match verdict {
                RobotsVerdict::Rules(text) => Robots::new(text.as_bytes(), &agents),
                _ => Robots::default(),
            },
            unknown: match verdict {
                RobotsVerdict::Unknown(reason, detail) => Some((*reason, detail.clone())),
                _ => None,
            },
            delay: verdict.delay(),
        }
    }

    /// Why a URL may not be fetched, if it may not: a reason, and what more is known of it.
    pub(crate) fn forbid(&self, url: &Url) -> Option<(Reason, &str)> {
        match &self.unknown {
            Some((reason, detail)) => Some((*reason, detail)),
            None if self.robots.allows(url.as_str()) => None,
            None => Some((Reason::RobotsTxt, "")),
        }
    }
}

impl RobotsVerdict {
    /// The time between two requests that an origin asks for.
    pub(crate) fn delay(&self) -> Duration {
        let seconds = match self {
            RobotsVerdict::Rules(text) => crawl_delay(text.as_bytes(), AGENT),
            _ => None,
        };
        Duration::from_secs_f64(seconds.unwrap_or_default())
    }
}

/// Where the rules of an origin are.
#[derive(Clone, Copy, Debug)]
enum State {
    /// They are being fetched.
    Asked,
    /// In the journal, with their time.
    At(u64, i64),
}

/// What is known of an origin.
pub(crate) enum Known {
    Rules(Arc<Rules>),
    /// They are being fetched.
    Asked,
    /// They must be fetched.
    No,
}

/// The rules of all origins.
#[derive(Debug, Default)]
pub(crate) struct AllRules {
    states: FxHashMap<String, State>,
    held: FxHashMap<String, Arc<Rules>>,
}

impl AllRules {
    /// What is known of an origin.
    pub(crate) fn of(&mut self, origin: &str, journal: &mut Journal) -> Result<Known, Error> {
        let at = match self.states.get(origin) {
            None => return Ok(Known::No),
            Some(State::Asked) => return Ok(Known::Asked),
            Some(State::At(_, time)) if now() - time > DAY => return Ok(Known::No),
            Some(&State::At(at, _)) => at,
        };
        if let Some(rules) = self.held.get(origin) {
            return Ok(Known::Rules(Arc::clone(rules)));
        }
        let rules = Arc::new(Rules::of(&journal.robots(at)?.verdict));
        if self.held.len() >= MOST_HELD {
            self.held.clear();
        }
        self.held.insert(origin.to_owned(), Arc::clone(&rules));
        Ok(Known::Rules(rules))
    }

    /// They are fetched from now on.
    pub(crate) fn ask(&mut self, origin: &str) {
        self.states.insert(origin.to_owned(), State::Asked);
    }

    /// They could not be fetched now.
    pub(crate) fn forget(&mut self, origin: &str) {
        self.states.remove(origin);
    }

    /// They are at a place of the journal.
    pub(crate) fn set(&mut self, line: &RobotsLine, at: u64) {
        self.held.remove(&line.origin);
        self.states.insert(line.origin.clone(), State::At(at, line.time));
    }
}

/// The rules and the sitemaps in an answer for a robots.txt; nothing where the server did not say (RFC 9309, section 2.3.1).
pub(crate) fn verdict(status: u16, body: &[u8]) -> Option<(RobotsVerdict, Vec<String>)> {
    match Verdict::of_status(status) {
        Verdict::Body => Some((RobotsVerdict::Rules(robots_text(body)), robots_sitemaps(body))),
        Verdict::AllAllowed => Some((RobotsVerdict::All, Vec::new())),
        Verdict::Unknown => None,
    }
}
