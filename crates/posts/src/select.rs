//! Follows the steps of rules through a page.

use std::cell::RefCell;

use gleaner_page::Page;

use crate::marks::Bits;
use crate::outline::Outline;
use crate::rules::{Axis, Rule, RuleStep};

/// A page with the tests that its elements pass.
pub(crate) struct Marked<'a> {
    pub(crate) page: &'a Page,
    pub(crate) marks: &'a [Bits],
    pub(crate) outline: &'a Outline,
}

impl<'a> Marked<'a> {
    pub(crate) fn new(page: &'a Page, marks: &'a [Bits], outline: &'a Outline) -> Marked<'a> {
        Marked { page, marks, outline }
    }

    /// Whether an element passes a test; never, when too many were tested.
    pub(crate) fn passes(&self, element: u32, test: u8) -> bool {
        self.outline.work.look() && self.marks[element as usize] & (1 << test) != 0
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
    fn follow(&self, steps: &[RuleStep], from: u32, wanted: &dyn Fn(u32) -> bool) -> Option<u32> {
        let Some((step, rest)) = steps.split_first() else {
            return wanted(from).then_some(from);
        };
        // What is one too many ends the search, or all that follow would be skipped one by one.
        let next = |element| match self.passes(element, step.test) {
            true => self.follow(rest, element, wanted).map(Some),
            false => (!self.outline.work.may_look()).then_some(None),
        };
        match step.axis {
            Axis::Itself => next(from).flatten(),
            Axis::Child => children(self.page, from).find_map(next).flatten(),
            Axis::Within => (from + 1..self.page.elements[from as usize].end)
                .find_map(next)
                .flatten(),
            Axis::Before => self.outline.before(from).find_map(next).flatten(),
        }
    }
}

/// The children of an element, in document order.
pub(crate) fn children(page: &Page, parent: u32) -> impl Iterator<Item = u32> + '_ {
    let end = page.elements[parent as usize].end;
    let first = Some(parent + 1).filter(|&first| first < end);
    std::iter::successors(first, move |&child| {
        Some(page.elements[child as usize].end).filter(|&next| next < end)
    })
}
