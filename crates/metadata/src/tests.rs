use super::*;
use gleaner_page::{PageConfig, Parser};

fn of(html: &str, url: &str, test: impl FnOnce(&Metadata<'_>)) {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap();
    test(&metadata(page, &Context { url, captured: None }));
}

fn title(html: &str) -> Option<String> {
    let mut title = None;
    of(html, "https://www.lanterna-walks.example/a", |found| {
        title = found.title.as_deref().map(str::to_owned);
    });
    title
}

#[test]
fn a_head_is_read() {
    let html = r#"<html lang="en-GB"><head><title>Short | Site</title>
        <meta property="og:title" content="Short"><meta name=author content="https://x.example/a">
        <meta name="date" content="2021-03-04"><meta property="article:published_time" content="2021-03-05T10:00">
        <script type="application/ld+json">{"author": {"name": "Jan Novak"}}</script></head><body><p>Text"#;
    of(html, "", |found| {
        assert_eq!(found.title.as_deref(), Some("Short"));
        assert_eq!(found.author.as_deref(), Some("Jan Novak"));
        assert_eq!(found.published, Some((2021, 3, 5)));
        assert_eq!(found.language.as_deref(), Some("en"));
    });
}

#[test]
fn a_heading_that_agrees_is_the_title() {
    let html = "<title>The tide mill turns - Science - Lanterna Walks</title><h1>Lanterna Walks</h1><h1>The Tide Mill turns</h1>";
    assert_eq!(title(html).as_deref(), Some("The Tide Mill turns"));
    let html = "<title>Harbour life | Lanterna Walks</title><h1>Lanterna Walks</h1><h1>Something else</h1>";
    assert_eq!(title(html).as_deref(), Some("Harbour life"));
    let html = "<title>灯台の歩き方_散歩新聞</title><h1>灯台の歩き方</h1><h1>他の記事</h1>";
    assert_eq!(title(html).as_deref(), Some("灯台の歩き方"));
}

#[test]
fn the_name_of_the_site_is_cut_off() {
    let cut = |head: &str| title(&format!("<title>{head}</title><p>text")).unwrap();
    assert_eq!(cut("Walks by night » Lanterna Walks"), "Walks by night");
    assert_eq!(
        cut("Lanterna Walks: a-b - Walks by day and by night"),
        "Walks by day and by night"
    );
    assert_eq!(cut("lanterna-walks – Walks by night"), "Walks by night");
    assert_eq!(cut("One-word | Two words here"), "One-word | Two words here");
    assert_eq!(cut("灯台の歩き方-散歩"), "灯台の歩き方-散歩");
    assert_eq!(cut("| |"), "| |");
}

#[test]
fn without_a_title_a_heading_is_one_and_without_both_nothing() {
    assert_eq!(title("<h1>Alone</h1><p>text").as_deref(), Some("Alone"));
    assert_eq!(title("<p>text"), None);
}

#[test]
fn marked_elements_name_author_and_day() {
    let html = r#"<title>T</title><div class="comment"><a rel=author>Mallory</a><time datetime=2001-01-01>x</time></div>
        <h1>T</h1><p class="post-byline">By <span>Ada Lovelace</span> | <span class="postDate">1. května 2024</span></p><p>text"#;
    of(html, "", |found| {
        assert_eq!(found.author.as_deref(), Some("Ada Lovelace"));
        assert_eq!(found.published, Some((2024, 5, 1)));
    });
    let html = "<h1>T</h1><p>Text by Nobody, of 1 May 2024";
    of(html, "https://a.example/2023/02/03/t", |found| {
        assert_eq!(found.author, None);
        assert_eq!(found.published, Some((2023, 2, 3)));
    });
}

#[test]
fn a_line_beside_the_heading_may_be_a_byline() {
    let byline = "<p>Von Ada Lovelace</p><p>By Ada Lovelace, 1 May 2024</p>";
    of(&format!("<h1>T</h1>{byline}<p>text"), "", |found| {
        assert_eq!(found.author.as_deref(), Some("Ada Lovelace"));
        assert_eq!(found.published, Some((2024, 5, 1)));
    });
    let text = "<p>Some more text.</p>".repeat(9);
    of(&format!("<h1>T</h1>{text}{byline}"), "", |found| {
        assert_eq!((found.author.as_deref(), found.published), (None, None));
    });
}

proptest::proptest! {
    /// Whatever stands where titles, bylines, dates and JSON do: no panic, and nothing without an end.
    #[test]
    fn any_page_says_something_or_nothing(
        parts in proptest::collection::vec((0..9usize, "[\\PC\u{0}-\u{20}]{0,30}|(By|Von|作者)? ?[A-Zİß]{0,9}[-|:•年月日. 0-9]{0,12}"), 0..12),
        url in "\\PC{0,20}|https://[a-zİ.-]{0,12}/[0-9/-]{0,14}",
    ) {
        let part = |(kind, text): &(usize, String)| match kind {
            0 => format!("<title>{text}</title>"),
            1 => format!("<h1>{text}</h1>"),
            2 => format!("<meta property=og:title content='{text}'>"),
            3 => format!("<p class='postDate author'>{text}</p>"),
            4 => format!("<time datetime='{text}'>{text}</time>"),
            5 => format!("<script type=application/ld+json>{{\"author\": \"{text}\", \"text\": [{text}]}}</script>"),
            6 => format!("<script>window.__INITIAL_STATE__ = {{\"body\": \"{text}\"}}</script>"),
            7 => format!("<a rel=author>{text}</a>"),
            _ => format!("<p>{text}</p>"),
        };
        let html: String = parts.iter().map(part).collect();
        let mut parser = Parser::new(PageConfig::default());
        if let Ok(page) = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8")) {
            let found = metadata(page, &url);
            proptest::prop_assert!(found.title.is_none_or(|title| !title.trim().is_empty()));
            proptest::prop_assert!(found.author.is_none_or(|name| name.chars().any(char::is_alphabetic)));
            let (year, month, day) = found.published.unwrap_or((2000, 1, 1));
            proptest::prop_assert!(year >= 1990 && (1..=12).contains(&month) && (1..=31).contains(&day));
        }
    }
}
