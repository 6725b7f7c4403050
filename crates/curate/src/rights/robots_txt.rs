//! What a robots.txt states about rights: what listed crawlers may fetch, Content-Signal, Content-Usage and licences.

use robotxt::{Agent, Robots};
use url::{Position, Url};

use super::row::{FoundIn, Permission, RightsRow, RightsSignal, shortened};
use super::usage;
use crate::Agents;
use crate::robots::prepared;

use Permission::{Forbidden, Unknown};

/// Maximum lines about uses and licences that are kept.
const STATEMENTS: usize = 200;
/// Maximum agents of one line that are named.
const NAMED: usize = 50;

/// A robots.txt.
#[derive(Clone, Debug)]
pub(super) struct RobotsTxt {
    pub(super) groups: Groups,
    statements: Vec<Statement>,
}

/// The rules of a file for the crawlers of a list: of those with a group of their own, and of all others.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    named: Vec<(Vec<String>, Robots)>,
    others: Robots,
    /// Whether one of the list is among the others.
    has_listed_others: bool,
}

/// What decides for some crawlers whether they may fetch a page.
pub(super) struct Rule<'g> {
    pub(super) agents: String,
    /// Whether it is for all that have no rules of their own.
    pub(super) is_for_others: bool,
    /// Whether it is for one of the list.
    pub(super) is_for_listed: bool,
    pub(super) robots: &'g Robots,
}

/// A line about uses or licences, with the agents of its group.
#[derive(Clone, Debug)]
struct Statement {
    agents: Vec<String>,
    /// The same number for the same agents.
    group: usize,
    kind: Kind,
    value: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Kind {
    Signal,
    /// With the path that it is for.
    Usage(Robots),
    License,
}

impl Groups {
    /// Reads a file in the format of robots.txt.
    pub(super) fn parse(lines: &[u8], agents: &Agents) -> Groups {
        let low = lines.to_ascii_lowercase();
        let others = Robots::parse(lines, Agent::Exact("*"));
        let mut named: Vec<(Vec<String>, Robots)> = Vec::new();
        let mut has_listed_others = false;
        for name in agents.names() {
            // Most names are in few files.
            let is_named = contains(&low, name.to_ascii_lowercase().as_bytes());
            let robots = is_named.then(|| Robots::parse(lines, Agent::Exact(name)));
            let Some(robots) = robots.filter(|robots| robots.user_agent() != "*") else {
                has_listed_others = true;
                continue;
            };
            match named
                .iter_mut()
                .find(|(_, known)| known.rules() == robots.rules())
            {
                Some((names, _)) => names.push(name.clone()),
                None => named.push((vec![name.clone()], robots)),
            }
        }
        Groups {
            named,
            others,
            has_listed_others,
        }
    }

    /// The rules of each.
    pub(super) fn rules(&self) -> impl Iterator<Item = Rule<'_>> {
        let named = self.named.iter().map(|(agents, robots)| Rule {
            agents: agents.join(", "),
            is_for_others: false,
            is_for_listed: true,
            robots,
        });
        let others = Rule {
            agents: "*".to_owned(),
            is_for_others: true,
            is_for_listed: self.has_listed_others,
            robots: &self.others,
        };
        named.chain([others])
    }
}

impl Rule<'_> {
    /// What it means that these may not fetch.
    fn forbidden(&self) -> (Permission, Permission) {
        let forbidden_if = |is_addressed| if is_addressed { Forbidden } else { Unknown };
        (forbidden_if(self.is_for_others), forbidden_if(self.is_for_listed))
    }

    /// The value of the site's row: whether they may fetch all, nothing, or some of it.
    pub(super) fn extent(&self) -> &'static str {
        match self.robots.always() {
            Some(true) => "allow",
            Some(false) => "disallow",
            None => "some",
        }
    }
}

impl RobotsTxt {
    /// Reads a file. Lines that are none of a robots.txt are skipped.
    pub(super) fn parse(body: &[u8], agents: &Agents) -> RobotsTxt {
        let lines = prepared(body);
        RobotsTxt {
            groups: Groups::parse(&lines, agents),
            statements: statements(&lines),
        }
    }

