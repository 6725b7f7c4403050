//! E-mail addresses: a name of ASCII characters, `@`, and a domain whose suffix is known.

use super::{PersonalKind, PersonalSpan};
use gleaner_domain::is_below_known_suffix;

/// Maximum bytes of the part before `@`, and of a domain.
const NAME: usize = 64;
const DOMAIN: usize = 253;

pub(super) fn find(text: &str, spans: &mut Vec<PersonalSpan>) {
    let bytes = text.as_bytes();
    let mut free = 0;
    for at in memchr::memchr_iter(b'@', bytes) {
        let name = name(&bytes[free..at]);
        let domain = domain(&bytes[at + 1..]);
        if let (1.., Some(domain)) = (name, domain) {
            free = at + 1 + domain;
            spans.push(PersonalSpan {
                start: at - name,
                end: free,
                kind: PersonalKind::Email,
            });
        }
    }
}

/// The length of the name that bytes end with; 0 if it is none. Dots are within it.
fn name(bytes: &[u8]) -> usize {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let length = bytes.iter().rev().take_while(is_name).count();
    let name = &bytes[bytes.len() - length..];
    let dots = name.iter().take_while(|byte| **byte == b'.').count();
    let name = &name[dots..];
    let is_whole = !name.ends_with(b".") && !name.windows(2).any(|pair| pair == b"..");
    if is_whole && name.len() <= NAME {
        name.len()
    } else {
        0
    }
}

/// The length of the domain that bytes begin with, if its suffix is known. A dot or hyphen at its end is not of it.
fn domain(bytes: &[u8]) -> Option<usize> {
    let is_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let mut length = bytes.iter().take(DOMAIN).take_while(is_domain).count();
    while length > 0 && b".-".contains(&bytes[length - 1]) {
        length -= 1;
    }
    let domain = bytes[..length].to_ascii_lowercase();
    let has_labels = domain
        .split(|byte| *byte == b'.')
        .all(|label| !label.is_empty() && !label.starts_with(b"-") && !label.ends_with(b"-"));
    (has_labels && is_below_known_suffix(&domain)).then_some(length)
}
