//! Follows the steps of rules through a page.

use std::cell::{Cell, RefCell};

use gleaner_page::Page;

use crate::marks::Bits;
use crate::outline::Outline;
use crate::rules::{Axis, Rule, Step};

/// A page with the tests that its elements pass.
pub(crate) struct Marked<'a> {
    pub(crate) page: &'a Page,
    pub(crate) marks: &'a [Bits],
    pub(crate) outline: &'a Outline,
    /// Elements that may still be looked at: what bounds rules that lead everywhere.
    pub(crate) left: Cell<usize>,
}

impl<'a> Marked<'a> {
    pub(crate) fn new(page: &'a Page, marks: &'a [Bits], outline: &'a Outline) -> Marked<'a> {
        let left = Cell::new(LOOKS + LOOKS_AN_ELEMENT * page.elements.len());
        Marked {
            page,
            marks,
            outline,
            left,
        }
    }

    /// Whether an element passes a test; never, when too many were asked.
    pub(crate) fn passes(&self, element: u32, test: u8) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0 && self.marks[element as usize] & (1 << test) != 0
    }

    /// The first element that the first of some rules leads to.
    pub(crate) fn first(&self, rules: &[Rule], from: u32) -> Option<u32> {
        self.first_of(rules, from, &|_| true)
    }

    /// The same among the elements that are wanted.
    pub(crate) fn first_of(&self, rules: &[Rule], from: u32, wanted: &dyn Fn(u32) -> bool) -> Option<u32> {
        rules
            .iter()
            .find_map(|rule| self.follow(&rule.steps, from, wanted))
    }

    /// All elements that a rule leads to, of those that are wanted.
    pub(crate) fn every(&self, rule: &Rule, from: u32, wanted: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let found = RefCell::new(Vec::new());
        let take = |element| {
            if wanted(element) {
                found.borrow_mut().push(element);
            }
            false
        };
        let none = self.follow(&rule.steps, from, &take);
        debug_assert!(none.is_none());
        found.into_inner()
    }

    /// The first element at the end of the steps: depth first, so that a first step may lead to
    /// several places from which the next ones fail.
    fn follow(&self, steps: &[Step], from: u32, wanted: &dyn Fn(u32) -> bool) -> Option<u32> {
        let Some((step, rest)) = steps.split_first() else {
            return wanted(from).then_some(from);
        };
        let next = |element| {
            self.passes(element, step.test)
                .then(|| self.follow(rest, element, wanted))
                .flatten()
        };
        match step.axis {
            Axis::Itself => next(from),
            Axis::Child => children(self.page, from).find_map(next),
            Axis::Within => (from + 1..self.page.elements[from as usize].end).find_map(next),
            Axis::Before => self.outline.before(from).find_map(next),
        }
    }
}

/// Looks that a page of no elements would have, and those that each element adds.
const LOOKS: usize = 1 << 20;
const LOOKS_AN_ELEMENT: usize = 64;

/// The children of an element, in document order.
pub(crate) fn children(page: &Page, parent: u32) -> impl Iterator<Item = u32> + '_ {
    let end = page.elements[parent as usize].end;
    let first = Some(parent + 1).filter(|&first| first < end);
    std::iter::successors(first, move |&child| {
        Some(page.elements[child as usize].end).filter(|&next| next < end)
    })
}
