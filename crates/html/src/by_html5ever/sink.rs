//! html5ever's tree, built in an arena.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Range;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, ns};

use super::Built;
use crate::arena::{Arena, LeadingWhite, Text};
use crate::shadow::is_shadow_root;
use crate::{Attr, DOCUMENT, NONE, NodeKind, Steps, Tag, TreeLimits, TreeTruncation};

/// Receives the tree. Handles are indices of the arena.
pub(super) struct Sink<'a> {
    limits: &'a TreeLimits,
    building: RefCell<Building<'a>>,
    steps: Cell<Steps>,
    /// Whether there is no room for more nodes.
    has_all_nodes: Cell<bool>,
    /// The element made last.
    last: Cell<u32>,
}

/// The tree so far.
struct Building<'a> {
    arena: &'a mut Arena,
    /// Of each node.
    names: Vec<QualName>,
    /// How many nodes are around each node.
    depths: Vec<u32>,
    /// Where what belongs into a node goes: itself, or if it stands too deep another.
    places: Vec<u32>,
    /// `<annotation-xml>` elements that hold HTML.
    html_annotations: HashSet<u32>,
    shadow_roots: Vec<u32>,
    truncated: TreeTruncation,
}

/// The name of an element, as html5ever looks at it.
#[derive(Debug)]
pub(super) struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl<'a> Sink<'a> {
    pub(super) fn new(arena: &'a mut Arena, limits: &'a TreeLimits) -> Sink<'a> {
        arena.clear();
        Sink {
            limits,
            building: RefCell::new(Building {
                arena,
                names: vec![QualName::new(None, ns!(), LocalName::from(""))],
                depths: vec![0],
                places: vec![DOCUMENT],
                html_annotations: HashSet::new(),
                shadow_roots: Vec::new(),
                truncated: TreeTruncation::default(),
            }),
            steps: Cell::new(Steps::new(limits.steps)),
            has_all_nodes: Cell::new(false),
            last: Cell::new(NONE),
        }
    }

    /// Counts a token.
    pub(super) fn count_token(&self) {
        self.count(Steps::step);
    }

    fn count(&self, count: impl FnOnce(&mut Steps)) {
        let mut steps = self.steps.get();
        count(&mut steps);
        self.steps.set(steps);
    }

    /// Whether the tree has all nodes that it may have, or has taken all the work that it may take.
    pub(super) fn is_full(&self) -> bool {
        self.has_all_nodes.get() || self.steps.get().is_over()
    }

    /// Forgets which element was made last.
    pub(super) fn forget_last(&self) {
        self.last.set(NONE);
    }

    /// Whether an HTML element of this name was made since.
    pub(super) fn has_just_made(&self, name: &LocalName) -> bool {
        let building = self.building.borrow();
        let last = self.last.get();
        last != NONE
            && building.arena.node(last).kind == NodeKind::Html
            && building.names[last as usize].local == *name
    }

    /// The report on the finished tree.
    pub(super) fn built(self) -> Built {
        let building = self.building.into_inner();
        let steps = self.steps.get();
        Built {
            truncated: TreeTruncation {
                elements: self.has_all_nodes.get(),
                steps: steps.is_over(),
                ..building.truncated
            },
            steps: steps.taken(),
            shadow_roots: building.shadow_roots,
        }
    }

    /// A new node that stands nowhere yet.
    fn create(&self, building: &mut Building<'_>, kind: NodeKind, name: QualName, range: Range<u32>) -> u32 {
        self.count(Steps::step);
        let has_all = building.arena.nodes.len() > self.limits.elements.saturating_mul(4);
        self.has_all_nodes.set(self.has_all_nodes.get() || has_all);
        let id = building.arena.create(kind, tag(kind, &name), range);
        building.names.push(name);
        building.depths.push(0);
        building.places.push(id);
        id
    }

    fn text(&self, building: &mut Building<'_>, text: &str) -> u32 {
        let range = building.arena.pooled(text);
        let name = QualName::new(None, ns!(), LocalName::from(""));
        let id = self.create(building, NodeKind::PoolText, name, range);
        building.arena.nodes[id as usize].white = LeadingWhite::read(text.as_bytes());
        id
    }

    /// A node that stands nowhere.
    fn child(&self, building: &mut Building<'_>, child: NodeOrText<u32>) -> u32 {
        match child {
            NodeOrText::AppendNode(id) => {
                building.arena.detach(id);
                id
            }
            NodeOrText::AppendText(text) => self.text(building, &text),
        }
    }
}

