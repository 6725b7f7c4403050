//! Trees as lines, with what is kept of them alone: elements with a kind and a tag, attributes that have a number, text.
//! Comments and document types are not; what a template holds stands in the template.

use gleaner_html::{Attr, DOCUMENT, NodeKind, Tag, Tree};

/// An element or a text, and how many elements are around it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Element {
        depth: usize,
        kind: NodeKind,
        tag: Tag,
        attributes: Vec<(Attr, String)>,
    },
    Text {
        depth: usize,
        text: String,
    },
}

/// Adds text; text behind text is one.
fn push_text(lines: &mut Vec<Line>, depth: usize, more: &str) {
    match lines.last_mut() {
        Some(Line::Text { depth: last, text }) if *last == depth => text.push_str(more),
        _ if more.is_empty() => {}
        _ => lines.push(Line::Text {
            depth,
            text: more.to_owned(),
        }),
    }
}

/// The lines of a tree.
pub(crate) fn of_tree(tree: Tree<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    for node in tree.nodes() {
        let up = |&node: &u32| Some(tree.parent(node));
        let around = std::iter::successors(up(&node), up);
        let depth = around.take_while(|&node| node != DOCUMENT).count();
        match tree.kind(node) {
            NodeKind::SourceText => {
                let text = tree.text(node).replace("\r\n", "\n").replace('\r', "\n");
                push_text(&mut lines, depth, &text);
            }
            NodeKind::PoolText => push_text(&mut lines, depth, tree.text(node)),
            kind => {
                let attributes = tree
                    .attributes(node)
                    .map(|(name, value)| (name, value.to_owned()));
                let mut attributes: Vec<_> = attributes.collect();
                attributes.sort_by_key(|(name, _)| *name as u8);
                let tag = tree.tag(node);
                lines.push(Line::Element {
                    depth,
                    kind,
                    tag,
                    attributes,
                });
            }
        }
    }
    lines
}

/// The lines of a tree as html5lib writes it.
pub(crate) fn of_dump(dump: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    // How deep the contents of the templates around stand.
    let mut contents: Vec<usize> = Vec::new();
    let mut dump = dump.lines().peekable();
    while let Some(line) = dump.next() {
        let mut line = line.strip_prefix("| ").unwrap_or(line).to_owned();
        while dump.peek().is_some_and(|next| !next.starts_with("| ")) {
            line = line + "\n" + dump.next().unwrap_or_default();
        }
        let node = line.trim_start_matches(' ');
        let indent = (line.len() - node.len()) / 2;
        contents.retain(|&content| content < indent);
        let depth = indent - contents.len();
        if node == "content" {
            contents.push(indent);
        } else if let Some(text) = node.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            push_text(&mut lines, depth, text);
        } else if node.starts_with("<!") || node.starts_with("<?") {
        } else if let Some(name) = node.strip_prefix('<').and_then(|name| name.strip_suffix('>')) {
            lines.push(element(depth, name));
        } else if let Some((name, value)) = node.split_once("=\"")
            && let Some(name) = attr(name)
            && let Some(Line::Element { attributes, .. }) = lines.last_mut()
        {
            attributes.push((name, value.strip_suffix('"').unwrap_or(value).to_owned()));
            attributes.sort_by_key(|(name, _)| *name as u8);
        }
    }
    lines
}

/// The attribute of a name; one with a namespace has a space in it.
fn attr(name: &str) -> Option<Attr> {
    match name {
        "xml lang" => Some(Attr::XmlLang),
        name => Attr::from_name(name),
    }
}

fn element(depth: usize, name: &str) -> Line {
    let (kind, tag) = match name.split_once(' ') {
        Some(("svg", "svg")) => (NodeKind::Svg, Tag::Svg),
        Some(("svg", _)) => (NodeKind::Svg, Tag::Other),
        Some(("math", "math")) => (NodeKind::Math, Tag::Math),
        Some(("math", "annotation" | "annotation-xml")) => (NodeKind::Annotation, Tag::Other),
        Some(("math", name)) => match Tag::from_name(name) {
            tag if tag.is_of_formula() => (NodeKind::Math, tag),
            _ => (NodeKind::Math, Tag::Other),
        },
        _ => (NodeKind::Html, Tag::from_name(name)),
    };
    Line::Element {
        depth,
        kind,
        tag,
        attributes: Vec::new(),
    }
}
