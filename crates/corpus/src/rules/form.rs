//! A SURT in the parts that rules compare.

/// The longest chain of labels, and the most prefixes of a URL, that are compared: the shortest ones.
pub(super) const MAX_PARTS: usize = 64;

/// The parts of a SURT. Joined without `scheme`, they are the name of the URL in rules: `http` and `https` are not
/// distinguished: what is asked to go has to go under both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form<'a> {
    /// The labels of the host, the last first; empty where the URL has no host.
    pub(super) host: &'a str,
    /// All before the scheme, if that is `http` or `https`; else all before the path, the scheme included.
    pub(super) head: &'a str,
    /// `http` or `https`; empty for others.
    pub(super) scheme: &'a str,
    /// The rest: an authority if it is odd, path and query.
    pub(super) tail: &'a str,
}

impl<'a> Form<'a> {
    pub(super) fn of(surt: &'a str) -> Form<'a> {
        let host = surt.split(')').next().unwrap_or_default();
        let begin = (host.len() + 1).min(surt.len());
        let rest = &surt[begin..];
        if let Some(tail) = rest.strip_prefix(')') {
            return Form {
                host,
                head: &surt[..=begin],
                scheme: "",
                tail,
            };
        }
        let scheme_at = begin + rest.find(':').map_or(rest.len(), |port| port + 1);
        let rest = &surt[scheme_at..];
        let end = rest.find([':', '/', '?', '#']).unwrap_or(rest.len());
        let (scheme, tail) = rest.split_at(end);
        match scheme {
            "http" | "https" => Form {
                host,
                head: &surt[..scheme_at],
                scheme,
                tail,
            },
            _ => Form {
                host,
                head: &surt[..scheme_at + end],
                scheme: "",
                tail,
            },
        }
    }

    /// Whether the URL has no authority, such as `urn:uuid:1`.
    pub(super) fn is_opaque(&self) -> bool {
        self.head == "))"
    }

    /// Path and query.
    pub(super) fn path(&self) -> &'a str {
        &self.tail[self.tail.find(['/', '?']).unwrap_or(self.tail.len())..]
    }

    /// The name in rules.
    pub(super) fn name(&self) -> String {
        [self.head, self.tail].concat()
    }

    /// The SURTs of the name.
    pub(super) fn surts(&self) -> Vec<String> {
        let schemes: &[&str] = match self.scheme {
            "" => &[""],
            _ => &["http", "https"],
        };
        let surt = |scheme: &&str| [self.head, scheme, self.tail].concat();
        schemes.iter().map(surt).collect()
    }

    /// The pieces of the host, each with the separator before it: joined up to any of them, they are the host or a domain
    /// above it.
    pub(super) fn labels(&self) -> impl Iterator<Item = &'a str> {
        pieces(self.host, |byte| byte == b',', 0)
    }

    /// The pieces of the tail: joined up to any of them, they are a prefix that rules can name.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = &'a str> {
        pieces(self.tail, is_prefix_end, 1).filter(|piece| piece.bytes().last().is_some_and(is_prefix_end))
    }
}

/// Whether a prefix of a URL may end with this byte.
pub(super) fn is_prefix_end(byte: u8) -> bool {
    matches!(byte, b'/' | b'?')
}

/// The first pieces of a text, which is cut at each mark: before it, or `behind` it.
fn pieces(text: &str, is_mark: impl Fn(u8) -> bool, behind: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let next = move || {
        let from = 1 - behind;
        let mark = rest.bytes().skip(from).position(&is_mark);
        let (piece, others) = rest.split_at(mark.map_or(rest.len(), |mark| mark + from + behind));
        rest = others;
        (!piece.is_empty()).then_some(piece)
    };
    std::iter::from_fn(next).take(MAX_PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surt;

    #[test]
    fn surts_have_parts() {
        for (url, host, name, scheme) in [
            (
                "https://www.example.com/a?b",
                "com,example,www",
                "com,example,www):/a?b",
                "https",
            ),
            (
                "http://example.com:8080/",
                "com,example",
                "com,example)8080:/",
                "http",
            ),
            (
                "http://me@a.example/b",
                "example,a",
                "example,a)::me@a.example/b",
                "http",
            ),
            ("ftp://a.example/b", "example,a", "example,a):ftp/b", ""),
            ("http://[::1]/", "[::1]", "[::1]):/", "http"),
            ("file:///a", "", "):file:/a", ""),
            ("urn:uuid:1", "", "))urn:uuid:1", ""),
            ("", "", "))", ""),
        ] {
            let surt = surt(url);
            let form = Form::of(&surt);
            assert_eq!(
                (form.host, form.name().as_str(), form.scheme),
                (host, name, scheme),
                "{url}"
            );
            assert!(form.surts().contains(&surt));
        }
    }

    #[test]
    fn hosts_and_paths_have_prefixes() {
        let surt = surt("https://www.example.com/a//b?c/d");
        let form = Form::of(&surt);
        let labels: Vec<&str> = form.labels().collect();
        assert_eq!(labels, ["com", ",example", ",www"]);
        let prefixes: Vec<&str> = form.prefixes().collect();
        assert_eq!(prefixes, ["/", "a/", "/", "b?", "c/"]);
        let deep = format!("http://a.example/{}", "a/".repeat(100));
        assert_eq!(Form::of(&crate::surt(&deep)).prefixes().count(), MAX_PARTS);
        for odd in ["", ")", "))", "a", "a)", "a):", ",", ",,)", "é)é:é/é"] {
            let form = Form::of(odd);
            assert_eq!([form.head, form.scheme, form.tail].concat(), odd);
            assert_eq!(form.labels().collect::<String>(), form.host);
        }
    }
}
