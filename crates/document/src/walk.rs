//! The walk over kept blocks: which holders and leaves begin and end before each.

use gleaner_content::Label;
use gleaner_html::NONE;
use gleaner_page::Joint;

use crate::structure::{HolderKind, Holders, Structure};
use crate::{LinePlace, Lines, Piece};

/// A step of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A holder begins: a number of [`Structure::holders`].
    OpenHolder(u32),
    /// It ends.
    CloseHolder(u32),
    /// A list begins that the page has not made of elements.
    OpenOwnList,
    /// It ends.
    CloseOwnList,
    /// A leaf begins with this block.
    OpenLeaf(Leaf, usize),
    /// It ends.
    CloseLeaf(Leaf),
    /// The leaf continues with a block that begins a line.
    Join(Join),
    /// The line continues after this white space.
    White(&'static str),
    /// The text of a block.
    Text(usize),
}

/// What has the text of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A paragraph.
    Paragraph,
    /// A heading, with its rank on the page if it has one.
    Header(Option<u8>),
    /// Lines of this `<pre>` of the page.
    Lines(u32),
    /// An item of a list that the page has not made of elements.
    OwnItem,
    /// The holder itself: a cell or an item.
    Bare,
}

/// How a line is joined with the one before it in the same leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// The page breaks the line.
    Break,
    /// It is the next line of preformatted text.
    Line,
    /// It is the next line of a cell.
    InCell,
    /// It continues.
    Space,
}

/// Walks over the blocks of a page that are kept, or over all. Labels say what is a heading, and what is an item where the
/// page has no list; the rest follows from the structure of the page.
pub fn walk(
    structure: &Structure,
    blocks: &[Piece<'_>],
    with_dropped: bool,
    take: &mut dyn FnMut(&Holders<'_>, Step),
) {
    // What is dropped stands among the rest as if it were kept.
    let label = |block: &Piece<'_>| match with_dropped {
        true => Label::Paragraph,
        false => block.label,
    };
    let written = blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| label(block).is_content());
    let holders = Holders::new(structure, written.map(|(at, block)| (at, block.label)));
    let mut walk = Walk {
        structure,
        holders: &holders,
        open: Vec::new(),
        leaf: None,
        is_in_own_list: false,
        take: &mut |step| take(&holders, step),
    };
    let mut lines = Lines::default();
    for (at, block) in blocks.iter().enumerate() {
        match lines.place(label(block), block.joint) {
            LinePlace::Dropped => continue,
            LinePlace::Continues(white) => (walk.take)(Step::White(white)),
            LinePlace::Begins(joint, _) => walk.begin_line(at, block.label, joint),
        }
        (walk.take)(Step::Text(at));
    }
    walk.close_to(0);
}

/// A holder that is open.
struct OpenedHolder {
    holder: u32,
    /// Whether anything stands in it.
    has_text: bool,
}

struct Walk<'s, 'w> {
    structure: &'s Structure,
    holders: &'w Holders<'s>,
    open: Vec<OpenedHolder>,
    leaf: Option<Leaf>,
    is_in_own_list: bool,
    take: &'w mut dyn FnMut(Step),
}

impl Walk<'_, '_> {
    /// Opens and closes what is needed before the first block of a line.
    fn begin_line(&mut self, block: usize, label: Label, joint: Joint) {
        let holders = self.holders.around(block);
        let both = self.open.iter().zip(&holders);
        let common = both.take_while(|(open, holder)| open.holder == **holder).count();
        let is_same_place = common == holders.len() && common == self.open.len();
        if is_same_place && let Some(join) = self.joined(block, label, joint) {
            return (self.take)(Step::Join(join));
        }
        if !is_same_place {
            self.close_to(common);
            holders[common..]
                .iter()
                .for_each(|&holder| self.open_holder(holder));
        }
        self.open_leaf(self.leaf_of(block, label), block);
    }

    /// How a block is joined with the leaf that is open, if it is.
    fn joined(&self, block: usize, label: Label, joint: Joint) -> Option<Join> {
        let open = self.leaf?;
        let place = self.structure.place(block);
        let is_continued = label == Label::Continuation;
        let is_paragraph = |leaf| matches!(leaf, Leaf::Paragraph | Leaf::Bare);
        match (open, joint) {
            _ if self.is_in_cell() && !place.has_parts => Some(Join::InCell),
            (Leaf::Lines(pre), Joint::Line) if pre == place.pre && label != Label::Header => Some(Join::Line),
            (_, Joint::Break) if is_continued => Some(Join::Break),
            (_, Joint::Break) if is_paragraph(open) && is_paragraph(self.leaf_of(block, label)) => {
                Some(Join::Break)
            }
            _ if is_continued => Some(Join::Space),
            _ => None,
        }
    }

    fn innermost(&self) -> Option<HolderKind> {
        self.open.last().map(|open| self.structure.kind(open.holder))
    }

    fn is_in_cell(&self) -> bool {
        matches!(self.innermost(), Some(HolderKind::Cell { .. }))
    }

    /// The leaf that a block has in the holders that are open.
    fn leaf_of(&self, block: usize, label: Label) -> Leaf {
        let place = self.structure.place(block);
        let is_item =
            |open: &OpenedHolder| matches!(self.structure.kind(open.holder), HolderKind::Item { .. });
        match (label, self.innermost()) {
            (_, Some(HolderKind::Cell { .. })) if !place.has_parts => Leaf::Bare,
            // The first line of an item is the item: what the page has not made a heading is a term.
            (Label::Header, Some(HolderKind::Item { .. }))
                if place.rank == 0
                    && place.pre == NONE
                    && self.open.last().is_some_and(|open| !open.has_text) =>
            {
                Leaf::Bare
            }
            (Label::Header, _) => Leaf::Header(Some(place.rank).filter(|&rank| rank > 0)),
            _ if place.pre != NONE => Leaf::Lines(place.pre),
            (Label::List, _) if !self.open.iter().any(is_item) => Leaf::OwnItem,
            (_, Some(HolderKind::Item { .. })) if !place.is_in_paragraph => {
                match self.open.last().is_some_and(|open| open.has_text) {
                    true => Leaf::Paragraph,
                    false => Leaf::Bare,
                }
            }
            _ => Leaf::Paragraph,
        }
    }

    fn open_leaf(&mut self, leaf: Leaf, block: usize) {
        self.close_leaf();
        match leaf == Leaf::OwnItem {
            false => self.close_own_list(),
            true if !std::mem::replace(&mut self.is_in_own_list, true) => (self.take)(Step::OpenOwnList),
            true => {}
        }
        (self.take)(Step::OpenLeaf(leaf, block));
        self.leaf = Some(leaf);
        if let Some(open) = self.open.last_mut() {
            open.has_text = true;
        }
    }

    fn close_leaf(&mut self) {
        if let Some(leaf) = self.leaf.take() {
            (self.take)(Step::CloseLeaf(leaf));
        }
    }

    fn close_own_list(&mut self) {
        if std::mem::take(&mut self.is_in_own_list) {
            (self.take)(Step::CloseOwnList);
        }
    }

    fn open_holder(&mut self, holder: u32) {
        if let Some(open) = self.open.last_mut() {
            open.has_text = true;
        }
        (self.take)(Step::OpenHolder(holder));
        self.open.push(OpenedHolder {
            holder,
            has_text: false,
        });
    }

    /// Closes all holders but the first `count`.
    fn close_to(&mut self, count: usize) {
        self.close_leaf();
        self.close_own_list();
        while self.open.len() > count {
            let Some(open) = self.open.pop() else { return };
            (self.take)(Step::CloseHolder(open.holder));
        }
    }
}
