//! Blocks that share a tag path or a class path, and elements with siblings of their kind.

use gleaner_html::{NONE, Tag};
use gleaner_page::Page;
use rustc_hash::FxHashMap;

use super::{ElementFacts, Facts, TextFacts, clear_for, hash, share};

/// Elements per class path.
const CLASS_PATH: usize = 4;
/// Elements that blocks that look alike have in common: with fewer, paragraphs of the text are taken
/// together with those of comments and sidebars. As many are looked at for siblings of the same kind.
const LOOK: usize = 8;

/// What the blocks of one path have together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathSums {
    pub(crate) blocks: u32,
    pub(crate) words: u32,
    pub(crate) link_words: u32,
}

impl PathSums {
    /// Words a block.
    pub(crate) fn average(&self) -> f32 {
        share(self.words, self.blocks)
    }
}

/// Counts siblings of the same kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings {
    /// What was counted last among the children of each element; the root's own stands behind all others.
    last: Vec<u32>,
    kinds: Vec<SiblingKind>,
    /// The kinds of children of an element that has more than [`LISTED`].
    others: FxHashMap<u64, u32>,
}

/// Maximum kinds of children that are searched one by one.
const LISTED: usize = 8;

#[derive(Clone, Debug)]
struct SiblingKind {
    key: u64,
    count: u32,
    /// Another kind of the same parent.
    next: u32,
}

impl Siblings {
    pub(super) fn begin_page(&mut self, page: &Page) {
        self.last.clear();
        self.last.resize(page.elements.len() + 1, NONE);
        self.kinds.clear();
        clear_for(&mut self.others, 0);
    }

    /// Counts a child of `parent`, and says where its kind is counted.
    pub(super) fn count(&mut self, parent: u32, key: u64) -> u32 {
        let root = self.last.len() - 1;
        let parent = (parent as usize).min(root);
        let place = self.place(parent, key);
        self.kinds[place as usize].count += 1;
        place
    }

    fn place(&mut self, parent: usize, key: u64) -> u32 {
        let mut at = self.last[parent];
        for _ in 0..LISTED {
            match self.kinds.get(at as usize) {
                Some(kind) if kind.key == key => return at,
                Some(kind) => at = kind.next,
                None => {
                    let next = std::mem::replace(&mut self.last[parent], self.kinds.len() as u32);
                    return self.add(key, next);
                }
            }
        }
        if let Some(&place) = self.others.get(&hash(&(parent, key))) {
            return place;
        }
        let place = self.add(key, NONE);
        self.others.insert(hash(&(parent, key)), place);
        place
    }

    fn add(&mut self, key: u64, next: u32) -> u32 {
        self.kinds.push(SiblingKind { key, count: 0, next });
        self.kinds.len() as u32 - 1
    }

    /// The number that is counted there.
    pub(super) fn alike(&self, place: u32) -> u32 {
        self.kinds[place as usize].count
    }
}

/// What the elements above one say: the same for all its siblings.
#[derive(Clone, Copy, Debug)]
struct Above {
    /// The most siblings of its kind that one has, how far up it is, and which it is.
    repeated: (u32, i32, u32),
    /// Hashes of the tags and classes of the nearest elements.
    kinds: [u64; LOOK - 1],
    count: usize,
}

impl Above {
    /// Of a parent, if there is one, and those around it.
    fn new(page: &Page, elements: &[ElementFacts], parent: u32) -> Above {
        let (mut kinds, mut count) = ([0; LOOK - 1], 0);
        let mut repeated = (1, -1, NONE);
        for (up, kind) in page.ancestors(parent).zip(&mut kinds) {
            let facts = &elements[up as usize];
            count += 1;
            if facts.alike > repeated.0 && !is_single(page.elements[up as usize].tag) {
                repeated = (facts.alike, count, up);
            }
            *kind = facts.kind_key;
        }
        Above {
            repeated,
            kinds,
            count: count as usize,
        }
    }

    /// The nearest element that has most siblings of its kind, the one below included.
    fn most_repeated(&self, element: u32, tag: Tag, facts: &ElementFacts) -> (u32, i32, u32) {
        if facts.alike > 1 && facts.alike >= self.repeated.0 && !is_single(tag) {
            (facts.alike, 0, element)
        } else {
            self.repeated
        }
    }

    /// Hashes of the tags and classes of the one below and those around it, [`CLASS_PATH`] and [`LOOK`] of them.
    fn class_paths(&self, own: u64) -> (u64, u64) {
        let mut look = hash(&(0u64, own));
        let mut path = look;
        for (level, kind) in self.kinds[..self.count].iter().enumerate() {
            look = hash(&(look, kind));
            if level + 1 < CLASS_PATH {
                path = look;
            }
        }
        (path, look)
    }
}

