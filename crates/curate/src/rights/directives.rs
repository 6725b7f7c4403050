//! Directives for robots, in `<meta name=robots>` and in the header `X-Robots-Tag`.
//!
//! They are those of Google's "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications", of Bing (`nocache`), and `noai`,
//! `noimageai` (DeviantArt) and `noml` (Mojeek). Directives that say nothing about indexing, copies or models are skipped:
//! `follow`, `nofollow`, `notranslate`, sizes of previews.

use super::row::{FoundIn, Permission, RightsRow, RightsSignal, shortened};
use crate::Agents;

use Permission::{Allowed, Forbidden, Unknown};

/// What a directive means for {index, train}. Of an archived copy or a snippet nothing follows for either: Microsoft alone
/// reads `noarchive` and `nocache` as being about training.
const DIRECTIVES: &[(&str, Permission, Permission)] = &[
    ("all", Allowed, Unknown),
    ("index", Allowed, Unknown),
    ("noindex", Forbidden, Unknown),
    ("none", Forbidden, Unknown),
    ("noai", Unknown, Forbidden),
    ("noml", Unknown, Forbidden),
    ("noimageai", Unknown, Unknown),
    ("noimageindex", Unknown, Unknown),
    ("noarchive", Unknown, Unknown),
    ("nocache", Unknown, Unknown),
    ("nosnippet", Unknown, Unknown),
];
/// Directives with a value behind a colon.
const WITH_VALUE: &[&str] = &[
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
    "unavailable_after",
];

/// Adds the rows of a list of directives for an agent: `*` for all. Within the list others may be named: `googlebot: noindex`.
pub(super) fn read(list: &str, agent: &str, found: FoundIn, agents: &Agents, rows: &mut Vec<RightsRow>) {
    let mut agent = agent.to_owned();
    let mut items = list.split([',', ';']).map(str::trim).peekable();
    while let Some(mut item) = items.next() {
        if let Some((name, rest)) = item.split_once(':') {
            let name = name.trim().to_ascii_lowercase();
            if WITH_VALUE.contains(&name.as_str()) {
                // A date may begin with the day of the week and a comma.
                let is_weekday = is_date(&name) && rest.trim().bytes().all(|byte| byte.is_ascii_alphabetic());
                let date = items
                    .next_if(|_| is_weekday)
                    .map(|date| format!("{}, {date}", rest.trim()));
                let rest = date.as_deref().unwrap_or(rest);
                rows.extend(with_value(&name, rest.trim(), found).map(|row| row.for_agent(&agent, agents)));
                continue;
            }
            if !is_agent(&name) {
                continue;
            }
            agent = name;
            item = rest.trim();
        }
        for word in item.split_ascii_whitespace() {
            let known = DIRECTIVES
                .iter()
                .find(|(name, ..)| name.eq_ignore_ascii_case(word));
            rows.extend(known.map(|&(name, index, train)| {
                let row = RightsRow::new(RightsSignal::Robots, name, word, found);
                row.meaning((index, train)).for_agent(&agent, agents)
            }));
        }
    }
}

fn is_date(name: &str) -> bool {
    name == "unavailable_after"
}

/// The row of a directive with a value, if it is about rights.
fn with_value(name: &str, value: &str, found: FoundIn) -> Option<RightsRow> {
    let is_kept = match name {
        "max-snippet" => value == "0",
        name if is_date(name) => !value.is_empty(),
        _ => false,
    };
    let row = || {
        let whole = format!("{name}:{value}");
        RightsRow::new(RightsSignal::Robots, shortened(&whole), &whole, found)
    };
    is_kept.then(row)
}

/// Whether a word may be the name of a crawler.
pub(super) fn is_agent(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_part)
}
