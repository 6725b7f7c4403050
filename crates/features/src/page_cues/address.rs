//! Cues for the kind of a page in its address.

use super::level;
use super::words::{HOST_GROUPS, PATH_GROUPS, WordLists};

/// Gives each cue of an address.
pub(super) fn each(url: &str, take: &mut dyn FnMut(&str, u8)) {
    let flag = u8::from;
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.to_ascii_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let last = parts.last().copied().unwrap_or_default();
    let first_word = |part: &str| part.split(['.', '-', '_']).next().unwrap_or_default().to_owned();
    let lists = WordLists::get();
    let groups = parts.iter().fold(0, |all, part| {
        all | lists.path_groups(part) | lists.path_groups(&first_word(part))
    });
    for (group, name) in PATH_GROUPS.iter().enumerate() {
        take(name, flag(groups & 1 << group != 0));
    }
    let host = WordLists::get().host_groups(&host.to_ascii_lowercase());
    for (group, name) in HOST_GROUPS.iter().enumerate() {
        take(name, flag(host & 1 << group != 0));
    }
    let stem = last.split('.').next().unwrap_or_default();
    let is_index = last.is_empty() || stem == "index" || stem == "default";
    take("root", flag(parts.is_empty() || parts.len() == 1 && is_index));
    take("index", flag(path.ends_with('/') || is_index));
    take(
        "page-file",
        flag(last.ends_with(".html") || last.ends_with(".htm")),
    );
    take(
        "script-file",
        flag(
            [".php", ".asp", ".aspx", ".jsp"]
                .iter()
                .any(|end| last.ends_with(end)),
        ),
    );
    let is_short_number = |part: &&str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let days = parts
        .iter()
        .rev()
        .take_while(|part| is_short_number(part))
        .count();
    let is_of_days = parts.iter().rev().nth(days).is_some_and(|part| is_year(part));
    take(
        "year",
        flag(!is_of_days && parts.iter().any(|part| is_year(part))),
    );
    // A year alone may be any number.
    take("of-days", if is_of_days { 1 + days.min(2) as u8 } else { 0 });
    take("number", flag(last.bytes().any(|byte| byte.is_ascii_digit())));
    take("query", flag(!query.is_empty()));
    take("depth", (parts.len() as u8).min(super::MOST));
    take("hyphens", level(last.matches('-').count() as u32));
}

fn is_year(part: &str) -> bool {
    part.len() == 4
        && matches!(part.as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..])
        && part.bytes().all(|byte| byte.is_ascii_digit())
}
