//! Pages that are meant to take for ever, and bytes that are no pages.

use gleaner_html::{NONE, Tag};
use gleaner_page::{Limits, Page, PageConfig, Parser, Unit};
use proptest::prelude::*;

/// Parses a page, and fails if it takes more steps than a page may: linear work takes fewer.
fn parse_quickly(html: &str, check: impl FnOnce(&Page)) {
    let limits = Limits {
        bytes: 200 << 20,
        ..Limits::default()
    };
    let mut parser = Parser::new(PageConfig {
        limits,
        ..PageConfig::default()
    });
    let page = parser
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .expect("it is text");
    assert!(!page.truncated.steps);
    assert_sound(page);
    check(page);
}

/// What holds of every page.
fn assert_sound(page: &Page) {
    let count = page.elements.len() as u32;
    for (id, element) in page.elements.iter().enumerate() {
        let id = id as u32;
        assert!(id < element.end && element.end <= count);
        assert!(element.attributes.start <= element.attributes.end);
        assert!(element.attributes.end as usize <= page.attributes.len());
        match element.parent {
            NONE => assert_eq!(element.depth, 0),
            parent => {
                let around = &page.elements[parent as usize];
                assert!(parent < id && element.end <= around.end && element.depth == around.depth + 1);
            }
        }
    }
    for (_, value) in &page.attributes {
        assert!(
            page.values
                .get(value.start as usize..value.end as usize)
                .is_some()
        );
    }
    assert_eq!(page.joints().len(), page.blocks.len());
    let (mut text, mut runs, mut split, mut written) = (0, 0, 0, 0);
    for block in &page.blocks {
        let space = u32::from(block.same_line && page.text.as_bytes().get(text as usize) == Some(&b' '));
        assert!((block.text.start, block.runs.start, block.split.start) == (text + space, runs, split));
        assert!(block.element < count && block.runs.start < block.runs.end);
        let around = |tags: &[Tag]| {
            let mut elements = page.ancestors(block.element);
            let is = |element: &u32| tags.contains(&page.elements[*element as usize].tag);
            elements.find(is).unwrap_or(NONE)
        };
        assert_eq!(block.div, around(&[Tag::Div]));
        assert_eq!(block.td, around(&[Tag::Td, Tag::Th]));
        assert_eq!(
            block.pre,
            around(&[Tag::Pre, Tag::Listing, Tag::Xmp, Tag::Plaintext])
        );
        let words = page.text(block);
        assert!(words.trim() == words && !words.contains("  ") && !words.contains('\n'));
        assert!(
            words
                .chars()
                .any(|letter| letter.is_alphanumeric() || letter == '_')
        );
        for run in page.runs(block) {
            assert!(run.element < count && !page.run_text(run).is_empty());
            assert!(block.text.start <= run.text.start && run.text.end <= block.text.end);
        }
        if !block.written.is_empty() {
            assert!(written <= block.written.start);
            written = block.written.end;
            assert_eq!(lines_with_words(page.written(block)), [words]);
        }
        (text, runs, split) = (block.text.end, block.runs.end, block.split.end);
    }
    assert_eq!(
        (text as usize, runs as usize, split as usize),
        (page.text.len(), page.runs.len(), page.tags_between.len())
    );
}

/// The lines of a text that have a word, as blocks have them.
fn lines_with_words(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| {
        line.chars()
            .any(|letter| letter.is_alphanumeric() || letter == '_')
    });
    let words = |line: &str| {
        line.split([' ', '\t'])
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    lines.map(words).collect()
}

#[test]
fn ten_million_nested_tags_are_cut_at_the_depth() {
    let html = format!(
        "{}deep{}<p>after",
        "<div>".repeat(10_000_000),
        "</div>".repeat(10_000_000)
    );
    parse_quickly(&html, |page| {
        assert!(page.truncated.depth && !page.truncated.bytes);
        assert_eq!(page.blocks.len(), 2);
        assert!(page.elements.len() < 600);
    });
}

