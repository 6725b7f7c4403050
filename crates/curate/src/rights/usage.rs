//! Preferences about uses: Content-Usage of the IETF's AIPREF, and Content-Signal.

use sfv::{Dictionary, ListEntry, Parser};

use super::row::{FoundIn, Permission, RightsRow, RightsSignal, shortened};

use Permission::{Allowed, Forbidden, Unknown};

/// Maximum preferences of one statement.
const PREFERENCES: usize = 20;

/// The rows of a usage preference such as `train-ai=n, search=y`: draft-ietf-aipref-vocab, "Exemplary Serialization Format", a
/// dictionary of RFC 9651 with the tokens `y` and `n`. If it is none, no preference is known. Other keys and values mean nothing.
///
/// `train-genai` and `bots` are of earlier drafts: the training of generative models, and any automated processing, which
/// the same statement may allow or forbid in part.
pub(super) fn content_usage(value: &[u8], found: FoundIn) -> Vec<RightsRow> {
    let Ok(dictionary) = Parser::new(value).parse::<Dictionary>() else {
        return Vec::new();
    };
    let stated = String::from_utf8_lossy(value);
    let row = |key: &str| {
        let permission = preference(&dictionary, key)?;
        let whole = format!("{key}={}", if permission == Allowed { "y" } else { "n" });
        let row = RightsRow::new(
            RightsSignal::ContentUsage,
            shortened(&whole),
            stated.trim(),
            found,
        );
        Some(row.meaning(meaning(&dictionary, key, permission)))
    };
    let keys = dictionary.keys().map(|key| key.as_str());
    keys.filter_map(row).take(PREFERENCES).collect()
}

/// The preference for a category of use.
fn preference(dictionary: &Dictionary, key: &str) -> Option<Permission> {
    let Some(ListEntry::Item(item)) = dictionary.get(key) else {
        return None;
    };
    match item.bare_item.as_token()?.as_str() {
        "y" => Some(Allowed),
        "n" => Some(Forbidden),
        _ => None,
    }
}

/// What a preference means for {index, train}.
fn meaning(dictionary: &Dictionary, key: &str, permission: Permission) -> (Permission, Permission) {
    let unless_stated = |names: &[&str]| {
        let mut stated = names.iter().filter_map(|name| preference(dictionary, name));
        stated.next().map_or(permission, |_| Unknown)
    };
    match key {
        "train-ai" | "train-genai" => (Unknown, permission),
        "search" => (permission, Unknown),
        "bots" => (
            unless_stated(&["search"]),
            unless_stated(&["train-ai", "train-genai"]),
        ),
        _ => (Unknown, Unknown),
    }
}

/// The rows of a content signal such as `search=yes, ai-train=no` (contentsignals.org): `yes` allows a use, `no` forbids it, and
/// what is not named is neither.
pub(super) fn content_signal(value: &[u8], found: FoundIn) -> Vec<RightsRow> {
    let stated = String::from_utf8_lossy(value);
    let row = |pair: &str| {
        let (key, value) = pair.split_once('=')?;
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        let permission = match value.as_str() {
            "yes" => Allowed,
            "no" => Forbidden,
            _ => Unknown,
        };
        let meaning = match key.as_str() {
            "search" => (permission, Unknown),
            "ai-train" => (Unknown, permission),
            _ => (Unknown, Unknown),
        };
        let is_key = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_pair = !key.is_empty() && !value.is_empty() && key.bytes().chain(value.bytes()).all(is_key);
        let whole = format!("{key}={value}");
        let row = || {
            RightsRow::new(
                RightsSignal::ContentSignal,
                shortened(&whole),
                stated.trim(),
                found,
            )
        };
        is_pair.then(|| row().meaning(meaning))
    };
    stated
        .split([',', ';'])
        .filter_map(row)
        .take(PREFERENCES)
        .collect()
}
