//! Crawls of a small web on this machine, with the traps that crawlers meet.
#![expect(clippy::unwrap_used, reason = "tests")]

mod archive;

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use gleaner_crawl::{
    Error, Limits, LinkReason, Outcome, Pace, Progress, Reach, Reason, Settings, Summary, crawl,
};
use gleaner_testing::web::{HOSTS, PAGES, Reply, Site};
use gleaner_warc::RecordType;
use url::Url;

use archive::{Stored, captures, files, records};

/// Settings of a crawl without pauses, from these URLs.
fn settings(seeds: &[String], out: &Path) -> Settings {
    Settings {
        seeds: seeds.iter().map(|seed| Url::parse(seed).unwrap()).collect(),
        out: out.to_owned(),
        file_size: None,
        contact: "me@example.org".to_owned(),
        reach: Reach::Host,
        include: Vec::new(),
        exclude: Vec::new(),
        types: vec!["text/html".to_owned(), "text/plain".to_owned()],
        sitemaps: true,
        since: Vec::new(),
        resolve: HOSTS
            .iter()
            .map(|&host| (host.to_owned(), Ipv4Addr::LOCALHOST.into()))
            .collect(),
        pace: Pace {
            delay: Duration::ZERO,
            most_delay: Duration::from_secs(2),
            connections: 16,
            connections_per_host: 4,
            retries: 1,
        },
        limits: Limits {
            depth: 12,
            pages: None,
            pages_per_host: 10_000,
            bytes: None,
            time: None,
            page_bytes: 100_000,
            page_time: Duration::from_millis(800),
            redirects: 3,
            variants: 20,
        },
    }
}

fn run(settings: Settings) -> Result<Summary, Error> {
    crawl(settings, &AtomicBool::new(false), &Progress::default())
}

/// Crawls from the roots of some hosts; returns the summary and all records.
fn crawled(site: &Site, hosts: &[&str], change: impl FnOnce(&mut Settings)) -> (Summary, Vec<Stored>) {
    let folder = tempfile::tempdir().unwrap();
    let seeds: Vec<String> = hosts.iter().map(|host| site.url(host, "/")).collect();
    let mut settings = settings(&seeds, &folder.path().join("crawl.warc.gz"));
    change(&mut settings);
    let summary = run(settings).unwrap();
    let files = files(folder.path());
    assert_eq!(
        summary.files,
        files
            .iter()
            .map(|file| file.display().to_string())
            .collect::<Vec<_>>()
    );
    (summary, files.iter().flat_map(|file| records(file)).collect())
}

/// The URLs that any crawl of the small web has, traps that depend on limits aside.
fn ordinary() -> BTreeSet<String> {
    let mut urls = BTreeSet::new();
    for host in HOSTS {
        for path in ["robots.txt", "", "map.xml.gz", "p/by-map"] {
            urls.insert(format!("{host}/{path}"));
        }
        urls.extend((0..PAGES).map(|page| format!("{host}/p/{page}")));
    }
    let traps = [
        "loop/0",
        "loop/1",
        "loop/2",
        "chain/0",
        "chain/1",
        "chain/2",
        "chain/3",
        "busy",
        "endless",
        "drip",
        "lying",
        "chunked",
        "gzip",
        "found-in-gzip",
        "missing",
    ];
    urls.extend(traps.map(|trap| format!("a.test/{trap}")));
    urls
}

