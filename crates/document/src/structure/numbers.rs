//! The numbers of the items of an ordered list, as browsers count them.

use std::ops::Range;

use gleaner_html::{Attr, Tag};
use gleaner_page::{Element, Page};

use super::is_list;

/// Counts the items of an ordered list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    list: u32,
    /// The element at which counting continues.
    at: u32,
    /// The number of the next item on the page.
    number: i64,
    step: i64,
}

impl Numbers {
    /// Before the first item of an `<ol>`.
    pub(super) fn new(page: &Page, list: u32) -> Numbers {
        let end = page.elements[list as usize].end;
        let is_reversed = page.attribute(list, Attr::Reversed).is_some();
        let number = integer(page, list, Attr::Start).unwrap_or_else(|| match is_reversed {
            true => items(page, list, list + 1..end).count() as i64,
            false => 1,
        });
        Numbers {
            list,
            at: list + 1,
            number,
            step: if is_reversed { -1 } else { 1 },
        }
    }

    /// The number of the next item, if none is given to it.
    pub(super) fn next(&self) -> i64 {
        self.number
    }

    /// From an item to the next.
    pub(super) fn step(&self) -> i64 {
        self.step
    }

    /// Counts up to an item; its number.
    pub(super) fn item(&mut self, page: &Page, item: u32) -> i64 {
        let mut number = self.number;
        for counted in items(page, self.list, self.at..item + 1) {
            number = integer(page, counted, Attr::Value).unwrap_or(self.number);
            self.number = number.saturating_add(self.step);
        }
        self.at = self.at.max(item + 1);
        number
    }
}

/// The items that begin in this range of the elements of a list, without those of lists in it. Those that are not shown
/// have no number, unless the list is not shown either.
fn items(page: &Page, list: u32, range: Range<u32>) -> impl Iterator<Item = u32> + '_ {
    let has_number = move |element: &Element| !element.hidden || page.elements[list as usize].hidden;
    let mut next = range.start;
    std::iter::from_fn(move || {
        while next < range.end {
            let at = next;
            let element = &page.elements[at as usize];
            next = if is_list(element.tag) { element.end } else { at + 1 };
            if element.tag == Tag::Li && has_number(element) {
                return Some(at);
            }
        }
        None
    })
}

/// The number that an attribute begins with, if it does.
pub fn integer(page: &Page, element: u32, name: Attr) -> Option<i64> {
    let text = page.attribute(element, name)?.trim_start();
    let is_number =
        |(at, letter): (usize, char)| letter.is_ascii_digit() || (at == 0 && matches!(letter, '-' | '+'));
    let end = text.char_indices().take_while(|&at| is_number(at)).count();
    text[..end].parse::<i32>().ok().map(i64::from)
}
