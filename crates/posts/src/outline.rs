//! Where things stand on a page: the siblings before each element, and the text below it.

use std::ops::Range;

use gleaner_html::NONE;
use gleaner_page::{Joint, Page};

use crate::work::Work;

/// What is known of each element, by its index.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The sibling before it, [`NONE`] for a first child.
    before: Vec<u32>,
    /// The last child seen so far, while the siblings are found.
    last: Vec<u32>,
    /// The runs of text below it, as places in [`Page::runs`]; empty where the first is not before
    /// the second.
    runs: Vec<(u32, u32)>,
    /// The block of each run.
    blocks: Vec<u32>,
    /// How each block hangs together with the one before it.
    joints: Vec<Joint>,
    /// What may still be looked at.
    pub(crate) work: Work,
}

impl Outline {
    /// Measures a page: two passes over its elements, one over its runs.
    pub(crate) fn measure(&mut self, page: &Page) {
        self.clear(page.elements.len());
        self.work.begin(page);
        self.find_siblings(page);
        self.joints = page.joints();
        for (number, block) in page.blocks.iter().enumerate() {
            self.blocks
                .resize(self.blocks.len() + block.runs.len(), number as u32);
        }
        for (number, run) in page.runs.iter().enumerate() {
            let runs = &mut self.runs[run.element as usize];
            *runs = (runs.0.min(number as u32), number as u32 + 1);
        }
        for element in (1..page.elements.len()).rev() {
            self.add_to_parent(element, page.elements[element].parent as usize);
        }
    }

    fn clear(&mut self, elements: usize) {
        fn fill<T: Clone>(list: &mut Vec<T>, length: usize, value: T) {
            list.clear();
            list.resize(length, value);
        }
        fill(&mut self.before, elements, NONE);
        fill(&mut self.last, elements, NONE);
        fill(&mut self.runs, elements, (NONE, 0));
        self.blocks.clear();
    }

    fn find_siblings(&mut self, page: &Page) {
        for (element, own) in page.elements.iter().enumerate().skip(1) {
            let last = &mut self.last[own.parent as usize];
            self.before[element] = std::mem::replace(last, element as u32);
        }
    }

    fn add_to_parent(&mut self, element: usize, parent: usize) {
        let (first, end) = self.runs[element];
        let runs = &mut self.runs[parent];
        *runs = (runs.0.min(first), runs.1.max(end));
    }

    /// The siblings before an element, the nearest first.
    pub(crate) fn before(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let of = |&element: &u32| Some(self.before[element as usize]).filter(|&before| before != NONE);
        std::iter::successors(of(&element), of)
    }

    /// The runs below an element.
    pub(crate) fn runs(&self, element: u32) -> Range<usize> {
        let (first, end) = self.runs[element as usize];
        first.min(end) as usize..end as usize
    }

    /// The block of a run.
    pub(crate) fn block(&self, run: usize) -> u32 {
        self.blocks[run]
    }

    /// How a block hangs together with another that stands before it.
    pub(crate) fn joint(&self, before: u32, block: u32) -> Joint {
        match before + 1 == block {
            true => self.joints[block as usize],
            false => Joint::Apart,
        }
    }
}
