//! What is kept of a rule, and the file of the rules.

use std::collections::BTreeSet;
use std::ops::Range;

use gleaner_curate::{Agents, RobotsRecord};
use serde::{Deserialize, Serialize};

use super::name::{Digest, Digester, SelectorKind};
use super::selector::{BadSelector, Selector, site_range};
use crate::kept::kept_json;

/// What is left out of a corpus, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// `r1`, `r2` and so forth, in the order in which rules were made.
    pub id: String,
    /// What made it.
    pub kind: RuleKind,
    /// What it matches.
    pub matcher: Matcher,
    /// The version of the corpus that it made.
    pub since: u64,
    /// The last version with archives that it applies to. Rules without apply to all archives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// Why, in the words of the user.
    pub reason: String,
    /// Where the request or the signal stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What makes a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum RuleKind {
    /// `gleaner remove`: the archives that are in the corpus, as if they did not have the pages.
    Remove,
    /// `gleaner takedown`: all archives, those of later versions too.
    Takedown,
    /// `gleaner optout`: as a takedown, by the wish of a site.
    Optout,
}

/// Which captures a rule matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Matcher {
    /// Those that have one of these names.
    Names(Names),
    /// Those of a host whose robots.txt keeps them from one of some agents.
    Robots(RobotsMatcher),
}

/// What the robots.txt of a host forbids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotsMatcher {
    /// The host, as SURTs have it: `org,example`.
    pub host: String,
    /// The agents, sorted.
    pub agents: Vec<String>,
    /// The body: [`robots_text`](gleaner_curate::robots_text).
    pub body: String,
    /// The record that the body is from.
    pub record_id: String,
    /// When it was captured, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
}

/// The names of what a rule leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// Whether a digest stands in place of what a name names: `domain:6f2a…`. So a corpus does not keep the addresses that were
    /// taken down.
    pub hashed: bool,
    /// The names.
    pub names: BTreeSet<String>,
}

/// Why rules cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRules {
    /// A line is no rule.
    #[error("line {0} of the rules is damaged ({1}): restore the file from a copy of the corpus")]
    Line(usize, String),
    /// A rule has an id of another form.
    #[error("a rule has the id '{0}', and ids are r1, r2, ...: restore the rules from a copy of the corpus")]
    Id(String),
    /// Two rules have one id.
    #[error("two rules have the id '{0}': restore the rules from a copy of the corpus")]
    Twice(String),
    /// A rule has a name of another form.
    #[error(
        "the rule {0} has the name '{1}', which cannot be read: restore the rules from a copy of the corpus"
    )]
    Name(String, String),
}

impl RuleKind {
    /// Whether its rules keep digests in place of names.
    pub fn is_hashed(self) -> bool {
        self != RuleKind::Remove
    }
}

impl Matcher {
    /// Matches what selectors name, as rules of this kind keep it.
    pub fn names<'a>(kind: RuleKind, selectors: impl IntoIterator<Item = &'a Selector>) -> Matcher {
        Matcher::Names(Names::new(kind.is_hashed(), selectors))
    }
}

impl RobotsMatcher {
    /// Matches what the robots.txt of a host forbids to one of the agents.
    ///
    /// # Errors
    /// It is not the name of a host.
    pub fn new(host: &str, agents: &Agents, record: RobotsRecord) -> Result<RobotsMatcher, BadSelector> {
        Ok(RobotsMatcher {
            host: Selector::new(SelectorKind::Site, host)?.into_text(),
            agents: agents.names().to_vec(),
            body: record.body.unwrap_or_default(),
            record_id: record.record_id,
            time: record.time,
        })
    }

    /// The SURTs of the pages of the host, and their keys.
    pub fn range(&self) -> Range<Vec<u8>> {
        site_range(&self.host)
    }
}

impl Names {
    /// The names of selectors.
    pub fn new<'a>(hashed: bool, selectors: impl IntoIterator<Item = &'a Selector>) -> Names {
        let digester = Digester::default();
        let kept = |selector: &Selector| match hashed {
            true => hashed_name(&digester, selector),
            false => selector.name(),
        };
        Names {
            hashed,
            names: selectors.into_iter().map(kept).collect(),
        }
    }

    /// The kind and the digest of a name of these; `None` for what is no name.
    pub(super) fn digest(&self, digester: &Digester, name: &str) -> Option<(SelectorKind, Digest)> {
        let (word, text) = name.split_once(':')?;
        let kind: SelectorKind = word.parse().ok()?;
        let digest = match self.hashed {
            true => Digest::of_hex(text)?,
            false => digester.of(kind, text),
        };
        Some((kind, digest))
    }
}

fn hashed_name(digester: &Digester, selector: &Selector) -> String {
    let name = selector.name();
    let (word, text) = name.split_once(':').unwrap_or((&name, ""));
    format!("{word}:{}", digester.of(selector.kind(), text).hex())
}

impl Rule {
    /// The number of its id: 2 of `r2`.
    ///
    /// # Errors
    /// The id has another form.
    pub fn number(&self) -> Result<u64, BadRules> {
        let number = self.id.strip_prefix('r').and_then(|number| number.parse().ok());
        let number = number.filter(|number| Rule::id(*number) == self.id);
        number.ok_or_else(|| BadRules::Id(self.id.clone()))
    }

    /// The id of a number.
    pub fn id(number: u64) -> String {
        format!("r{number}")
    }

    /// Whether it applies to the archives that came in a version.
    pub fn applies_to(&self, since: u64) -> bool {
        self.until.is_none_or(|until| since <= until)
    }
}

/// Sorts rules by their ids, and gives them with the numbers of these.
pub(super) fn sorted(rules: Vec<Rule>) -> Result<Vec<(u64, Rule)>, BadRules> {
    let numbered = |rule: Rule| Ok((rule.number()?, rule));
    let mut rules = rules
        .into_iter()
        .map(numbered)
        .collect::<Result<Vec<_>, BadRules>>()?;
    rules.sort_by_key(|(number, _)| *number);
    let twice = rules.windows(2).find(|pair| pair[0].0 == pair[1].0);
    match twice {
        Some(pair) => Err(BadRules::Twice(pair[0].1.id.clone())),
        None => Ok(rules),
    }
}

/// The file of rules: a line of JSON a rule, in the order of ids. The same rules give the same bytes.
///
/// # Errors
/// Ids are of another form, or not different.
pub fn rules_file(rules: Vec<Rule>) -> Result<Vec<u8>, BadRules> {
    let rules = sorted(rules)?;
    Ok(rules.iter().flat_map(|(_, rule)| kept_json(rule)).collect())
}

/// Reads what [`rules_file`] wrote.
///
/// # Errors
/// A line is no rule.
pub fn read_rules(bytes: &[u8]) -> Result<Vec<Rule>, BadRules> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate();
    let rule = |(line, text)| {
        serde_json::from_slice(text).map_err(|error| BadRules::Line(line + 1, error.to_string()))
    };
    lines.map(rule).collect()
}

#[cfg(test)]
mod tests;