#[test]
fn a_web_full_of_traps_is_fetched_whole_and_once() {
    let site = Site::start();
    let (summary, records) = crawled(&site, &HOSTS, |_| {});
    let captures = captures(&records);
    let urls: BTreeSet<String> = captures.keys().cloned().collect();
    let is_trap = |url: &&String| url.starts_with("a.test/calendar/") || url.starts_with("a.test/s/");
    let (trapped, found): (Vec<_>, Vec<_>) = urls.iter().partition(is_trap);
    assert_eq!(found.into_iter().cloned().collect::<BTreeSet<_>>(), ordinary());
    let months = trapped.iter().filter(|url| url.contains("calendar")).count();
    assert_eq!(months, 12, "a calendar is bounded by the depth");
    assert!(
        (2..=20).contains(&(trapped.len() - months)),
        "ids of sessions are bounded: {trapped:?}"
    );

    // Each once on the wire, too; a failure that passed, twice.
    for (url, count) in site.counts() {
        let most = if url == "a.test/busy" { 2 } else { 1 };
        assert_eq!(count, most, "{url}");
    }
    let not_fetched = BTreeMap::from([(Reason::RobotsTxt, 3), (Reason::MediaType, 1)]);
    assert_eq!(summary.not_fetched, not_fetched);
    let links = &summary.links_not_followed;
    for reason in [
        LinkReason::OutOfScope,
        LinkReason::Nofollow,
        LinkReason::Trap,
        LinkReason::Variants,
        LinkReason::Depth,
        LinkReason::Redirects,
    ] {
        assert!(links.contains_key(&reason), "{reason}: {links:?}");
    }
    assert_eq!(
        summary.pages as usize + summary.robots_files as usize,
        captures.len()
    );
    assert!(summary.lost_seeds.is_empty() && summary.limit.is_none());
}

#[test]
fn records_have_what_was_sent() {
    let site = Site::start();
    let (_, records) = crawled(&site, &["a.test"], |_| {});
    assert_eq!(records[0].kind, RecordType::Warcinfo);
    assert!(records[0].text().contains("http-header-user-agent: gleaner/"));
    let captures = captures(&records);
    let capture = |path: &str| &captures[&format!("a.test/{path}")];

    let chunked = capture("chunked");
    assert!(
        chunked
            .text()
            .contains("\r\nX-Orig-TRANSFER-encoding: chunked\r\n\r\n<p>one harbor")
    );
    assert_eq!(
        capture("gzip").message().1,
        "<p>packed <a href=/found-in-gzip>x</a>"
    );
    assert!(capture("gzip").text().contains("Content-Encoding: gzip"));
    for (path, reason) in [
        ("endless", "length"),
        ("drip", "time"),
        ("lying", "disconnect"),
        ("gzip", ""),
    ] {
        assert_eq!(capture(path).field("WARC-Truncated"), reason, "{path}");
    }
    assert_eq!(capture("lying").message().1, "<p>short");
    assert_eq!(capture("busy").message().0, 200);
    assert_eq!(capture("p/0").field("WARC-IP-Address"), "127.0.0.1");

    let page = capture("p/1");
    let of_page: Vec<&Stored> = records
        .iter()
        .filter(|record| record.field("WARC-Concurrent-To") == page.id)
        .collect();
    let kinds: Vec<RecordType> = of_page.iter().map(|record| record.kind).collect();
    assert_eq!(kinds, [RecordType::Request, RecordType::Metadata]);
    let request = of_page[0].text();
    assert!(
        request.starts_with("GET /p/1 HTTP/1.1\r\nHost: a.test:"),
        "{request}"
    );
    assert!(request.contains("(+me@example.org)\r\n") && request.ends_with("\r\n\r\n"));
    let metadata = of_page[1].text();
    assert!(
        metadata.contains(&format!("via: {}\r\n", site.url("a.test", "/p/0"))),
        "{metadata}"
    );
    assert!(metadata.contains(&format!("outlink: {} L a/@href\r\n", site.url("a.test", "/p/11"))));
}