    /// The rows of the site.
    pub(super) fn rows(&self, agents: &Agents, base: Option<&Url>) -> Vec<RightsRow> {
        let of_rules = self.groups.rules().map(|rule| {
            let extent = rule.extent();
            let row = RightsRow::new(RightsSignal::RobotsTxt, extent, "", FoundIn::RobotsTxt);
            let meaning = if extent == "disallow" {
                rule.forbidden()
            } else {
                (Unknown, Unknown)
            };
            RightsRow {
                agents: rule.agents,
                ..row.meaning(meaning)
            }
        });
        let of_lines = self
            .statements
            .iter()
            .flat_map(|statement| statement.rows(agents, base));
        of_rules.chain(of_lines).collect()
    }

    /// The rows of a page: the rules that forbid to fetch it, and the lines that are for it. That a page may be fetched
    /// allows no use of it (RFC 9309, section 1).
    pub(super) fn rows_of(&self, url: &Url, agents: &Agents) -> Vec<RightsRow> {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let forbidding = self
            .groups
            .rules()
            .filter(|rule| !rule.robots.is_url_allowed(url));
        let of_rules = forbidding.map(|rule| {
            let pattern = rule.robots.matching_rule(path).map_or("/", |rule| rule.pattern());
            let stated = format!("Disallow: {}", shortened(pattern));
            let row = RightsRow::new(RightsSignal::RobotsTxt, "disallow", &stated, FoundIn::RobotsTxt);
            let row = row.meaning(rule.forbidden());
            RightsRow {
                agents: rule.agents,
                ..row
            }
        });
        let own = self.lines_for(path, agents).into_iter();
        let of_lines = own.flat_map(|statement| statement.rows(agents, Some(url)));
        of_rules.chain(of_lines).collect()
    }

    /// The lines for a path: of the usage preferences of a group those with the longest path that matches
    /// (draft-ietf-aipref-attach, "Content-Usage Rule Semantics").
    fn lines_for(&self, path: &str, agents: &Agents) -> Vec<&Statement> {
        let is_addressed = |agent: &String| agent == "*" || is_listed(agent, agents);
        let own = self
            .statements
            .iter()
            .filter(|statement| statement.agents.iter().any(is_addressed));
        let own = own.filter_map(|statement| Some((statement.length(path)?, statement)));
        let own: Vec<(usize, &Statement)> = own.collect();
        let mut longest = vec![0; self.statements.len()];
        for (length, statement) in &own {
            longest[statement.group] = longest[statement.group].max(*length);
        }
        let is_usage = |statement: &Statement| matches!(statement.kind, Kind::Usage(_));
        let counting = own.into_iter();
        let counting = counting.filter(|(length, own)| !is_usage(own) || longest[own.group] == *length);
        counting.map(|(_, statement)| statement).collect()
    }
}

impl Statement {
    /// The length of the path that it is for, if it is for a path.
    fn length(&self, path: &str) -> Option<usize> {
        match &self.kind {
            Kind::Usage(matcher) => matcher.matching_rule(path).map(|rule| rule.pattern().len()),
            _ => Some(0),
        }
    }

    fn rows(&self, agents: &Agents, base: Option<&Url>) -> Vec<RightsRow> {
        let rows = match &self.kind {
            Kind::Signal => usage::content_signal(&self.value, FoundIn::RobotsTxt),
            Kind::Usage(_) => {
                let stated = String::from_utf8_lossy(&self.value).trim().to_owned();
                let rows = usage::content_usage(preference(&self.value), FoundIn::RobotsTxt).into_iter();
                rows.map(|row| RightsRow {
                    stated: shortened(&stated).to_owned(),
                    ..row
                })
                .collect()
            }
            Kind::License => {
                let target = String::from_utf8_lossy(&self.value);
                vec![super::licence_row(
                    target.trim(),
                    "application/rsl+xml",
                    FoundIn::RobotsTxt,
                    base,
                )]
            }
        };
        rows.into_iter().map(|row| self.addressed(row, agents)).collect()
    }

