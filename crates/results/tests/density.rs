//! Densities against a slow twin that reads them off the paper.

use gleaner_html::{NONE, Tag};
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_results::Densities;
use proptest::prelude::*;

fn parse(html: &str) -> Page {
    let mut parser = Parser::new(PageConfig::default());
    let parsed = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    parsed.expect("HTML always parses").clone()
}

/// Whether `inner` is `outer` or stands in it.
fn is_in(page: &Page, inner: u32, outer: usize) -> bool {
    page.ancestors(inner).any(|up| up as usize == outer)
}

fn chars(page: &Page, element: usize, only_links: bool) -> f64 {
    let is_link = |at: u32| {
        page.ancestors(at)
            .any(|up| page.elements[up as usize].tag == Tag::A)
    };
    let runs = page
        .runs
        .iter()
        .filter(|run| is_in(page, run.element, element) && (!only_links || is_link(run.element)));
    runs.map(|run| page.run_text(run).chars().count()).sum::<usize>() as f64
}

fn tags(page: &Page, element: usize) -> f64 {
    let below = (0..page.elements.len()).filter(|&at| at != element && is_in(page, at as u32, element));
    below.count() as f64
}

fn links(page: &Page, element: usize) -> f64 {
    let all = 0..page.elements.len();
    all.filter(|&at| page.elements[at].tag == Tag::A && is_in(page, at as u32, element))
        .count() as f64
}

/// A denominator.
fn d(value: f64) -> f64 {
    if value == 0.0 { 1.0 } else { value }
}

/// The formula with everything counted again.
fn composite(page: &Page, i: usize) -> f64 {
    let (c, cl) = (chars(page, i, false), chars(page, i, true));
    let (cb, clb) = (chars(page, 0, false), chars(page, 0, true));
    if c == 0.0 {
        return 0.0;
    }
    let (t, tl) = (tags(page, i), links(page, i));
    let base = (c / d(c - cl) * cl + clb / d(cb) * c + std::f64::consts::E).ln();
    c / d(t) * ((c / d(cl) * d(t) / d(tl)).ln() / d(base.ln()))
}

fn children(page: &Page, element: usize) -> Vec<usize> {
    (0..page.elements.len())
        .filter(|&at| page.elements[at].parent == element as u32)
        .collect()
}

fn sum(page: &Page, element: usize) -> f64 {
    children(page, element)
        .iter()
        .map(|&at| composite(page, at))
        .sum()
}

/// Two halves of a density are the whole but for rounding: such are the same.
fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * (1.0 + two.abs())
}

/// The first element with the largest sum, among an element and what is below it.
fn best(page: &Page, element: usize) -> usize {
    let mut best = element;
    for at in (0..page.elements.len()).filter(|&at| is_in(page, at as u32, element)) {
        let (here, most) = (sum(page, at), sum(page, best));
        if here > most && !near(here, most) {
            best = at;
        }
    }
    best
}

/// The algorithm as printed: recursion from the body.
fn mark(page: &Page, at: usize, threshold: f64, content: &mut [bool]) {
    let own = composite(page, at);
    if content[at] || (own < threshold && !near(own, threshold)) {
        return;
    }
    let best = best(page, at);
    (0..page.elements.len())
        .filter(|&inner| is_in(page, inner as u32, best))
        .for_each(|inner| content[inner] = true);
    for child in children(page, at) {
        mark(page, child, threshold, content);
    }
}

fn content(page: &Page) -> Vec<bool> {
    let mut content = vec![false; page.elements.len()];
    let is_body = |at: &usize| page.elements[*at].tag == Tag::Body;
    let body = (0..page.elements.len())
        .find(is_body)
        .expect("a parsed page has a body");
    let way = page.ancestors(best(page, body) as u32);
    let way = way.take_while(|&up| page.elements[up as usize].tag != Tag::Html);
    let threshold = way
        .map(|up| composite(page, up as usize))
        .fold(f64::INFINITY, f64::min);
    mark(page, body, threshold, &mut content);
    content
}

fn check(html: &str) -> Result<(), TestCaseError> {
    let page = parse(html);
    let densities = Densities::new(&page);
    for (at, own) in densities.elements().iter().enumerate() {
        prop_assert_eq!(f64::from(own.chars), chars(&page, at, false));
        prop_assert_eq!(f64::from(own.link_chars), chars(&page, at, true));
        prop_assert_eq!(f64::from(own.tags), tags(&page, at));
        prop_assert_eq!(f64::from(own.links), links(&page, at));
        prop_assert!(near(own.text, chars(&page, at, false) / d(tags(&page, at))));
        prop_assert!(near(own.composite, composite(&page, at)), "{at} of {html}");
        prop_assert!(near(own.sum, sum(&page, at)), "{at} of {html}");
    }
    prop_assert_eq!(densities.content_elements(&page), content(&page), "{}", html);
    Ok(())
}

/// A random page: pieces of text and elements, of which some stay open.
fn html() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z ]{1,40}",
        "<a href=x>[a-z]{1,12}</a>",
        Just("<br>".to_owned()),
        Just("<img alt=\"a picture\">".to_owned()),
    ];
    let tree = leaf.prop_recursive(5, 24, 5, |inner| {
        let name = prop::sample::select(vec!["div", "p", "ul", "li", "a", "b", "table", "section", "span"]);
        (name, prop::collection::vec(inner, 0..5))
            .prop_map(|(name, inner)| format!("<{name}>{}</{name}>", inner.concat()))
    });
    prop::collection::vec(tree, 0..5).prop_map(|trees| trees.concat())
}

proptest! {
    #[test]
    fn densities_and_content_are_the_twins(html in html()) {
        check(&html)?;
    }
}

/// Two lists with a picture each have together the density that one picture has alone in its list: by a
/// rounding less, which must not make a list of the page.
#[test]
fn of_sums_that_differ_by_rounding_the_outermost_is_the_largest() {
    let picture = "<img alt=\"a picture\">";
    let html = format!("<a>aa aa aaa a a a</a><ul><div><br></div>{picture}</ul><div>{picture}<br><br></div>");
    let page = parse(&html);
    let body = &page.elements[2];
    assert_eq!(body.tag, Tag::Body);
    assert!(Densities::new(&page).content_elements(&page)[2]);
    check(&html).expect("the twin finds the same");
}

#[test]
fn an_article_is_kept_and_its_menu_is_not() {
    let text = "A sentence of some length, which says a few things and has no links in it at all. ".repeat(3);
    let html = format!(
        "<body><div><a href=a>Home</a> <a href=b>News</a> <a href=c>Sports</a></div>\
         <div id=text><h1>Title</h1><p>{text}</p><p>{text}</p><p>{text}</p></div>\
         <div><a href=d>Imprint</a> <a href=e>Privacy</a></div>"
    );
    let page = parse(&html);
    let kept = Densities::new(&page).content_blocks(&page);
    assert_eq!(kept, [false, true, true, true, true, false]);
    assert!(page.elements[0].parent == NONE);
}
