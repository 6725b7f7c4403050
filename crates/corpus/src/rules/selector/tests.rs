use proptest::prelude::*;

use super::*;

fn selector(kind: SelectorKind, text: &str) -> Selector {
    Selector::new(kind, text).unwrap()
}

fn error(kind: SelectorKind, text: &str) -> String {
    Selector::new(kind, text).unwrap_err().to_string()
}

#[test]
fn what_is_typed_has_one_name() {
    use SelectorKind::{Domain, Prefix, Record, Site, Text, Url};
    let digest = "0123456789abcdef".repeat(4);
    for (kind, texts, name) in [
        (
            Site,
            &["example.org", "EXAMPLE.org", "example.org.", " example.org "][..],
            "site:org,example",
        ),
        (Site, &["192.0.2.1"], "site:192.0.2.1"),
        (Site, &["::1", "[::1]", "[0:0::1]"], "site:[::1]"),
        (Domain, &["www.example.co.uk"], "domain:uk,co,example,www"),
        (
            Domain,
            &["例え.example", "xn--r8jz45g.example"],
            "domain:example,xn--r8jz45g",
        ),
        (
            Url,
            &[
                "http://a.example/b?c",
                "https://a.example:443/b?c#d",
                "HTTPS://A.example/./b?c",
            ],
            "url:example,a):/b?c",
        ),
        (Url, &["https://a.example:8080"], "url:example,a)8080:/"),
        (Url, &["file:///a b#c.html"], "url:):file:/a b#c.html"),
        (Url, &["urn:uuid:1"], "url:))urn:uuid:1"),
        (
            Prefix,
            &["http://a.example", "https://a.example/"],
            "prefix:example,a):/",
        ),
        (Prefix, &["https://a.example/b/c?"], "prefix:example,a):/b/c?"),
        (Prefix, &["file:///notes/"], "prefix:):file:/notes/"),
        (Record, &["<urn:uuid:1>", "urn:uuid:1"], "record:urn:uuid:1"),
        (Record, &["a b.warc.gz#120"], "record:a b.warc.gz#120"),
        (
            Text,
            &[&digest, &digest.to_uppercase()],
            &format!("text:{digest}"),
        ),
    ] {
        for text in texts {
            assert_eq!(selector(kind, text).name(), name, "{text}");
        }
    }
}

#[test]
fn what_is_no_selector_has_a_mend() {
    use SelectorKind::{Domain, Prefix, Record, Site, Text, Url};
    for (kind, text, expected) in [
        (
            Site,
            "https://a.example/",
            "'https://a.example/' is not the name of a host: write the host alone, such as example.org",
        ),
        (
            Url,
            "a.example/b",
            "'a.example/b' is not a URL: write it in full, such as https://example.org/page",
        ),
        (
            Prefix,
            "https://a.example/b/c",
            "the prefix 'https://a.example/b/c' does not end with '/' or '?': use 'https://a.example/b/', \
             'https://a.example/b/c/' or 'https://a.example/b/c?'",
        ),
        (
            Prefix,
            "https://a.example/b?c=d",
            "the prefix 'https://a.example/b?c=d' does not end with '/' or '?': use 'https://a.example/b?'",
        ),
        (
            Prefix,
            "foo://a.example",
            "the prefix 'foo://a.example' does not end with '/' or '?': use 'foo://a.example/' or 'foo://a.example?'",
        ),
        (
            Prefix,
            "https://a.example/b/#c/",
            "the prefix 'https://a.example/b/#c/' has a part behind '#', which no page in a corpus has: use \
             'https://a.example/b/'",
        ),
        (
            Prefix,
            "urn:a/",
            "'urn:a/' has no path, so nothing begins with it: name each URL",
        ),
        (
            Record,
            "<>",
            "'<>' is not a record id: write it as the column record_id has it, such as <urn:uuid:...>",
        ),
        (
            Text,
            "12",
            "'12' is not the digest of a text: it has 64 digits of 0-9 and a-f",
        ),
    ] {
        assert_eq!(error(kind, text), expected);
    }
    for text in [
        "",
        ".",
        "*.a.example",
        ".a.example",
        "a..b",
        "a.example:80",
        "me@a.example",
        "a b",
        "a!b",
    ] {
        assert!(
            matches!(Selector::new(Domain, text), Err(BadSelector::Host(_))),
            "{text}"
        );
    }
    for text in ["", "a", "a.example:80/b", "localhost:80/", "//a.example/"] {
        assert!(
            matches!(Selector::new(Url, text), Err(BadSelector::Url(_))),
            "{text}"
        );
    }
    for (kind, part, last) in [(Domain, "a.", "a"), (Prefix, "a/", "")] {
        let text = |parts: usize| match kind {
            Domain => format!("{}{last}", part.repeat(parts)),
            _ => format!("http://a.example/{}", part.repeat(parts)),
        };
        selector(kind, &text(MAX_PARTS - 1));
        let result = Selector::new(kind, &text(MAX_PARTS));
        assert!(matches!(result, Err(BadSelector::Deep(_))), "{result:?}");
    }
}

