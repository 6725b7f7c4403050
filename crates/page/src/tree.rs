//! A page as a flat arena: elements in document order, text blocks, and pools of text.

use std::ops::Range;

use gleaner_html::{Attr, NONE, Tag, TreeTruncation};

/// A page: its elements, its blocks and their text. Indices are `u32` into [`Page::elements`]
/// (document order, a parent before its children) and [`Page::blocks`] (order on the page).
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Elements in document order. The first is the root, `<html>`.
    pub elements: Vec<Element>,
    /// Text blocks in document order.
    pub blocks: Vec<Block>,
    /// Runs of text, in order; each belongs to the block whose `runs` holds its index.
    pub runs: Vec<Run>,
    /// The images of the body, in order; none where their texts count as text, see [`PageConfig::alt`](crate::PageConfig::alt).
    pub images: Vec<Image>,
    /// The blocks that have no word, in order: signs that are all there is of a cell in a table with heads.
    pub signs: Vec<u32>,
    /// The lists of definitions, in order.
    pub definitions: Vec<u32>,
    /// Whether a table stands in a cell of data of another: the cell of its blocks ([`Block::td`]) is that one.
    pub has_tables_in_cells: bool,
    /// The formulas of the body, in order.
    pub formulas: Vec<Formula>,
    /// Tags between the blocks, in order; each belongs to the block whose `split` holds its index.
    pub tags_between: Vec<TagEvent>,
    /// Text of all blocks; [`Block::text`] and [`Run::text`] point into it.
    pub text: String,
    /// Texts that are to be written otherwise than they are in [`Page::text`]; [`Block::written`] points into it.
    pub written: String,
    /// Attributes kept, grouped by element in document order.
    pub attributes: Vec<(Attr, Range<u32>)>,
    /// The values of [`Page::attributes`].
    pub values: String,
    /// The charset the bytes were decoded from, by its name in the Encoding Standard.
    pub charset: &'static str,
    /// The text of `<title>`, white space collapsed.
    pub title: String,
    /// The bodies of `<script type="application/ld+json">`, one after the other.
    pub structured_data: Vec<String>,
    /// The bodies of `<script type="application/rsl+xml">`, which are licences, one after the other.
    pub licences: Vec<String>,
    /// Scripts that hold the state of the framework that draws the page; only where the page has
    /// little text in its elements.
    pub state: Vec<String>,
    /// Whether it is a plain text, which has no tags.
    pub plain: bool,
    /// What was cut off because a limit was met.
    pub truncated: Truncation,
    /// Steps of work that the stage with most of them took, see [`Limits::steps`](crate::Limits::steps).
    pub steps: u64,
}

/// One element.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its name.
    pub tag: Tag,
    /// Whether it stands in a line: by its name, or unknown to HTML with text beside it.
    pub is_inline: bool,
    /// Its `hidden`, `aria-hidden="true"` or inline `display:none`, or an ancestor's.
    pub hidden: bool,
    /// How many ancestors it has.
    pub depth: u16,
    /// The element it stands in; [`NONE`] for the root.
    pub parent: u32,
    /// One past its last descendant in [`Page::elements`].
    pub end: u32,
    /// Its attributes in [`Page::attributes`].
    pub attributes: Range<u32>,
}

