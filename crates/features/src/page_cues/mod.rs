//! Cues of a whole page, from which its kind is predicted.
//!
//! In: a page, and what was measured on it. Out: [`PageCues`], a small integer a cue: how many prices stand before the first
//! long block, how often a word of shops stands in a short block, whether the address has a part that threads have, and so
//! on. Most cues count, and their code is that of [`level`]: counts are compared by their order of magnitude.
//!
//! No cue is a class or an id of an element of the body: those belong to sites. Words are those of short blocks, of buttons
//! and of the title, in some twenty languages: the lists are a data file, `words.txt`.

mod address;
mod sections;
mod signals;
mod structure;
mod words;

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;

use crate::facts::{Facts, Root};
use crate::word_lists::{BLOCK_GROUPS, ROLES};
use signals::{Gaps, Signal, Signals};

/// Maximum code of a cue.
pub const MOST: u8 = 8;

/// The cues of a page, each a code up to [`MOST`], in the order of [`names`](PageCues::names).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCues {
    codes: Vec<u8>,
}

impl PageCues {
    /// The codes.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// The names of all cues.
    pub fn names() -> Vec<String> {
        let mut names = Vec::new();
        let signals = Signals::default();
        let mut facts = Facts::default();
        facts.document.blocks = 1;
        each(&Page::default(), &facts, "", &signals, &mut |part, name, _| {
            names.push(format!("{part}.{name}"));
        });
        names
    }

    /// Reads the cues of a page that was measured, of its address, too.
    pub(crate) fn read(&mut self, page: &Page, facts: &Facts, url: &str) {
        let signals = Signals::new(page, facts);
        self.codes.clear();
        each(page, facts, url, &signals, &mut |_, _, code| {
            self.codes.push(code)
        });
    }
}

/// The code of a count: 0 of none, else one more than the whole part of its binary logarithm.
fn level(count: u32) -> u8 {
    ((u32::BITS - count.leading_zeros()) as u8).min(MOST)
}

/// The code of a share: in eighths.
fn eighths(part: u32, of: u32) -> u8 {
    match of {
        0 => 0,
        _ => (f64::from(part) / f64::from(of) * f64::from(MOST)).min(f64::from(MOST)) as u8,
    }
}

/// The code of a share: in percents, by [`level`].
fn percents(part: u32, of: u32) -> u8 {
    level((f64::from(part) / f64::from(of.max(1)) * 100.0) as u32)
}

/// The elements that are counted.
const TAGS: [(&str, Tag); 24] = [
    ("h1", Tag::H1),
    ("h2", Tag::H2),
    ("h3", Tag::H3),
    ("h4", Tag::H4),
    ("article", Tag::Article),
    ("form", Tag::Form),
    ("input", Tag::Input),
    ("select", Tag::Select),
    ("textarea", Tag::Textarea),
    ("table", Tag::Table),
    ("pre", Tag::Pre),
    ("code", Tag::Code),
    ("time", Tag::Time),
    ("img", Tag::Img),
    ("li", Tag::Li),
    ("dt", Tag::Dt),
    ("blockquote", Tag::Blockquote),
    ("button", Tag::Button),
    ("iframe", Tag::Iframe),
    ("main", Tag::Main),
    ("nav", Tag::Nav),
    ("section", Tag::Section),
    ("figure", Tag::Figure),
    ("p", Tag::P),
];

/// What the structured data speaks of, by the bits of `facts.cues.types`.
const TYPES: [&str; 9] = [
    "article",
    "product",
    "discussion",
    "list",
    "breadcrumbs",
    "instructions",
    "organisation",
    "news",
    "posting",
];

/// What the roots say.
const ROOTS: [(&str, Root); 9] = [
    ("post", Root::POST),
    ("product", Root::PRODUCT),
    ("list", Root::LIST),
    ("thread", Root::THREAD),
    ("manual", Root::MANUAL),
    ("front", Root::FRONT),
    ("next", Root::NEXT),
    ("contents", Root::CONTENTS),
    ("feed", Root::FEED),
];

/// Values of `og:type`, by `facts.cues.og_type` from 1.
const OG_TYPES: [&str; 9] = [
    "other", "article", "website", "product", "profile", "blog", "video", "forum", "book",
];

/// Gives each cue: the part that it is of, its name and code. Names don't depend on the page.
fn each(page: &Page, facts: &Facts, url: &str, signals: &Signals, take: &mut dyn FnMut(&str, &str, u8)) {
    let flag = u8::from;
    let (document, cues) = (&facts.document, &facts.cues);
    take("size", "blocks", level(document.blocks / 2));
    take("size", "words", level(signals.words / 16));
    take("size", "long-blocks", level(signals.long));
    take("size", "longest-block", level(signals.longest / 4));
    take("size", "link-share", eighths(document.link_words, document.words));
    take("size", "long-share", eighths(signals.long_words, signals.words));
    take("size", "repeated-shorts", level(signals.repeated));
    take("size", "most-repeated", level(signals.most_repeated));
    for (name, tag) in TAGS {
        take("element", name, level(cues.count(tag)));
    }
    for (group, name) in BLOCK_GROUPS.iter().enumerate() {
        let hits = signals.groups[group];
        take("word", name, level(hits));
        take("word-share", name, percents(hits, document.blocks));
        take("title", name, flag(signals.title & 1 << group != 0));
    }
    for signal in Signal::ALL {
        let Gaps {
            hits,
            before,
            among,
            short,
            long,
            ..
        } = signals.gaps[signal as usize];
        take("count", signal.name(), level(hits));
        take("share", signal.name(), percents(hits, document.blocks));
        take("before", signal.name(), level(before));
        take("among", signal.name(), level(among));
        take("between", signal.name(), level(short));
        take("long-between", signal.name(), level(long));
    }
    for (bit, name) in TYPES.iter().enumerate() {
        take("data", name, flag(cues.types & 1 << bit != 0));
    }
    for (name, root) in ROOTS {
        take("root", name, flag(cues.root.has(root)));
    }
    for (value, name) in OG_TYPES.iter().enumerate() {
        take("og-type", name, flag(usize::from(cues.og_type) == value + 1));
    }
    address::each(url, &mut |name, code| take("address", name, code));
    let (marked, heading) = (&signals.marked, structure::find_heading(page, facts));
    structure::each(facts, marked, heading, &mut |name, code| {
        take("structure", name, code)
    });
    sections::each(page, facts, marked, heading, url, &mut |name, code| {
        take("sections", name, code)
    });
    let mut roles = [0; ROLES.len()];
    for block in &facts.blocks {
        if let Some(count) = usize::from(block.line.role)
            .checked_sub(1)
            .map(|role| &mut roles[role])
        {
            *count += 1;
        }
    }
    for (name, count) in ROLES.iter().zip(roles) {
        take("line", name, level(count));
    }
    let words = page.title.split_whitespace().count() as u32;
    take("title", "words", level(words));
}

/// The text of a button that is an `<input>`.
fn button_text(page: &Page, element: u32) -> Option<&str> {
    if page.elements[element as usize].tag != Tag::Input {
        return None;
    }
    let of_type = page.attribute(element, Attr::Type)?;
    let is_button = ["submit", "button"]
        .iter()
        .any(|of| of_type.eq_ignore_ascii_case(of));
    page.attribute(element, Attr::Value).filter(|_| is_button)
}

#[cfg(test)]
mod tests;
