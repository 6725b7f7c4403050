//! The wishes of sites, as rules: what the newest robots.txt of each host forbids.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::anyhow;
use gleaner_corpus::{Matcher, RobotsMatcher, Rule, RuleKind};
use gleaner_curate::{Agents, NewestRobots};
use serde::Serialize;

use super::archives::{Decision, found};
use super::{Asked, Changed, Decided, next_number, robots};
use crate::build::{Failure, Session};
use crate::terminal::console::{counted, grouped};

/// Hosts of which every robots.txt that forbids something becomes a rule. Of more hosts, only those that leave out something do.
const MAX_HOSTS: usize = 100_000;

/// The reason of all rules that are made here.
const REASON: &str = "robots.txt";

/// Whose wishes count, and where they stand.
pub(super) struct Optout<'a> {
    pub(super) robots: &'a [String],
    pub(super) agents: Agents,
    pub(super) agents_file: &'a Path,
}

/// What was found in archives of robots.txt. Documented in docs/json.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct RobotsFound {
    /// Hosts with a robots.txt that is known.
    hosts: u64,
    /// Those of them that forbid something to one of the agents.
    forbidding: u64,
    /// Rules that were made, and older ones that end with the version before.
    rules_made: u64,
    rules_ended: u64,
}

impl RobotsFound {
    /// Its lines in a summary.
    pub(super) fn lines(&self) -> [(String, String); 2] {
        let [made, ended] = [self.rules_made, self.rules_ended].map(grouped);
        let (hosts, forbidding) = (counted(self.hosts, "host"), grouped(self.forbidding));
        [
            (
                "robots.txt".to_owned(),
                format!("of {hosts}, {forbidding} of which forbid something to the agents"),
            ),
            (
                "rules".to_owned(),
                format!("{made} made, {ended} ended for later archives"),
            ),
        ]
    }

    /// Why there is nothing to do.
    fn nothing(&self, is_large: bool) -> String {
        let hosts = counted(self.hosts, "host");
        match self.forbidding {
            0 => format!("the robots.txt of {hosts} forbid nothing to these agents"),
            _ if is_large => {
                format!(
                    "the rules of the corpus leave out all of its pages that the robots.txt of {hosts} forbid"
                )
            }
            _ => format!("the corpus has the rules of {hosts} already"),
        }
    }
}

impl Optout<'_> {
    /// What is asked for, in words.
    pub(super) fn words(&self) -> Vec<String> {
        let robots = self.robots.iter().map(|input| format!("--robots {input}"));
        let agents = format!("--agents {}", self.agents_file.display());
        robots.chain([agents]).collect()
    }

    pub(super) fn decide(
        &self,
        asked: &Asked<'_>,
        changed: &Changed,
        mut decided: Decided,
        session: &Session<'_>,
    ) -> Decision {
        let shards = found(self.robots, asked, changed, session)?.shards;
        let workers = crate::build::workers(&changed.build).map_err(Failure::of_option)?;
        let newest = robots::newest(&shards, &changed.store, &self.agents, workers, session)?;
        if newest.is_empty() {
            return Err(Failure::of_inputs(anyhow!(
                "{} had no answer for the robots.txt of a host: give archives with the responses for /robots.txt, which many \
                 crawlers write to files of their own",
                counted(shards.len() as u64, "archive")
            )));
        }
        let is_large = newest.len() > MAX_HOSTS;
        let mut wishes = Wishes::new(&decided.rules);
        wishes.take(newest, &self.agents);
        wishes.warn(session);
        let Wishes {
            made, ended, found, ..
        } = wishes;
        let first = decided.rules.len();
        let version = changed.marker.version;
        for place in &ended {
            decided.rules[*place].until = Some(version);
        }
        add_rules(&mut decided, made, changed);
        if is_large {
            let left_out = changed.outline(asked, &decided)?.left_out;
            let made = decided.rules.split_off(first);
            let replaced = hosts_of(&decided.rules, &ended);
            let made = needed(made, |rule, host| {
                left_out.contains_key(&rule.id) || replaced.contains(host)
            });
            add_rules(&mut decided, made, changed);
        }
        let found = RobotsFound {
            rules_made: (decided.rules.len() - first) as u64,
            rules_ended: ended.len() as u64,
            ..found
        };
        decided.robots = Some(found);
        match found.rules_made + found.rules_ended {
            0 => Ok(Err(found.nothing(is_large))),
            _ => Ok(Ok(decided)),
        }
    }
}

/// What hosts wish, beside the rules that the corpus has.
struct Wishes<'r> {
    rules: &'r [Rule],
    /// The places of the rules of a robots.txt, by host.
    known: BTreeMap<&'r str, Vec<usize>>,
    made: Vec<RobotsMatcher>,
    /// The places of rules that end.
    ended: Vec<usize>,
    found: RobotsFound,
    /// Hosts whose names no rule can have.
    odd: Vec<String>,
}