/// A block: a line of the page as rendered, or with `unit = "tag"` a part of a line between two tags, see
/// [`Unit::Tag`](crate::Unit::Tag).
#[derive(Clone, Debug)]
pub struct Block {
    /// Its text in [`Page::text`]: references decoded, white space collapsed and trimmed; a space between neighbours that
    /// styles draw apart, such as links or spans of different classes.
    pub text: Range<u32>,
    /// The element of the block. With `unit = "line"` the innermost one that holds all of it and is
    /// not inline ([`Element::is_inline`]); with `unit = "tag"` the parent of its first word.
    pub element: u32,
    /// Its runs in [`Page::runs`]: at least one.
    pub runs: Range<u32>,
    /// The tags since the block before, in [`Page::tags_between`]; with `unit = "tag"` since its last word, and up to the
    /// first word of this block.
    pub split: Range<u32>,
    /// Nearest `<div>` around the block, [`NONE`] where there is none: the blocks with the same
    /// one are a div group.
    pub div: u32,
    /// Nearest `<td>` (or `<th>`) around the block, [`NONE`] where there is none. Of a small table in a cell of data it is
    /// that cell.
    pub td: u32,
    /// Nearest preformatted element around the block, [`NONE`] where there is none: `<pre>`, `<listing>`, `<xmp>`,
    /// `<plaintext>`, or a box with the style `white-space: pre`.
    pub pre: u32,
    /// Not shown on the page as delivered.
    pub hidden: bool,
    /// It stands in the line of the block before, as happens with `unit = "tag"` alone. There may be a space between their
    /// texts in [`Page::text`], which is of neither.
    pub same_line: bool,
    /// It begins after a newline that a style such as `white-space: pre-wrap` keeps, outside of preformatted elements.
    pub is_kept_line: bool,
    /// Its text in [`Page::written`], empty where it is to be written as [`Block::text`] is. In a `<pre>`: with white space as
    /// it is in the source, and with the lines after it that have no word, which are no blocks. Elsewhere: without links to a place on the page that have no word, as the `¶` of a heading. See
    /// [`Page::written`](Page#method.written).
    pub written: Range<u32>,
}

/// A piece of a block's text that stands directly in one element.
#[derive(Clone, Debug)]
pub struct Run {
    /// The element that the text stands in.
    pub element: u32,
    /// Its text in [`Page::text`], within the block's.
    pub text: Range<u32>,
}

/// An image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its `<img>`.
    pub element: u32,
    /// Where it stands in [`Page::text`]: behind the text before it.
    pub at: u32,
}

/// A formula, as text in LaTeX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The element that shows it: MathML, a script or an image.
    pub element: u32,
    /// Whether it stands in a line of its own.
    pub is_display: bool,
}

/// An opening or closing tag seen between two blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagEvent {
    /// The tag.
    pub tag: Tag,
    /// Opening or closing. A void element (`<br>`) is opening only.
    pub open: bool,
    /// See [`Element::is_inline`].
    pub is_inline: bool,
}

/// Limits that were met while a page was read; the rest of the page is missing from its tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truncation {
    /// More bytes than the limit.
    pub bytes: bool,
    /// Nested more deeply than the limit (the text is kept, in the deepest element allowed).
    pub depth: bool,
    /// More elements or blocks than the limit.
    pub blocks: bool,
    /// An element with more attributes, or an attribute with more bytes, than the limit.
    pub attributes: bool,
    /// More steps of work than the limit.
    pub steps: bool,
}

impl Page {
    /// The text of a block.
    #[inline]
    pub fn text(&self, block: &Block) -> &str {
        &self.text[block.text.start as usize..block.text.end as usize]
    }

    /// The text of a block as it is to be written: in preformatted text a line or several, with their indentation,
    /// elsewhere [`Page::text`](Page#method.text) without marks that lead to a place on the page.
    ///
    /// ```
    /// use gleaner_page::{PageConfig, Parser};
    ///
    /// let mut parser = Parser::new(PageConfig::default());
    /// let page = parser.parse(b"<pre>loop {\n    step();\n}\n</pre>", None)?;
    /// let lines: Vec<&str> = page.blocks.iter().map(|block| page.written(block)).collect();
    /// assert_eq!(lines, ["loop {", "    step();\n}"]);
    /// # Ok::<(), gleaner_html::PageError>(())
    /// ```
    pub fn written(&self, block: &Block) -> &str {
        match block.written.is_empty() {
            true => self.text(block),
            false => &self.written[block.written.start as usize..block.written.end as usize],
        }
    }

    /// The text of a run.
    pub fn run_text(&self, run: &Run) -> &str {
        &self.text[run.text.start as usize..run.text.end as usize]
    }

    /// The runs of a block.
    pub fn runs(&self, block: &Block) -> &[Run] {
        &self.runs[block.runs.start as usize..block.runs.end as usize]
    }

    /// The tags between a block and the one before.
    pub fn split(&self, block: &Block) -> &[TagEvent] {
        &self.tags_between[block.split.start as usize..block.split.end as usize]
    }

