//! Registrable domains of hosts, by the [public suffix list](https://publicsuffix.org).
//!
//! In: a host in lower case. Out: the part of it that someone registered. The list is code, a match per label, which the compiler
//! would compile again in each crate that calls it: here it is compiled once.
//!
//! ```
//! assert_eq!(gleaner_domain::registrable("a.example.co.uk"), Some("example.co.uk"));
//! ```

use std::net::IpAddr;

/// The registrable domain of a host: a label and a public suffix. None of an address, and of a public suffix itself. A top-level domain
/// that is not on the list counts as a suffix.
#[must_use]
pub fn registrable(host: &str) -> Option<&str> {
    match host.parse::<IpAddr>() {
        Ok(_) => None,
        Err(_) => psl::domain_str(host),
    }
}

/// Whether a name ends in a public suffix of the list, or is one.
#[must_use]
pub fn has_known_suffix(name: &[u8]) -> bool {
    psl::suffix(name).is_some_and(|suffix| suffix.is_known())
}

/// Whether a name is a label or more before a public suffix of the list.
#[must_use]
pub fn is_below_known_suffix(name: &[u8]) -> bool {
    psl::domain(name).is_some_and(|domain| domain.suffix().is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registrable_domain_is_a_label_and_a_suffix() {
        for (host, domain) in [
            ("a.b.example.org", Some("example.org")),
            ("example.org", Some("example.org")),
            ("a.example.co.uk", Some("example.co.uk")),
            ("co.uk", None),
            ("a.host.nosuchdomain", Some("host.nosuchdomain")),
            ("127.0.0.1", None),
            ("::1", None),
            ("", None),
        ] {
            assert_eq!(registrable(host), domain, "{host}");
        }
    }

    #[test]
    fn suffixes_are_known_or_not() {
        for (name, has, is_below) in [
            ("example.co.uk", true, true),
            ("co.uk", true, false),
            ("adult", true, false),
            ("a.nosuchdomain", false, false),
        ] {
            assert_eq!(has_known_suffix(name.as_bytes()), has, "{name}");
            assert_eq!(is_below_known_suffix(name.as_bytes()), is_below, "{name}");
        }
    }
}