/// Whether an element's siblings of its kind are no repetition: parts of a text or a table are many.
fn is_single(tag: Tag) -> bool {
    matches!(tag, Tag::P | Tag::Br | Tag::Tr | Tag::Td)
}

/// Scratch for counting blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    by_tags: Counted,
    by_classes: Counted,
    looks: Numbered,
}

/// Keys by the order in which they were met first.
#[derive(Clone, Debug, Default)]
struct Numbered {
    numbers: FxHashMap<u64, u32>,
    /// The key that was met last and its number: neighbours often have the same.
    last: Option<(u64, u32)>,
}

impl Numbered {
    fn begin(&mut self, blocks: usize) {
        clear_for(&mut self.numbers, blocks / 4);
        self.last = None;
    }

    #[inline]
    fn number(&mut self, key: u64) -> u32 {
        let number = match self.last {
            Some((last, number)) if last == key => return number,
            _ => {
                let new = self.numbers.len() as u32;
                *self.numbers.entry(key).or_insert(new)
            }
        };
        self.last = Some((key, number));
        number
    }
}

/// The sums of blocks by a path.
#[derive(Clone, Debug, Default)]
struct Counted {
    paths: Numbered,
    sums: Vec<PathSums>,
    /// The number of each block's path.
    of_blocks: Vec<u32>,
}

impl Counted {
    fn begin(&mut self, blocks: usize) {
        self.paths.begin(blocks);
        self.sums.clear();
        self.of_blocks.clear();
    }

    #[inline]
    fn add(&mut self, path: u64, text: &TextFacts) {
        let number = self.paths.number(path);
        self.of_blocks.push(number);
        if number as usize == self.sums.len() {
            self.sums.push(PathSums::default());
        }
        let sums = &mut self.sums[number as usize];
        sums.blocks += 1;
        sums.words += text.words;
        sums.link_words += text.link_words;
    }

    #[inline]
    fn sums(&self, block: usize) -> PathSums {
        self.sums[self.of_blocks[block] as usize]
    }
}

impl Facts {
    /// Finds what is repeated around blocks, and counts blocks of the same path.
    pub(super) fn measure_repetition(&mut self, page: &Page) {
        self.look_up(page);
        let mut longest = 0;
        for (number, block) in self.blocks.iter_mut().enumerate() {
            block.path = self.paths.by_tags.sums(number);
            block.class_path = self.paths.by_classes.sums(number);
            longest = longest.max(block.path.words - block.path.link_words);
        }
        self.document.longest_path = longest;
    }

    /// What is most repeated around each block, its paths, and what it looks like: its class path farther up.
    fn look_up(&mut self, page: &Page) {
        let Paths {
            by_tags,
            by_classes,
            looks,
        } = &mut self.paths;
        let count = self.blocks.len();
        by_tags.begin(count);
        by_classes.begin(count);
        looks.begin(count);
        // The parent of the block before and what is above: neighbours often share them.
        let mut above = (NONE, Above::new(page, &self.elements, NONE));
        // What an element is, and its class paths below that.
        let mut paths = (0, above.1.class_paths(0));
        for block in &mut self.blocks {
            let own = &page.elements[block.up[0] as usize];
            let facts = &self.elements[block.up[0] as usize];
            if above.0 != own.parent {
                above = (own.parent, Above::new(page, &self.elements, own.parent));
                paths = (facts.kind_key, above.1.class_paths(facts.kind_key));
            }
            (block.repeated, block.repeated_level, block.repeated_element) =
                above.1.most_repeated(block.up[0], own.tag, facts);
            by_tags.add(facts.path_key, &block.text);
            if paths.0 != facts.kind_key {
                paths = (facts.kind_key, above.1.class_paths(facts.kind_key));
            }
            let (path, look) = paths.1;
            by_classes.add(path, &block.text);
            block.group = looks.number(look);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn siblings_of_a_kind_are_counted(
            // Some parents have more kinds of children than are gone through one by one.
            children in prop::collection::vec((0u32..3, 0u64..40), 0..200)
        ) {
            let mut siblings = Siblings { last: vec![NONE; 4], ..Siblings::default() };
            let places: Vec<u32> = children.iter().map(|&(parent, kind)| siblings.count(parent, kind)).collect();
            let mut slow = BTreeMap::new();
            children.iter().for_each(|child| *slow.entry(child).or_insert(0) += 1);
            for (child, place) in children.iter().zip(places) {
                prop_assert_eq!(siblings.alike(place), slow[child]);
            }
        }
    }
}
