//! Declarative shadow roots: what a component draws in the place of its children.
//!
//! `<template shadowrootmode="open">` in an element is what browsers show of that element. Its children stand in the
//! slots of the template: those with a `slot` attribute in the slot of that name, all others in the slot without a name.
//! Children without a slot are not shown.

use std::collections::{HashMap, HashSet};

use crate::arena::Arena;
use crate::steps::Steps;
use crate::{Attr, NONE, NodeKind, Tag, TagSet, TreeLimits};

/// Whether a template is the content of the element around it.
pub(crate) fn is_shadow_root(arena: &Arena, source: &str, template: u32) -> bool {
    let mode = arena.attribute(source, template, Attr::Shadowrootmode);
    mode.is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed"))
}

/// Puts the content of each shadow root in the place of the children of its host, and those into its slots. A child
/// that would stand too deep in its slot stays behind the content. Returns the steps of work; when they are over, the other
/// templates stay.
pub(crate) fn attach_shadow_roots(
    arena: &mut Arena,
    source: &str,
    templates: &[u32],
    limits: &TreeLimits,
) -> Steps {
    let mut steps = Steps::new(limits.steps);
    let mut hosts = HashSet::new();
    for &template in templates {
        if steps.is_over() {
            break;
        }
        let host = arena.node(template).parent;
        if host != NONE && can_be_host(arena, host) && hosts.insert(host) {
            attach(arena, source, template, limits, &mut steps);
        }
    }
    steps
}

/// Whether browsers let an element have a shadow root. They recognise custom elements by a hyphen in the name, which is not
/// kept here: all unknown names count.
fn can_be_host(arena: &Arena, node: u32) -> bool {
    use Tag::*;
    const HOSTS: TagSet = TagSet::new(&[
        Other, Article, Aside, Blockquote, Body, Div, Footer, H1, H2, H3, H4, H5, H6, Header, Main, Nav, P,
        Section, Span,
    ]);
    let node = arena.node(node);
    HOSTS.has(node.tag) && node.kind == NodeKind::Html
}

fn attach(arena: &mut Arena, source: &str, template: u32, limits: &TreeLimits, steps: &mut Steps) {
    let host = arena.node(template).parent;
    let mut slots = slots(arena, source, template, steps);
    arena.detach(template);
    let slotted = take_children(arena, host, steps);
    arena.move_children(template, host);
    for child in slotted {
        let name = arena.attribute(source, child, Attr::Slot).unwrap_or_default();
        let Some(slot) = slots.get_mut(name) else {
            continue;
        };
        if !has_room(arena, slot.node, child, limits.depth, steps) {
            arena.append(host, child);
            continue;
        }
        if !std::mem::replace(&mut slot.is_filled, true) {
            // What the slot shows where it gets nothing.
            take_children(arena, slot.node, steps);
        }
        arena.append(slot.node, child);
    }
}

/// A slot, and whether a child of the host stands in it.
struct Slot {
    node: u32,
    is_filled: bool,
}

/// The slots of a template by their names, of several the first. Those in templates within it are not its own.
fn slots(arena: &Arena, source: &str, template: u32, steps: &mut Steps) -> HashMap<String, Slot> {
    let mut slots = HashMap::new();
    let mut node = arena.following(template, template);
    while node != NONE && !steps.is_over() {
        steps.step();
        match arena.node(node).tag {
            Tag::Slot => {
                let name = arena.attribute(source, node, Attr::Name).unwrap_or_default();
                let slot = Slot {
                    node,
                    is_filled: false,
                };
                slots.entry(name.to_owned()).or_insert(slot);
                node = arena.following(template, node);
            }
            Tag::Template => node = arena.after(template, node),
            _ => node = arena.following(template, node),
        }
    }
    slots
}

/// Takes all children out of a node.
fn take_children(arena: &mut Arena, node: u32, steps: &mut Steps) -> Vec<u32> {
    let mut children = Vec::new();
    while arena.node(node).first != NONE {
        steps.step();
        let child = arena.node(node).first;
        arena.detach(child);
        children.push(child);
    }
    children
}

