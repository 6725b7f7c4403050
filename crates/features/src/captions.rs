//! Which blocks go with others: heads with their tables, parts with their short lists of definitions.

use std::ops::Range;

use gleaner_columns::Caption;
use gleaner_html::{NONE, Tag};
use gleaner_page::{Block, Page};

use crate::facts::{BlockFacts, Landmark};

/// Elements next to one another, with all that stands in them.
type Elements = Range<u32>;

/// Maximum blocks per page that captions are about, counted once per caption. A table has one head, but a hostile page has
/// any number.
const MOST: usize = 1 << 20;

/// Maximum blocks, bytes of text and elements per short list of definitions.
const SHORT_BLOCKS: usize = 40;
const SHORT_BYTES: u32 = 2000;
const SHORT_ELEMENTS: u32 = 400;

/// Each head of a table and each part of a short list of definitions that has blocks beside it. `facts` are those of the
/// page's blocks.
pub(crate) fn captions<'a>(page: &'a Page, facts: &'a [BlockFacts]) -> impl Iterator<Item = Caption> + 'a {
    let mut end = 0;
    let mut left = MOST;
    let short_lists = short_lists(page);
    std::iter::from_fn(move || {
        while let Some(facts) = facts.get(end) {
            let first = end;
            end += 1;
            let part = part_of_facts(page, first, facts, &short_lists);
            let Some((caption, whole)) = part.or_else(|| head(page, &page.blocks[first])) else {
                continue;
            };
            let is_caption = |block: &Block| caption.contains(&block.element);
            while page.blocks.get(end).is_some_and(is_caption) {
                end += 1;
            }
            let blocks = first..end;
            let whole = widened(page, &whole, &blocks, left);
            left = left.checked_sub(whole.len())?;
            if whole != blocks {
                let numbers = |blocks: Range<usize>| blocks.start as u32..blocks.end as u32;
                return Some(Caption {
                    blocks: numbers(blocks),
                    whole: numbers(whole),
                });
            }
        }
        None
    })
}

/// The lists of definitions of few elements that hold nothing but text and lists.
fn short_lists(page: &Page) -> Vec<u32> {
    let is_short = |&list: &u32| {
        let elements = all(page, list);
        let has = |tags: &[Tag]| elements.clone().any(|element| tags.contains(&tag(page, element)));
        elements.len() <= SHORT_ELEMENTS as usize && has(&[Tag::Dt]) && has(&[Tag::Dd]) && !has(&BOXES)
    };
    page.definitions.iter().copied().filter(is_short).collect()
}

/// What is no part of a list of facts.
const BOXES: [Tag; 10] = [
    Tag::Form,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::H6,
    Tag::Nav,
    Tag::Pre,
    Tag::Table,
];

/// The term or definition that a block begins in a short list, and the list: a fact is of no use without what it is about, nor
/// a list without one of its facts.
fn part_of_facts(
    page: &Page,
    block: usize,
    facts: &BlockFacts,
    short_lists: &[u32],
) -> Option<(Elements, Elements)> {
    (!short_lists.is_empty() && facts.has(Landmark::Definition)).then_some(())?;
    let find = |tags: &[Tag]| {
        let mut around = page.ancestors(page.blocks[block].element);
        around.find(|&element| tags.contains(&tag(page, element)))
    };
    let (part, list) = (find(&[Tag::Dt, Tag::Dd])?, find(&[Tag::Dl])?);
    short_lists.binary_search(&list).ok()?;
    let list = all(page, list);
    let blocks = &page.blocks[widened(page, &list, &(block..block + 1), SHORT_BLOCKS)];
    let bytes = blocks.last()?.text.end - blocks.first()?.text.start;
    let is_short = blocks.len() <= SHORT_BLOCKS && bytes <= SHORT_BYTES && list.contains(&part);
    is_short.then(|| (all(page, part), list))
}

/// The `<thead>` of a cell, and its table.
fn head(page: &Page, block: &Block) -> Option<(Elements, Elements)> {
    let cell = (block.td != NONE).then_some(block.td)?;
    let head = page.ancestors(cell).nth(2)?;
    (tag(page, head) == Tag::Thead).then_some(())?;
    let table = page
        .ancestors(head)
        .find(|&element| tag(page, element) == Tag::Table)?;
    Some((all(page, head), all(page, table)))
}

/// The blocks of elements, of which some are known; at most `most` to either side.
fn widened(page: &Page, elements: &Elements, known: &Range<usize>, most: usize) -> Range<usize> {
    let is_in = |block: &&Block| elements.contains(&block.element);
    let before = page.blocks[..known.start].iter().rev().take(most);
    let behind = page.blocks[known.end..].iter().take(most);
    let before = before.take_while(is_in).count();
    known.start - before..known.end + behind.take_while(is_in).count()
}

/// An element with all that stands in it.
fn all(page: &Page, element: u32) -> Elements {
    element..page.elements[element as usize].end
}