#[test]
fn hosts_are_asked_no_faster_than_they_want() {
    let slow = "User-agent: gleaner\nCrawl-delay: 0.4\nDisallow: /p/2\n";
    let site = Site::of(move |hit| (hit.url == "b.test/robots.txt").then(|| Reply::html(slow)));
    let (_, records) = crawled(&site, &["a.test", "b.test"], |settings| {
        settings.pace.delay = Duration::from_millis(100);
        settings.pace.connections_per_host = 1;
        settings.limits.depth = 2;
        // (Without links from one host to the other, depths do not depend on which is faster.)
        settings.exclude = vec![regex::Regex::new("a.test.*/(p|drip|endless|busy)(/|$)").unwrap()];
    });
    assert!(captures(&records).contains_key("b.test/p/1"));
    for (host, least) in [("a.test", 100), ("b.test", 400)] {
        let hits = site.hits();
        let times: Vec<_> = hits
            .iter()
            .filter(|hit| hit.url.starts_with(host))
            .map(|hit| hit.time)
            .collect();
        for pair in times.windows(2) {
            let gap = pair[1] - pair[0];
            assert!(gap >= Duration::from_millis(least - 5), "{host}: {gap:?}");
        }
    }
    let hits = site.hits();
    assert!(
        hits.iter().any(|hit| hit.url == "b.test/kept/1"),
        "its own group has no such rule"
    );
    assert!(!hits.iter().any(|hit| hit.url.starts_with("b.test/p/2")));
}

/// Whether a page is fetched where a robots.txt is answered so.
fn is_fetched(robots: impl Fn() -> Reply + Send + Sync + 'static) -> (bool, Summary) {
    let site = Site::of(move |hit| match hit.url.as_str() {
        "a.test/robots.txt" => Some(robots()),
        "a.test/" => Some(Reply::html("<a href=/kept/1>x</a>")),
        _ => None,
    });
    let (summary, records) = crawled(&site, &["a.test"], |_| {});
    (captures(&records).contains_key("a.test/kept/1"), summary)
}

#[test]
fn every_robots_txt_is_understood() {
    let rules = "User-agent: *\nDisallow: /kept\n";
    let plain = move || Reply::html(rules);
    assert!(!is_fetched(plain).0);
    assert!(
        !is_fetched(move || Reply::html(format!("\u{feff}{rules}"))).0,
        "with a mark of byte order"
    );
    assert!(is_fetched(|| Reply::html("<html><p>Disallow: nothing")).0, "HTML");
    let large = move || Reply::html(format!("{rules}{}", "# filling\n".repeat(1 << 20)));
    assert!(!is_fetched(large).0, "10 MB");
    let late = move || Reply::html(format!("{}{rules}", "# filling\n".repeat(1 << 20)));
    assert!(is_fetched(late).0, "beyond 500 KiB");
    assert!(is_fetched(move || plain().status(404)).0, "none");
    assert!(
        is_fetched(move || plain().status(403)).0,
        "a refusal is none (RFC 9309, section 2.3.1.3)"
    );
    for status in [500, 503, 429] {
        let (is_fetched, summary) = is_fetched(move || plain().status(status));
        assert!(!is_fetched, "{status}");
        assert_eq!(
            summary.not_fetched,
            BTreeMap::from([(Reason::RobotsUnknown, 1)]),
            "{status}"
        );
        assert_eq!(
            summary.lost_seeds[0].reason,
            format!("robots-unknown: status {status}")
        );
    }
}

#[test]
fn a_robots_txt_may_have_moved() {
    let site = Site::of(|hit| match hit.url.as_str() {
        "a.test/robots.txt" => Some(Reply::html("").status(301).with("Location: /moved")),
        "a.test/moved" => Some(Reply::html("User-agent: gleaner\nDisallow: /kept")),
        "a.test/" => Some(Reply::html("<a href=/kept/1>x</a>")),
        _ => None,
    });
    let (summary, _) = crawled(&site, &["a.test"], |_| {});
    assert_eq!(summary.not_fetched, BTreeMap::from([(Reason::RobotsTxt, 1)]));
}

#[test]
fn private_addresses_are_fetched_only_if_a_person_names_them() {
    let site = Site::of(|hit| match hit.url.as_str() {
        "a.test/" => {
            let port = hit.head.header("host")?.split(':').nth(1)?;
            Some(
                Reply::html("")
                    .status(302)
                    .with(&format!("Location: http://127.0.0.1:{port}/p/1")),
            )
        }
        _ => None,
    });
    let (summary, records) = crawled(&site, &["a.test"], |settings| settings.sitemaps = false);
    assert_eq!(summary.not_fetched, BTreeMap::from([(Reason::PrivateAddress, 1)]));
    assert_eq!(summary.lost_seeds.len(), 1);
    assert_eq!(captures(&records).len(), 2);
    let (summary, _) = crawled(&site, &["a.test", "127.0.0.1"], |settings| {
        settings.limits.depth = 0
    });
    assert!(summary.not_fetched.is_empty());
}

