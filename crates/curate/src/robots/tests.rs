//! The cases that Google publishes for its parser, as facts about other hosts and paths; and those of RFC 9309. Where they
//! differ (a percent-encoded letter is that letter), the RFC counts.

use proptest::prelude::*;

use super::*;

/// A body, and who may fetch what: agent, path, and whether it is allowed.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str, bool)]);

/// Lines, names and groups.
const GROUPS: &[Case<'_>] = &[
    ("", &[("ant", "/", true)]),
    (
        "user-agent: ant\ndisallow: /",
        &[
            ("ant", "/", false),
            ("ant", "/a/b", false),
            ("bee", "/", true),
            ("", "/", true),
        ],
    ),
    // Names of lines in any case; without a colon, but not other names.
    (
        "USER-AGENT: ant\nALLOW: /in/\nDISALLOW: /",
        &[("ant", "/in/a", true), ("ant", "/out", false)],
    ),
    (
        "uSeR-aGeNt: ant\naLlOw: /in/\ndIsAlLoW: /",
        &[("ant", "/in/a", true), ("ant", "/out", false)],
    ),
    ("user-agent ant\ndisallow /", &[("ant", "/a", false)]),
    ("agent: ant\nforbid: /", &[("ant", "/a", true)]),
    (
        "  user-agent :\tant \n\tdisallow : /  # all",
        &[("ant", "/a", false)],
    ),
    // Frequent misspellings.
    ("useragent: ant\ndissallow: /", &[("ant", "/a", false)]),
    // Rules before a group do not count. Groups of one agent are joined, agents one below the other share rules.
    (
        "allow: /free/\n\nuser-agent: ant\ndisallow: /\nallow: /one/\nuser-agent: bee\ndisallow: /\nallow: /two/\n\n\nallow: /three/\n\
         user-agent: cat\n\nuser-agent: ant\nallow: /four/\ndisallow: /",
        &[
            ("ant", "/one/a", true),
            ("ant", "/four/a", true),
            ("ant", "/two/a", false),
            ("ant", "/free/", false),
            ("bee", "/two/a", true),
            ("bee", "/three/a", true),
            ("bee", "/four/a", false),
            ("bee", "/free/", false),
            ("cat", "/four/a", true),
            ("cat", "/free/", false),
            ("dog", "/one/a", true),
        ],
    ),
    // Lines of other kinds do not end a list of agents.
    (
        "user-agent: ant\nsitemap: https://a.example/map.xml\ncrawl-delay: 5\nhost: a.example\nuser-agent: bee\ndisallow: /",
        &[("ant", "/a", false), ("bee", "/a", false)],
    ),
    // Agents in any case, up to what cannot be in a name.
    (
        "user-agent: ANT hill\ndisallow: /",
        &[
            ("ant", "/a", false),
            ("Ant", "/a", false),
            ("ant hill", "/a", true),
        ],
    ),
    (
        "user-agent: ant/2.1 (+https://a.example/)\ndisallow: /",
        &[("ant", "/a", false)],
    ),
    (
        "user-agent: ant-images\ndisallow: /",
        &[("ant", "/a", true), ("ant-images", "/a", false)],
    ),
    (
        "user-agent: *\ndisallow: /\nuser-agent: ant hill\nallow: /in/\ndisallow: /",
        &[
            ("ant", "/in/a", true),
            ("ant hill", "/in/a", false),
            ("bee", "/in/a", false),
        ],
    ),
    // The group of all others.
    (
        "user-agent: *\nallow: /\nuser-agent: ant\ndisallow: /",
        &[("ant", "/a", false), ("bee", "/a", true)],
    ),
    ("user-agent: * # all\ndisallow: /", &[("ant", "/a", false)]),
    ("user-agent: * all\ndisallow: /", &[("ant", "/a", false)]),
    (
        "user-agent: *ant\ndisallow: /",
        &[("ant", "/a", true), ("bee", "/a", true)],
    ),
    (
        "user-agent: *\ndisallow: /out/\nuser-agent: ant\ndisallow: /in/",
        &[
            ("ant", "/out/a", true),
            ("ant", "/in/a", false),
            ("bee", "/out/a", false),
        ],
    ),
    (
        "user-agent: ant\nallow: /\nuser-agent: bee\nuser-agent: cat\ndisallow: /",
        &[("dog", "/a", true), ("cat", "/a", false)],
    ),
    // Line ends of all systems, in one file.
    (
        "user-agent: bee\r\nallow: /in\r\nuser-agent: ant\r\n\r\ndisallow: /\r\n",
        &[("ant", "/in", false), ("bee", "/out", true)],
    ),
    (
        "user-agent: bee\rallow: /in\ruser-agent: ant\r\rdisallow: /",
        &[("ant", "/in", false), ("bee", "/out", true)],
    ),
    (
        "user-agent: bee\nallow: /in\r\nuser-agent: ant\n\r\n\ndisallow: /",
        &[("ant", "/in", false), ("bee", "/out", true)],
    ),
    // A mark of the byte order counts at the beginning only.
    ("\u{feff}user-agent: ant\ndisallow: /", &[("ant", "/a", false)]),
    ("user-agent: ant\n\u{feff}disallow: /", &[("ant", "/a", true)]),
];