impl<'r> Wishes<'r> {
    fn new(rules: &'r [Rule]) -> Wishes<'r> {
        let mut known: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, rule) in rules.iter().enumerate() {
            if let Matcher::Robots(robots) = &rule.matcher {
                known.entry(&robots.host).or_default().push(place);
            }
        }
        Wishes {
            rules,
            known,
            made: Vec::new(),
            ended: Vec::new(),
            found: RobotsFound::default(),
            odd: Vec::new(),
        }
    }

    fn take(&mut self, newest: NewestRobots, agents: &Agents) {
        self.found.hosts = newest.len() as u64;
        for (host, record) in newest.into_hosts() {
            let forbids = record.body.is_some();
            self.found.forbidding += u64::from(forbids);
            match RobotsMatcher::new(&host, agents, record) {
                Ok(matcher) => self.take_host(matcher, forbids),
                Err(_) => self.odd.push(host),
            }
        }
    }

    /// Takes the newest robots.txt of a host. Rules of older ones end where all of their agents are asked for again.
    fn take_host(&mut self, matcher: RobotsMatcher, forbids: bool) {
        let known: Vec<_> = self.known_of(&matcher).collect();
        let open = || {
            known
                .iter()
                .filter(|(place, _)| self.rules[*place].until.is_none())
        };
        let has_agents = |robots: &RobotsMatcher| robots.agents == matcher.agents;
        let is_new = |robots: &RobotsMatcher| order(robots) >= order(&matcher);
        let is_known = known
            .iter()
            .any(|(_, robots)| has_agents(robots) && is_new(robots))
            || open().any(|(_, robots)| has_agents(robots) && robots.body == matcher.body);
        if is_known {
            return;
        }
        let older = open().filter(|(_, robots)| order(robots) <= order(&matcher));
        let older: Vec<usize> = older.map(|(place, _)| *place).collect();
        self.ended.extend(older);
        if forbids {
            self.made.push(matcher);
        }
    }

    /// The rules of the host of a robots.txt for some of its agents.
    fn known_of(&self, matcher: &RobotsMatcher) -> impl Iterator<Item = (usize, &'r RobotsMatcher)> {
        let places = self.known.get(&*matcher.host).into_iter().flatten();
        let rules = self.rules;
        places.filter_map(move |&place| match &rules[place].matcher {
            Matcher::Robots(robots) => {
                let is_some = robots.agents.iter().all(|agent| matcher.agents.contains(agent));
                is_some.then_some((place, robots))
            }
            Matcher::Names(_) => None,
        })
    }

    fn warn(&self, session: &Session<'_>) {
        if let Some(first) = self.odd.first() {
            let hosts = counted(self.odd.len() as u64, "host");
            (session.say)(&format!(
                "warning: skipped {hosts} with a name that no rule can have, such as '{first}'"
            ));
        }
    }
}

/// Adds a rule for each robots.txt.
fn add_rules(decided: &mut Decided, made: Vec<RobotsMatcher>, changed: &Changed) {
    decided.ranges = Some(made.iter().map(RobotsMatcher::range).collect());
    let numbers = next_number(changed)..;
    let rules = made.into_iter().zip(numbers).map(|(matcher, number)| Rule {
        id: Rule::id(number),
        kind: RuleKind::Optout,
        matcher: Matcher::Robots(matcher),
        since: changed.marker.version + 1,
        until: None,
        reason: REASON.to_owned(),
        source: None,
    });
    decided.rules.extend(rules);
}

/// Of new rules those that are needed, without their numbers.
fn needed(rules: Vec<Rule>, is_needed: impl Fn(&Rule, &str) -> bool) -> Vec<RobotsMatcher> {
    let robots = rules.into_iter().filter_map(|rule| match &rule.matcher {
        Matcher::Robots(robots) if is_needed(&rule, &robots.host) => Some(robots.clone()),
        _ => None,
    });
    robots.collect()
}

/// The hosts of some rules, by their places.
fn hosts_of<'r>(rules: &'r [Rule], places: &[usize]) -> HashSet<&'r str> {
    let hosts = places.iter().filter_map(|&place| match &rules[place].matcher {
        Matcher::Robots(robots) => Some(&*robots.host),
        Matcher::Names(_) => None,
    });
    hosts.collect()
}

/// Those of a host come one after the other by this: time, then record id.
fn order(robots: &RobotsMatcher) -> (Option<i64>, &str) {
    (robots.time, &robots.record_id)
}

#[cfg(test)]
mod tests;
