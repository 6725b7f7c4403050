//! The proof of the tokenizer and the tree builder: html5ever builds the same tree.

mod pages;
mod pieces;
mod random;

use crate::NONE;
use crate::arena::Arena;
use crate::builder::{Builder, BuilderState};
use crate::by_html5ever;
use crate::tokenizer::tokenize;
use crate::{DOCUMENT, NodeKind};
use crate::{TreeLimits, TreeTruncation};

/// Limits that nothing meets.
fn unlimited() -> TreeLimits {
    TreeLimits {
        bytes: usize::MAX,
        depth: u16::MAX,
        elements: usize::MAX,
        attributes: usize::MAX,
        attribute_bytes: usize::MAX >> 1,
        steps: u64::MAX,
    }
}

/// The tree that html5ever builds.
fn expected(html: &str) -> String {
    let mut arena = Arena::default();
    let html = with_missing_ends(html);
    let built = by_html5ever::build(&mut arena, &html, &unlimited(), false);
    assert_eq!(built.truncated, TreeTruncation::default());
    dump(&arena, "")
}

/// The page with the end tags written out that elements of text in a `<noscript>` lack: these end with it, where
/// html5ever, with scripting off, continues to the page's end.
fn with_missing_ends(html: &str) -> String {
    let (mut state, limits) = (BuilderState::default(), unlimited());
    let mut arena = Arena::default();
    tokenize(Builder::new(&mut arena, html, &mut state, &limits), &limits);
    let mut complete = html.to_owned();
    for (at, name) in state.missing_ends.iter().rev() {
        complete.insert_str(*at, &format!("</{name}>"));
    }
    complete
}

/// The tree that this crate builds.
fn built(html: &str) -> String {
    let mut arena = Arena::default();
    let (mut state, limits) = (BuilderState::default(), unlimited());
    let builder = Builder::new(&mut arena, html, &mut state, &limits);
    let (truncated, _) = tokenize(builder, &limits);
    assert_eq!(truncated, TreeTruncation::default());
    dump(&arena, html)
}

/// A tree as text: a line an element with its kept attributes, a line a text.
fn dump(arena: &Arena, source: &str) -> String {
    let mut out = String::new();
    let mut text = String::new();
    let mut node = arena.node(DOCUMENT).first;
    let mut depth = 0;
    while node != NONE {
        match arena.node(node).kind {
            NodeKind::PoolText => text.push_str(arena.text(source, node)),
            NodeKind::SourceText => {
                text.push_str(&arena.text(source, node).replace("\r\n", "\n").replace('\r', "\n"));
            }
            _ => {
                end_text(&mut out, &mut text, depth);
                element(&mut out, arena, source, node, depth);
            }
        }
        if arena.node(node).first != NONE {
            node = arena.node(node).first;
            depth += 1;
            continue;
        }
        while arena.node(node).next == NONE && depth > 0 {
            end_text(&mut out, &mut text, depth);
            node = arena.node(node).parent;
            depth -= 1;
        }
        node = arena.node(node).next;
    }
    out
}

fn end_text(out: &mut String, text: &mut String, depth: usize) {
    if !text.is_empty() {
        out.push_str(&format!("{depth} {text:?}\n"));
        text.clear();
    }
}

fn element(out: &mut String, arena: &Arena, source: &str, node: u32, depth: usize) {
    out.push_str(&format!(
        "{depth} {:?} {:?}",
        arena.node(node).kind,
        arena.node(node).tag
    ));
    let attributes = arena.attributes_of(node).iter();
    for (name, value) in attributes {
        out.push_str(&format!(" {name:?}={:?}", arena.value(source, value)));
    }
    out.push('\n');
}

/// Fails with the first lines that differ.
fn assert_same_tree(html: &str, name: &str) {
    let (expected, built) = (expected(html), built(html));
    if expected == built {
        return;
    }
    let same = expected
        .lines()
        .zip(built.lines())
        .take_while(|(one, other)| one == other)
        .count();
    let show = |tree: &str| -> String {
        let lines = tree.lines().skip(same.saturating_sub(8)).take(12);
        lines
            .map(|line| format!("    {}\n", &line[..line.floor_char_boundary(200)]))
            .collect()
    };
    panic!(
        "{name}: trees differ in line {same}\n  html5ever:\n{}  built:\n{}  of {:?}",
        show(&expected),
        show(&built),
        &html[..html.floor_char_boundary(600)]
    );
}
