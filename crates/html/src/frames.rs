//! Frames whose page stands in the page itself: `<iframe srcdoc="...">`.

use crate::arena::{Arena, Text};
use crate::steps::Steps;
use crate::{Attr, DOCUMENT, NONE, NodeKind, Tag};

/// The frames of a page that have a page of their own in `srcdoc`, each with that page.
pub(crate) fn frames(arena: &Arena, source: &str) -> Vec<(u32, String)> {
    // Nearly no page has any.
    if !arena.attributes.iter().any(|(name, _)| *name == Attr::Srcdoc) {
        return Vec::new();
    }
    let nodes = 0..arena.nodes.len() as u32;
    let frames = nodes.filter(|&node| arena.node(node).tag == Tag::Iframe && arena.node(node).parent != NONE);
    let with_page =
        frames.filter_map(|frame| Some((frame, arena.attribute(source, frame, Attr::Srcdoc)?.to_owned())));
    with_page.filter(|(_, page)| !page.trim().is_empty()).collect()
}

/// Makes a frame a `<div>` with the body of the page that it shows.
pub(crate) fn show(arena: &mut Arena, frame: u32, page: &Arena, source: &str, steps: &mut Steps) {
    let Some(body) = body(page) else { return };
    arena.become_empty_div(frame);
    // Of each element around the node: the original, and its copy.
    let mut around = vec![(body, frame)];
    let mut node = page.following(body, body);
    while node != NONE && !steps.is_over() {
        steps.step();
        let parent = page.node(node).parent;
        while around.len() > 1 && around.last().is_some_and(|(original, _)| *original != parent) {
            around.pop();
        }
        let copy = copy(arena, page, source, node);
        arena.append(around.last().map_or(frame, |(_, copy)| *copy), copy);
        around.push((node, copy));
        node = page.following(body, node);
    }
}

/// The `<body>` of a page.
fn body(page: &Arena) -> Option<u32> {
    let mut node = page.following(DOCUMENT, DOCUMENT);
    while node != NONE && page.node(node).tag != Tag::Body {
        node = page.following(DOCUMENT, node);
    }
    Some(node).filter(|&node| node != NONE)
}

/// A copy of a node of another page, without its children.
fn copy(arena: &mut Arena, page: &Arena, source: &str, node: u32) -> u32 {
    let original = page.node(node);
    let (kind, range) = match original.kind {
        NodeKind::SourceText | NodeKind::PoolText => {
            (NodeKind::PoolText, arena.pooled(page.text(source, node)))
        }
        kind => {
            let first = arena.attributes.len() as u32;
            for (name, value) in page.attributes_of(node) {
                let value = Text::Pool(arena.pooled(page.value(source, value)));
                arena.attributes.push((*name, value));
            }
            (kind, first..arena.attributes.len() as u32)
        }
    };
    let id = arena.create(kind, original.tag, range);
    arena.nodes[id as usize].white = original.white;
    id
}

#[cfg(test)]
mod tests {
    use crate::{HtmlParser, Tag, Tree, TreeBuilder, TreeLimits};

    /// The elements and texts below a node, as `<tag>` and `</tag>`.
    fn outline(tree: Tree<'_>, node: u32) -> String {
        let some = |node: u32| Some(node).filter(|&node| node != crate::NONE);
        let children = std::iter::successors(some(tree.first_child(node)), |&child| {
            some(tree.next_sibling(child))
        });
        let inner: String = children.map(|child| outline(tree, child)).collect();
        match tree.tag(node) {
            _ if !tree.text(node).is_empty() => tree.text(node).to_owned(),
            tag => format!("<{0}>{inner}</{0}>", tag.name()),
        }
    }

    /// The body of a page.
    fn body(html: &str, limits: TreeLimits) -> String {
        let bodies = [TreeBuilder::Gleaner, TreeBuilder::Html5ever].map(|builder| {
            let mut parser = HtmlParser::new(limits.clone()).with(builder);
            let parsed = parser.parse_str(html);
            let tree = parsed.tree();
            let body = tree.nodes().find(|&node| tree.tag(node) == Tag::Body);
            outline(tree, body.expect("a body"))
        });
        assert_eq!(bodies[0], bodies[1], "of {html}");
        bodies[0].clone()
    }

    #[test]
    fn frames_show_their_own_pages() {
        for (html, expected) in [
            (
                "1<iframe srcdoc='<title>t</title><p>a &amp;amp; b<ul><li>c<li>d</ul>e'>no frames</iframe>2",
                "1<div><p>a & b</p><ul><li>c</li><li>d</li></ul>e</div>2",
            ),
            (
                "<iframe srcdoc='a'></iframe><iframe srcdoc='<b>c</b>'>",
                "<div>a</div><div><b>c</b></div>",
            ),
            // A frame in a frame, and one without a page, stay frames.
            (
                "<iframe srcdoc='<iframe srcdoc=a></iframe>'></iframe><iframe srcdoc=' '></iframe>",
                "<div><iframe></iframe></div><iframe></iframe>",
            ),
        ] {
            assert_eq!(
                body(html, TreeLimits::default()),
                format!("<body>{expected}</body>")
            );
        }
    }

    #[test]
    fn frames_are_no_deeper_than_pages() {
        let limits = TreeLimits {
            depth: 5,
            ..TreeLimits::default()
        };
        let mut parser = HtmlParser::new(limits);
        let parsed = parser.parse_str("<div><iframe srcdoc='<p><b><i><u>a</u></i></b>'></iframe></div>");
        assert!(parsed.truncated.depth);
        let tree = parsed.tree();
        let depth = |node| {
            std::iter::successors(Some(node), |&node| {
                Some(tree.parent(node)).filter(|&up| up != crate::NONE)
            })
            .count()
        };
        let text = tree.nodes().find(|&node| tree.text(node) == "a");
        assert!(text.is_some_and(|text| depth(text) <= 8));
    }
}