/// Which rule of a group counts, and what a pattern matches.
const PATTERNS: &[Case<'_>] = &[
    // The longest pattern counts, and of two the one that allows.
    (
        "user-agent: ant\ndisallow: /a/b.html\nallow: /a/",
        &[("ant", "/a/b.html", false), ("ant", "/a/c", true)],
    ),
    (
        "user-agent: ant\nallow: /a/b.html\ndisallow: /a/",
        &[("ant", "/a/b.html", true), ("ant", "/a/", false)],
    ),
    ("user-agent: ant\ndisallow:\nallow:", &[("ant", "/a", true)]),
    ("user-agent: ant\ndisallow: /\nallow:", &[("ant", "/a", false)]),
    ("user-agent: ant\ndisallow: /\nallow: /", &[("ant", "/a", true)]),
    (
        "user-agent: ant\ndisallow: /a\nallow: /a/",
        &[("ant", "/a", false), ("ant", "/a/", true)],
    ),
    (
        "user-agent: ant\ndisallow: /a/b.html\nallow: /a/b.html",
        &[("ant", "/a/b.html", true)],
    ),
    (
        "user-agent: ant\nallow: /page\ndisallow: /*.html",
        &[("ant", "/page.html", false), ("ant", "/page", true)],
    ),
    (
        "user-agent: ant\nallow: /a/page.\ndisallow: /*.html",
        &[("ant", "/a/page.html", true), ("ant", "/a/b.html", false)],
    ),
    (
        "user-agent: ant\nallow: /p\ndisallow: /",
        &[("ant", "/page", true)],
    ),
    (
        "user-agent: ant\nallow: /page\ndisallow: /*.htm",
        &[("ant", "/page.htm", false)],
    ),
    (
        "user-agent: ant\nallow: /$\ndisallow: /",
        &[("ant", "/", true), ("ant", "/page.html", false)],
    ),
    // Paths in the case that they have.
    (
        "user-agent: ant\ndisallow: /A/",
        &[("ant", "/a/b", true), ("ant", "/A/b", false)],
    ),
    // Signs with a meaning.
    (
        "user-agent: ant\ndisallow: /a/b/c\nallow: /a/*/d",
        &[
            ("ant", "/a/b/c", false),
            ("ant", "/a/c", true),
            ("ant", "/a//c", true),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /a/*/d",
        &[
            ("ant", "/a/b/d", false),
            ("ant", "/a//d", false),
            ("ant", "/a/d", true),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /a/b$\nallow: /a/b/c",
        &[
            ("ant", "/a/b", false),
            ("ant", "/a/b/c", true),
            ("ant", "/a/b/", true),
            ("ant", "/a/b?", true),
        ],
    ),
    (
        "user-agent: ant\n# disallow: /\ndisallow: /a/b#c\nallow: /",
        &[("ant", "/a/c", true), ("ant", "/a/b", false)],
    ),
    // Prefixes, folders, ends of names.
    (
        "user-agent: ant\ndisallow: /\nallow: /fish",
        &[
            ("ant", "/fish", true),
            ("ant", "/fish.html", true),
            ("ant", "/fish/salmon.html", true),
            ("ant", "/fishheads/yummy.html", true),
            ("ant", "/fish.php?id=1", true),
            ("ant", "/Fish.asp", false),
            ("ant", "/catfish", false),
            ("ant", "/?id=fish", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /fish*",
        &[
            ("ant", "/fish", true),
            ("ant", "/fishheads", true),
            ("ant", "/Fish.bar", false),
            ("ant", "/catfish", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /fish/",
        &[
            ("ant", "/fish/", true),
            ("ant", "/fish/?id=1", true),
            ("ant", "/fish/salmon", true),
            ("ant", "/fish", false),
            ("ant", "/fish.html", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /*.php",
        &[
            ("ant", "/a.php", true),
            ("ant", "/b/a.php?c", true),
            ("ant", "//b/a.php.html", true),
            ("ant", "/a.php/", true),
            ("ant", "/a?f=b.php/", true),
            ("ant", "/php/", false),
            ("ant", "/a?php", false),
            ("ant", "/a.PHP", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /*.php$",
        &[
            ("ant", "/a.php", true),
            ("ant", "/b/a.php", true),
            ("ant", "/a.php?c", false),
            ("ant", "/a.php/", false),
            ("ant", "/a.php5", false),
            ("ant", "/aphpa", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /fish*.php",
        &[
            ("ant", "/fish.php", true),
            ("ant", "/fishheads/catfish.php?c", true),
            ("ant", "/Fish.PHP", false),
        ],
    ),
    // The page of a folder is the folder.
    (
        "user-agent: *\nallow: /in/index.html # the folder\ndisallow: /",
        &[
            ("ant", "/in/", true),
            ("ant", "/in/index.html", true),
            ("ant", "/in/index.htm", false),
            ("ant", "/in/a", false),
        ],
    ),
    // Percent-encoding: what is reserved stays, what is not ASCII is encoded, letters are decoded.
    (
        "user-agent: ant\ndisallow: /\nallow: /a?b=c&d=http://e.example?f&g",
        &[
            ("ant", "/a?b=c&d=http://e.example?f&g", true),
            ("ant", "/a?b", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /a/ツ",
        &[
            ("ant", "/a/%E3%83%84", true),
            ("ant", "/a/%e3%83%84", true),
            ("ant", "/a/ツ", true),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /a/%E3%83%84",
        &[("ant", "/a/%E3%83%84", true), ("ant", "/a/%E3%83%85", false)],
    ),
    (
        "user-agent: ant\ndisallow: /\nallow: /%62%61z",
        &[
            ("ant", "/baz", true),
            ("ant", "/%62%61%7A", true),
            ("ant", "/b", false),
        ],
    ),
    (
        "user-agent: ant\ndisallow: /a%2fb",
        &[("ant", "/a%2Fb", false), ("ant", "/a/b", true)],
    ),
    // What all may fetch.
    (
        "user-agent: *\ndisallow: /",
        &[("ant", "/robots.txt", true), ("ant", "/#robots.txt", false)],
    ),
];

fn allows(body: &[u8], agent: &str, path: &str) -> bool {
    Robots::new(body, &[agent.to_owned()]).allows(&format!("https://a.example{path}"))
}

fn check(cases: &[Case<'_>]) {
    for (body, facts) in cases {
        for (agent, path, allowed) in *facts {
            for body in [body.as_bytes(), robots_text(body.as_bytes()).as_bytes()] {
                assert_eq!(
                    allows(body, agent, path),
                    *allowed,
                    "{agent} {path} by {:?}",
                    String::from_utf8_lossy(body)
                );
            }
        }
    }
}

#[test]
fn groups_are_those_of_their_agents() {
    check(GROUPS);
}

#[test]
fn the_longest_pattern_counts() {
    check(PATTERNS);
}

#[test]
fn parts_of_a_mark_of_the_byte_order_are_skipped() {
    for (mark, allowed) in [
        (&b"\xef\xbb\xbf"[..], false),
        (b"\xef\xbb", false),
        (b"\xef", false),
        (b"\xef\x11\xbf", true),
    ] {
        let body = [mark, b"user-agent: ant\ndisallow: /"].concat();
        assert_eq!(allows(&body, "ant", "/a"), allowed, "{mark:?}");
    }
}

#[test]
fn long_lines_are_cut_and_long_bodies_end() {
    let long = format!("/a/{}", "b".repeat(2083 * 8 - 15));
    let body = format!("user-agent: ant\ndisallow: {long}/c\n");
    assert!(allows(body.as_bytes(), "ant", "/b"));
    assert!(!allows(body.as_bytes(), "ant", &format!("{long}/d")));
    let body = format!("user-agent: ant\ndisallow: /\nallow: {long}/c\n");
    assert!(allows(body.as_bytes(), "ant", &format!("{long}/c")) && !allows(body.as_bytes(), "ant", "/"));
    let comment = |bytes: usize| format!("#{}\n", "-".repeat(bytes - 2));
    let (rule, limit) = ("user-agent: ant\ndisallow: /\n", 500 * 1024);
    for (before, allowed) in [
        (limit - rule.len(), false),
        (limit - rule.len() + 1, false),
        (limit - rule.len() + 2, true),
    ] {
        let body = comment(before) + rule + "user-agent: ant\nallow: /a\n";
        assert_eq!(allows(body.as_bytes(), "ant", "/a"), allowed, "{before}");
    }
}

#[test]
fn one_agent_that_is_forbidden_is_enough() {
    let body = b"user-agent: ant\ndisallow: /a\nuser-agent: *\ndisallow: /b\n";
    let robots = |agents: &[&str]| {
        Robots::new(
            body,
            &agents.iter().map(|&agent| agent.to_owned()).collect::<Vec<_>>(),
        )
    };
    let both = robots(&["ant", "bee", "cat"]);
    let allowed = ["/a", "/b", "/c"].map(|path| both.allows(&format!("http://a.example{path}")));
    assert_eq!(allowed, [false, false, true]);
    assert!(both.allows("no URL") && !both.allows_all());
    assert!(robots(&[]).allows_all() && Robots::new(b"", &["ant".to_owned()]).allows_all());
}

#[test]
fn the_newest_response_with_an_answer_counts() {
    let agents = Agents::parse("", "agents = [\"ant\"]").unwrap();
    let body = |path: &str| match path {
        "" => String::new(),
        path => format!("user-agent: ant\ndisallow: /{path}\n"),
    };
    // (Found in two archives.)
    let mut newest = [(); 2].map(|()| NewestRobots::new(agents.clone()));
    for (at, (host, time, record, status, path)) in [
        ("a.example", Some(5), "2", 200, "five"),
        ("a.example", Some(5), "1", 200, "before"),
        ("a.example", Some(9), "3", 503, ""),
        ("a.example", Some(9), "4", 301, ""),
        ("a.example", Some(9), "5", 429, ""),
        ("a.example", None, "9", 200, "no time"),
        ("b.example", Some(1), "6", 200, "one"),
        ("b.example", Some(2), "7", 404, "not found"),
        ("c.example", Some(1), "8", 500, ""),
        ("d.example", Some(1), "9", 200, "one"),
        ("d.example", Some(2), "10", 200, ""),
    ]
    .into_iter()
    .enumerate()
    {
        newest[at % 2].add(host, time, record, status, body(path).as_bytes());
    }
    let [mut newest, others] = newest;
    newest.merge(others);
    assert_eq!(newest.len(), 3);
    let hosts: Vec<_> = newest
        .into_hosts()
        .map(|(host, record)| (host, record.record_id, record.body))
        .collect();
    assert_eq!(
        hosts,
        [
            ("a.example".to_owned(), "2".to_owned(), Some(body("five"))),
            ("b.example".to_owned(), "7".to_owned(), None),
            ("d.example".to_owned(), "10".to_owned(), None),
        ]
    );
}

#[test]
fn agents_are_a_list_of_names() {
    let names = |text: &str| Agents::parse("agents.toml", text).map(|agents| agents.names().to_vec());
    assert_eq!(
        names("agents = [\"GPTBot\", \"AI2Bot\", \"gptbot\"]").unwrap(),
        ["AI2Bot", "GPTBot"]
    );
    for (text, expected) in [
        (
            "agents = []",
            "'agents.toml' names no agent: write agents = [\"GPTBot\", ...]",
        ),
        (
            "agents = [\"GPT Bot\"]",
            "'agents.toml' has the agent 'GPT Bot': write the name by which a robots.txt addresses it, of letters, digits, '-', '_' \
             and '.', such as GPTBot",
        ),
        (
            "# names\nagent = [\"GPTBot\"]",
            "could not read 'agents.toml': unknown field `agent`, expected `agents` in line 2: write agents = [\"GPTBot\", ...], a list of \
             names",
        ),
    ] {
        assert_eq!(names(text).unwrap_err().to_string(), expected);
    }
    let missing = Agents::read(std::path::Path::new("no/agents.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("could not read 'no/agents.toml': "),
        "{missing}"
    );
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jobs/agents.toml");
    assert!(
        Agents::read(&file)
            .unwrap()
            .names()
            .iter()
            .any(|agent| agent == "GPTBot")
    );
}

/// Whether a pattern matches a path: by trying all.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', pattern @ ..] => (0..=path.len()).any(|from| matches(pattern, &path[from..])),
        [first, pattern @ ..] => path.first() == Some(first) && matches(pattern, &path[1..]),
    }
}

proptest! {
    #[test]
    fn patterns_match_as_the_slow_way(
        rules in prop::collection::vec((any::<bool>(), "/[ab*/]{0,5}\\$?"), 0..5),
        path in "/[ab/]{0,6}",
    ) {
        let lines = rules.iter().map(|(allow, pattern)| format!("{}: {pattern}\n", if *allow { "allow" } else { "disallow" }));
        let body = format!("user-agent: ant\n{}", lines.collect::<String>());
        let fitting = rules.iter().filter(|(_, pattern)| matches(pattern.as_bytes(), path.as_bytes()));
        let best = fitting.max_by_key(|(allow, pattern)| (pattern.len(), *allow));
        prop_assert_eq!(allows(body.as_bytes(), "ant", &path), best.is_none_or(|(allow, _)| *allow));
    }

    #[test]
    fn the_text_of_a_body_has_its_rules(body in prop::collection::vec(any::<u8>(), 0..40), path in "/[a-c%é]{0,3}") {
        let body = [b"user-agent: ant\ndisallow: /", &body[..]].concat();
        let text = robots_text(&body);
        prop_assert_eq!(allows(&body, "ant", &path), allows(text.as_bytes(), "ant", &path));
        prop_assert_eq!(robots_text(text.as_bytes()), text);
    }
}