impl Building<'_> {
    /// Keeps attributes as the limits allow.
    fn keep(&mut self, attributes: &[Attribute], limits: &TreeLimits) -> Range<u32> {
        let start = self.arena.attributes.len();
        for attribute in attributes {
            let Some(name) = attr(&attribute.name) else {
                continue;
            };
            if self.arena.attributes.len() - start >= limits.attributes {
                self.truncated.attributes = true;
                break;
            }
            let end = attribute.value.floor_char_boundary(limits.attribute_bytes);
            self.truncated.attributes |= end < attribute.value.len();
            let range = self.arena.pooled(&attribute.value[..end]);
            self.arena.attributes.push((name, Text::Pool(range)));
        }
        start as u32..self.arena.attributes.len() as u32
    }

    /// Where what belongs into a node goes.
    fn place(&self, mut node: u32) -> u32 {
        while self.places[node as usize] != node {
            node = self.places[node as usize];
        }
        node
    }

    /// Puts a node that stands nowhere at the end of a parent. An element that would be too deep stays out; what it holds,
    /// now or later, goes into the parent.
    fn append(&mut self, parent: u32, child: u32, limits: &TreeLimits) {
        let mut place = self.place(parent);
        if place != parent && self.is_within(place, child) {
            place = self.arena.node(DOCUMENT).first;
        }
        if self.is_too_deep(place, child, limits) {
            return self.leave_out(child, place);
        }
        self.places[child as usize] = child;
        self.depths[child as usize] = self.depths[place as usize] + 1;
        self.arena.append(place, child);
    }

    fn insert_before(&mut self, sibling: u32, child: u32, limits: &TreeLimits) {
        let parent = self.arena.node(sibling).parent;
        if parent == NONE {
            return self.append(sibling, child, limits);
        }
        if self.is_too_deep(parent, child, limits) {
            return self.leave_out(child, parent);
        }
        self.places[child as usize] = child;
        self.depths[child as usize] = self.depths[parent as usize] + 1;
        self.arena.insert_before(sibling, child);
    }

    fn is_too_deep(&self, parent: u32, child: u32, limits: &TreeLimits) -> bool {
        let is_element = self.arena.node(child).kind.is_element();
        is_element && child != parent && self.depths[parent as usize] > u32::from(limits.depth)
    }

    /// Whether a node is another or stands in it.
    fn is_within(&self, node: u32, root: u32) -> bool {
        let up = |&node: &u32| Some(self.arena.node(node).parent).filter(|&up| up != NONE);
        std::iter::successors(Some(node), up).any(|node| node == root)
    }

    /// Leaves an element out. `place` is where what belongs into it goes.
    fn leave_out(&mut self, child: u32, place: u32) {
        self.truncated.depth = true;
        self.arena.move_children(child, place);
        self.places[child as usize] = place;
    }

    /// Makes the last text of an element longer if it is the last in the pool, too.
    fn extend_last(&mut self, parent: u32, text: &str) -> bool {
        let last = self.arena.node(self.place(parent)).last;
        if last == NONE || self.arena.node(last).kind != NodeKind::PoolText {
            return false;
        }
        if self.arena.node(last).end as usize != self.arena.pool.len() {
            return false;
        }
        let end = self.arena.pooled(text).end;
        self.arena
            .extend_text(last, end, LeadingWhite::read(text.as_bytes()));
        true
    }
}

/// The attribute of a name, if it is one that is kept. In SVG and MathML `xml:lang` has a namespace.
fn attr(name: &QualName) -> Option<Attr> {
    match (&name.ns, &*name.local) {
        (&ns!(), local) => Attr::from_name(local),
        (&ns!(xml), "lang") => Some(Attr::XmlLang),
        _ => None,
    }
}

fn kind(name: &QualName) -> NodeKind {
    match name.ns {
        ns!(svg) => NodeKind::Svg,
        ns!(mathml) if name.local.starts_with("annotation") => NodeKind::Annotation,
        ns!(mathml) => NodeKind::Math,
        _ => NodeKind::Html,
    }
}

fn tag(kind: NodeKind, name: &QualName) -> Tag {
    match (kind, Tag::from_name(&name.local)) {
        (NodeKind::Html, tag) | (NodeKind::Svg, tag @ Tag::Svg) | (NodeKind::Math, tag @ Tag::Math) => tag,
        (NodeKind::Math, tag) if tag.is_of_formula() => tag,
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
        self.count(|steps| steps.look(1));
        Name(self.building.borrow().names[*target as usize].clone())
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let building = &mut *self.building.borrow_mut();
        let range = building.keep(&attrs, self.limits);
        let id = self.create(building, kind(&name), name, range);
        if flags.mathml_annotation_xml_integration_point {
            building.html_annotations.insert(id);
        }
        let node = building.arena.node(id);
        let is_template = (node.kind, node.tag) == (NodeKind::Html, Tag::Template);
        if is_template && is_shadow_root(building.arena, "", id) {
            building.shadow_roots.push(id);
        }
        self.last.set(id);
        id
    }

    /// A comment, of which nothing is kept.
    fn create_comment(&self, _: StrTendril) -> u32 {
        NONE
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        NONE
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        let building = &mut *self.building.borrow_mut();
        match &child {
            NodeOrText::AppendNode(NONE) => return,
            NodeOrText::AppendText(text) if building.extend_last(*parent, text) => return,
            _ => {}
        }
        let child = self.child(building, child);
        building.append(*parent, child, self.limits);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        let has_parent = self.building.borrow().arena.node(*element).parent != NONE;
        match has_parent {
            true => self.append_before_sibling(element, child),
            false => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        self.count(|steps| steps.look(1));
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        if matches!(child, NodeOrText::AppendNode(NONE)) {
            return;
        }
        let building = &mut *self.building.borrow_mut();
        let child = self.child(building, child);
        building.insert_before(*sibling, child, self.limits);
    }

    fn add_attrs_if_missing(&self, target: &u32, attrs: Vec<Attribute>) {
        let building = &mut *self.building.borrow_mut();
        let new = building.keep(&attrs, self.limits);
        building.arena.add_missing_attributes(*target, new);
    }

    fn remove_from_parent(&self, target: &u32) {
        self.building.borrow_mut().arena.detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let building = &mut *self.building.borrow_mut();
        let place = building.place(*new_parent);
        // What belongs to an element that stands too deep is among what belongs to another.
        if building.places[*node as usize] == *node && place != *node {
            let moved = building.arena.move_children(*node, place);
            self.count(|steps| steps.look(moved));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &u32) -> bool {
        self.building.borrow().html_annotations.contains(handle)
    }
}
