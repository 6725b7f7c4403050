//! Parts of streamed pages are where a script would put them.

use proptest::prelude::*;

use super::pieces::pages;
use super::{dump, unlimited};
use crate::arena::Arena;
use crate::builder::{Builder, State};
use crate::streamed::put_in_place;
use crate::tokenizer::tokenize;
use crate::{Attr, NONE, NodeKind, Tag};

/// The parts of a streamed page in place of their templates, one after the other as a script would.
fn put_in_place_slowly(arena: &mut Arena, source: &str) {
    let find = |arena: &Arena, wanted: &str| {
        let has = |&node: &u32| arena.attribute(source, node, Attr::Id) == Some(wanted);
        (0..arena.nodes.len() as u32).find(has)
    };
    for template in 0..arena.nodes.len() as u32 {
        let id = arena.attribute(source, template, Attr::Id).unwrap_or_default();
        let number = id.strip_prefix("B:").or_else(|| id.strip_prefix("P:"));
        let is_placeholder =
            arena.node(template).tag == Tag::Template && arena.node(template).kind == NodeKind::Html;
        let Some(number) = number
            .filter(|number| is_placeholder && !number.is_empty())
            .map(str::to_owned)
        else {
            continue;
        };
        let Some(part) = find(arena, &format!("S:{number}")) else {
            continue;
        };
        let up = |&node: &u32| Some(arena.node(node).parent).filter(|&up| up != NONE);
        let mut around = std::iter::successors(Some(template), up);
        if arena.node(template).parent == NONE || around.any(|up| up == part) {
            continue;
        }
        let mut children = Vec::new();
        let mut child = arena.node(part).first;
        while child != NONE {
            children.push(child);
            child = arena.node(child).next;
        }
        for child in children {
            arena.detach(child);
            arena.insert_before(template, child);
        }
        arena.detach(template);
        arena.detach(part);
    }
}

const PIECES: &[&str] = &[
    "<template id=B:1></template>",
    "<template id=P:2></template>",
    "<template id=B:2>",
    "<template id=B:>",
    "<div hidden id=S:1>",
    "<div hidden id=S:1>x <template id=P:2></template> y</div>",
    "<div hidden id=S:2><p>z <template id=B:1></template></div>",
    "</div>",
];

fn streamed_pages() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(PIECES);
    let parts = proptest::collection::vec((pages(), piece), 0..5);
    parts.prop_map(|parts| parts.into_iter().map(|(page, piece)| page + piece).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_are_where_a_script_puts_them(html in streamed_pages()) {
        let (mut state, limits, mut arena) = (State::default(), unlimited(), Arena::default());
        tokenize(Builder::new(&mut arena, &html, &mut state, &limits), &limits);
        let mut slow = arena.clone();
        put_in_place_slowly(&mut slow, &html);
        put_in_place(&mut arena, &html, &state.templates.placeholders, &limits);
        prop_assert_eq!(dump(&arena, &html), dump(&slow, &html), "of {:?}", html);
    }
}
