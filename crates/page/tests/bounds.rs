//! Limits hold within one text and one element, and are counts: of blocks, of nodes, of steps. No clock decides.

use gleaner_page::{Limits, Page, PageConfig, Parser, Unit};

/// A parser with few blocks and elements, so that small pages meet the limits that large ones meet.
fn parser(unit: Unit, limits: Limits) -> Parser {
    Parser::new(PageConfig {
        unit,
        limits,
        ..PageConfig::default()
    })
}

fn few() -> Limits {
    Limits {
        blocks: 50,
        elements: 1000,
        ..Limits::default()
    }
}

/// Parts of a page that are many blocks, elements, tags or words, and what stands before them.
const FAMILY: [(&str, &str); 30] = [
    ("<pre>", "a\n"),
    ("<pre>", "a\r\n"),
    ("<pre>", "&amp;a\n"),
    ("<pre>", "<b>a</b>\n"),
    ("<pre>a", "\n"),
    ("<pre>", ".\n"),
    ("<div><pre><code>", "a b\n"),
    ("<listing>", "a\n"),
    ("<xmp>", "a\n"),
    ("<plaintext>", "a\n"),
    ("<textarea>", "a\n"),
    ("<title>", "a\n"),
    ("<p>", "a<br>"),
    ("<p>", "<br>"),
    ("<p>", "<b>a</b>"),
    ("<p>", "<span>a</span> "),
    ("<p>", "<a href=x>a</a>"),
    ("<p>", "<img alt=a>"),
    ("", "<p>a"),
    ("<table><tr>", "<td>"),
    ("<table><tr>", "<td>a"),
    ("<table>", "<tr><td>a"),
    ("<table>", "x<tr>"),
    ("<ul>", "<li>a"),
    ("<select>", "<option>a"),
    ("<p>", "word "),
    ("<p>", "word\n"),
    ("<p", " class=a"),
    ("<p>", "</p>"),
    ("", "<i><p>"),
];

/// What is counted of a page is within what its limits and its bytes allow.
fn assert_bounded(page: &Page, limits: &Limits, bytes: usize, name: &str) {
    assert!(
        page.blocks.len() <= limits.blocks,
        "{name}: {}",
        page.blocks.len()
    );
    assert!(page.elements.len() <= limits.elements, "{name}");
    assert!(
        page.runs.len() <= limits.elements * 4,
        "{name}: {}",
        page.runs.len()
    );
    assert!(page.text.len() + page.written.len() <= 3 * bytes, "{name}");
    let tags = 2 * limits.elements + bytes;
    assert!(
        page.tags_between.len() <= tags,
        "{name}: {}",
        page.tags_between.len()
    );
    assert!(page.values.len() <= 2 * bytes + (64 << 10), "{name}");
}

#[test]
fn many_lines_tags_and_words_are_within_the_limits() {
    for (before, part) in FAMILY {
        let html = format!("{before}{}", part.repeat(20_000));
        for unit in [Unit::Line, Unit::Tag, Unit::Text] {
            let mut parser = parser(unit, few());
            let page = parser.parse(html.as_bytes(), None).unwrap();
            assert_bounded(page, &few(), html.len(), &format!("{before}{part} as {unit:?}"));
        }
    }
}

/// Each block has a path: together they have a maximum of bytes per block.
#[test]
fn paths_of_deep_blocks_are_short() {
    let html = |depth: usize| format!("{}<p>a", "<div>".repeat(depth));
    let mut parser = parser(Unit::Line, Limits::default());
    let mut path = |depth: usize| {
        let page = parser.parse(html(depth).as_bytes(), None).unwrap();
        page.tag_path(&page.blocks[0])
    };
    assert_eq!(path(1), "html/body/div/p");
    assert_eq!(path(97), format!("html/body/{}p", "div/".repeat(97)));
    assert_eq!(path(98), format!(".../body/{}p", "div/".repeat(98)));
    assert_eq!(path(500), format!(".../{}p", "div/".repeat(99)));
}

/// The work grows with the page and no faster: twice the parts take about twice the steps.
#[test]
fn steps_grow_with_the_page() {
    let steps = |html: &str| {
        let mut parser = parser(Unit::Line, Limits::default());
        parser.parse(html.as_bytes(), None).unwrap().steps
    };
    for (before, part) in FAMILY {
        let of = |count: usize| steps(&format!("{before}{}", part.repeat(count)));
        let (once, twice) = (of(2000), of(4000));
        assert!(twice <= 2 * once + 100, "{before}{part}: {once}, then {twice}");
        let parts = (part.matches('<').count() + part.matches('=').count()) as u64;
        assert!(
            twice <= 4000 * (4 * parts + 1) + 10_000,
            "{before}{part}: {twice}"
        );
    }
}

