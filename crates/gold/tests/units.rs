//! Texts of pages whose blocks are cut at tags, beside those of the same pages with a block a line.

use gleaner_content::Label;
use gleaner_gold::kept_text;
use gleaner_page::{Page, PageConfig, Parser, Unit};
use proptest::prelude::*;

fn parse(html: &str, unit: Unit) -> Page {
    let mut parser = Parser::new(PageConfig {
        unit,
        ..PageConfig::default()
    });
    parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .expect("it is text")
        .clone()
}

fn text(html: &str, unit: Unit) -> String {
    let page = parse(html, unit);
    kept_text(&page, &vec![Label::Paragraph; page.blocks.len()])
}

/// Pieces of pages. Inline tags, words, punctuation and white space are there several times.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<b>", "</b>", "<i>", "</i>", "<b>", "</b>", "<i>", "</i>", "<sub>", "</sub>", "<a href=x>", "<a href=y>", "</a>", "</a>",
    "<a href='#x'>\u{b6}</a>", "<span>", "<span class=a>", "<span class=b>", "</span>", "</span>", "<code>", "</code>",
    "T", "he", "it's", "12", "word ", " word", "Bye", "Friday", "\u{6628}\u{5929}", "caf", "\u{e9}", "\u{301}", "\u{915}\u{94d}", "_",
    ",", ", ", ".", ". ", "!", "(", ")", " (", ") ", "\"", "\u{201c}", "\u{201d}", "'", "\u{2019}", "-", " - ", "\u{2014}", "|", "$", "\u{2022} ", "...",
    " ", " ", "\n", "\t", "&nbsp;", "&shy;", "&amp;", "&lt;", "&mdash;", "<!-- c -->", "<select></select>", "<img alt=picture>", "<img>",
    "<br>", "<br>\n", "<p>", "</p>", "<div>", "</div>", "<h2>", "</h2>", "<ul><li>", "<li>", "</ul>", "<hr>", "<span hidden>",
    "<table>", "<table><tr><td>", "<td>", "<th>", "<tr>", "</table>", "<pre>", "</pre>", "<pre>\n  {\n", "\n}\n", "<math>", "</math>", "<script>x</script>",
];

fn html() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

/// The signs of a text, without white space.
fn signs(text: &str) -> String {
    text.split_whitespace().collect()
}

fn is_part<'t>(words: impl Iterator<Item = &'t str>, mut of: impl Iterator<Item = &'t str>) -> bool {
    words.into_iter().all(|word| of.any(|other| other == word))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Not a sign and not a space is lost or added. (Form fields and elements of formulas stand among the tags between blocks, where they may hide a
    /// `<br>`: lines are then paragraphs. Signs that are all there is of a cell are blocks of lines alone.)
    #[test]
    fn the_whole_text_is_that_of_lines(html in html()) {
        let [by_tag, by_line] = [Unit::Tag, Unit::Line].map(|unit| text(&html, unit));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        if html.contains("<th>") {
            let [tags, lines] = [words(&by_tag), words(&by_line)];
            prop_assert!(is_part(tags.iter().map(String::as_str), lines.iter().map(String::as_str)), "of {:?}", html);
            return Ok(());
        }
        prop_assert_eq!(words(&by_tag), words(&by_line), "of {:?}", html);
        if !html.contains("<select>") && !html.contains("<math>") {
            prop_assert_eq!(by_tag, by_line, "of {:?}", html);
        }
    }

    /// The text of some blocks has all their signs, each in its order, whatever the labels. Where no block
    /// touches the next, its words are those of the page.
    #[test]
    fn the_text_of_some_blocks_has_all_their_signs(
        html in html(),
        numbers in proptest::collection::vec(0..Label::COUNT, 40),
    ) {
        let page = parse(&html, Unit::Tag);
        let labels: Vec<Label> = page.blocks.iter().zip(numbers.iter().cycle()).map(|(_, &number)| Label::ALL[number]).collect();
        let kept = kept_text(&page, &labels);
        let blocks = page.blocks.iter().zip(&labels).filter(|(_, label)| label.is_content());
        let of_blocks: String = blocks.map(|(block, _)| page.written(block)).collect();
        prop_assert_eq!(signs(&kept), signs(&of_blocks), "of {:?}", html);
        let is_glued = |at: usize| page.blocks[at].same_line && page.blocks[at].text.start == page.blocks[at - 1].text.end;
        if !(0..page.blocks.len()).any(is_glued) {
            let whole = text(&html, Unit::Line);
            prop_assert!(is_part(kept.split_whitespace(), whole.split_whitespace()), "{:?} of {:?}", kept, html);
        }
    }

    /// No cut is within a word.
    #[test]
    fn blocks_have_whole_words(html in html()) {
        let page = parse(&html, Unit::Tag);
        for pair in page.blocks.windows(2) {
            let of_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            let is_glued = pair[1].same_line && pair[1].text.start == pair[0].text.end;
            let (before, after) = (page.text(&pair[0]).chars().next_back(), page.text(&pair[1]).chars().next());
            prop_assert!(!is_glued || !of_word(before) || !of_word(after), "of {:?}", html);
        }
    }
}

#[test]
fn a_line_reads_as_it_does_on_the_page() {
    for (html, wanted) in [
        ("<h1><span>T</span>he weather</h1>", "The weather\n"),
        ("<p>H<sub>2</sub>O, 12 m<sup>2</sup>", "H2O, 12 m2\n"),
        (
            "<p>until <b>Friday</b>, and <a>here</a>! (<i>so</i>)",
            "until Friday, and here! (so)\n",
        ),
        ("<p><a>x</a>|<a>y</a> <q>z</q>", "x|y \u{201c}z\u{201d}\n"),
        (
            "<p>\u{201c}<i>Yes</i>\u{201d}, he said",
            "\u{201c}Yes\u{201d}, he said\n",
        ),
        (
            "<p>one&nbsp;<b>two</b>&nbsp;three co&shy;<i>op</i>",
            "one two three coop\n",
        ),
        (
            "<p>\u{6628}<span>\u{5929}</span>\u{3002}<b>\u{6e2f}</b>",
            "\u{6628}\u{5929}\u{3002}\u{6e2f}\n",
        ),
    ] {
        assert_eq!(text(html, Unit::Tag), wanted, "{html}");
    }
}
