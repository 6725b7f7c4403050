//! Examples of the specifications, pages and files as sites have them, and hostile ones.

use gleaner_metadata::{Context, RightsStatement, metadata};
use gleaner_page::{PageConfig, Parser};
use proptest::prelude::*;
use url::Url;

use super::rsl::Rsl;
use super::*;
use crate::Agents;

const PAGE: &str = "https://www.mill.example/2024/wheel.html";

fn agents() -> Agents {
    Agents::parse("agents.toml", "agents = ['CCBot', 'GPTBot', 'Google-Extended']").unwrap()
}

/// A row in one line: signal, agents, value, place, index, train.
fn line(row: &RightsRow) -> String {
    let agents = match row.agents.as_str() {
        "*" => String::new(),
        agents => format!(" [{agents}]"),
    };
    format!(
        "{}{agents} {} in {}: {} {}",
        row.signal.name(),
        row.value,
        row.found.name(),
        row.index.name(),
        row.train.name()
    )
}

fn lines(rows: &[RightsRow]) -> Vec<String> {
    rows.iter().map(line).collect()
}

fn statements(html: &str) -> Vec<RightsStatement> {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap();
    let context = Context {
        url: PAGE,
        ..Context::default()
    };
    metadata(page, &context).rights
}

/// The rows of a page.
fn of_page(html: &str) -> Vec<String> {
    lines(&page_rights(&statements(html), [], PAGE, &agents()))
}

/// The rows of headers, a line each.
fn of_headers(headers: &str) -> Vec<String> {
    let headers = headers.lines().filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.as_bytes(), value.trim().as_bytes()));
    lines(&page_rights(&[], headers, PAGE, &agents()))
}

fn site(files: &[(&str, &str)]) -> SiteRights {
    let mut found = SiteFiles::default();
    for (path, body) in files {
        let (host, file) = RightsFile::of_url(&format!("https://www.mill.example{path}")).unwrap();
        assert_eq!(host, "www.mill.example");
        found.add(file, file.record((Some(1), "a"), 200, body.as_bytes()).unwrap());
    }
    SiteRights::new("www.mill.example", &found, &agents())
}

fn of_site(files: &[(&str, &str)]) -> Vec<String> {
    lines(&site(files).rows(&agents()))
}

fn of_site_for(files: &[(&str, &str)], url: &str) -> Vec<String> {
    lines(&site(files).rows_of(url, &agents()))
}

/// Google's "Robots meta tag and X-Robots-Tag specifications", DeviantArt's `noai`.
#[test]
fn robots_have_directives_for_all_and_for_one() {
    assert_eq!(
        of_headers(
            "X-Robots-Tag: noindex\nx-robots-tag: unavailable_after: Friday, 25 Jun 2010 15:00:00 PST\n\
             X-Robots-Tag: GPTBot: noindex, noai\nX-Robots-Tag: otherbot: noindex, nofollow\nServer: x"
        ),
        [
            "robots noindex in header: forbidden unknown",
            "robots unavailable_after:Friday, 25 Jun 2010 15:00:00 PST in header: unknown unknown",
            "robots [GPTBot] noindex in header: forbidden unknown",
            "robots [GPTBot] noai in header: unknown forbidden",
            "robots [otherbot] noindex in header: unknown unknown",
        ]
    );
    assert_eq!(
        of_headers("X-Robots-Tag: BadBot: noindex, nofollow, ccbot: none"),
        [
            "robots [badbot] noindex in header: unknown unknown",
            "robots [CCBot] none in header: forbidden unknown",
        ]
    );
    assert_eq!(
        of_page(
            "<meta name=ROBOTS content='NoAI, noimageai; noarchive nosnippet,max-snippet:0, max-image-preview:large'>\
             <meta name=robots content='index,follow'><meta name=googlebot content='noindex, notranslate'>\
             <meta name=bottom content='all the best'>"
        ),
        [
            "robots noai in meta: unknown forbidden",
            "robots noimageai in meta: unknown unknown",
            "robots noarchive in meta: unknown unknown",
            "robots nosnippet in meta: unknown unknown",
            "robots max-snippet:0 in meta: unknown unknown",
            "robots index in meta: allowed unknown",
            "robots [googlebot] noindex in meta: unknown unknown",
        ]
    );
}

