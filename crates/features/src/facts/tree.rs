//! One pass over the elements: what stands around each.

use std::ops::BitOr;

use gleaner_html::{NONE, Tag};
use gleaner_page::{Page, TagEvent};

use super::names::{Named, Wanted};
use super::{ElementSums, Facts, Landmark, SplitFacts, hash};

/// What of the blocks an element and its descendants hold. What is measured on it goes by that: names are
/// looked at around blocks and beside them only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    #[default]
    Nothing,
    /// Text, inside of a block's innermost block-level element.
    Text,
    /// A block: it is the innermost block-level element around one.
    Block,
    /// Elements that hold blocks: it is an ancestor of such an element.
    Blocks,
}

/// What is measured on an element; of one that holds nothing of the blocks only what it says to be for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ElementFacts {
    /// How many ancestors it has, and how many descendants.
    pub(crate) depth: u16,
    pub(crate) below: u32,
    /// Itself and its ancestors.
    pub(crate) around: Around,
    /// What it says to be for, and what it or an ancestor does.
    pub(crate) landmarks: u32,
    pub(crate) landmarks_around: u32,
    pub(crate) named: Named,
    /// Composite text density.
    pub(crate) density: f32,
    /// Hashes of the names from the root to it, and of its name and classes.
    pub(crate) path_key: u64,
    pub(crate) kind_key: u64,
    /// Siblings with text and the same name and classes, itself included.
    pub(crate) alike: u32,
}

/// Kinds of elements of the thesis's `container.*`, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Around(u16);

impl Around {
    pub(crate) const P: u16 = 1;
    pub(crate) const A: u16 = 1 << 1;
    pub(crate) const U: u16 = 1 << 2;
    pub(crate) const IMG: u16 = 1 << 3;
    pub(crate) const HEADER: u16 = 1 << 4;
    pub(crate) const BOLD: u16 = 1 << 5;
    pub(crate) const ITALIC: u16 = 1 << 6;
    pub(crate) const LIST: u16 = 1 << 7;
    pub(crate) const FORM: u16 = 1 << 8;
    pub(crate) const LI: u16 = 1 << 9;

    fn from_tag(tag: Tag) -> Around {
        Around(match tag {
            Tag::P => Self::P,
            Tag::A => Self::A,
            Tag::U => Self::U,
            Tag::Img => Self::IMG,
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Self::HEADER,
            Tag::B | Tag::Strong => Self::BOLD,
            Tag::I | Tag::Em | Tag::Cite | Tag::Dfn | Tag::Var => Self::ITALIC,
            Tag::Li => Self::LIST | Self::LI,
            Tag::Ul | Tag::Ol | Tag::Dl | Tag::Dt | Tag::Dd | Tag::Menu | Tag::Dir => Self::LIST,
            Tag::Form
            | Tag::Input
            | Tag::Button
            | Tag::Select
            | Tag::Label
            | Tag::Fieldset
            | Tag::Legend
            | Tag::Textarea
            | Tag::Option
            | Tag::Optgroup => Self::FORM,
            _ => 0,
        })
    }

    /// Whether the set has the kind.
    pub(crate) fn has(self, kind: u16) -> bool {
        self.0 & kind != 0
    }

    /// Inside an `<a>`.
    pub(crate) fn link(self) -> bool {
        self.has(Self::A)
    }
}

impl BitOr for Around {
    type Output = Around;

    fn bitor(self, other: Around) -> Around {
        Around(self.0 | other.0)
    }
}

impl SplitFacts {
    /// Counts an opening or closing tag.
    pub(crate) fn add(&mut self, event: TagEvent) {
        let tag = event.tag;
        match tag {
            Tag::Br => self.br += 1,
            _ if event.is_inline => self.inline += 1,
            _ => self.block += 1,
        }
        self.p += u32::from(tag == Tag::P);
        self.hr += u32::from(tag == Tag::Hr);
    }
}

