//! Parts of a page that came later than their place, put where they belong.
//!
//! React sends a page as it gets ready. In place of a part that is not it sends `<template id="B:1">` (of a
//! boundary) or `<template id="P:1">` (of a part of another part), and at the end of the page, when the part is
//! there, `<div hidden id="S:1">` with a script that puts its children in place of the template. Without it the
//! text of such pages would be out of order, behind the footer, and marked as hidden.

use std::collections::HashMap;

use crate::TreeLimits;
use crate::arena::Arena;
use crate::steps::Steps;
use crate::{Attr, NONE};

/// Whether an element of this id stands for a part that comes later.
pub(crate) fn is_placeholder(id: &str) -> bool {
    matches!(id.split_once(':'), Some(("B" | "P", number)) if !number.is_empty())
}

/// Maximum parts per page that are put in place.
const MOST: usize = 512;

/// Puts each part that came in place of its template. `placeholders` are the templates of such ids; the source is
/// that of the arena. What would stand in more elements than the limit allows stays where it is. Returns the
/// steps of work; when they are over, the rest stays where it is, too.
pub(crate) fn put_in_place(
    arena: &mut Arena,
    source: &str,
    placeholders: &[u32],
    limits: &TreeLimits,
) -> Steps {
    let mut steps = Steps::new(limits.steps);
    if placeholders.is_empty() {
        return steps;
    }
    let parts = parts(arena, source);
    for &placeholder in placeholders.iter().take(MOST) {
        let id = arena.attribute(source, placeholder, Attr::Id).unwrap_or_default();
        let number = id.split_once(':').map_or("", |(_, number)| number);
        let part = parts.get(number).copied();
        if let Some(part) = part.filter(|&part| has_room(arena, placeholder, part, limits.depth, &mut steps))
        {
            replace(arena, placeholder, part, &mut steps);
        }
        if steps.is_over() {
            break;
        }
    }
    steps
}

/// The elements that hold parts, by their numbers: of several the first.
fn parts(arena: &Arena, source: &str) -> HashMap<String, u32> {
    let mut parts = HashMap::new();
    for node in 0..arena.nodes.len() as u32 {
        let id = arena.attribute(source, node, Attr::Id).unwrap_or_default();
        if let Some(number) = id.strip_prefix("S:") {
            parts.entry(number.to_owned()).or_insert(node);
        }
    }
    parts
}

/// Whether a part can be moved to a placeholder, or into a slot: that stands somewhere, not in the part itself, and not too deep.
pub(crate) fn has_room(arena: &Arena, placeholder: u32, part: u32, depth: u16, steps: &mut Steps) -> bool {
    let mut around = 0;
    let mut node = arena.node(placeholder).parent;
    if node == NONE {
        return false;
    }
    while node != NONE {
        if node == part {
            return false;
        }
        around += 1;
        node = arena.node(node).parent;
    }
    around + levels_below(arena, part, steps) <= usize::from(depth)
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

/// Puts the children of a part where its placeholder stands, and takes both out.
fn replace(arena: &mut Arena, placeholder: u32, part: u32, steps: &mut Steps) {
    while arena.node(part).first != NONE {
        steps.step();
        let child = arena.node(part).first;
        arena.detach(child);
        arena.insert_before(placeholder, child);
    }
    arena.detach(placeholder);
    arena.detach(part);
}