#[test]
fn limits_end_a_crawl() {
    let site = Site::start();
    let (summary, records) = crawled(&site, &HOSTS, |settings| settings.limits.pages = Some(7));
    assert_eq!(
        (summary.pages, summary.limit.map(|limit| limit.to_string())),
        (7, Some("max-pages".to_owned()))
    );
    assert_eq!(captures(&records).len() as u64, 7 + summary.robots_files);
    assert!(summary.waiting > 0);
    let (summary, _) = crawled(&site, &["b.test"], |settings| settings.limits.pages_per_host = 5);
    assert_eq!((summary.pages, summary.limit), (5, None));
    assert!(summary.not_fetched[&Reason::HostLimit] > 0);
    let (summary, _) = crawled(&site, &["b.test"], |settings| settings.limits.bytes = Some(4000));
    assert_eq!(
        summary.limit.map(|limit| limit.to_string()),
        Some("max-bytes".to_owned())
    );
    let (summary, _) = crawled(&site, &["b.test"], |settings| settings.limits.depth = 0);
    assert_eq!(summary.pages, 1);
}

#[test]
fn files_are_cut_at_their_size() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("crawl.warc.gz");
    let mut settings = settings(&[site.url("b.test", "/")], &out);
    settings.file_size = Some(10_000);
    let summary = run(settings.clone()).unwrap();
    assert!(summary.files.len() > 3, "{:?}", summary.files);
    let all: Vec<Vec<Stored>> = files(folder.path()).iter().map(|file| records(file)).collect();
    assert!(all.iter().all(|records| records[0].kind == RecordType::Warcinfo));
    let count = captures(&all.concat()).len();
    assert_eq!(count as u64, summary.pages + summary.robots_files);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        summary.files.len()
    );
    assert!(matches!(run(settings), Err(Error::Exists(_))));
}

