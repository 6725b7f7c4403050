//! What the current version of a corpus is made from, as its log shows it: its crawls and its rules.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_corpus::{KeptKind, Marker};
use gleaner_store::Output;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff::lines;
use crate::terminal::console::{counted, grouped};

/// Rules that are shown in words.
const SHOWN: usize = 20;

/// What the current version is made from. Nothing is known of a corpus that keeps no state.
#[derive(Default)]
pub(super) struct Current {
    /// The archives of each crawl that has a name.
    pub(super) crawls: BTreeMap<String, u64>,
    pub(super) rules: Vec<RuleEntry>,
}

/// A rule, as JSON. Documented in docs/json.md.
#[derive(Clone, Serialize)]
pub(super) struct RuleEntry {
    id: String,
    kind: String,
    since: u64,
    until: Option<u64>,
    left_out: u64,
    reason: String,
    /// The host of a rule of robots.txt.
    host: Option<String>,
}

/// A line of the list of inputs.
#[derive(Deserialize)]
struct Line {
    crawl: Option<String>,
}

/// A line of the list of rules.
#[derive(Deserialize)]
struct RuleLine {
    id: String,
    kind: String,
    #[serde(default)]
    since: u64,
    until: Option<u64>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    matcher: Value,
}

impl Current {
    pub(super) fn read(output: &Output, marker: &Marker) -> Result<Current> {
        let Some(arguments) = &marker.arguments else {
            return Ok(Current::default());
        };
        let mut current = Current::default();
        for Line { crawl } in lines(output, KeptKind::Inputs, &arguments.inputs)? {
            if let Some(crawl) = crawl {
                *current.crawls.entry(crawl).or_default() += 1;
            }
        }
        let rules = lines(output, KeptKind::Rules, &arguments.rules)?.into_iter();
        current.rules = rules.map(|rule| RuleEntry::of(rule, marker)).collect();
        Ok(current)
    }

    /// The lines of its log.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if !self.crawls.is_empty() {
            let crawls = self.crawls.iter();
            let crawls =
                crawls.map(|(crawl, archives)| format!("{crawl} ({})", counted(*archives, "archive")));
            lines.push(("crawls", crawls.collect::<Vec<_>>().join(", ")));
        }
        let rules = self.rules.iter().take(SHOWN);
        lines.extend(rules.map(|rule| ("rule", rule.text())));
        if let Some(more @ 1..) = self.rules.len().checked_sub(SHOWN) {
            lines.push(("rule", format!("and {} more", grouped(more as u64))));
        }
        lines
    }
}

impl RuleEntry {
    fn of(rule: RuleLine, marker: &Marker) -> RuleEntry {
        let left_out = marker.summary.get("left_out");
        let left_out = left_out
            .and_then(|counts| counts.get(&rule.id))
            .and_then(Value::as_u64);
        RuleEntry {
            left_out: left_out.unwrap_or(0),
            kind: rule.kind,
            id: rule.id,
            since: rule.since,
            until: rule.until,
            reason: rule.reason,
            host: rule.matcher["robots"]["host"].as_str().map(dotted),
        }
    }

    fn text(&self) -> String {
        let RuleEntry { id, kind, reason, .. } = self;
        let archives = match self.until {
            Some(until) => format!(" archives up to version {until},"),
            None => " all archives,".to_owned(),
        };
        let left_out = counted(self.left_out, "capture");
        let host = self.host.as_ref().map(|host| format!(" of {host}"));
        let host = host.unwrap_or_default();
        format!("{id} {kind},{archives} leaves out {left_out}: {reason}{host}")
    }
}

/// A host whose labels are in reverse, as SURTs have it.
fn dotted(host: &str) -> String {
    let labels: Vec<&str> = host.split(',').rev().collect();
    labels.join(".")
}
