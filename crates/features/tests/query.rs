//! Query evidence on pages written for it, and against a slow twin.

use gleaner_features::{Query, form_page_config, form_terms, words};
use gleaner_html::Tag;
use gleaner_page::{Page, PageConfig, Parser};
use proptest::prelude::*;

fn parse(html: &str, config: PageConfig) -> Page {
    let mut parser = Parser::new(config);
    let parsed = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8"));
    parsed.expect("HTML always parses").clone()
}

const FORM: &str = "<body><form><label>Job title <input name=t value=Gardener></label>\
    <select name=p><option>Cologne<option value=b>Bonn</select><input type=hidden value=secret>\
    <input type=submit value=Search>Some words beside</form><p>And a text.</p></body>";

#[test]
fn forms_give_labels_options_and_values() {
    let terms = form_terms(&parse(FORM, form_page_config()));
    assert!(
        terms.terms().eq(["bonn", "cologne", "gardener", "job", "title"]),
        "{terms:?}"
    );
}

#[test]
fn evidence_is_nearest_where_the_terms_are() {
    let page = parse(
        "<body><ul><li>Home<li>About</ul><div><div>Gardener <b>in Bonn</b></div><p>gardener, gardener</p></div></body>",
        PageConfig::default(),
    );
    let evidence = Query::new(["gardener", "Bonn"]).evidence(&page);
    let of = |tag: Tag, nth: usize| {
        let mut all = (0..page.elements.len()).filter(|&at| page.elements[at].tag == tag);
        evidence[all.nth(nth).expect("the page has it")]
    };
    let (outer, inner, p) = (of(Tag::Div, 0), of(Tag::Div, 1), of(Tag::P, 0));
    assert_eq!((p.score, p.matches, p.to_body), (2.0, 2, 2));
    assert_eq!((inner.score, inner.matches), (1.0 + 1.0 / 2.0, 1));
    assert_eq!(
        (outer.score, outer.matches, outer.to_body),
        (2.0 / 2.0 + 1.0 / 2.0 + 1.0 / 3.0, 0, 1)
    );
    assert_eq!((of(Tag::Ul, 0).score, of(Tag::Body, 0).to_body), (0.0, 0));
}

#[test]
fn without_terms_there_is_only_the_distance() {
    let page = parse("<p>text</p>", PageConfig::default());
    let evidence = Query::default().evidence(&page);
    assert!(evidence.iter().all(|own| own.score == 0.0 && own.matches == 0));
    assert_eq!(evidence.last().map(|own| own.to_body), Some(1));
    assert!(Query::new(["x"]).evidence(&Page::default()).is_empty());
}

/// Everything counted again for each element.
fn check(html: &str, query: &Query) -> Result<(), TestCaseError> {
    let page = parse(html, PageConfig::default());
    let matches = |element: usize| -> f64 {
        let own = page.runs.iter().filter(|run| run.element as usize == element);
        let found = |word: &&str| query.terms().any(|term| term == word.to_lowercase());
        own.map(|run| words(page.run_text(run)).filter(found).count())
            .sum::<usize>() as f64
    };
    for (at, own) in query.evidence(&page).iter().enumerate() {
        let mut score = 0.0;
        for below in 0..page.elements.len() {
            if let Some(distance) = page.ancestors(below as u32).position(|up| up as usize == at) {
                score += matches(below) / (distance as f64 + 1.0);
            }
        }
        prop_assert!((own.score - score).abs() < 1e-9, "{} of {html}", at);
        prop_assert_eq!(f64::from(own.matches), matches(at));
    }
    Ok(())
}

fn html() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["red", "Green", "greens", "blue", "a,", "red.", "42"]);
    let leaf = prop::collection::vec(word, 1..5).prop_map(|words| format!("{} ", words.join(" ")));
    let tree = leaf.prop_recursive(5, 24, 4, |inner| {
        let name = prop::sample::select(vec!["div", "p", "li", "a", "b"]);
        (name, prop::collection::vec(inner, 0..4))
            .prop_map(|(name, inner)| format!("<{name}>{}</{name}>", inner.concat()))
    });
    prop::collection::vec(tree, 0..4).prop_map(|trees| trees.concat())
}

proptest! {
    #[test]
    fn evidence_is_the_twins(html in html(), terms in prop::collection::vec("red|green|blue|greens", 0..3)) {
        check(&html, &Query::new(terms.iter().map(String::as_str)))?;
    }
}