#[test]
fn an_unchanged_web_has_revisits_alone() {
    let site = Site::of(|hit| {
        let tag = format!("\"{}\"", hit.url);
        let is_known = hit.head.header("if-none-match") == Some(&tag);
        match hit.url.as_str() {
            // Of one host, pages have tags; of the other, only their bytes are the same.
            url if url.starts_with("a.test/p/") && is_known => {
                Some(Reply::html("").status(304).with(&format!("ETag: {tag}")))
            }
            "a.test/p/0" => {
                Some(Reply::html("<a href=/p/1>x</a><a href=/kept/1>x</a>").with(&format!("ETag: {tag}")))
            }
            "a.test/p/1" => Some(Reply::html("<p>1").with(&format!("ETag: {tag}"))),
            "a.test/" => Some(Reply::html("<a href=/p/0>x</a><a href=/loop/0>x</a>")),
            _ => None,
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let crawl = |name: &str, since: &[&str]| {
        let path = |name: &str| folder.path().join(name);
        let seeds = [site.url("a.test", "/"), site.url("b.test", "/")];
        let mut settings = settings(&seeds, &path(name));
        settings.since = since.iter().map(|name| path(name)).collect();
        let summary = run(settings).unwrap();
        (summary, captures(&records(&path(name))))
    };
    let (first, old) = crawl("1.warc.gz", &[]);
    let before = site.hits().len();
    let (second, new) = crawl("2.warc.gz", &["1.warc.gz"]);
    assert_eq!(site.hits().len(), 2 * before, "the second finds the same links");
    assert_eq!((second.unchanged, first.pages), (first.pages, second.pages));
    assert!(second.statuses.is_empty());
    for (url, capture) in &new {
        assert_eq!(capture.kind, RecordType::Revisit, "{url}");
        assert_eq!(capture.field("WARC-Refers-To"), old[url].id, "{url}");
        assert_eq!(capture.field("WARC-Refers-To-Date"), old[url].field("WARC-Date"));
        assert_eq!(
            capture.field("WARC-Payload-Digest"),
            old[url].field("WARC-Payload-Digest")
        );
    }
    assert!(
        new["a.test/p/1"]
            .field("WARC-Profile")
            .ends_with("server-not-modified")
    );
    assert!(
        new["b.test/p/1"]
            .field("WARC-Profile")
            .ends_with("identical-payload-digest")
    );

    // A third refers to what the first has, through the second.
    let (third, newest) = crawl("3.warc.gz", &["2.warc.gz"]);
    assert_eq!(third.unchanged, first.pages);
    for (url, capture) in &newest {
        assert_eq!(capture.field("WARC-Refers-To"), old[url].id, "{url}");
    }
}

#[test]
fn what_changed_is_a_response_again() {
    let text = std::sync::Arc::new(parking_lot::Mutex::new("<p>old"));
    let served = std::sync::Arc::clone(&text);
    let site = Site::of(move |hit| (hit.url == "a.test/").then(|| Reply::html(*served.lock())));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut settings = settings(&[site.url("a.test", "/")], &path("1.warc.gz"));
    settings.sitemaps = false;
    run(settings.clone()).unwrap();
    *text.lock() = "<p>new";
    settings.out = path("2.warc.gz");
    settings.since = vec![path("1.warc.gz")];
    let summary = run(settings).unwrap();
    assert_eq!(
        (summary.unchanged, &summary.statuses),
        (0, &BTreeMap::from([(200, 1)]))
    );
    let captures = captures(&records(&path("2.warc.gz")));
    assert_eq!(captures["a.test/"].message().1, "<p>new");
    assert_eq!(captures["a.test/robots.txt"].kind, RecordType::Revisit);
}

#[test]
fn a_crawl_that_was_stopped_goes_on() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("crawl.warc.gz");
    let seeds = HOSTS.map(|host| site.url(host, "/"));
    let settings = settings(&seeds, &out);
    let stop = AtomicBool::new(true);
    assert!(matches!(
        crawl(settings.clone(), &stop, &Progress::default()),
        Err(Error::Interrupted)
    ));
    assert!(!out.exists());
    let mut other = settings.clone();
    other.reach = Reach::Any;
    assert!(matches!(run(other), Err(Error::OtherCrawl(_))));
    run(settings).unwrap();
    let urls: BTreeSet<String> = captures(&records(&out)).into_keys().collect();
    assert!(urls.is_superset(&ordinary()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn one_process_at_a_time_works_at_an_archive() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&[site.url("b.test", "/")], &folder.path().join("crawl.warc.gz"));
    settings.pace.delay = Duration::from_secs(60);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| crawl(settings.clone(), &stop, &Progress::default()));
        while site.hits().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(matches!(run(settings.clone()), Err(Error::Locked(_))));
        stop.store(true, Relaxed);
        assert!(matches!(first.join().unwrap(), Err(Error::Interrupted)));
    });
}

#[test]
fn bad_names_and_journals_are_refused() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str| settings(&[site.url("a.test", "/")], &folder.path().join(name));
    assert!(matches!(run(of("crawl.warc")), Err(Error::Name(_))));
    assert!(matches!(run(of(".warc.gz")), Err(Error::Name(_))));
    std::fs::write(folder.path().join("x.warc.gz.journal"), "no JSON\n").unwrap();
    assert!(matches!(run(of("x.warc.gz")), Err(Error::Journal(_))));
    let mut since = of("y.warc.gz");
    since.since = vec![folder.path().join("none.warc.gz")];
    assert!(matches!(run(since), Err(Error::Read { .. })));
    assert!(site.hits().is_empty());
}

#[test]
fn outcomes_read_well() {
    assert_eq!(Outcome::Fetched(404).to_string(), "status 404");
    assert_eq!(Outcome::Failed(Reason::Certificate).to_string(), "certificate");
}
