//! Which pages a site keeps from crawlers: its robots.txt, by RFC 9309.
//!
//! In: bodies of robots.txt, and the names of crawlers ([`Agents`]). Out: whether one of them may not fetch a URL ([`Robots`]);
//! and of several responses of a host ([`robots_host`]), the one that counts ([`NewestRobots`]).

mod agents;
mod lines;
mod newest;
mod notes;

pub use agents::{Agents, BadAgents};
pub(crate) use lines::prepared;
pub use lines::robots_text;
pub(crate) use newest::host_with_file;
pub use newest::{NewestRobots, RobotsRecord, Verdict, robots_host};
pub use notes::{crawl_delay, robots_sitemaps};

use robotxt::Agent;
use url::Url;

/// What a robots.txt says to some crawlers.
///
/// ```
/// use gleaner_curate::Robots;
///
/// let body = b"User-agent: ExampleBot\nDisallow: /private/\n";
/// let robots = Robots::new(body, &["ExampleBot".to_owned(), "OtherBot".to_owned()]);
/// assert!(!robots.allows("https://example.org/private/a"));
/// assert!(robots.allows("https://example.org/public"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Robots {
    /// The rules of those that may not fetch all.
    groups: Vec<robotxt::Robots>,
}

impl Robots {
    /// Reads the first 500 KiB of a robots.txt. Any bytes are one: lines that are no rules are skipped.
    ///
    /// Lines are read as Google's crawler reads them ([`robots_text`]), rules as RFC 9309 has them: an agent has the groups with
    /// its name, in any case of letters, or those of `*` if there is none.
    pub fn new(body: &[u8], agents: &[String]) -> Robots {
        let lines = lines::prepared(body);
        let mut groups = Vec::new();
        for agent in agents {
            let group = robotxt::Robots::parse(&lines, Agent::Exact(agent));
            // Most agents have the group of `*`.
            if group.always() != Some(true) && !groups.contains(&group) {
                groups.push(group);
            }
        }
        Robots { groups }
    }

    /// Whether none of the agents is forbidden to fetch a URL. What is no URL is allowed, and so is robots.txt.
    pub fn allows(&self, url: &str) -> bool {
        if self.allows_all() {
            return true;
        }
        let Ok(url) = Url::parse(url) else {
            return true;
        };
        self.groups.iter().all(|group| group.is_url_allowed(&url))
    }

    /// Whether no URL is forbidden to any of the agents.
    pub fn allows_all(&self) -> bool {
        self.groups.is_empty()
    }
}

#[cfg(test)]
mod tests;