/// Whether a child can be moved into a slot: that stands somewhere, not in the child itself, and not too deep.
fn has_room(arena: &Arena, slot: u32, child: u32, depth: u16, steps: &mut Steps) -> bool {
    let mut around = 0;
    let mut node = arena.node(slot).parent;
    if node == NONE {
        return false;
    }
    while node != NONE {
        if node == child {
            return false;
        }
        around += 1;
        node = arena.node(node).parent;
    }
    around + levels_below(arena, child, steps) <= usize::from(depth)
}

/// How many levels of nodes there are below one; no end of them when the steps are over.
fn levels_below(arena: &Arena, root: u32, steps: &mut Steps) -> usize {
    let (mut node, mut level, mut most) = (root, 0, 0);
    loop {
        steps.step();
        if steps.is_over() {
            return usize::MAX / 2;
        }
        if arena.node(node).first != NONE {
            node = arena.node(node).first;
            level += 1;
            most = most.max(level);
            continue;
        }
        while node != root && arena.node(node).next == NONE {
            node = arena.node(node).parent;
            level -= 1;
        }
        if node == root {
            return most;
        }
        node = arena.node(node).next;
    }
}

#[cfg(test)]
mod tests {
    use crate::{HtmlParser, Tag, TreeBuilder, TreeLimits};

    /// The texts of the body that stand in no template, one after the other.
    fn shown(html: &str) -> String {
        let texts = [TreeBuilder::Gleaner, TreeBuilder::Html5ever].map(|builder| {
            let mut parser = HtmlParser::new(TreeLimits::default()).with(builder);
            let parsed = parser.parse_str(html);
            let tree = parsed.tree();
            let is_shown = |&node: &u32| {
                let mut around = std::iter::successors(Some(node), |&node| Some(tree.parent(node)));
                let found = around.find(|&up| up == crate::DOCUMENT || tree.tag(up) == Tag::Template);
                found == Some(crate::DOCUMENT)
            };
            let texts = tree.nodes().filter(is_shown).map(|node| tree.text(node));
            texts.collect::<String>()
        });
        assert_eq!(texts[0], texts[1], "of {html}");
        texts[0].clone()
    }

    #[test]
    fn children_of_a_host_stand_in_their_slots() {
        let root = "<template shadowrootmode=open>a<slot></slot>b<slot name=n>none</slot>c</template>";
        assert_eq!(shown(&format!("<x-y>{root}1<i slot=n>2</i>3</x-y>4")), "a13b2c4");
        assert_eq!(shown(&format!("<x-y>1{root}</x-y>")), "a1bnonec");
    }

    #[test]
    fn children_without_a_slot_are_not_shown() {
        let closed = "<div>1<template shadowrootmode=CLOSED>a</template>2</div>3";
        assert_eq!(shown(closed), "a3");
        let named = "<div><i slot=other>1</i><template shadowrootmode=open>a<slot></slot></template></div>";
        assert_eq!(shown(named), "a");
    }

    #[test]
    fn roots_within_roots_take_what_is_slotted_through() {
        let inner = "<in-er><template shadowrootmode=open>(<slot></slot>)</template><slot></slot></in-er>";
        let html = format!("<out-er><template shadowrootmode=open>[{inner}]</template>1</out-er>");
        assert_eq!(shown(&html), "[(1)]");
    }

    #[test]
    fn other_templates_stay_templates() {
        for html in [
            "<div>1<template>a</template></div>",
            "<div>1<template shadowrootmode=no>a</template></div>",
            "<ul><li>1<template shadowrootmode=open>a</template></ul>",
        ] {
            assert_eq!(shown(html), "1", "{html}");
        }
        let second =
            "<div><template shadowrootmode=open>a</template><template shadowrootmode=open>b</template></div>";
        assert_eq!(shown(second), "a");
    }
}
