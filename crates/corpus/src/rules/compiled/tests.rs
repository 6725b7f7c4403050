use gleaner_curate::{Agents, RobotsRecord};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use url::Url;

use super::super::rule::RuleKind;
use super::super::selector::Selector;
use super::*;
use crate::key::surt;
use crate::rules::text_digest;

const TEXTS: [&str; 3] = ["one", "two", "three"];

/// A page of an archive.
#[derive(Clone, Debug)]
struct Page {
    url: String,
    record_id: String,
    text: &'static str,
}

/// A rule as it is typed.
#[derive(Clone, Debug)]
struct Typed {
    kind: RuleKind,
    until: Option<u64>,
    lines: Vec<(SelectorKind, String)>,
}

fn url() -> impl Strategy<Value = String> {
    "(http|https|ftp)://(me@)?(www\\.|a\\.b\\.|bad|)(example\\.org|example\\.co|org|10\\.0\\.0\\.1|\\[::1\\])\\.?(:80|:443|:8080|)\
     (/[ab]{0,2}){0,3}(\\?[ab/]{0,3})?(#a)?"
        .prop_filter("a URL", |url: &String| Url::parse(url).is_ok())
}

fn host() -> impl Strategy<Value = String> {
    "(www\\.|a\\.b\\.|b\\.|bad|)(example\\.org|org)|10\\.0\\.0\\.1|0\\.1|::1"
        .prop_filter("a host", |host: &String| host != "0.1")
}

fn line() -> impl Strategy<Value = (SelectorKind, String)> {
    let prefix = url().prop_map(|url| {
        let url = url.split('#').next().unwrap_or_default().to_owned();
        let end = url.rfind(['/', '?']).filter(|&end| end > "https://".len());
        end.map_or(url.clone(), |end| url[..=end].to_owned())
    });
    prop_oneof![
        host().prop_map(|host| (SelectorKind::Site, host)),
        host().prop_map(|host| (SelectorKind::Domain, host)),
        url().prop_map(|url| (SelectorKind::Url, url)),
        prefix.prop_map(|prefix| (SelectorKind::Prefix, prefix)),
        "<?urn:[ab]>?".prop_map(|id| (SelectorKind::Record, id)),
        select(&TEXTS[..]).prop_map(|text| (SelectorKind::Text, text_digest([text]))),
    ]
}

fn typed() -> impl Strategy<Value = Typed> {
    let kinds = vec![RuleKind::Remove, RuleKind::Takedown, RuleKind::Optout];
    (select(kinds), 1..4_u64, vec(line(), 0..4)).prop_map(|(kind, until, lines)| Typed {
        kind,
        until: (kind == RuleKind::Remove).then_some(until),
        lines,
    })
}

fn page() -> impl Strategy<Value = Page> {
    (url(), "<?urn:[abc]>?", select(&TEXTS[..])).prop_map(|(url, record_id, text)| Page {
        url,
        record_id,
        text,
    })
}

fn rule(index: usize, typed: &Typed) -> Rule {
    let selectors: Vec<Selector> = typed
        .lines
        .iter()
        .map(|(kind, text)| Selector::new(*kind, text).unwrap())
        .collect();
    Rule {
        id: Rule::id(index as u64 + 1),
        kind: typed.kind,
        matcher: Matcher::names(typed.kind, &selectors),
        since: 1,
        until: typed.until,
        reason: String::new(),
        source: None,
    }
}

