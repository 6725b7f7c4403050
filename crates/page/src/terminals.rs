//! Terminals that a script draws: their text is HTML.
//!
//! Documentation made with MkDocs shows sessions of a terminal by Termynal: a script takes the text of the `<pre>` in an
//! element of the class `termy` and sets it as HTML, line by line. What the program printed in colours is written there
//! as tags, `&lt;font color="#4E9A06"&gt;`, which no reader sees. Nor should ours.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::Tag;
use crate::arena::{Arena, DOCUMENT, Kind, Node};
use crate::references::decode_into;
use crate::tree::{Attr, NONE};

/// The class of such an element.
const CLASS: &str = "termy";

/// What terminals draw their text with.
const DRAWN: [&str; 8] = ["b", "em", "font", "i", "s", "span", "strong", "u"];

/// Takes the tags out of the text of such terminals, and replaces the references in it. The source is that of the arena.
pub(crate) fn draw(arena: &mut Arena, source: &str) {
    if memmem::find(source.as_bytes(), CLASS.as_bytes()).is_none() {
        return;
    }
    let mut texts = Vec::new();
    let mut node = DOCUMENT;
    while node != NONE {
        node = if is_terminal(arena, source, node) {
            draw_programs(arena, source, node, &mut texts);
            arena.after(DOCUMENT, node)
        } else {
            arena.following(DOCUMENT, node)
        };
    }
}

fn is_terminal(arena: &Arena, source: &str, node: u32) -> bool {
    arena.node(node).kind == Kind::Html && {
        let class = arena.attribute(source, node, Attr::Class).unwrap_or_default();
        class.split_ascii_whitespace().any(|name| name == CLASS)
    }
}

/// Draws each `<pre>` of a terminal, which may be the terminal itself. `texts` is memory.
fn draw_programs(arena: &mut Arena, source: &str, terminal: u32, texts: &mut Vec<(u32, usize)>) {
    let mut node = terminal;
    while node != NONE {
        let Node { kind, tag, .. } = *arena.node(node);
        node = if kind == Kind::Html && tag == Tag::Pre {
            draw_program(arena, source, node, texts);
            arena.after(terminal, node)
        } else {
            arena.following(terminal, node)
        };
    }
}

/// A tag may begin in one node and end in another: highlighters take it for words of the program.
fn draw_program(arena: &mut Arena, source: &str, pre: u32, texts: &mut Vec<(u32, usize)>) {
    texts.clear();
    let mut all = String::new();
    let mut node = arena.following(pre, pre);
    while node != NONE {
        let text = arena.text(source, node);
        if !text.is_empty() {
            all.push_str(text);
            texts.push((node, all.len()));
        }
        node = arena.following(pre, node);
    }
    let tags = tags(&all);
    if tags.is_empty() {
        return;
    }
    let (mut start, mut passed) = (0, 0);
    for &(node, end) in &*texts {
        // Tags that end before this text are of no use any more; one may reach beyond it.
        passed += tags[passed..].iter().take_while(|tag| tag.end <= start).count();
        arena.set_text(node, |into| {
            let mut at = start;
            for tag in tags[passed..].iter().take_while(|tag| tag.start < end) {
                decode_into(into, &all[at..tag.start.max(at)], false);
                at = tag.end.min(end);
            }
            decode_into(into, &all[at..end], false);
        });
        start = end;
    }
}

/// Where tags stand in a text, none of them over an end of a line.
fn tags(text: &str) -> Vec<Range<usize>> {
    let mut tags = Vec::new();
    let mut from = 0;
    while let Some(at) = memchr(b'<', &text.as_bytes()[from..]) {
        let start = from + at;
        from = start + 1;
        if let Some(length) = tag(&text[start..]) {
            from = start + length;
            tags.push(start..from);
        }
    }
    tags
}

/// How long the tag is that a text begins with, if it does.
fn tag(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('<')?;
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let name = rest.find(|letter: char| !letter.is_ascii_alphabetic())?;
    let (name, rest) = rest.split_at(name);
    let rest = match rest.as_bytes()[0] {
        _ if !DRAWN.contains(&name) => return None,
        b'>' | b' ' => &rest[rest.find(['<', '>', '\n'])?..],
        _ => return None,
    };
    rest.starts_with('>').then_some(text.len() - rest.len() + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_tag_of_theirs_is_text() {
        let found = |text| tags(text).into_iter().map(|tag| &text[tag]).collect::<Vec<_>>();
        assert_eq!(found("<b>a</b> <i class=x>"), ["<b>", "</b>", "<i class=x>"]);
        assert!(found("a < b > <p> <bold> <b <b\n> </> <> <b/> <font-x> <b").is_empty());
        assert_eq!(found("<<b>> <u <s>"), ["<b>", "<s>"]);
    }

    proptest! {
        #[test]
        fn texts_are_those_of_the_whole_without_tags(
            parts in prop::collection::vec(
                prop::sample::select(vec!["<", "/", "b", "font", ">", " x=1", "\n", "é", "<b>", "</u>", "a < b", ""]), 0..30,
            ),
        ) {
            let mut arena = Arena::default();
            arena.clear();
            let pre = arena.create(Kind::Html, Tag::Pre, 0..0);
            arena.append(DOCUMENT, pre);
            for part in &parts {
                let node = arena.create(Kind::PoolText, Tag::Other, 0..0);
                arena.set_text(node, |into| into.push_str(part));
                let span = arena.create(Kind::Html, Tag::Span, 0..0);
                arena.append(span, node);
                arena.append(pre, span);
            }
            draw_program(&mut arena, "", pre, &mut Vec::new());
            let found: String = (0..arena.nodes.len() as u32).map(|node| arena.text("", node)).collect();
            // Read from the left, once: what is left when a tag is taken out may look like another.
            let mut expected = parts.concat();
            let mut from = 0;
            while from < expected.len() {
                match expected.is_char_boundary(from).then(|| tag(&expected[from..])).flatten() {
                    Some(length) => drop(expected.drain(from..from + length)),
                    None => from += 1,
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
