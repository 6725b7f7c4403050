//! The direction of text, as the elements of a page say it.

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Direction {
    source: u32,
    pub(super) value: &'static str,
}

/// Where no element says a direction, it follows from the letters.
const UNSAID: Direction = Direction {
    source: NONE,
    value: "auto",
};

pub(super) fn of_page(page: &Page) -> &'static str {
    of_body(page).value
}

pub(super) fn of_body(page: &Page) -> Direction {
    let body = page.elements.iter().position(|element| element.tag == Tag::Body);
    body.map_or(UNSAID, |body| of(page, body as u32))
}

/// The direction of an element: the nearest one declared around it.
pub(super) fn of(page: &Page, element: u32) -> Direction {
    let said = |up: u32| {
        let value = page.attribute(up, Attr::Dir)?.trim();
        let known = ["ltr", "rtl", "auto"].into_iter();
        let value = known
            .into_iter()
            .find(|known| value.eq_ignore_ascii_case(known))?;
        Some(Direction { source: up, value })
    };
    page.ancestors(element).find_map(said).unwrap_or(UNSAID)
}

impl Direction {
    pub(super) fn attribute(self, around: Direction) -> String {
        let is_inherited =
            self.source == around.source || (self.value == around.value && self.value != "auto");
        match is_inherited {
            true => String::new(),
            false => format!(" dir=\"{}\"", self.value),
        }
    }
}
