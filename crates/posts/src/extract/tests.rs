use std::path::Path;

use gleaner_page::{PageConfig, Parser};
use proptest::prelude::*;

use super::*;

fn posts(rules: Rules, html: &str) -> Vec<Post> {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap();
    Extractor::new(rules).extract(page, About::default()).posts
}

type PostOutline<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

/// Title, printed date and text of each post.
fn outlines(posts: &[Post]) -> Vec<PostOutline<'_>> {
    posts.iter().map(outline).collect()
}

fn outline(post: &Post) -> PostOutline<'_> {
    let printed = post.published.as_ref().map(|date| date.text.as_str());
    (post.title.as_deref(), printed, &post.text)
}

#[test]
fn the_printed_rules_find_a_post_of_blogger() {
    let html = "<h2 class=date-header>July 8, 2016</h2><div class='post hentry'>\
        <h3 class='post-title entry-title'><a href=a>Lamps</a></h3>\
        <div class='post-body entry-content'>They burn.</div></div>";
    // The body is named like a post as well, and is no second one.
    assert_eq!(
        outlines(&posts(Rules::blogbuster(), html)),
        [(Some("Lamps"), Some("July 8, 2016"), "They burn.")]
    );
}

#[test]
fn the_printed_rules_find_title_and_date_where_the_paper_says() {
    let date_inside = "<h1>Lamps</h1><div class=post><div class=postinfo><small class=time>8 May</small></div>\
        <div class=entrybody>They burn.</div></div>";
    assert_eq!(
        outlines(&posts(Rules::blogbuster(), date_inside)),
        [(Some("Lamps"), Some("8 May"), "They burn.")]
    );
    // A child is a child; a pattern fits the whole attribute; <article> is no <div>.
    for html in [
        "<div class=post><p><div><div class=text>They burn.</div></div></div>",
        "<div class=post><div class='content wide'>They burn.</div></div>",
        "<article class=post><div class=entry>They burn.</div></article>",
    ] {
        assert_eq!(outlines(&posts(Rules::blogbuster(), html)), []);
    }
}

#[test]
fn default_rules_take_posts_of_other_elements_and_leave_out_what_is_around() {
    let html = "<nav><article><h2>Menu</h2></article></nav>\
        <article><h2><a href=a>Lamps</a></h2><time datetime=2016-07-08T23:00>Friday</time>\
        <span class=author><a rel=author href=b>Ann</a></span>\
        <div class=entry-content><p>They <b>burn</b>.<img alt=lamp></p><p>Long.</p>\
        <div class=sharedaddy>Tweet</div></div></article>\
        <aside class=sidebar><div class=post><div class=entry>Old</div></div></aside>";
    let found = posts(Rules::default_rules(), html);
    assert_eq!(
        outlines(&found),
        [(Some("Lamps"), Some("Friday"), "They burn.\nLong.")]
    );
    assert_eq!(found[0].author.as_deref(), Some("Ann"));
    assert_eq!(
        found[0].published.as_ref().and_then(|date| date.day),
        Day::new(2016, 7, 8)
    );
}

#[test]
fn a_platform_is_what_the_page_says_before_what_it_looks_like() {
    let platform = |html: &str| {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut extractor = Extractor::new(Rules::default_rules());
        extractor.platform(page).map(str::to_owned)
    };
    let marked = "<div class=post-outer>a</div>";
    assert_eq!(platform(marked).as_deref(), Some("Blogger"));
    let says = format!("<meta name=Generator content='WordPress 5.7'>{marked}");
    assert_eq!(platform(&says).as_deref(), Some("WordPress"));
    assert_eq!(platform("<p>a"), None);
}

#[test]
fn a_page_that_matches_everywhere_costs_no_more_than_its_bound() {
    let rules = "name = 'own'\n[[post]]\nsteps = [{ tags = ['div'] }]\n[[text]]\nsteps = [\
        { axis = 'before', tags = ['div'] }, { axis = 'before', tags = ['div'] }, { axis = 'before', tags = ['p'] }]\n";
    let rules = Rules::parse(Path::new("own.toml"), rules).unwrap();
    // The steps lead to a cube of pairs of siblings, and none to a text.
    assert_eq!(posts(rules, &"<div>a</div>".repeat(20_000)), []);
}

