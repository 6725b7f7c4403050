//! html5ever's tree, built in an arena.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use crate::Tag;
use crate::arena::{Arena, Text};
use crate::{Attr, NONE};
use crate::{DOCUMENT, NodeKind};

/// Receives the tree.
pub(crate) struct Sink<'a> {
    pub(crate) arena: RefCell<&'a mut Arena>,
    names: RefCell<Vec<QualName>>,
    /// `<annotation-xml>` elements that hold HTML.
    html_annotations: RefCell<Vec<u32>>,
}

/// The name of an element, as html5ever asks for it.
#[derive(Debug)]
pub(crate) struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl<'a> Sink<'a> {
    pub(crate) fn new(arena: &'a mut Arena) -> Sink<'a> {
        arena.clear();
        Sink {
            arena: RefCell::new(arena),
            names: RefCell::default(),
            html_annotations: RefCell::default(),
        }
    }

    fn kept(&self, arena: &mut Arena, attrs: &[Attribute]) -> std::ops::Range<u32> {
        let start = arena.attributes.len() as u32;
        for attribute in attrs.iter().filter(|attribute| attribute.name.ns == ns!()) {
            let Some(name) = Attr::from_name(&attribute.name.local) else {
                continue;
            };
            let range = arena.pooled(&attribute.value);
            arena.attributes.push((name, Text::Pool(range)));
        }
        start..arena.attributes.len() as u32
    }

    fn text(&self, arena: &mut Arena, text: &str) -> u32 {
        let range = arena.pooled(text);
        self.names
            .borrow_mut()
            .push(QualName::new(None, ns!(), LocalName::from("")));
        arena.create(NodeKind::PoolText, Tag::Other, range)
    }

    fn child(&self, arena: &mut Arena, child: NodeOrText<u32>) -> u32 {
        match child {
            NodeOrText::AppendNode(id) => {
                arena.detach(id);
                id
            }
            NodeOrText::AppendText(text) => self.text(arena, &text),
        }
    }
}

/// Makes the last text of an element longer if it is the last in the pool, too.
fn extend_last(arena: &mut Arena, parent: u32, text: &str) -> bool {
    let last = arena.node(parent).last;
    if last == NONE || arena.node(last).kind != NodeKind::PoolText {
        return false;
    }
    let (start, end) = (arena.node(last).start, arena.node(last).end);
    if end as usize != arena.pool.len() {
        return false;
    }
    let end = arena.pooled(text).end;
    arena.set_range(last, start..end);
    true
}

fn kind(name: &QualName) -> NodeKind {
    match name.ns {
        ns!(svg) => NodeKind::Svg,
        ns!(mathml) if name.local.starts_with("annotation") => NodeKind::Annotation,
        ns!(mathml) => NodeKind::Math,
        _ => NodeKind::Html,
    }
}

fn tag(name: &QualName) -> Tag {
    match (kind(name), Tag::from_name(&name.local)) {
        (NodeKind::Html, tag) | (NodeKind::Svg, tag @ Tag::Svg) | (NodeKind::Math, tag @ Tag::Math) => tag,
        _ => Tag::Other,
    }
}

impl TreeSink for Sink<'_> {
    type Handle = u32;
    type Output = ();
    type ElemName<'n>
        = Name
    where
        Self: 'n;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        DOCUMENT
    }

    fn elem_name<'n>(&'n self, target: &'n u32) -> Name {
        Name(self.names.borrow()[*target as usize - 1].clone())
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let mut arena = self.arena.borrow_mut();
        let range = self.kept(&mut arena, &attrs);
        let id = arena.create(kind(&name), tag(&name), range);
        self.names.borrow_mut().push(name);
        if flags.mathml_annotation_xml_integration_point {
            self.html_annotations.borrow_mut().push(id);
        }
        id
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        let mut arena = self.arena.borrow_mut();
        self.text(&mut arena, "")
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.create_comment(StrTendril::new())
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        let mut arena = self.arena.borrow_mut();
        if let NodeOrText::AppendText(text) = &child
            && extend_last(&mut arena, *parent, text)
        {
            return;
        }
        let child = self.child(&mut arena, child);
        arena.append(*parent, child);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        if self.arena.borrow().node(*element).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut arena = self.arena.borrow_mut();
        let child = self.child(&mut arena, child);
        arena.insert_before(*sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &u32, attrs: Vec<Attribute>) {
        let mut arena = self.arena.borrow_mut();
        let mut all = arena.attributes_of(*target).to_vec();
        let new = self.kept(&mut arena, &attrs);
        let new = arena.attributes[new.start as usize..new.end as usize].to_vec();
        for attribute in new {
            if all.iter().all(|(name, _)| *name != attribute.0) {
                all.push(attribute);
            }
        }
        let start = arena.attributes.len() as u32;
        arena.attributes.extend(all);
        let end = arena.attributes.len() as u32;
        arena.set_range(*target, start..end);
    }

    fn remove_from_parent(&self, target: &u32) {
        self.arena.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        self.arena.borrow_mut().move_children(*node, *new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &u32) -> bool {
        self.html_annotations.borrow().contains(handle)
    }
}
