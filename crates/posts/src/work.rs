//! What may still be looked at on a page, and the limits that were met.

use std::cell::Cell;

use gleaner_page::Page;

/// Limits that were met while posts were looked for: there may be more of them than were found, or they may have more text.
/// Those that the page itself met are in [`Page::truncated`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truncation {
    /// More posts than are looked for on one page.
    pub posts: bool,
    /// More comments than are looked for on one page.
    pub comments: bool,
    /// More headings than are looked at.
    pub headings: bool,
    /// A class or an id too long for its names to be looked at.
    pub names: bool,
    /// More steps of work: elements that rules lead to, and bytes of text.
    pub steps: bool,
}

impl Truncation {
    /// All names there are.
    pub const NAMES: [&'static str; 5] = [
        "posts",
        "post-comments",
        "post-headings",
        "post-names",
        "post-steps",
    ];

    /// The limits that were met, by name.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let met = [self.posts, self.comments, self.headings, self.names, self.steps];
        let names = Truncation::NAMES.into_iter().zip(met);
        names.filter_map(|(name, met)| met.then_some(name))
    }
}

/// Elements that rules may lead to on a page of no elements, and those that each element adds.
const LOOKS: usize = 1 << 20;
const LOOKS_AN_ELEMENT: usize = 64;

/// Bytes of text that may be put together on a page without text, and those that each byte of its text adds: an element
/// may be looked at as a title, as a date and as a post, but elements that hold each other may not be without end.
const BYTES: usize = 4 << 20;
const BYTES_A_BYTE: usize = 8;

/// The work that is left for a page.
#[derive(Debug, Default)]
pub(crate) struct Work {
    looks: Cell<usize>,
    bytes: Cell<usize>,
    met: Cell<Truncation>,
}

impl Work {
    /// Begins with a page.
    pub(crate) fn begin(&self, page: &Page) {
        self.looks.set(LOOKS + LOOKS_AN_ELEMENT * page.elements.len());
        self.bytes.set(BYTES + BYTES_A_BYTE * page.text.len());
        self.met.set(Truncation::default());
    }

    /// Counts an element that is looked at. False if it is one too many.
    pub(crate) fn look(&self) -> bool {
        self.take(&self.looks, 1)
    }

    /// Whether an element may still be looked at.
    pub(crate) fn may_look(&self) -> bool {
        self.looks.get() > 0
    }

    /// Counts bytes of text. False if there are too many.
    pub(crate) fn read(&self, bytes: usize) -> bool {
        self.take(&self.bytes, bytes)
    }

    fn take(&self, left: &Cell<usize>, count: usize) -> bool {
        let after = left.get().checked_sub(count);
        left.set(after.unwrap_or(0));
        if after.is_none() {
            self.meet(|met| met.steps = true);
        }
        after.is_some()
    }

    /// Notes a limit that was met.
    pub(crate) fn meet(&self, limit: impl Fn(&mut Truncation)) {
        let mut met = self.met.get();
        limit(&mut met);
        self.met.set(met);
    }

    /// The first `most`; notes the limit where there are more.
    pub(crate) fn at_most<T>(
        &self,
        most: usize,
        all: impl Iterator<Item = T>,
        limit: impl Fn(&mut Truncation),
    ) -> impl Iterator<Item = T> {
        let mut left = most;
        all.map_while(move |one| {
            let is_over = left == 0;
            left = left.saturating_sub(1);
            if is_over {
                self.meet(&limit);
            }
            (!is_over).then_some(one)
        })
    }

    /// The limits that were met since the page began.
    pub(crate) fn met(&self) -> Truncation {
        self.met.get()
    }
}
