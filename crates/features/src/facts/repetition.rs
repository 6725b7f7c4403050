//! Blocks that share a tag path or a class path, and elements with siblings of their kind.

use std::hash::{Hash, Hasher};

use gleaner_page::{NONE, Page, Tag};
use rustc_hash::{FxHashMap, FxHasher};

use super::{BlockFacts, ElementFacts, Facts, clear_for, share};

/// How many ancestors are looked at for siblings of the same kind.
const LEVELS: usize = 8;
/// How many elements make a class path.
const CLASS_PATH: usize = 4;

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
}

impl Facts {
    /// Counts siblings of the same kind, then blocks of the same path.
    pub(super) fn measure_repetition(&mut self, page: &Page) {
        self.count_siblings(page);
        for block in &mut self.blocks {
            let around = page.ancestors(block.up[0]).take(CLASS_PATH);
            block.class_path_key =
                around.fold(0, |key, up| hash(&(key, self.elements[up as usize].kind_key)));
        }
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

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
