//! Which links are followed.

use std::collections::BTreeMap;

use super::Crawl;
use crate::address::is_trap;
use crate::capture::REDIRECT;
use crate::journal::{Found, Line, Seed};
use crate::links::Link;
use crate::summary::LinkReason;

impl Crawl {
    /// Follows the links of a page, which was found at a place of the journal. Returns how many were not followed, by reason.
    pub(super) fn follow_all(
        &mut self,
        page: &Found,
        via: Option<u64>,
        links: &[Link],
    ) -> BTreeMap<LinkReason, u64> {
        let mut refused = BTreeMap::new();
        for reason in links.iter().filter_map(|link| self.follow(page, via, link)) {
            *refused.entry(reason).or_default() += 1;
        }
        refused
    }

    /// Follows a link, or returns why not. What was found before is not counted.
    fn follow(&mut self, page: &Found, via: Option<u64>, link: &Link) -> Option<LinkReason> {
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
}