#[test]
fn nested_lists_tables_and_formatting_end_soon() {
    for piece in [
        "<ul><li>",
        "<table><tr><td>",
        "<b><p>",
        "<a><b><i>",
        "<a><div>",
        "<span>x",
        "<b></p>",
        "<select><option>",
        "<svg><g>",
        "<math><mi>",
        "<button>",
        "<h1><h2>",
        "<template>",
        "<nobr>",
        "<ruby><rt>",
        "<dl><dd><dt>",
    ] {
        parse_quickly(&piece.repeat((1 << 20) / piece.len()), |_| ());
    }
}

#[test]
fn formatting_that_is_never_alike_ends_soon() {
    let fonts: String = (0..60_000)
        .map(|index| format!("<p><font color={index}>x"))
        .collect();
    parse_quickly(&fonts, |_| ());
    let closed: String = (0..40_000)
        .map(|index| format!("<b id={index}><div>x</b>"))
        .collect();
    parse_quickly(&closed, |_| ());
    let links: String = (0..40_000)
        .map(|index| format!("<a href={index}><table><a>x"))
        .collect();
    parse_quickly(&links, |_| ());
}

#[test]
fn what_is_moved_before_tables_ends_soon() {
    parse_quickly(&format!("<table>{}", "x<tr>".repeat(200_000)), |_| ());
    parse_quickly(&"<table>x".repeat(100_000), |_| ());
    parse_quickly(&format!("<table>{}", "<b>x".repeat(200_000)), |_| ());
}

#[test]
fn nested_noscripts_are_counted_once() {
    let html = format!("<body>{}{}", "<noscript>".repeat(500), "word ".repeat(1 << 20));
    parse_quickly(&html, |page| assert_eq!(page.blocks.len(), 1));
}

#[test]
fn tokens_without_an_end_are_read_once() {
    for piece in [
        "<!--",
        "<!",
        "<a ",
        "<a b='",
        "</a",
        "<title>",
        "<script>",
        "<script><!--<script>",
        "<noscript>",
        "<noscript><iframe>",
        "<noscript><iframe></noscript>",
        "<noscript><iframe></iframe>",
        "<![CDATA[",
        "&",
        "&#",
        "<svg><![CDATA[",
        "<?",
    ] {
        parse_quickly(&piece.repeat((1 << 20) / piece.len()), |_| ());
    }
}

/// Parts that come later and belong into each other, in either order, and into themselves.
#[test]
fn parts_of_parts_are_moved_within_the_depth() {
    let part = |number: usize| {
        format!(
            "<div hidden id=S:{number}>{}text<template id=B:{}></template></div>",
            "<i><b>".repeat(20),
            number + 1
        )
    };
    let forwards: String = (0..3000).map(part).collect();
    let backwards: String = (0..3000).rev().map(part).collect();
    for parts in [
        forwards,
        backwards,
        "<template id=B:1><div id=S:1>".repeat(30_000),
    ] {
        parse_quickly(&format!("<template id=B:0></template>{parts}"), |page| {
            let deepest = page.elements.iter().map(|element| element.depth).max();
            assert!(
                deepest.is_some_and(|depth| depth <= Limits::default().depth),
                "{deepest:?}"
            );
            assert!(
                page.elements
                    .iter()
                    .zip(1..)
                    .all(|(element, next)| element.parent == NONE || element.parent < next - 1)
            );
        });
    }
}

#[test]
fn many_and_large_attributes_are_cut() {
    parse_quickly(&format!("<p title={}>x", "a".repeat(1 << 20)), |page| {
        assert!(page.truncated.attributes && page.values.len() <= 1 << 16);
        assert_eq!(page.blocks.len(), 1);
    });
    let many: String = (0..200_000).map(|index| format!(" a{index}=1")).collect();
    parse_quickly(&format!("<b{many}>x<b{many}>y"), |page| {
        assert_eq!(page.blocks.len(), 1)
    });
    parse_quickly(&format!("<p{}>x", " class=a".repeat(200_000)), |page| {
        assert_eq!(page.attributes.len(), 1)
    });
}

