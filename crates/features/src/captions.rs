//! Which blocks say what others are: captions, heads of tables, terms that are defined.

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

/// Each caption of a figure or a table, each head of a table, the terms of each definition and each part of a short list of
/// definitions that have blocks beside them. `facts` are those of the page's blocks.
pub(crate) fn captions<'a>(page: &'a Page, facts: &'a [BlockFacts]) -> impl Iterator<Item = Caption> + 'a {
    let mut end = 0;
    let mut left = MOST;
    let short_lists = short_lists(page);
    std::iter::from_fn(move || {
        while let Some(facts) = facts.get(end) {
            let first = end;
            end += 1;
            let part = part_of_facts(page, first, facts, &short_lists);
            let Some((caption, whole)) = part.or_else(|| around(page, &page.blocks[first], facts)) else {
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

/// The caption, head or term that a block stands in, and that with what it is about.
fn around(page: &Page, block: &Block, facts: &BlockFacts) -> Option<(Elements, Elements)> {
    head(page, block)
        .or_else(|| caption(page, block, facts))
        .or_else(|| term(page, block, facts))
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

fn caption(page: &Page, block: &Block, facts: &BlockFacts) -> Option<(Elements, Elements)> {
    facts.has(Landmark::Caption).then_some(())?;
    let is_caption = |&element: &u32| matches!(tag(page, element), Tag::Figcaption | Tag::Caption);
    let caption = page.ancestors(block.element).find(is_caption)?;
    let of = match tag(page, caption) {
        Tag::Figcaption => Tag::Figure,
        _ => Tag::Table,
    };
    let whole = page
        .ancestors(caption)
        .find(|&element| tag(page, element) == of)?;
    Some((all(page, caption), all(page, whole)))
}

/// The `<dt>` and those behind it that are defined together, and they with what they are defined by, if it is anything:
/// that all of them have nothing is found out once.
fn term(page: &Page, block: &Block, facts: &BlockFacts) -> Option<(Elements, Elements)> {
    facts.has(Landmark::Definition).then_some(())?;
    let is_part = |&element: &u32| matches!(tag(page, element), Tag::Dt | Tag::Dd);
    let term = page.ancestors(block.element).find(is_part)?;
    (tag(page, term) == Tag::Dt).then_some(())?;
    let parent = page.elements[term as usize].parent;
    let next = |&element: &u32| {
        let next = all(page, element).end;
        let is_sibling = page.elements.get(next as usize)?.parent == parent;
        is_sibling.then_some(next)
    };
    let run = |first: Option<u32>, of: Tag| {
        let siblings = std::iter::successors(first, next);
        siblings.take_while(|&element| tag(page, element) == of).last()
    };
    let last_term = run(Some(term), Tag::Dt)?;
    let last = run(next(&last_term), Tag::Dd).unwrap_or(last_term);
    Some((term..all(page, last_term).end, term..all(page, last).end))
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
    fn captions_are_found_before_behind_and_among_what_they_are_about() {
        let listing = "<p>a<figure><figcaption><p>one<p>two</figcaption><pre>x\ny</pre></figure><p>b";
        assert_eq!(found(listing), [["one", "two", "one", "y"]]);
        let quotation = "<figure><blockquote>q</blockquote><figcaption>who</figcaption></figure>";
        assert_eq!(found(quotation), [["who", "who", "q", "who"]]);
        let among = "<figure>q<div><figcaption>who</figcaption>r</div>s</figure>t";
        assert_eq!(found(among), [["who", "who", "q", "s"]]);
    }

    #[test]
    fn tables_have_captions_and_heads() {
        let table = "<table><caption>t</caption><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table>";
        assert_eq!(found(table), [["t", "t", "t", "2"], ["a", "b", "t", "2"]]);
        let two = "<table><thead><tr><td><table><thead><tr><td>in<tbody><td>1</table><tbody><td>2</table>";
        assert_eq!(found(two), [["in", "in", "in", "1"]]);
    }

    #[test]
    fn terms_have_what_they_are_defined_by() {
        // What is longer than a list of facts.
        let long = |terms: &str| format!("<dl>{terms}<dt><pre>x</pre></dl><p>e");
        let terms = long("<dt>a<dd>1<dd><p>2<p>3<dt>b<dt>c<dd>4<dt>d");
        assert_eq!(found(&terms), [["a", "a", "a", "3"], ["b", "c", "b", "4"]]);
        let nested = long("<div><dt><p>a<p>b</dt><dd><dl><dt>c<dd>1<pre>y</pre></dl></div><div><dt>d</div>");
        assert_eq!(found(&nested), [["a", "b", "a", "y"], ["c", "c", "c", "y"]]);
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
            "<p>a<figure><img src=x><figcaption>one</figcaption></figure><p>b",
            "<p>a<figcaption>stray</figcaption><p>b",
            "<table><thead><tr><td>c</table>",
            "<dl><dt>a<dt>b</dl><dl><dd>c<dt><h2>d</h2></dl><dl><dt>e</dt><h2>f</h2><dd>g</dl>",
        ] {
            assert!(found(html).is_empty(), "{html}");
        }
    }

    #[test]
    fn pages_of_heads_or_terms_alone_end() {
        let heads = 5000;
        let html = format!("<table>{}<tbody><td>b</table>", "<thead><td>a".repeat(heads));
        assert_eq!(found(&html).len(), MOST / (heads + 1));
        let terms = format!("<dl>{}</dl><p>b", "<dt>a".repeat(200_000));
        assert!(found(&terms).is_empty());
    }

    const PIECES: [&str; 24] = [
        "<figure>",
        "</figure>",
        "<figcaption>",
        "</figcaption>",
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
        if let Some(place) = find(&path, &[Tag::Figcaption, Tag::Caption]) {
            let is_of_figure = tag(page, path[place]) == Tag::Figcaption;
            let both = both(place, if is_of_figure { Tag::Figure } else { Tag::Table });
            if both.is_some() {
                return both;
            }
        }
        let term = path[find(&path, &[Tag::Dt, Tag::Dd]).filter(|&at| tag(page, path[at]) == Tag::Dt)?];
        let children = (term + 1..page.elements.len() as u32)
            .filter(|&child| page.elements[child as usize].parent == page.elements[term as usize].parent);
        let mut tags = children.clone().map(|child| tag(page, child));
        let terms = tags.clone().take_while(|&tag| tag == Tag::Dt).count();
        let definitions = tags
            .by_ref()
            .skip(terms)
            .take_while(|&tag| tag == Tag::Dd)
            .count();
        let parts: Vec<u32> = std::iter::once(term)
            .chain(children)
            .take(1 + terms + definitions)
            .collect();
        let of_terms = parts[..=terms].to_vec();
        let is_in_one =
            move |parts: Vec<u32>| move |block: &Block| parts.iter().any(|&part| is_in(part)(block));
        Some([Box::new(is_in_one(of_terms)), Box::new(is_in_one(parts))])
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

    #[test]
    fn captions_among_terms_are_the_twins() {
        let (found, expected) = both("<figure><dl><figcaption><dd></figcaption>a<figure><dt><figcaption>a");
        assert_eq!(found, expected);
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