/// TDMRep, sections "TDM Header Field in HTTP Responses" and "TDM Metadata in HTML Content".
#[test]
fn rights_of_text_and_data_mining_are_reserved_or_not() {
    assert_eq!(
        of_headers("tdm-reservation: 1\ntdm-policy: https://provider.com/policies/policy.json"),
        [
            "tdm-reservation 1 in header: unknown forbidden",
            "tdm-policy https://provider.com/policies/policy.json in header: unknown unknown",
        ]
    );
    assert_eq!(
        of_page("<meta name=tdm-reservation content=0><meta name=TDM-Policy content=/p.json>"),
        [
            "tdm-reservation 0 in meta: unknown allowed",
            "tdm-policy https://www.mill.example/p.json in meta: unknown unknown",
        ]
    );
    assert_eq!(
        of_headers("tdm-reservation: 2"),
        ["tdm-reservation 2 in header: unknown unknown"]
    );
}

/// draft-ietf-aipref-vocab, section "Exemplary Serialization Format" and its subsections.
#[test]
fn preferences_are_a_dictionary_of_y_and_n() {
    for (value, wanted) in [
        ("train-ai=n", &["train-ai=n unknown forbidden"][..]),
        (
            "train-ai=y, search=n",
            &["train-ai=y unknown allowed", "search=n forbidden unknown"],
        ),
        ("train-ai;allow=n, train-ai=y", &["train-ai=y unknown allowed"]),
        ("ai-use=n;x=1", &["ai-use=n unknown unknown"]),
        ("bots=n", &["bots=n forbidden forbidden"]),
        (
            "bots=n, search=y",
            &["bots=n unknown forbidden", "search=y allowed unknown"],
        ),
        // The last value of a key counts, and only a token.
        ("train-ai=y, train-ai, search=n, search=\"n\"", &[]),
        ("train-ai=N", &[]),
        // No dictionary: nothing is known.
        ("Train-AI=n", &[]),
        ("train-ai=n,,search=n", &[]),
        ("train-ai=n;", &[]),
    ] {
        let rows = usage::content_usage(value.as_bytes(), FoundIn::Header);
        let seen: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {} {}", row.value, row.index.name(), row.train.name()))
            .collect();
        assert_eq!(seen, wanted, "{value}");
        assert_eq!(of_headers(&format!("content-usage: {value}")).len(), wanted.len());
    }
    assert_eq!(
        of_headers("Content-Signal: ai-train=yes, search=No , ai-input=yes, x, use=reference"),
        [
            "content-signal ai-train=yes in header: unknown allowed",
            "content-signal search=no in header: forbidden unknown",
            "content-signal ai-input=yes in header: unknown unknown",
            "content-signal use=reference in header: unknown unknown",
        ]
    );
}