#[test]
fn lists_have_a_selector_a_line() {
    let list = "\u{feff}# what went\r\n\nexample.org # by letter\nhttps://a.example/#top\n  site\tb.example\nprefix https://c.example/d/\n";
    let names: Vec<String> = Selector::parse_list("list", list)
        .unwrap()
        .iter()
        .map(Selector::name)
        .collect();
    assert_eq!(
        names,
        [
            "domain:org,example",
            "url:example,a):/",
            "site:example,b",
            "prefix:example,c):/d/"
        ]
    );
    for (list, expected) in [
        (
            "a.example\nhost a.example",
            "line 2 of 'gone.txt': 'host' is not a kind of selector: use site, domain, prefix, url, record, text",
        ),
        (
            "a.example/b",
            "line 1 of 'gone.txt': 'a.example/b' is not the name of a host: write the host alone, such as example.org",
        ),
    ] {
        assert_eq!(
            Selector::parse_list("gone.txt", list).unwrap_err().to_string(),
            expected
        );
    }
}

#[test]
fn ranges_have_what_is_matched() {
    use SelectorKind::{Domain, Prefix, Record, Site, Text, Url};
    let in_ranges = |kind, text: &str, url: &str| {
        let ranges = selector(kind, text).ranges().unwrap();
        let surt = surt(url).into_bytes();
        let key = [&surt[..], b"\0\x80\xff"].concat();
        let has = |bytes: &[u8]| {
            ranges
                .iter()
                .any(|range| range.start.as_slice() <= bytes && bytes < range.end.as_slice())
        };
        assert_eq!(has(&surt), has(&key));
        has(&surt)
    };
    for (kind, text, inside, outside) in [
        (
            Site,
            "a.example",
            &["http://a.example:8/b", "ftp://me@a.example./"][..],
            &["http://b.a.example/", "http://a-b.example/"][..],
        ),
        (
            Domain,
            "a.example",
            &["http://a.example/", "https://c.b.a.example:8/"],
            &["http://aa.example/", "http://example/"],
        ),
        (
            Url,
            "http://a.example/b",
            &["https://a.example/b#c"],
            &["http://a.example/b/", "http://a.example/b?"],
        ),
        (
            Prefix,
            "http://a.example/b/",
            &["https://a.example/b/", "http://a.example/b/c"],
            &["http://a.example/b", "http://a.example:8/b/"],
        ),
    ] {
        assert!(inside.iter().all(|url| in_ranges(kind, text, url)), "{text}");
        assert!(!outside.iter().any(|url| in_ranges(kind, text, url)), "{text}");
    }
    assert_eq!(selector(Record, "a").ranges(), None);
    assert_eq!(selector(Text, &"0".repeat(64)).ranges(), None);
}

proptest! {
    #[test]
    fn no_text_is_a_panic(line in "(site|domain|prefix|url|record|text|)( |://|\\PC){0,30}") {
        if let Ok(Some(selector)) = Selector::parse_line(&line) {
            prop_assert!(selector.ranges().is_none_or(|ranges| ranges.iter().all(|range| range.start < range.end)));
        }
    }

    #[test]
    fn the_mend_of_a_prefix_is_a_prefix(path in "([/?#][a/?é#]{0,8})?", authority in "(https?|foo)://(me@)?a\\.example(:8)?") {
        let Err(error) = Selector::new(SelectorKind::Prefix, &format!("{authority}{path}")) else {
            return Ok(());
        };
        let message = error.to_string();
        let (_, mends) = message.rsplit_once(": use ").unwrap();
        for mend in mends.split('\'').skip(1).step_by(2) {
            // Behind `#` there may be another fault before it.
            let result = Selector::new(SelectorKind::Prefix, mend);
            prop_assert!(result.is_ok() || matches!(error, BadSelector::Fragment(..)), "{mend}");
        }
    }
}
