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

type Told<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

/// Title, printed date and text of each post.
fn told(posts: &[Post]) -> Vec<Told<'_>> {
    posts.iter().map(tell).collect()
}

fn tell(post: &Post) -> Told<'_> {
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
        told(&posts(Rules::blogbuster(), html)),
        [(Some("Lamps"), Some("July 8, 2016"), "They burn.")]
    );
}

#[test]
fn the_printed_rules_find_title_and_date_where_the_paper_says() {
    let date_inside = "<h1>Lamps</h1><div class=post><div class=postinfo><small class=time>8 May</small></div>\
        <div class=entrybody>They burn.</div></div>";
    assert_eq!(
        told(&posts(Rules::blogbuster(), date_inside)),
        [(Some("Lamps"), Some("8 May"), "They burn.")]
    );
    // A child is a child; a pattern fits the whole attribute; <article> is no <div>.
    for html in [
        "<div class=post><p><div><div class=text>They burn.</div></div></div>",
        "<div class=post><div class='content wide'>They burn.</div></div>",
        "<article class=post><div class=entry>They burn.</div></article>",
    ] {
        assert_eq!(told(&posts(Rules::blogbuster(), html)), []);
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
        told(&found),
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
