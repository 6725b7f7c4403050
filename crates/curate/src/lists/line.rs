//! The lines of a list.

use std::net::IpAddr;

use gleaner_domain::has_known_suffix;
use url::{Host, Url};

/// What a line is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A domain and what is below it.
    Domain(String),
    /// A host alone.
    Host(String),
    /// What URLs of a host begin with, behind the host.
    Path(String, String),
}

/// Names of the machine itself that hosts files have.
const OWN_NAMES: [&str; 4] = ["localhost", "localhost.localdomain", "local", "broadcasthost"];

/// The entries of a line. None if it is no line of a list.
pub(super) fn entries(line: &str) -> Option<Vec<Entry>> {
    let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
    let Some(first) = words.next() else {
        return Some(Vec::new());
    };
    let address = first.parse::<IpAddr>();
    let mut others = words.peekable();
    match (address, others.peek()) {
        (Ok(_), Some(_)) => others
            .filter(|name| !is_own(name))
            .map(|name| host(name).map(Entry::Host))
            .collect(),
        (Ok(address), None) => Some(vec![Entry::Host(host_of(address))]),
        (Err(_), None) => entry(first).map(|entry| vec![entry]),
        (Err(_), Some(_)) => None,
    }
}

/// Hosts files give names to the machine itself and its networks.
fn is_own(name: &str) -> bool {
    OWN_NAMES.contains(&name) || name.starts_with("ip6-") || name.parse::<IpAddr>().is_ok()
}

fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn entry(word: &str) -> Option<Entry> {
    if !word.contains('/') {
        let word = word.strip_prefix("*.").or(word.strip_prefix('.')).unwrap_or(word);
        return host(word).map(Entry::Domain);
    }
    let url = match word.split_once("://") {
        Some(_) => Url::parse(word),
        None => Url::parse(&format!("http://{word}")),
    };
    let url = url
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https" | "ftp"))?;
    let host = host(url.host_str()?)?;
    let path = path_of(&url);
    // A host with `/` alone is all of the host.
    Some(if path == "/" {
        Entry::Domain(host)
    } else {
        Entry::Path(host, path.to_owned())
    })
}

/// A host in the form that URLs have: small letters, Punycode. None if it is no host. A name without a dot is one only if it is a
/// top-level domain, of which lists of UT1 have some (`adult`).
fn host(word: &str) -> Option<String> {
    let word = word.strip_suffix('.').unwrap_or(word);
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'_');
    let host = match word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => match Host::parse(word).ok()? {
            Host::Domain(domain) => domain,
            address => address.to_string(),
        },
    };
    let is_label = |label: &str| (1..=63).contains(&label.len()) && !label.starts_with('-');
    let is_top_level = || has_known_suffix(host.as_bytes());
    let is_named = host.split('.').all(is_label) && (host.contains('.') || is_top_level());
    let is_whole = host.starts_with('[') || is_named;
    is_whole.then_some(host)
}

/// What is behind the host of a URL, without a fragment.
pub(super) fn path_of(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}
