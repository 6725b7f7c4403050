//! What the signals of a page and of a site about rights cost.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gleaner_curate::Agents;
use gleaner_curate::rights::{RightsFile, SiteFiles, SiteRights, page_rights};
use gleaner_metadata::{RightsPlace, RightsStatement};

const PAGE: &str = "https://www.mill.example/2024/07/the-wheel.html?page=2";

/// The headers of a usual response.
const HEADERS: [(&str, &str); 15] = [
    ("Date", "Mon, 08 Jul 2024 10:00:00 GMT"),
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Length", "51234"),
    ("Connection", "keep-alive"),
    ("Server", "nginx"),
    ("Vary", "Accept-Encoding"),
    ("Cache-Control", "max-age=600"),
    ("ETag", "\"66abf-51234\""),
    ("Last-Modified", "Sun, 07 Jul 2024 10:00:00 GMT"),
    ("X-Powered-By", "PHP/8.2"),
    ("Strict-Transport-Security", "max-age=31536000"),
    ("X-Frame-Options", "SAMEORIGIN"),
    ("X-Content-Type-Options", "nosniff"),
    ("Set-Cookie", "a=b; Path=/"),
    ("CF-RAY", "89fb1c0d0a2f-FRA"),
];

fn agents() -> Agents {
    Agents::parse("agents.toml", include_str!("../../../jobs/agents.toml")).expect("a list of agents")
}

fn headers<'h>(more: &'h [(&'h str, &'h str)]) -> impl Iterator<Item = (&'h [u8], &'h [u8])> {
    let all = HEADERS.iter().chain(more);
    all.map(|(name, value)| (name.as_bytes(), value.as_bytes()))
}

fn pages(criterion: &mut Criterion) {
    let agents = agents();
    let statement = |place, name: &str, value: &str| RightsStatement {
        place,
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let statements = [
        statement(RightsPlace::Meta, "robots", "index, follow, max-snippet:-1, noai"),
        statement(RightsPlace::Meta, "tdm-reservation", "1"),
        statement(
            RightsPlace::Anchor,
            "",
            "https://creativecommons.org/licenses/by/3.0/de/",
        ),
    ];
    let more = [
        ("X-Robots-Tag", "noarchive"),
        ("Content-Usage", "train-ai=n"),
        (
            "Link",
            "</rsl.xml>; rel=\"license\"; type=\"application/rsl+xml\"",
        ),
    ];
    criterion.bench_function("a page without signals", |bencher| {
        bencher.iter(|| black_box(page_rights(&[], headers(&[]), PAGE, &agents)));
    });
    criterion.bench_function("a page with six", |bencher| {
        bencher.iter(|| black_box(page_rights(&statements, headers(&more), PAGE, &agents)));
    });
}

fn sites(criterion: &mut Criterion) {
    let agents = agents();
    let rules = (0..50).map(|at| format!("Disallow: /folder-{at}/*.php$\n"));
    let robots = format!(
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\n{}Content-Signal: search=yes, ai-train=no\n",
        rules.collect::<String>()
    );
    let mut files = SiteFiles::default();
    let file = RightsFile::RobotsTxt;
    let record = file.record((None, ""), 200, robots.as_bytes());
    files.add(file, record.expect("it is an answer"));
    criterion.bench_function("the files of a site", |bencher| {
        bencher.iter(|| black_box(SiteRights::new("www.mill.example", &files, &agents)));
    });
    let site = SiteRights::new("www.mill.example", &files, &agents);
    criterion.bench_function("a page by the files of its site", |bencher| {
        bencher.iter(|| black_box(site.rows_of(PAGE, &agents)));
    });
}

criterion_group!(benches, pages, sites);
criterion_main!(benches);
