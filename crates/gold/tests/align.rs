//! The alignment on pages written for it.

use gleaner_content::Label::{self, Continuation, Header, List, Other, Paragraph};
use gleaner_gold::{align, keep_all_score, label_score, segments};
use gleaner_page::{Page, PageConfig, Parser, Unit};
use proptest::prelude::*;

const MENU: &str = "<ul><li>Home<li>Products and services<li>Contact us</ul>";

fn parse(html: &str, unit: Unit) -> Page {
    let mut parser = Parser::new(PageConfig {
        unit,
        ..PageConfig::default()
    });
    parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .expect("HTML always parses")
        .clone()
}

fn labels(html: &str, gold: &str) -> Vec<Label> {
    align(&parse(html, Unit::Line), gold, None)
}

#[test]
fn markup_says_what_content_is() {
    let html = format!(
        "{MENU}<h1>A title of three</h1><p>First words of it<br>run on here.<p>Second part.\
         <ul><li>one item<p>its rest</li><li>two items</ul><footer>All rights reserved</footer>"
    );
    let gold = "A title of three First words of it run on here. Second part. one item its rest two items";
    let kept = [Header, Paragraph, Continuation, Paragraph, List, Paragraph, List];
    assert_eq!(labels(&html, gold), [&[Other; 3][..], &kept, &[Other]].concat());
}

#[test]
fn segments_say_it_where_there_are_any() {
    let html = format!("{MENU}<p>A bold title<p>First words of it<p>run on here.<p>An item<p>Second part.");
    let tagged = segments("<h>A bold title<p>First words of it\nrun on here.<l>An item<p>Second part.");
    let found = align(&parse(&html, Unit::Line), "", Some(&tagged));
    assert_eq!(found[3..], [Header, Paragraph, Continuation, List, Paragraph]);
}

#[test]
fn blocks_of_the_unit_tag_join() {
    let page = parse("<p>Hello <b>brave new</b> world!<p>Another one.", Unit::Tag);
    let found = align(&page, "Hello brave new world! Another one.", None);
    assert_eq!(found, [Paragraph, Continuation, Continuation, Paragraph]);
}

#[test]
fn words_scattered_over_the_gold_do_not_make_a_block_content() {
    let html =
        "<p>time after time<p>the of and to<p>The first of all sentences is here and runs on to its end.";
    let gold = "The first of all sentences is here and runs on to its end.";
    assert_eq!(labels(html, gold), [Other, Other, Paragraph]);
}

#[test]
fn what_the_gold_has_in_another_order_is_found() {
    let html = "<p>by some writer of note in June<p>The long text of the page with many words in it, \
                so that it is the one in order.";
    let gold = "The long text of the page with many words in it, so that it is the one in order. \
                by some writer of note in June";
    assert_eq!(labels(html, gold), [Paragraph, Paragraph]);
}

#[test]
fn a_title_is_not_torn_apart_by_its_words_in_the_menu() {
    let html =
        "<ul><li>December 2004<li>November 2004</ul><h3>December 31, 2004</h3><p>The text of that day.";
    let gold = "December 31, 2004 The text of that day.";
    assert_eq!(labels(html, gold), [Other, Other, Header, Paragraph]);
}

#[test]
fn lines_of_preformatted_text_stay_lines() {
    assert_eq!(
        labels("<pre>one two\nthree four</pre>", "one two three four"),
        [Paragraph, Paragraph]
    );
}

#[test]
fn no_gold_and_no_page_are_no_trouble() {
    assert_eq!(labels("<p>some words", ""), [Other]);
    assert_eq!(labels("", "some words"), []);
    assert_eq!(
        align(&parse("<p>some words", Unit::Line), "some words", Some(&[])),
        [Paragraph]
    );
}

proptest! {
    #[test]
    fn a_page_aligned_with_its_own_text_is_all_content(
        blocks in proptest::collection::vec("[a-e]{1,3}( [a-e]{1,3}){0,12}", 1..40),
        tags in proptest::collection::vec(prop::sample::select(vec!["p", "li", "h2", "div", "td"]), 40),
    ) {
        let html: String = blocks.iter().zip(&tags).map(|(text, tag)| format!("<{tag}>{text}</{tag}>\n")).collect();
        let page = parse(&html, Unit::Line);
        let found = align(&page, &page.blocks.iter().map(|block| page.text(block)).collect::<Vec<_>>().join("\n"), None);
        prop_assert!(found.iter().all(|label| label.is_content()), "{:?}", found);
    }

    #[test]
    fn what_is_kept_is_never_scored_above_one(html in "(<p>|<li>|[a-d ]{1,9}){0,30}", gold in "[a-d ]{0,60}") {
        let page = parse(&html, Unit::Line);
        let score = label_score(&page, &align(&page, &gold, None), &gold);
        prop_assert!((0.0..=1.0).contains(&score.f1) && score.recall <= keep_all_score(&page, &gold).recall.max(score.f1));
    }
}
