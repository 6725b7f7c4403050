//! The numbers of the items of an ordered list, as browsers count them.

use std::ops::Range;

use gleaner_html::{Attr, Tag};
use gleaner_page::{Element, Page};

use crate::html::append;

/// Whether elements of this tag hold list items.
pub(super) fn is_list(tag: Tag) -> bool {
    matches!(tag, Tag::Ol | Tag::Ul | Tag::Menu | Tag::Dir)
}

/// Counts the items of an ordered list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    list: u32,
    /// The element at which counting goes on.
    next: u32,
    /// The number of the next item on the page.
    number: i64,
    /// The number that a browser gives to the next item that is written.
    written: i64,
    step: i64,
}

impl Counter {
    /// Before the first item of an `<ol>`.
    pub(super) fn new(page: &Page, list: u32) -> Counter {
        let end = page.elements[list as usize].end;
        let is_reversed = page.attribute(list, Attr::Reversed).is_some();
        let number = integer(page, list, Attr::Start).unwrap_or_else(|| match is_reversed {
            true => items(page, list, list + 1..end).count() as i64,
            false => 1,
        });
        Counter {
            list,
            next: list + 1,
            number,
            written: number,
            step: if is_reversed { -1 } else { 1 },
        }
    }

    /// The attributes of the list. Of a list that counts down, the first number is that of all its items, written or not.
    pub(super) fn attributes(&self, page: &Page) -> String {
        let mut attributes = String::new();
        let is_reversed = self.step < 0;
        if is_reversed || self.number != 1 {
            append(&mut attributes, format_args!(" start=\"{}\"", self.number));
        }
        if is_reversed {
            attributes.push_str(" reversed");
        }
        let kind = page.attribute(self.list, Attr::Type).unwrap_or_default().trim();
        if matches!(kind, "1" | "a" | "A" | "i" | "I") {
            append(&mut attributes, format_args!(" type=\"{kind}\""));
        }
        attributes
    }

    /// Counts up to an item; its attributes. It has a number where the page gives one, or where the items before it are
    /// not written.
    pub(super) fn item(&mut self, page: &Page, item: u32) -> String {
        let mut number = self.number;
        for counted in items(page, self.list, self.next..item + 1) {
            number = integer(page, counted, Attr::Value).unwrap_or(self.number);
            self.number = number.saturating_add(self.step);
        }
        self.next = self.next.max(item + 1);
        let is_said = number != self.written || integer(page, item, Attr::Value).is_some();
        self.written = number.saturating_add(self.step);
        match is_said {
            true => format!(" value=\"{number}\""),
            false => String::new(),
        }
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
pub(super) fn integer(page: &Page, element: u32, name: Attr) -> Option<i64> {
    let text = page.attribute(element, name)?.trim_start();
    let is_number =
        |(at, letter): (usize, char)| letter.is_ascii_digit() || (at == 0 && matches!(letter, '-' | '+'));
    let end = text.char_indices().take_while(|&at| is_number(at)).count();
    text[..end].parse::<i32>().ok().map(i64::from)
}
