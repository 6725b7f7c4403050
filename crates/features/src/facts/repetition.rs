//! Blocks that share a tag path or a class path, and elements with siblings of their kind.

use std::hash::{Hash, Hasher};

use gleaner_page::{NONE, Page, Tag};
use rustc_hash::{FxHashMap, FxHasher};

use super::{BlockFacts, ElementFacts, Facts, clear_for, share};

/// How many ancestors are looked at for siblings of the same kind.
const LEVELS: usize = 8;
/// How many elements make a class path.
const CLASS_PATH: usize = 4;
/// How many elements blocks that look alike have in common: with fewer, paragraphs of the text are taken
/// together with those of comments and sidebars.
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

/// Scratch for counting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// Siblings of one kind: where their number stands.
    siblings: FxHashMap<u64, u32>,
    alike: Vec<u32>,
    /// The kind of the last child of each element and where its number stands: the next child is
    /// mostly of the same kind.
    last_child: Vec<(u64, u32)>,
    groups: FxHashMap<u64, PathSums>,
    /// The number of each look.
    looks: FxHashMap<u64, u32>,
}

impl Facts {
    /// Counts siblings of the same kind, then blocks of the same path.
    pub(super) fn measure_repetition(&mut self, page: &Page) {
        self.count_siblings(page);
        self.follow_classes(page);
        self.count_paths(
            |elements, block| elements[block.up[0] as usize].path_key,
            |block| &mut block.path,
        );
        self.count_paths(|_, block| block.class_path_key, |block| &mut block.class_path);
        let longest = self
            .blocks
            .iter()
            .map(|block| block.path.words - block.path.link_words)
            .max();
        self.document.longest_path = longest.unwrap_or_default();
    }

    /// The class path of each block, and what it looks like: the same path farther up.
    fn follow_classes(&mut self, page: &Page) {
        let looks = &mut self.paths.looks;
        clear_for(looks, self.blocks.len() / 4);
        // (Element, class path, look) of the block before: neighbours often share them.
        let mut before = (NONE, 0, 0);
        for block in &mut self.blocks {
            if before.0 != block.up[0] {
                let (path, look) = class_paths(page, &self.elements, block.up[0]);
                let number = looks.len() as u32;
                before = (block.up[0], path, *looks.entry(look).or_insert(number));
            }
            (_, block.class_path_key, block.group) = before;
        }
    }

    fn count_siblings(&mut self, page: &Page) {
        let Paths {
            siblings,
            alike,
            last_child,
            ..
        } = &mut self.paths;
        clear_for(siblings, page.elements.len() / 2);
        alike.clear();
        last_child.clear();
        last_child.resize(page.elements.len() + 1, (0, NONE));
        for at in 0..page.elements.len() {
            let element = &page.elements[at];
            let up = if element.parent == NONE {
                0
            } else {
                self.elements[element.parent as usize].path_key
            };
            let facts = &mut self.elements[at];
            facts.path_key = hash(&(up, element.tag));
            facts.kind_key = hash(&(element.tag, facts.named.kind));
            if facts.sums.chars > 0 {
                // The root's own stands behind all others.
                let last = &mut last_child[(element.parent as usize).min(page.elements.len())];
                if last.1 == NONE || last.0 != facts.kind_key {
                    let kind = hash(&(element.parent, facts.kind_key));
                    let place = *siblings.entry(kind).or_insert(alike.len() as u32);
                    if place as usize == alike.len() {
                        alike.push(0);
                    }
                    *last = (facts.kind_key, place);
                }
                facts.alike = last.1;
                alike[facts.alike as usize] += 1;
            }
        }
        for facts in &mut self.elements {
            if facts.sums.chars > 0 {
                facts.alike = alike[facts.alike as usize];
            }
        }
        for block in &mut self.blocks {
            block.find_most_repeated(page, &self.elements);
        }
    }

    fn count_paths(
        &mut self,
        key: fn(&[ElementFacts], &BlockFacts) -> u64,
        field: fn(&mut BlockFacts) -> &mut PathSums,
    ) {
        let groups = &mut self.paths.groups;
        clear_for(groups, self.blocks.len() / 4);
        for block in &self.blocks {
            let sums = groups.entry(key(&self.elements, block)).or_default();
            sums.blocks += 1;
            sums.words += block.text.words;
            sums.link_words += block.text.link_words;
        }
        for block in &mut self.blocks {
            *field(block) = groups[&key(&self.elements, block)];
        }
    }
}

impl BlockFacts {
    /// The nearest element around the block that has most siblings of its kind.
    fn find_most_repeated(&mut self, page: &Page, elements: &[ElementFacts]) {
        (self.repeated, self.repeated_level, self.repeated_element) = (1, -1, NONE);
        for (level, up) in page.ancestors(self.up[0]).take(LEVELS).enumerate() {
            let single = matches!(
                page.elements[up as usize].tag,
                Tag::P | Tag::Br | Tag::Tr | Tag::Td
            );
            let alike = elements[up as usize].alike;
            if alike > self.repeated && !single {
                (self.repeated, self.repeated_level, self.repeated_element) = (alike, level as i32, up);
            }
        }
    }
}

/// Hashes of the tags and classes of an element and those around it, [`CLASS_PATH`] and [`LOOK`] of them.
fn class_paths(page: &Page, elements: &[ElementFacts], element: u32) -> (u64, u64) {
    let (mut path, mut look) = (0, 0);
    for (level, up) in page.ancestors(element).take(LOOK).enumerate() {
        look = hash(&(look, elements[up as usize].kind_key));
        if level < CLASS_PATH {
            path = look;
        }
    }
    (path, look)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