proptest! {
    #[test]
    fn any_page_has_posts_or_none(pieces in proptest::collection::vec(0usize..8, 0..40)) {
        const PIECES: [&str; 8] = [
            "<div class='post entry'>", "</div>", "<article>", "<h2 class=title>", "text ", "<div class=entry-content>",
            "<time datetime=2016-01-01>", "<div class=share>",
        ];
        let html: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        for rules in [Rules::blogbuster(), Rules::default_rules()] {
            for post in posts(rules, &html) {
                prop_assert!(post.text.lines().all(|line| !line.is_empty() && line.trim() == line));
            }
        }
    }
}

/// The posts of a page and the limits that cut what was looked at.
fn limits(rules: Rules, html: &str) -> (usize, Vec<&'static str>) {
    let mut parser = Parser::new(PageConfig::default());
    let page = parser.parse(html.as_bytes(), None).unwrap();
    let found = Extractor::new(rules).extract(page, About::default());
    (found.posts.len(), found.truncated.names().collect())
}

#[test]
fn limits_of_posts_and_headings_that_are_met_are_reported() {
    let named = |count: usize| {
        let post = |at| {
            format!(
                "<div class='post hentry'><h3 class=post-title>T{at}</h3><div class=post-body>B{at}.</div></div>"
            )
        };
        (0..count).map(post).collect::<String>()
    };
    let (found, met) = limits(Rules::default_rules(), &named(1000));
    assert_eq!((found, met.contains(&"posts")), (1000, false), "{met:?}");
    assert_eq!(limits(Rules::default_rules(), &named(200)), (200, vec![]));
    assert_eq!(limits(Rules::blogbuster(), &named(1000)), (1000, vec![]));
    let (found, met) = limits(Rules::default_rules(), &named(1001));
    assert_eq!((found, met.contains(&"posts")), (1000, true), "{met:?}");
    let (found, met) = limits(Rules::blogbuster(), &named(1001));
    assert_eq!((found, met.contains(&"posts")), (1000, true), "{met:?}");
    let headings = |count: usize| {
        let html = format!("<title>T</title><h1>T</h1>{}", "<h2>a b</h2><p>c d".repeat(count));
        limits(Rules::default_rules(), &html).1
    };
    assert_eq!(headings(50), [""; 0]);
    // (The heading of the page is one of them.)
    assert!(!headings(299).contains(&"post-headings"));
    assert!(headings(300).contains(&"post-headings"));
}

#[test]
fn limits_of_comments_and_of_names_that_are_met_are_reported() {
    let comments = |count: usize| {
        let comment = "<div class=comment><b class=author>Ann</b><p>I agree with it.</p></div>";
        let post = "<div class='post hentry'><h1>Lamps</h1><div class=entry-content>They burn all night.</div></div>";
        format!("<title>Lamps</title>{post}{}", comment.repeat(count))
    };
    assert_eq!(limits(Rules::default_rules(), &comments(300)).1, [""; 0]);
    let met = limits(Rules::default_rules(), &comments(1000)).1;
    assert!(!met.contains(&"post-comments"), "{met:?}");
    let met = limits(Rules::default_rules(), &comments(1001)).1;
    assert!(met.contains(&"post-comments"), "{met:?}");
    let long = |letters: usize| format!("<div class='{}'><p>a b c", "a".repeat(letters));
    assert_eq!(limits(Rules::default_rules(), &long(1024)).1, [""; 0]);
    assert_eq!(limits(Rules::default_rules(), &long(1025)).1, ["post-names"]);
}

/// Headings that hold each other, each of them the text of the whole page; and posts that are parts of one element, each of
/// them a candidate for all of it.
#[test]
fn work_beyond_a_page_is_cut_and_reported() {
    let headings = format!(
        "<title>x</title>{}{}",
        "<h1><div>".repeat(200),
        "word and word ".repeat(50_000)
    );
    assert_eq!(limits(Rules::default_rules(), &headings).1, ["post-steps"]);
    let posts = "<h2>Title a b c</h2><p>May 1 2020</p><p>word word word word</p>".repeat(1500);
    let (found, met) = limits(Rules::default_rules(), &posts);
    assert!(found > 0 && met.contains(&"post-steps"), "{found} {met:?}");
    let few = "<h2>Title a b c</h2><p>May 1 2020</p><p>word word word word</p>".repeat(20);
    assert_eq!(limits(Rules::default_rules(), &few).1, [""; 0]);
}