/// Whether a selector names a page: slowly, by the parts of URLs.
fn names(kind: SelectorKind, text: &str, page: &Page) -> bool {
    let of_page = Url::parse(&page.url).unwrap();
    let host = of_page.host_str().unwrap().trim_end_matches('.');
    let named_host = text.trim_matches(['[', ']']);
    let bare = |text: &str| text.replace(['<', '>'], "");
    let authority = |url: &Url| {
        let port = url.port().map(|port| port.to_string()).unwrap_or_default();
        let scheme = url.scheme().replace("https", "http");
        format!("{scheme}|{}|{}|{port}", url.username(), url.host_str().unwrap())
    };
    let path = |url: &Url| {
        format!(
            "{}{}",
            url.path(),
            url.query().map(|query| format!("?{query}")).unwrap_or_default()
        )
    };
    match kind {
        SelectorKind::Site => host.trim_matches(['[', ']']) == named_host,
        SelectorKind::Domain => {
            let is_address = host.starts_with('[') || host == "10.0.0.1";
            host.trim_matches(['[', ']']) == named_host
                || (!is_address && host.ends_with(&format!(".{named_host}")))
        }
        SelectorKind::Url | SelectorKind::Prefix => {
            let named = Url::parse(text).unwrap();
            let fits = match kind {
                SelectorKind::Url => path(&of_page) == path(&named),
                _ => path(&of_page).starts_with(&path(&named)),
            };
            fits && authority(&of_page) == authority(&named)
        }
        SelectorKind::Record => bare(&page.record_id) == bare(text),
        SelectorKind::Text => text == text_digest([page.text]),
    }
}

/// The first rule that leaves out a page by its text, or by all else.
fn twin(rules: &[Typed], page: &Page, since: u64, by_text: bool) -> Option<usize> {
    let is_asked = |kind: SelectorKind| (kind == SelectorKind::Text) == by_text;
    rules.iter().position(|rule| {
        rule.until.is_none_or(|until| since <= until)
            && rule
                .lines
                .iter()
                .any(|(kind, text)| is_asked(*kind) && names(*kind, text, page))
    })
}

#[test]
fn a_domain_has_its_hosts_on_all_ports_and_schemes() {
    let rules = |kind, text: &str| {
        let lines = vec![(kind, text.to_owned())];
        let rule = rule(
            0,
            &Typed {
                kind: RuleKind::Takedown,
                until: None,
                lines,
            },
        );
        Rules::new(vec![rule]).unwrap().for_archive(9)
    };
    let has = |rules: &ArchiveRules, url: &str| {
        rules
            .leaves_out(&RuleCapture {
                url,
                surt: &surt(url),
                record_id: "",
                drawn_from: "",
            })
            .is_some()
    };
    let domain = rules(SelectorKind::Domain, "example.org");
    for url in [
        "http://example.org/",
        "https://www.example.org/a",
        "https://a.b.example.org:8080",
        "ftp://me@example.org./",
    ] {
        assert!(has(&domain, url), "{url}");
    }
    for url in [
        "http://badexample.org/",
        "http://example.org.example/",
        "http://org/",
        "file:///example.org/a",
        "urn:example.org",
    ] {
        assert!(!has(&domain, url), "{url}");
    }
    let address = rules(SelectorKind::Domain, "10.0.0.1");
    assert!(has(&address, "https://10.0.0.1:8/a") && !has(&address, "http://9.10.0.0.1.example/"));
    let file = rules(SelectorKind::Prefix, "file:///a/");
    assert!(has(&file, "file:///a/b.html") && !has(&file, "file:///b/a/"));
}

#[test]
fn rules_that_do_not_apply_cost_nothing() {
    let capture = RuleCapture {
        url: "http://a.example/",
        surt: "example,a):http/",
        record_id: "",
        drawn_from: "",
    };
    let none = Rules::default();
    assert!(none.is_empty() && none.for_archive(1).is_empty());
    assert_eq!(none.for_archive(1).leaves_out(&capture), None);
    let lines = vec![
        (SelectorKind::Text, text_digest(["a"])),
        (SelectorKind::Site, "a.example".to_owned()),
    ];
    let rules = Rules::new(vec![rule(
        0,
        &Typed {
            kind: RuleKind::Remove,
            until: Some(2),
            lines,
        },
    )])
    .unwrap();
    assert_eq!((rules.len(), rules.id(0), rules.id(1)), (1, Some("r1"), None));
    let (before, behind) = (rules.for_archive(2), rules.for_archive(3));
    assert!(before.needs_text() && before.needs_text_before(1) && !before.needs_text_before(0));
    assert_eq!(before.leaves_out(&capture), Some(0));
    assert!(behind.is_empty() && !behind.needs_text() && !behind.needs_text_before(1));
    assert_eq!(
        (
            behind.leaves_out(&capture),
            behind.leaves_out_text(&text_digest(["a"]))
        ),
        (None, None)
    );
}