#[test]
fn a_text_is_cut_at_the_limit_of_blocks() {
    for (before, part) in FAMILY.iter().take(10).filter(|(_, part)| part.contains('a')) {
        let html = format!("<p>first</p>{before}{}", part.repeat(5000));
        let mut parser = parser(Unit::Line, few());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        assert_eq!(page.blocks.len(), 50, "{before}{part}");
        assert!(page.truncated.blocks, "{before}{part}");
        assert_eq!(page.text(&page.blocks[0]), "first");
        let kept = page.text.len() + page.written.len() + page.tags_between.len();
        assert!(kept < 2000, "{before}{part}: {kept} bytes and tags");
    }
}

#[test]
fn a_text_of_as_many_lines_as_allowed_is_whole() {
    let mut parser = parser(Unit::Line, few());
    let html = format!("<pre>{}</pre>", "a\n".repeat(49));
    let page = parser.parse(html.as_bytes(), None).unwrap();
    assert_eq!((page.blocks.len(), page.truncated.blocks), (49, false));
    assert_eq!(page.written(&page.blocks[48]), "a");
}

#[test]
fn plain_texts_are_cut_at_the_limit_of_blocks() {
    let mut parser = parser(Unit::Line, few());
    let page = parser.parse_text("a\n\n".repeat(5000).as_bytes(), None).unwrap();
    assert_eq!((page.blocks.len(), page.truncated.blocks), (50, true));
    assert!(page.text.len() == 50 && page.tags_between.len() < 200);
}

/// Pages on which the work a part takes grows with the parts before it. Each is a part that is made of its number.
fn slow_pages() -> Vec<(&'static str, String)> {
    let many = |before: &str, part: &dyn Fn(usize) -> String, count: usize| {
        let mut html = before.to_owned();
        for at in 0..count {
            html.push_str(&part(at));
        }
        html
    };
    let mut markers = many("<table>", &|_| "<marquee><b><tr>".to_owned(), 5000);
    markers.push_str(&"<b><b><b><b></b></b></b></b>".repeat(2000));
    let spaces = " ".repeat(60_000);
    let roles = format!(
        "<p><a role='{spaces}'>x</p>{}",
        "<div><p role=link>y</p>x</div>".repeat(500)
    );
    let deep = format!("{}{}", "<span>".repeat(500), "</i>".repeat(20_000));
    vec![
        ("entries behind markers", markers),
        ("roles made again", roles),
        ("ends of nothing", deep),
    ]
}

#[test]
fn work_that_grows_with_the_work_before_is_counted_and_cut() {
    for (name, html) in slow_pages() {
        let limits = |steps| Limits {
            steps,
            ..Limits::default()
        };
        let mut whole = parser(Unit::Line, limits(u64::MAX));
        let all = whole.parse(html.as_bytes(), None).unwrap().steps;
        let tags = html.matches('<').count() as u64;
        assert!(all > 5 * tags, "{name}: {all} steps for {tags} tags");
        let mut cut = parser(Unit::Line, limits(all / 2));
        let page = cut.parse(html.as_bytes(), None).unwrap();
        assert!(page.truncated.steps, "{name}");
        assert!(page.steps <= all / 2, "{name}: {}", page.steps);
        let again = cut.parse(html.as_bytes(), None).unwrap().clone();
        let fresh = parser(Unit::Line, limits(all / 2));
        assert_eq!(
            again.text,
            { fresh }.parse(html.as_bytes(), None).unwrap().text,
            "{name}"
        );
    }
}

#[test]
fn the_limit_of_steps_cuts_a_page_at_the_same_place_each_time() {
    let html = "<p>one <b>two</b> three</p>".repeat(1000);
    let read = |steps| {
        let mut parser = parser(
            Unit::Line,
            Limits {
                steps,
                ..Limits::default()
            },
        );
        let page = parser.parse(html.as_bytes(), None).unwrap();
        (page.blocks.len(), page.truncated.steps, page.steps)
    };
    let (blocks, is_cut, all) = read(u64::MAX);
    assert_eq!((blocks, is_cut), (1000, false));
    // Seven tags and texts are as many steps, and so are the five nodes that they become.
    assert!((12_000..13_000).contains(&all), "{all}");
    let (half, is_cut, _) = read(all / 2);
    assert!(is_cut && (400..600).contains(&half), "{half}");
    assert_eq!(read(all / 2), read(all / 2));
    assert!(read(0).1);
}