#[test]
fn licences_have_one_code_each() {
    for (text, code, jurisdiction) in [
        ("https://creativecommons.org/licenses/by/4.0/", "cc-by-4.0", None),
        (
            "http://creativecommons.org/licenses/by/3.0/de/deed.en",
            "cc-by-3.0",
            Some("de"),
        ),
        (
            "HTTPS://WWW.CreativeCommons.org/licenses/BY-SA/2.5",
            "cc-by-sa-2.5",
            None,
        ),
        (
            "//creativecommons.org/licenses/by-nc-sa/4.0/deed.pt_BR?ref=x#y",
            "cc-by-nc-sa-4.0",
            None,
        ),
        (
            "creativecommons.org/licenses/by-nc-nd/3.0/igo/legalcode.txt",
            "cc-by-nc-nd-3.0",
            Some("igo"),
        ),
        (
            "http://creativecommons.org/licenses/by-nd-nc/1.0",
            "cc-by-nc-nd-1.0",
            None,
        ),
        (
            "http://creativecommons.org/licenses/by/2.5/scotland/",
            "cc-by-2.5",
            Some("scotland"),
        ),
        (
            "http://creativecommons.org/licenses/by/3.0/rdf",
            "cc-by-3.0",
            None,
        ),
        ("http://creativecommons.org/licenses/by-sa/", "cc-by-sa", None),
        ("http://creativecommons.org/licenses/sa/1.0/", "cc-sa-1.0", None),
        (
            "https://creativecommons.org/publicdomain/zero/1.0/deed.de",
            "cc0-1.0",
            None,
        ),
        (
            "https://creativecommons.org/publicdomain/mark/1.0/",
            "public-domain-mark-1.0",
            None,
        ),
        (
            "http://creativecommons.org/licenses/publicdomain/",
            "cc-pddc",
            None,
        ),
        (
            "http://creativecommons.org/licenses/nc-sampling+/1.0/",
            "cc-nc-sampling+-1.0",
            None,
        ),
        ("http://creativecommons.org/licenses/GPL/2.0/", "gpl-2.0", None),
        ("CC-BY-4.0", "cc-by-4.0", None),
        ("CC BY-NC-SA 3.0 DE", "cc-by-nc-sa-3.0", None),
        ("CC0 1.0 Universal", "cc0-1.0", None),
        (
            "Licensed under Creative Commons Attribution-ShareAlike 4.0 International",
            "cc-by-sa-4.0",
            None,
        ),
        (
            "Creative Commons License: Attribution-NonCommercial-NoDerivs 2.0",
            "cc-by-nc-nd-2.0",
            None,
        ),
        ("Public Domain Mark 1.0", "public-domain-mark-1.0", None),
    ] {
        let licence = Licence::of(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(
            (licence.code.as_str(), licence.jurisdiction.as_deref()),
            (code, jurisdiction),
            "{text}"
        );
    }
    for text in [
        "",
        "CC",
        "CC Smith by night",
        "Creative Commons",
        "https://creativecommons.org/",
        "https://creativecommons.org/licenses/",
        "https://creativecommons.org/licenses/by-all/4.0/",
        "https://creativecommons.org/about/cclicenses/",
        "https://a.example/creativecommons.org/licenses/by/4.0/",
        "All rights reserved 2.0",
    ] {
        assert_eq!(Licence::of(text), None, "{text}");
    }
}

#[test]
fn a_licence_means_the_more_the_nearer_it_stands() {
    let by = "https://creativecommons.org/licenses/by/4.0/";
    for (html, wanted) in [
        (
            format!("<link rel=license href={by}>"),
            "cc-by-4.0 in link: allowed allowed",
        ),
        (
            format!("<a rel=license href={by}>x</a>"),
            "cc-by-4.0 in anchor: allowed allowed",
        ),
        (
            format!("<div class=copyright><a href={by}>x</a></div>"),
            "cc-by-4.0 in footer: allowed allowed",
        ),
        (
            format!("<p>About <a href={by}>x</a>"),
            "cc-by-4.0 in text: unknown unknown",
        ),
        (
            format!("<a itemprop=license href={by}>x</a>"),
            "cc-by-4.0 in microdata: allowed allowed",
        ),
        (
            format!(
                "<script type=application/ld+json>{{\"@type\":\"Article\",\"license\":\"{by}\"}}</script>"
            ),
            "cc-by-4.0 in json-ld: allowed allowed",
        ),
        (
            format!("<meta name=dcterms.license content={by}>"),
            "cc-by-4.0 in meta: allowed allowed",
        ),
        (
            "<meta name=dc.rights content='CC BY-NC 4.0'>".to_owned(),
            "cc-by-nc-4.0 in meta: unknown unknown",
        ),
        (
            format!("<link rel=license href={}>", by.replace("by", "by-nd")),
            "cc-by-nd-4.0 in link: allowed unknown",
        ),
        (
            "<link rel=license href=../terms>".to_owned(),
            "https://www.mill.example/terms in link: unknown unknown",
        ),
    ] {
        assert_eq!(of_page(&html), [format!("license {wanted}")], "{html}");
    }
    let html = "<meta name=license content=MIT><script type=application/ld+json>{\"license\":\"All rights reserved.\"}</script>";
    assert_eq!(
        of_page(html),
        [
            "license MIT in meta: unknown unknown",
            "license All rights reserved. in json-ld: unknown unknown",
        ]
    );
    assert_eq!(
        of_site(&[("/robots.txt", "License: MIT")])[1],
        "license MIT in robots.txt: unknown unknown"
    );
    assert_eq!(
        of_page("<meta name=dc.rights content='Copyright 2020 by A. Smith'>"),
        [""; 0]
    );
    assert_eq!(
        of_headers(&format!(
            "Link: <{by}>; rel=\"license\", </a.css>; rel=preload\nLink: </rsl.xml>; rel=license; type=\"application/rsl+xml\""
        )),
        [
            "license cc-by-4.0 in header: allowed allowed",
            "rsl https://www.mill.example/rsl.xml in header: unknown unknown",
        ]
    );
}

/// What a document in RSL means for a page.
fn rsl(contents: &str) -> Option<String> {
    let document =
        format!("<?xml version=\"1.0\"?><rsl xmlns=\"https://rslstandard.org/rsl\">{contents}</rsl>");
    let url = Url::parse(PAGE).unwrap();
    let (terms, (index, train)) = Rsl::parse(&document)?.terms_of(Some(&url))?;
    Some(format!("{terms}: {} {}", index.name(), train.name()))
}

/// RSL 1.0, sections 3.3 to 3.7.
#[test]
fn a_licence_in_rsl_permits_and_prohibits_uses() {
    let license = |terms: &str| {
        rsl(&format!(
            "<content url=\"/\"><license>{terms}</license></content>"
        ))
    };
    for (terms, wanted) in [
        (
            "<permits type=\"usage\">search ai-index</permits><prohibits type=\"usage\">ai-train</prohibits>",
            "permits search ai-index; prohibits ai-train: allowed forbidden",
        ),
        (
            "<permits type=\"usage\">all</permits>",
            "permits all: allowed allowed",
        ),
        (
            "<permits type=\"usage\">search</permits>",
            "permits search: allowed forbidden",
        ),
        (
            "<prohibits type=\"usage\">ai-all</prohibits>",
            "prohibits ai-all: allowed forbidden",
        ),
        ("<prohibits>all</prohibits>", "prohibits all: forbidden forbidden"),
        (
            "<permits type=\"usage\">ai-train</permits><payment type=\"crawl\"><amount currency=\"USD\">1</amount></payment>",
            "permits ai-train; payment crawl: forbidden forbidden",
        ),
        (
            "<permits type=\"usage\">all</permits><payment type=\"attribution\"/>",
            "permits all; payment attribution: allowed allowed",
        ),
        (
            "<permits type=\"usage\">all</permits><permits type=\"user\">education</permits>",
            "permits all: unknown unknown",
        ),
        ("", ": allowed allowed"),
    ] {
        assert_eq!(license(terms).as_deref(), Some(wanted), "{terms}");
    }
}

#[test]
fn of_the_contents_of_an_rsl_the_nearest_counts() {
    let content = |url: &str, uses: &str| {
        format!(
            "<content url=\"{url}\"><license><permits type=\"usage\">{uses}</permits></license></content>"
        )
    };
    let two = content("/", "search")
        + &content("/2024/*", "all")
        + &content("https://other.example/2024/wheel", "ai-train");
    assert_eq!(rsl(&two).as_deref(), Some("permits all: allowed allowed"));
    assert_eq!(rsl(&content("/2023/", "all")), None);
    assert_eq!(
        rsl(&content("https://www.mill.example/2024/", "all")).as_deref(),
        Some("permits all: allowed allowed")
    );
    let served =
        "<content url=\"/\" server=\"https://l.example\"><license><permits>all</permits></license></content>";
    assert_eq!(rsl(served).as_deref(), Some("permits all: forbidden forbidden"));
    assert_eq!(rsl("<content url=\"/\"/>").as_deref(), Some(": unknown unknown"));
    assert_eq!(rsl(""), None);
    // What stands before damage counts.
    assert_eq!(
        rsl(&(content("/", "search") + "<content url='/2024'><license><<permits")).as_deref(),
        Some("permits search: allowed forbidden")
    );
    let html = format!(
        "<script type=application/rsl+xml><rsl>{}</rsl></script>",
        content("/", "search")
    );
    assert_eq!(
        of_page(&html),
        ["rsl permits search in script: allowed forbidden"]
    );
}

/// draft-ietf-aipref-attach, section "Example", and contentsignals.org.
#[test]
fn lines_of_robots_txt_are_for_the_agents_of_their_group_and_a_path() {
    let robots = "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: / train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n\n\
        User-Agent: ExampleBot\nAllow: /\nContent-Usage: / train-ai=y\n";
    let files = [("/robots.txt", robots)];
    let of = |path: &str| of_site_for(&files, &format!("https://www.mill.example{path}"));
    assert_eq!(
        of("/test"),
        ["content-usage train-ai=n in robots.txt: unknown forbidden"]
    );
    assert_eq!(
        of("/ai-ok/test"),
        ["content-usage train-ai=y in robots.txt: unknown allowed"]
    );
    assert_eq!(
        of("/never/test")[0],
        "robots.txt disallow in robots.txt: forbidden forbidden"
    );
    assert_eq!(
        of_site(&files),
        [
            "robots.txt some in robots.txt: unknown unknown",
            "content-usage train-ai=n in robots.txt: unknown forbidden",
            "content-usage train-ai=y in robots.txt: unknown allowed",
            "content-usage [ExampleBot] train-ai=y in robots.txt: unknown unknown",
        ]
    );
    let robots = "# As a condition of accessing this website ...\nLicense: /license.xml\nUser-agent: gptbot\nUser-agent: Else\n\
        Content-signal: ai-train=no # never\nDisallow: /\n\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\
        Content-Usage: train-ai=n\nLICENSE: https://creativecommons.org/licenses/by/4.0/\nlicense agreement of 2020: none";
    assert_eq!(
        of_site_for(&[("/robots.txt", robots)], PAGE),
        [
            "robots.txt [GPTBot] disallow in robots.txt: unknown forbidden",
            "rsl https://www.mill.example/license.xml in robots.txt: unknown unknown",
            "content-signal [gptbot, Else] ai-train=no in robots.txt: unknown forbidden",
            "content-signal search=yes in robots.txt: allowed unknown",
            "content-signal ai-train=no in robots.txt: unknown forbidden",
            "content-usage train-ai=n in robots.txt: unknown forbidden",
            "license cc-by-4.0 in robots.txt: allowed allowed",
        ]
    );
}

#[test]
fn rules_of_robots_txt_are_a_row_for_the_crawlers_that_they_stop() {
    let robots = "User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: Google-Extended\nAllow: /\n\nUser-agent: *\nDisallow: /2024/\n";
    let site = site(&[("/robots.txt", robots)]);
    assert_eq!(
        lines(&site.rows(&agents())),
        [
            "robots.txt [CCBot, GPTBot] disallow in robots.txt: unknown forbidden",
            "robots.txt [Google-Extended] allow in robots.txt: unknown unknown",
            "robots.txt some in robots.txt: unknown unknown",
        ]
    );
    let rows = site.rows_of(PAGE, &agents());
    assert_eq!(
        lines(&rows),
        [
            "robots.txt [CCBot, GPTBot] disallow in robots.txt: unknown forbidden",
            // All of the list have rules of their own.
            "robots.txt disallow in robots.txt: forbidden unknown",
        ]
    );
    assert_eq!(rows[1].stated, "Disallow: /2024/");
    assert_eq!(
        of_site(&[("/robots.txt", "")]),
        ["robots.txt allow in robots.txt: unknown unknown"]
    );
}

/// TDMRep, section "TDM File on the Origin Server" with its examples.
#[test]
fn of_the_rules_of_tdmrep_json_the_first_that_matches_counts() {
    let path = "/.well-known/tdmrep.json";
    let file = r#"[{"location": "/directory-a/", "tdm-reservation": 1},
        {"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "https://provider.com/policies/policy.json"},
        {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0, "tdm-policy": "/unread"}]"#;
    let of = |at: &str| of_site_for(&[(path, file)], &format!("https://www.mill.example{at}"));
    assert_eq!(
        of("/directory-a/x"),
        ["tdm-reservation 1 in tdmrep.json: unknown forbidden"]
    );
    assert_eq!(
        of("/directory-b/html/x?y"),
        [
            "tdm-reservation 1 in tdmrep.json: unknown forbidden",
            "tdm-policy https://provider.com/policies/policy.json in tdmrep.json: unknown unknown",
        ]
    );
    assert_eq!(
        of("/directory-b/images/a/b.jpg"),
        ["tdm-reservation 0 in tdmrep.json: unknown allowed"]
    );
    assert_eq!(of("/directory-c/"), [""; 0]);
    assert_eq!(of_site(&[(path, file)]).len(), 4);
    for file in [
        "\u{feff}{\"location\": \"/\", \"tdm-reservation\": \"1\"}",
        "[{\"location\": \"/$\", \"tdm-reservation\": 0}, {\"location\": \"https://www.mill.example/\", \"tdm-reservation\": 1.0}]",
        "[7, {}, {\"location\": \"*\", \"tdm-reservation\": 1}, {\"location\": \"/\", \"tdm-reservation\": 0}]",
    ] {
        let rows = site(&[(path, file)]).rows_of(PAGE, &agents());
        assert_eq!(
            lines(&rows),
            ["tdm-reservation 1 in tdmrep.json: unknown forbidden"],
            "{file}"
        );
    }
    for file in [
        "",
        "[]",
        "[{\"location\": \"/\"}]",
        "<!doctype html><p>[{}]",
        "{\"location\":",
    ] {
        assert!(of_site(&[(path, file)]).is_empty(), "{file}");
    }
}

/// Files as Spawning's generator writes them.
#[test]
fn ai_txt_is_about_extensions() {
    let no_text = "# Spawning AI\n# Prevent datasets from using the following file types\n\nUser-Agent: *\nDisallow: *.txt\nDisallow: *.html\nDisallow: *.pdf\nAllow: *.jpg\n";
    for (file, url, wanted) in [
        (no_text, PAGE, "disallow in ai.txt: unknown forbidden"),
        (
            no_text,
            "https://www.mill.example/",
            "disallow in ai.txt: unknown forbidden",
        ),
        (
            no_text,
            "https://www.mill.example/2024/wheel",
            "disallow in ai.txt: unknown forbidden",
        ),
        (
            no_text,
            "https://www.mill.example/a.jpg",
            "allow in ai.txt: unknown allowed",
        ),
        (
            "User-Agent: *\nDisallow: /\nDisallow: *\n",
            PAGE,
            "disallow in ai.txt: unknown forbidden",
        ),
        (
            "User-agent: *\nAllow: *.html\nDisallow: /",
            PAGE,
            "allow in ai.txt: unknown allowed",
        ),
    ] {
        assert_eq!(
            of_site_for(&[("/ai.txt", file)], url),
            [format!("ai.txt {wanted}")],
            "{file} {url}"
        );
    }
    assert_eq!(
        of_site_for(&[("/ai.txt", no_text)], "https://www.mill.example/a.png"),
        [""; 0]
    );
    assert_eq!(
        of_site(&[("/ai.txt", no_text)]),
        ["ai.txt some in ai.txt: unknown unknown"]
    );
    for file in ["", "<html>User-agent: *\nDisallow: /", "Dear models, be kind."] {
        assert!(of_site(&[("/ai.txt", file)]).is_empty(), "{file}");
    }
}

#[test]
fn what_is_nearest_to_the_page_decides_about_a_reservation() {
    let page = page_rights(
        &statements("<meta name=tdm-reservation content=0>"),
        [],
        PAGE,
        &agents(),
    );
    let header = page_rights(&[], [(&b"TDM-Reservation"[..], &b"1"[..])], PAGE, &agents());
    let file = site(&[(
        "/.well-known/tdmrep.json",
        "[{\"location\":\"/\",\"tdm-reservation\":1}]",
    )])
    .rows_of(PAGE, &agents());
    let of = |parts: &[&[RightsRow]]| RightsRow::combined(&parts.concat()).1.name();
    assert_eq!(of(&[&page, &header, &file]), "allowed");
    assert_eq!(of(&[&header, &file]), "forbidden");
    assert_eq!(of(&[&file]), "forbidden");
    let noai = page_rights(
        &statements("<meta name=robots content='noai, index'>"),
        [],
        PAGE,
        &agents(),
    );
    assert_eq!(
        RightsRow::combined(&[noai, page].concat()),
        (Permission::Allowed, Permission::Forbidden)
    );
    assert_eq!(
        RightsRow::combined(&[]),
        (Permission::Unknown, Permission::Unknown)
    );
}

#[test]
fn of_the_captures_of_a_file_the_newest_counts() {
    let file = RightsFile::AiTxt;
    let captures = [
        file.record((Some(2), "b"), 200, b"User-agent: *\nDisallow: /")
            .unwrap(),
        file.record((Some(1), "a"), 200, b"").unwrap(),
        file.record((Some(3), "c"), 404, b"none").unwrap(),
    ];
    assert_eq!(file.record((Some(9), "z"), 503, b""), None);
    let of = |numbers: &[usize]| {
        let mut files = SiteFiles::default();
        numbers
            .iter()
            .for_each(|&number| files.add(file, captures[number].clone()));
        files
    };
    assert!(
        [[0, 2, 1], [2, 1, 0], [1, 0, 2]]
            .iter()
            .all(|order| of(order) == of(&[2]))
    );
    assert_eq!(of(&[2]).record(file).unwrap().body, None);
    let files = of(&[1, 0]);
    assert_eq!(files.record(file).unwrap().record_id, "b");
    let row = &SiteRights::new("www.mill.example", &files, &agents()).rows(&agents())[0];
    assert_eq!(files.source(row), files.record(file));
    for url in [
        "https://www.mill.example:8080/ai.txt",
        "https://www.mill.example/ai.txt?x",
        "ftp://www.mill.example/ai.txt",
        "https://www.mill.example/a/.well-known/tdmrep.json",
    ] {
        assert_eq!(RightsFile::of_url(url), None, "{url}");
    }
}

#[test]
fn large_and_repeated_files_are_read_within_bounds() {
    let large = 10 << 20;
    let robots = "User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: /a train-ai=n\nLicense: /l\n"
        .repeat(large / 90);
    let rules = format!(
        "[{}]",
        "{\"location\":\"/*a*b*c\",\"tdm-reservation\":1},"
            .repeat(20_000)
            .trim_end_matches(',')
    );
    let page = "<html>".repeat(large / 6);
    for (path, body) in [
        ("/robots.txt", robots.as_str()),
        ("/robots.txt", &page),
        ("/.well-known/tdmrep.json", &rules),
        ("/.well-known/tdmrep.json", &"[".repeat(large)),
        ("/ai.txt", &"Disallow: *.html\n".repeat(large / 17)),
        ("/ai.txt", &"*".repeat(large)),
    ] {
        let site = site(&[(path, body)]);
        let begun = std::time::Instant::now();
        for at in 0..100 {
            assert!(
                site.rows_of(
                    &format!("https://www.mill.example/{at}/{}", "abc".repeat(300)),
                    &agents()
                )
                .len()
                    <= 1000
            );
        }
        assert!(site.rows(&agents()).len() <= 1000);
        assert!(begun.elapsed().as_secs() < 20, "{path}");
    }
    let header = "noindex, ".repeat(large / 9);
    assert_eq!(of_headers(&format!("X-Robots-Tag: {header}")).len(), 1);
    let header = "<a>; rel=license, ".repeat(large / 18);
    assert_eq!(of_headers(&format!("Link: {header}")).len(), 1);
    let script = format!(
        "<script type=application/rsl+xml>{}</script>",
        "<content><license>".repeat(50_000)
    );
    assert!(of_page(&script).len() <= 1);
}

/// Bytes of all kinds, and texts that are nearly of a format.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "User-agent: *\n",
        "user-agent: gptbot\n",
        "Disallow: /",
        "Allow: *.html$",
        "Content-Signal: ai-train=no",
        "Content-Usage: / train-ai=n",
        "License: ",
        "\n",
        "\r",
        ":",
        "#",
        "[",
        "{\"location\": \"/\", \"tdm-reservation\": 1}",
        ",",
        "]",
        "\"",
        "tdm-policy",
        "<",
        ">",
        ";",
        "rel=license",
        "type=\"",
        "application/rsl+xml",
        "\\",
        "noindex",
        "googlebot:",
        "unavailable_after:",
        "max-snippet",
        "train-ai=n",
        "search",
        "=y",
        "<rsl>",
        "<content url='",
        "/*",
        "'>",
        "<license>",
        "<permits type=\"usage\">",
        "</permits>",
        "<payment/>",
        "&amp;",
        "<!--",
        "<![CDATA[",
        "creativecommons.org/licenses/by",
        "-sa",
        "/4.0",
        "CC ",
        "\u{feff}",
        "é",
        "\u{1f600}",
        " ",
        "%",
        "$",
        "*",
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_a_file_of_a_site(robots in any_bytes(), tdmrep in any_bytes(), ai in any_bytes(), path in "[ -~é]{0,20}") {
        let mut found = SiteFiles::default();
        for (file, body) in [(RightsFile::RobotsTxt, robots), (RightsFile::TdmRep, tdmrep), (RightsFile::AiTxt, ai)] {
            found.add(file, file.record((None, ""), 200, &body).unwrap());
        }
        let site = SiteRights::new("mill.example", &found, &agents());
        let rows = site.rows(&agents());
        let of_page = site.rows_of(&format!("https://mill.example/{path}"), &agents());
        for row in rows.iter().chain(&of_page) {
            prop_assert!(row.value.len() <= 1000 && row.stated.len() <= 1000);
        }
    }

    #[test]
    fn any_bytes_are_headers_and_statements(values in prop::collection::vec(any_bytes(), 6), url in "(https://mill.example/)?[ -~é]{0,20}") {
        let names = ["X-Robots-Tag", "tdm-reservation", "TDM-Policy", "content-usage", "Content-Signal", "Link"];
        let headers = names.iter().zip(&values).map(|(name, value)| (name.as_bytes(), value.as_slice()));
        use gleaner_metadata::RightsPlace::*;
        let places = [Meta, Link, Anchor, Footer, Text, Microdata, Structured, Script];
        let statements: Vec<RightsStatement> = values.iter().flat_map(|value| {
            let value = String::from_utf8_lossy(value).into_owned();
            places.map(|place| RightsStatement { place, name: value.to_ascii_lowercase(), value: value.clone() })
        }).collect();
        let rows = page_rights(&statements, headers, &url, &agents());
        prop_assert!(rows.len() <= 200);
        RightsRow::combined(&rows);
    }

    /// A header of links is read as it was written.
    #[test]
    fn links_that_are_written_are_read(targets in prop::collection::vec("/[a-z,;= ]{0,8}", 0..5), title in "[ -~]{0,8}") {
        let title = title.replace(['\\', '"'], "");
        let written: Vec<String> = targets.iter().map(|target| format!("<{target}>; title=\"{title}\"; rel=\"license\"")).collect();
        let header = written.join(", ");
        let read = super::link_header::links(&header);
        prop_assert_eq!(read.iter().map(|link| link.target).collect::<Vec<_>>(), targets.iter().map(|target| target.trim()).collect::<Vec<_>>());
        prop_assert!(read.iter().all(|link| link.relations == "license"));
    }
}