#[test]
fn a_robots_txt_leaves_out_what_it_forbids_to_an_agent() {
    let agents = Agents::parse("", "agents = [\"ant\", \"bee\"]").unwrap();
    let record = RobotsRecord {
        time: Some(7),
        record_id: "<urn:1>".to_owned(),
        body: Some("user-agent: bee\ndisallow: /private/\n".to_owned()),
    };
    let matcher = RobotsMatcher::new("A.example", &agents, record).unwrap();
    assert_eq!(matcher.range(), b"example,a)".to_vec()..b"example,a*".to_vec());
    let robots = Rule {
        matcher: Matcher::Robots(matcher),
        ..rule(
            0,
            &Typed {
                kind: RuleKind::Optout,
                until: None,
                lines: Vec::new(),
            },
        )
    };
    let page = rule(
        1,
        &Typed {
            kind: RuleKind::Remove,
            until: None,
            lines: vec![
                (SelectorKind::Site, "a.example".to_owned()),
                (SelectorKind::Url, "http://b.example/private/".to_owned()),
            ],
        },
    );
    let expected = r#"{"robots":{"host":"example,a","agents":["ant","bee"],"body":"user-agent: bee\ndisallow: /private/\n","record_id":"<urn:1>","time":7}}"#;
    assert_eq!(serde_json::to_string(&robots.matcher).unwrap(), expected);
    let rules = Rules::new(vec![robots.clone(), page]).unwrap().for_archive(1);
    let only = Rules::new(vec![robots]).unwrap().for_archive(1);
    for (url, first, of_robots) in [
        ("https://a.example:8080/private/a", Some(0), Some(0)),
        ("https://a.example/public", Some(1), None),
        ("http://www.a.example/private/", None, None),
        ("http://b.example/private/", Some(1), None),
    ] {
        let surt = surt(url);
        let capture = RuleCapture {
            url,
            surt: &surt,
            record_id: "",
            drawn_from: "",
        };
        assert_eq!(
            (rules.leaves_out(&capture), only.leaves_out(&capture)),
            (first, of_robots),
            "{url}"
        );
    }
}

#[test]
fn names_of_another_form_are_refused() {
    for (hashed, name) in [
        (false, "a.example"),
        (false, "host:a"),
        (true, "site:org,example"),
        (true, "site:0"),
        (false, ""),
    ] {
        let names = Names {
            hashed,
            names: [name.to_owned()].into(),
        };
        let rule = Rule {
            matcher: Matcher::Names(names),
            ..rule(
                0,
                &Typed {
                    kind: RuleKind::Remove,
                    until: None,
                    lines: Vec::new(),
                },
            )
        };
        assert_eq!(
            Rules::new(vec![rule]).unwrap_err(),
            BadRules::Name("r1".to_owned(), name.to_owned())
        );
    }
}

proptest! {
    #[test]
    fn rules_leave_out_what_the_slow_way_does(typed in vec(typed(), 0..5), pages in vec(page(), 1..20), since in 1..5_u64) {
        // In another order than that of their ids.
        let list = typed.iter().enumerate().rev().map(|(index, typed)| rule(index, typed)).collect();
        let rules = Rules::new(list).unwrap().for_archive(since);
        for page in &pages {
            let surt = surt(&page.url);
            let capture = RuleCapture { url: &page.url, surt: &surt, record_id: &page.record_id, drawn_from: "" };
            prop_assert_eq!(rules.leaves_out(&capture), twin(&typed, page, since, false), "{:?}", page);
            let digest = text_digest([page.text]);
            prop_assert_eq!(rules.leaves_out_text(&digest), twin(&typed, page, since, true), "{:?}", page);
        }
    }

    #[test]
    fn what_is_left_out_by_url_is_in_a_range(typed in line(), page in page()) {
        let (kind, text) = typed;
        let selector = Selector::new(kind, &text).unwrap();
        let surt = surt(&page.url).into_bytes();
        if let Some(ranges) = selector.ranges() {
            let is_inside = ranges.iter().any(|range| range.contains(&surt));
            prop_assert_eq!(is_inside, names(kind, &text, &page));
        }
    }
}