impl ElementFacts {
    /// Takes over what goes from an element to all below it.
    fn keep_from(&mut self, up: Option<&ElementFacts>) {
        self.named.keywords_around = self.named.keywords;
        self.landmarks_around = self.landmarks;
        if let Some(up) = up {
            self.around = up.around | self.around;
            self.named.keywords_around |= up.named.keywords_around;
            self.landmarks_around |= up.landmarks_around;
            self.path_key = up.path_key;
        }
    }
}

/// The innermost block-level element around an element; the root where there is none.
pub(super) fn innermost_block_level(page: &Page, element: u32) -> u32 {
    let is_block_level = |&up: &u32| {
        let up = &page.elements[up as usize];
        !up.is_inline || up.parent == NONE
    };
    page.ancestors(element).find(is_block_level).unwrap_or(element)
}

impl Holds {
    /// Marks an element with the first of these and its ancestors with the second. Those of one that is marked are
    /// marked already.
    fn mark([own, above]: [Holds; 2], all: &mut [Holds], page: &Page, element: u32) {
        let mut mark = own;
        for up in page.ancestors(element) {
            let holds = &mut all[up as usize];
            if *holds >= mark {
                break;
            }
            *holds = mark;
            mark = above;
        }
    }

    /// Whether an element is compared with its siblings. What is asked is how many of its kind one around a block
    /// has: without such a sibling there is nothing to compare.
    pub(super) fn are_compared(all: &[Holds], at: usize, parent: u32) -> bool {
        let above = all.get(parent as usize);
        all[at] != Holds::Nothing && above.is_none_or(|&above| above == Holds::Blocks)
    }
}

impl Facts {
    /// Finds out what of the blocks each element holds.
    fn mark_elements(&mut self, page: &Page) {
        self.holds.clear();
        self.holds.resize(page.elements.len(), Holds::Nothing);
        for block in &page.blocks {
            let element = innermost_block_level(page, block.element);
            Holds::mark([Holds::Block, Holds::Blocks], &mut self.holds, page, element);
            for run in page.runs(block) {
                Holds::mark([Holds::Text; 2], &mut self.holds, page, run.element);
            }
        }
    }

    /// Goes down the tree: parents stand before their children. What names say is read where it is
    /// `wanted`. A large page has megabytes of elements: all that can be decided on the way is.
    pub(super) fn measure_elements(&mut self, page: &Page, wanted: Option<&Wanted>) {
        self.mark_elements(page);
        self.elements.clear();
        self.sums.clear();
        self.sums.resize(page.elements.len(), ElementSums::default());
        self.articles.clear();
        let mut main = NONE;
        self.names.begin_page();
        for (at, element) in page.elements.iter().enumerate() {
            // Filled in where it stands: a copy would wait for what has just been written.
            self.elements.push(ElementFacts::default());
            let (above, own) = self.elements.split_at_mut(at);
            let Some(facts) = own.first_mut() else { break };
            facts.landmarks = Landmark::of_tag(element.tag);
            if element.tag == Tag::Article {
                self.articles.push(at as u32);
            }
            let holds = self.holds[at];
            let kind = wanted.map_or(0, |wanted| {
                let is_compared = Holds::are_compared(&self.holds, at, element.parent);
                let looked_at = if is_compared { holds } else { Holds::Nothing };
                let (named, landmarks) = (&mut facts.named, &mut facts.landmarks);
                self.names
                    .read(page, element, looked_at, wanted, named, landmarks)
            });
            if main == NONE && facts.landmarks & Landmark::Main.bit() != 0 {
                main = at as u32;
            }
            if holds == Holds::Nothing {
                continue;
            }
            facts.depth = element.depth;
            facts.below = element.end.saturating_sub(at as u32 + 1);
            facts.around = Around::from_tag(element.tag);
            facts.keep_from(above.get(element.parent as usize));
            facts.path_key = hash(&(facts.path_key, element.tag));
            facts.kind_key = hash(&(element.tag, kind));
        }
        self.main = main;
    }
}