fn tag(page: &Page, element: u32) -> Tag {
    page.elements[element as usize].tag
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use gleaner_page::{PageConfig, Parser};
    use proptest::prelude::*;

    use super::*;
    use gleaner_columns::Columns;

    use crate::{Extractor, FeatureConfig};

    static EXTRACTOR: LazyLock<Extractor> =
        LazyLock::new(|| Extractor::new(FeatureConfig::default()).expect("defaults are sound"));

    /// Caption by caption its first and last block and those of the whole, by their texts.
    fn found(html: &str) -> Vec<[String; 4]> {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut columns = Columns::default();
        EXTRACTOR.clone().extract(page, "", &mut columns);
        let text = |block: u32| page.text(&page.blocks[block as usize]).to_owned();
        let captions = columns.captions().iter();
        captions
            .map(|caption| {
                let (own, whole) = (&caption.blocks, &caption.whole);
                [own.start, own.end - 1, whole.start, whole.end - 1].map(text)
            })
            .collect()
    }

    #[test]
    fn tables_have_heads() {
        let table = "<table><caption>t</caption><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table>";
        assert_eq!(found(table), [["a", "b", "t", "2"]]);
        let two = "<table><thead><tr><td><table><thead><tr><td>in<tbody><td>1</table><tbody><td>2</table>";
        assert_eq!(found(two), [["in", "in", "in", "1"]]);
    }

    #[test]
    fn facts_have_the_rest_of_their_list() {
        let facts = "<p>x<dl><dt>a<dd>1<dd><p>2<p>3<div><dt>b<dd>4</div></dl><p>e";
        let parts =
            ["a", "1", "2", "b", "4"].map(|part| [part, if part == "2" { "3" } else { part }, "a", "4"]);
        assert_eq!(found(facts), parts);
        let nested = "<dl><dt>a<dd>1<dl><dt>b<dd>2</dl><dt>c</dl><dl><dt>d</dl>";
        assert_eq!(
            found(nested),
            [["a", "a", "a", "c"], ["1", "2", "a", "c"], ["c", "c", "a", "c"]]
        );
        let many = format!("<dl>{}</dl>", "<dt>a<dd>1".repeat(21));
        assert!(
            found(&many)
                .iter()
                .all(|caption| caption[0] == "a" && caption[3] == "1")
        );
    }

    #[test]
    fn what_has_nothing_beside_it_is_none() {
        for html in [
            "<p>a<figure>b<figcaption>one</figcaption></figure><p>c",
            "<dl><dt>a<dd>1<h2>b</h2></dl>",
            "<table><thead><tr><td>c</table>",
            "<dl><dt>a<dt>b</dl><dl><dd>c<dt><h2>d</h2></dl><dl><dt>e</dt><h2>f</h2><dd>g</dl>",
        ] {
            assert!(found(html).is_empty(), "{html}");
        }
    }

    #[test]
    fn pages_of_heads_end() {
        let heads = 5000;
        let html = format!("<table>{}<tbody><td>b</table>", "<thead><td>a".repeat(heads));
        assert_eq!(found(&html).len(), MOST / (heads + 1));
    }

    const PIECES: [&str; 20] = [
        "<table>",
        "</table>",
        "<caption>",
        "<thead>",
        "<tbody>",
        "<tr>",
        "<td>",
        "<dl>",
        "</dl>",
        "<dt>",
        "<dd>",
        "<div>",
        "</div>",
        "a",
        "b",
        "c",
        "<p>d",
        "<p>e",
        "<p>f",
        "<br>g",
    ];

    /// The definition for a block: whether others are of the same caption, and whether of the whole.
    type Around<'a> = [Box<dyn Fn(&Block) -> bool + 'a>; 2];

    fn defined<'a>(page: &'a Page, block: &Block) -> Option<Around<'a>> {
        let path: Vec<u32> = page.ancestors(block.element).collect();
        let find = |path: &[u32], tags: &[Tag]| {
            path.iter()
                .position(|&element| tags.contains(&tag(page, element)))
        };
        let is_in = move |element: u32| {
            move |block: &Block| page.ancestors(block.element).any(|around| around == element)
        };
        let both = |place: usize, of: Tag| -> Option<Around<'a>> {
            let whole = place + find(&path[place..], &[of])?;
            Some([Box::new(is_in(path[place])), Box::new(is_in(path[whole]))])
        };
        if let Some(part) = find(&path, &[Tag::Dt, Tag::Dd])
            && let Some(list) = find(&path, &[Tag::Dl]).filter(|&list| list > part)
        {
            let mut within = all(page, path[list]);
            let has = |of: Tag| within.clone().any(|element| tag(page, element) == of);
            if has(Tag::Dt) && has(Tag::Dd) && !within.any(|element| BOXES.contains(&tag(page, element))) {
                return Some([Box::new(is_in(path[part])), Box::new(is_in(path[list]))]);
            }
        }
        let head = find(&path, &[Tag::Td, Tag::Th]).map(|cell| cell + 2);
        if let Some(head) = head.filter(|&head| tag(page, path[head]) == Tag::Thead) {
            return both(head, Tag::Table);
        }
        None
    }

    /// The captions of a page, and those of the twin.
    fn both(html: &str) -> (Vec<Caption>, Vec<Caption>) {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut columns = Columns::default();
        EXTRACTOR.clone().extract(page, "", &mut columns);
        let mut expected = Vec::new();
        let mut next = 0;
        while let Some(block) = page.blocks.get(next) {
            let first = next;
            next += 1;
            let Some([is_of_it, is_beside]) = defined(page, block) else {
                continue;
            };
            next = (next..page.blocks.len())
                .find(|&at| !is_of_it(&page.blocks[at]))
                .unwrap_or(page.blocks.len());
            let start = (0..first)
                .rev()
                .take_while(|&at| is_beside(&page.blocks[at]))
                .last()
                .unwrap_or(first);
            let end = (next..page.blocks.len()).find(|&at| !is_beside(&page.blocks[at]));
            let end = end.unwrap_or(page.blocks.len());
            if (start, end) != (first, next) {
                let range = |start: usize, end: usize| start as u32..end as u32;
                expected.push(Caption {
                    blocks: range(first, next),
                    whole: range(start, end),
                });
            }
        }
        (columns.captions().to_vec(), expected)
    }

    proptest! {
        #[test]
        fn captions_are_the_twins(
            html in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat()),
        ) {
            let (found, expected) = both(&html);
            prop_assert_eq!(found, expected);
        }
    }
}
