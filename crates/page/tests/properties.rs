//! What holds of the blocks of every page.

use gleaner_html::Tag;
use gleaner_page::{Page, PageConfig, Parser, Unit};
use proptest::prelude::*;

/// Tags that move and delete nothing: what stands in them is seen in its order.
const TAGS: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<div class=a id=b>",
    "<span>",
    "<span class=x>",
    "<span class=y>",
    "</span>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<a href=x>",
    "<a href=y>",
    "</a>",
    "<em>",
    "<code>",
    "</code>",
    "<pre>",
    "</pre>",
    "<br>",
    "<hr>",
    "<ul>",
    "</ul>",
    "<li>",
    "<h1>",
    "</h1>",
    "<section>",
    "</section>",
    "<button>",
    "</button>",
    "<label>",
    "</label>",
    "<sup>",
    "</sup>",
    "<my-element>",
    "</my-element>",
    "<img alt='— '>",
    "<!-- no -->",
    "\n",
    " ",
    "— ",
    "&nbsp;",
    "\u{ad}",
    "<div hidden>",
    "<p style='display:none'>",
    "<b style='float:left'>",
    "<blockquote>",
    "</blockquote>",
];

/// Tags of tables, which put what is not in a cell before the table.
const TABLES: &[&str] = &[
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th>",
    "<tbody>",
    "<thead>",
    "<caption>",
    "</caption>",
    " \u{2713} ",
    "\u{2013}",
];

/// A page of words with tags between them, and how many words it has.
fn pages(tags: Vec<&'static str>) -> impl Strategy<Value = (String, usize)> {
    let piece = proptest::option::weighted(0.7, proptest::sample::select(tags));
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| {
        let (mut html, mut words) = ("<body>".to_owned(), 0);
        for piece in pieces {
            match piece {
                Some(tag) => html += tag,
                None => {
                    html += &format!(" w{words}x ");
                    words += 1;
                }
            }
        }
        (html, words)
    })
}

fn parse<T>(html: &str, unit: Unit, check: impl FnOnce(&Page) -> T) -> T {
    let mut parser = Parser::new(PageConfig {
        unit,
        ..PageConfig::default()
    });
    check(
        parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .expect("it is text"),
    )
}

/// The words of all blocks, in the order of the blocks.
fn words(html: &str, unit: Unit) -> Vec<String> {
    let numbers = |text: &str| {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words = words.filter(|word| word.starts_with('w')).map(str::to_owned);
        words.collect::<Vec<_>>()
    };
    parse(html, unit, |page| {
        let texts = page.blocks.iter().map(|block| numbers(page.text(block)));
        texts.flatten().collect()
    })
}

#[test]
fn the_head_of_a_table_in_a_pre_is_kept() {
    assert_eq!(words("<pre><table><td><thead><td> w0x", Unit::Line), ["w0x"]);
}

fn units() -> impl Strategy<Value = Unit> {
    proptest::sample::select(vec![Unit::Line, Unit::Tag, Unit::Text])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_run_is_of_a_block((html, _) in pages([TAGS, TABLES].concat()), unit in units()) {
        parse(&html, unit, |page| {
            let runs = page.blocks.iter().flat_map(|block| block.runs.clone());
            prop_assert!(runs.eq(0..page.runs.len() as u32), "of {}", html);
            for block in &page.blocks {
                let mut runs = page.runs(block).iter();
                let is_within = runs.all(|run| block.text.start <= run.text.start && run.text.end <= block.text.end);
                prop_assert!(is_within && !page.text(block).is_empty(), "of {}", html);
            }
            let end = page.blocks.last().map_or(0, |block| block.text.end as usize);
            prop_assert_eq!(end, page.text.len(), "of {}", html);
            Ok(())
        })?;
    }

    #[test]
    fn each_word_stands_in_one_block_in_the_order_of_the_page((html, count) in pages(TAGS.to_vec()), unit in units()) {
        let expected: Vec<String> = (0..count).map(|word| format!("w{word}x")).collect();
        prop_assert_eq!(words(&html, unit), expected, "of {}", html);
    }

    #[test]
    fn each_word_stands_in_one_block_though_tables_move_it((html, count) in pages([TAGS, TABLES].concat()), unit in units()) {
        let mut expected: Vec<String> = (0..count).map(|word| format!("w{word}x")).collect();
        let mut found = words(&html, unit);
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected, "of {}", html);
    }

    #[test]
    fn runs_are_the_text_of_their_block((html, _) in pages([TAGS, TABLES].concat()), by_tag in any::<bool>()) {
        let unit = if by_tag { Unit::Tag } else { Unit::Line };
        parse(&html, unit, |page| {
            for block in &page.blocks {
                let text: String = page.runs(block).iter().map(|run| page.run_text(run)).collect();
                let is_same = text.replace(' ', "") == page.text(block).replace(' ', "");
                prop_assert!(is_same, "{:?} {:?} of {}", text, page.text(block), html);
                let within = |run: &gleaner_page::Run| page.ancestors(run.element).any(|up| up == block.element);
                let is_within = unit == Unit::Tag || page.runs(block).iter().all(within);
                prop_assert!(is_within && page.elements[0].tag == Tag::Html, "{}", html);
            }
            Ok(())
        })?;
    }
}