#[test]
fn names_of_lines_are_not_compared_without_end() {
    // No name of a span is one of its neighbour's.
    let span = |name: fn(u32) -> String| {
        let names: String = (1000..8280).map(name).collect();
        format!("<span class='{names}'>ab</span>")
    };
    let two = span(|name| format!("line{name} ")) + &span(|name| format!("{name}line "));
    parse_quickly(&format!("<pre>{}", two.repeat(120)), |page| {
        assert_eq!(page.text(&page.blocks[0]).len(), 480);
    });
}

#[test]
fn attributes_that_are_made_again_are_cut() {
    let html = format!(
        "<p><a href={}>x</p>{}",
        "a".repeat(60_000),
        "<p>x</p>".repeat(100_000)
    );
    parse_quickly(&html, |page| {
        assert!(page.truncated.attributes && page.values.len() < 4 << 20);
        assert_eq!(page.blocks.len(), 100_001);
    });
}

#[test]
fn elements_blocks_and_bytes_over_the_limit_are_cut() {
    let limits = Limits {
        elements: 100,
        blocks: 10,
        bytes: 100_000,
        ..Limits::default()
    };
    let mut parser = Parser::new(PageConfig {
        limits,
        ..PageConfig::default()
    });
    let page = parser.parse("<p>x".repeat(20_000).as_bytes(), None).unwrap();
    assert_eq!((page.blocks.len(), page.truncated.blocks), (10, true));
    let page = parser.parse("<br>".repeat(20_000).as_bytes(), None).unwrap();
    assert!(page.elements.len() <= 100 && page.truncated.blocks);
    let page = parser.parse("x ".repeat(60_000).as_bytes(), None).unwrap();
    assert_eq!(page.truncated.names().collect::<Vec<_>>(), ["bytes"]);
    let limits = Limits {
        steps: 100,
        ..Limits::default()
    };
    let mut parser = Parser::new(PageConfig {
        limits,
        ..PageConfig::default()
    });
    let page = parser.parse("<p>x</p>".repeat(10_000).as_bytes(), None).unwrap();
    assert!(page.truncated.steps && page.blocks.len() > 5 && page.blocks.len() < 100);
}

proptest! {
    #[test]
    fn any_bytes_end_in_a_sound_page(
        body in proptest::collection::vec(any::<u8>(), 0..400),
        unit in prop_oneof![Just(Unit::Line), Just(Unit::Tag), Just(Unit::Text)],
    ) {
        let mut parser = Parser::new(PageConfig { unit, ..PageConfig::default() });
        if let Ok(page) = parser.parse(&body, None) {
            assert_sound(page);
        }
        if let Ok(page) = parser.parse_text(&body, None) {
            assert_sound(page);
        }
    }

    #[test]
    fn any_markup_ends_in_a_sound_page(html in "(<[a-z]{1,3}( [a-z]=[a-z])?>|</[a-z]{1,3}>|[a-z &;\n]|é){0,80}") {
        let mut parser = Parser::new(PageConfig::default());
        assert_sound(parser.parse(html.as_bytes(), None).expect("it is text"));
    }

    #[test]
    fn a_text_has_the_words_of_its_page_in_their_order(
        html in "(<(p|br|pre|ul|table><td|b|select)>|</(p|pre|b)>|[a-z &;\n]{1,3}|é){0,60}",
    ) {
        let parser = |unit| Parser::new(PageConfig { unit, ..PageConfig::default() });
        let (mut lines, mut texts) = (parser(Unit::Line), parser(Unit::Text));
        let letters = |page: &gleaner_page::Page| -> String {
            page.text.chars().filter(|letter| letter.is_alphanumeric()).collect()
        };
        let of_lines = letters(lines.parse(html.as_bytes(), Some("text/html; charset=utf-8")).expect("it is text"));
        let of_text = letters(texts.parse(html.as_bytes(), Some("text/html; charset=utf-8")).expect("it is text"));
        let mut left = of_text.chars();
        prop_assert!(of_lines.chars().all(|letter| left.any(|other| other == letter)), "{of_lines} {of_text}");
        prop_assert!(html.contains("<select>") || of_lines == of_text, "{of_lines} {of_text}");
    }
}
