//! Public IP addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{PersonalKind, PersonalSpan, is_joined_after, is_joined_before};

/// Maximum bytes of an address of version 6.
const LONGEST: usize = 45;

/// Finds addresses of version 6: hexadecimal digits with two colons or more.
pub(super) fn find_v6(text: &str, spans: &mut Vec<PersonalSpan>) {
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || **byte == b':';
    let mut free = 0;
    for colon in memchr::memchr_iter(b':', bytes) {
        if colon < free {
            continue;
        }
        let before = bytes[free..colon]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        let start = colon - before;
        let end = colon + bytes[colon..].iter().take_while(is_part).count();
        // A colon behind an address is none of it.
        let end = if text[..end].ends_with("::") {
            end
        } else {
            start + text[start..end].trim_end_matches(':').len()
        };
        free = end.max(colon + 1);
        let is_whole = end > start && !is_joined_before(text, start) && !is_joined_after(text, end);
        if is_whole && end - start <= LONGEST && text[start..end].parse().is_ok_and(is_public_v6) {
            spans.push(PersonalSpan {
                start,
                end,
                kind: PersonalKind::IpAddress,
            });
        }
    }
}

/// Whether a text is a public address of version 4.
pub(super) fn is_v4(text: &str) -> bool {
    text.parse().is_ok_and(is_public_v4)
}

/// Addresses that the registry of special addresses of IANA has not.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = first == 0
        || first >= 240
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || (first == 100 && second & 0b1100_0000 == 64)
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && second & 0xfe == 18);
    !is_special
}

/// Global unicast addresses, without those for documentation.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_documentation = (first == 0x2001 && second == 0xdb8) || first == 0x3fff;
    first & 0xe000 == 0x2000 && !is_documentation
}