    /// A row for the agents of the group: with a meaning only if it is for all or for one of the list.
    fn addressed(&self, row: RightsRow, agents: &Agents) -> RightsRow {
        if self.agents.iter().any(|agent| agent == "*") {
            return row;
        }
        let is_listed = self.agents.iter().any(|agent| is_listed(agent, agents));
        let meaning = if is_listed {
            (row.index, row.train)
        } else {
            (Unknown, Unknown)
        };
        RightsRow {
            agents: shortened(&self.agents.join(", ")).to_owned(),
            ..row.meaning(meaning)
        }
    }
}

fn is_listed(agent: &str, agents: &Agents) -> bool {
    agents.names().iter().any(|name| name.eq_ignore_ascii_case(agent))
}

/// The lines about uses and licences. Those before the first group are for all crawlers.
fn statements(lines: &[u8]) -> Vec<Statement> {
    let (mut group, mut is_open) = (Vec::new(), false);
    let mut statements = Vec::new();
    for line in lines.split(|&byte| byte == b'\n') {
        let Some((key, value)) = field(line) else {
            continue;
        };
        let kind = match key.as_str() {
            "user-agent" => {
                if !std::mem::replace(&mut is_open, true) {
                    group.clear();
                }
                if group.len() < NAMED {
                    group.push(String::from_utf8_lossy(value).into_owned());
                }
                continue;
            }
            "content-signal" => Some(Kind::Signal),
            "content-usage" => Some(Kind::Usage(pattern(&path_of_usage(value)))),
            "license" => Some(Kind::License),
            "allow" | "disallow" => None,
            _ => continue,
        };
        is_open = false;
        let Some(kind) = kind.filter(|_| !value.is_empty() && statements.len() < STATEMENTS) else {
            continue;
        };
        let agents = if group.is_empty() {
            vec!["*".to_owned()]
        } else {
            group.clone()
        };
        let known = statements
            .iter()
            .find(|other: &&Statement| other.agents == agents);
        statements.push(Statement {
            group: known.map_or(statements.len(), |known| known.group),
            agents,
            kind,
            value: value.to_owned(),
        });
    }
    statements
}

/// The key of a line in lower case, and its value, without a comment.
fn field(line: &[u8]) -> Option<(String, &[u8])> {
    let line = line.split(|&byte| byte == b'#').next()?;
    let colon = line.iter().position(|&byte| byte == b':')?;
    let key = line[..colon].trim_ascii();
    let is_key = key.len() <= "content-signal".len();
    is_key.then(|| {
        (
            String::from_utf8_lossy(key).to_ascii_lowercase(),
            line[colon + 1..].trim_ascii(),
        )
    })
}

/// The path of a usage preference: it begins the value with a slash. Without one it is for all paths, as in early drafts.
fn path_of_usage(value: &[u8]) -> String {
    let first = value.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    match first.starts_with(b"/") || first.starts_with(b"*") {
        true => String::from_utf8_lossy(first).into_owned(),
        false => "/".to_owned(),
    }
}

/// The usage preference without its path.
fn preference(value: &[u8]) -> &[u8] {
    if !value.starts_with(b"/") && !value.starts_with(b"*") {
        return value;
    }
    let end = value.iter().position(u8::is_ascii_whitespace);
    end.map_or(b"", |end| value[end..].trim_ascii())
}

/// What matches the paths of a pattern (RFC 9309, section 2.2.2), as a rule that allows them.
pub(super) fn pattern(path: &str) -> Robots {
    let path = shortened(path).replace('#', "%23");
    let path = path
        .split(|letter: char| letter.is_control())
        .next()
        .unwrap_or_default();
    Robots::parse(
        format!("user-agent: *\nallow: {path}\n").as_bytes(),
        Agent::Exact("*"),
    )
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(text, word).is_some()
}