    /// Whether a block stands in the same `<pre>` as the block before it, as lines of a program do. Lines of a plain
    /// text have no more to do with each other than blocks of a page.
    pub fn is_same_pre(&self, block: usize) -> bool {
        !self.plain && self.is_in_pre_with_before(block)
    }

    fn is_in_pre_with_before(&self, block: usize) -> bool {
        let own = self.blocks[block].pre;
        own != NONE
            && block
                .checked_sub(1)
                .is_some_and(|before| self.blocks[before].pre == own)
    }

    /// Whether a block is the next line of the `<pre>` that the block before it stands in, with no
    /// empty line between.
    pub fn is_next_line(&self, block: usize) -> bool {
        let is_line_end = |event: &&TagEvent| event.tag == Tag::Br;
        let between = self.split(&self.blocks[block]).iter();
        self.is_in_pre_with_before(block) && between.filter(is_line_end).count() == 1
    }

    /// The element and its ancestors, from innermost to outermost.
    #[inline]
    pub fn ancestors(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |&element: &u32| Some(self.elements[element as usize].parent).filter(|&up| up != NONE);
        std::iter::successors(Some(element).filter(|&first| first != NONE), next)
    }

    /// The names of the elements around a block from outermost to innermost: `html/body/div/p`. Of more than a hundred
    /// those of the innermost, behind `...`: each block has a path, and a page may nest all of its blocks as deeply as it may.
    pub fn tag_path(&self, block: &Block) -> String {
        const MOST: usize = 100;
        let name = |element| self.elements[element as usize].tag.name();
        let mut names: Vec<&str> = self.ancestors(block.element).take(MOST + 1).map(name).collect();
        if let Some(beyond) = names.get_mut(MOST) {
            *beyond = "...";
        }
        names.reverse();
        names.join("/")
    }

    /// The formula that an element shows, if its text is one.
    pub fn formula(&self, element: u32) -> Option<Formula> {
        let at = self
            .formulas
            .binary_search_by_key(&element, |formula| formula.element);
        at.ok().map(|at| self.formulas[at])
    }

    /// The value of an element's attribute.
    #[inline]
    pub fn attribute(&self, element: u32, name: Attr) -> Option<&str> {
        let own = &self.elements[element as usize].attributes;
        self.attributes[own.start as usize..own.end as usize]
            .iter()
            .find(|(attribute, _)| *attribute == name)
            .map(|(_, value)| &self.values[value.start as usize..value.end as usize])
    }
}

impl From<TreeTruncation> for Truncation {
    fn from(met: TreeTruncation) -> Truncation {
        Truncation {
            bytes: met.bytes,
            depth: met.depth,
            blocks: met.elements,
            attributes: met.attributes,
            steps: met.steps,
        }
    }
}

impl Truncation {
    /// The limits that were met, by name.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (self.bytes, "bytes"),
            (self.depth, "depth"),
            (self.blocks, "blocks"),
            (self.attributes, "attributes"),
            (self.steps, "steps"),
        ]
        .into_iter()
        .filter_map(|(met, name)| met.then_some(name))
    }
}

impl Page {
    /// Empties the page and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.shrink();
        self.elements.clear();
        self.blocks.clear();
        self.runs.clear();
        self.images.clear();
        self.signs.clear();
        self.definitions.clear();
        self.has_tables_in_cells = false;
        self.formulas.clear();
        self.tags_between.clear();
        self.text.clear();
        self.written.clear();
        self.attributes.clear();
        self.values.clear();
        self.charset = "";
        self.title.clear();
        self.structured_data.clear();
        self.licences.clear();
        self.state.clear();
        self.plain = false;
        self.truncated = Truncation::default();
        self.steps = 0;
    }

    /// Gives memory back after a page that was much larger than pages are.
    fn shrink(&mut self) {
        if self.text.capacity() + self.written.capacity() + self.values.capacity() > KEPT_BYTES
            || self.elements.capacity() > KEPT_ELEMENTS
        {
            *self = Page::default();
        }
    }
}

/// Maximum bytes of text whose memory is kept for the next page.
const KEPT_BYTES: usize = 8 << 20;

/// Maximum elements whose memory is kept for the next page.
const KEPT_ELEMENTS: usize = 1 << 18;
