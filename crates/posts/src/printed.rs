//! The rules by themselves, as the paper has them: its section 4.

use gleaner_html::Attr;
use gleaner_metadata::Language;
use rustc_hash::FxHashSet;

use crate::find::MOST_POSTS;
use crate::local::read_where;
use crate::rules::{RulePart, Rules};
use crate::scene::skipped;
use crate::select::Marked;
use crate::text::{line, text};
use crate::{Dated, Post};
use gleaner_metadata::date::{Day, Partial};

/// The posts that rules lead to, and nothing else.
pub(crate) fn posts(rules: &Rules, marked: Marked<'_>) -> Vec<Post> {
    let skipped = skipped(rules, &marked, None);
    let finder = Finder {
        rules,
        language: Language::from_page(marked.page),
        marked,
        skipped,
    };
    finder.posts()
}

/// The rules at work on one page.
struct Finder<'a> {
    rules: &'a Rules,
    marked: Marked<'a>,
    skipped: Vec<bool>,
    language: Option<Language>,
}

impl Finder<'_> {
    /// Elements that are posts, the text of each, its title, its date. Of two posts with one text
    /// element, such as a post and its body which is named like one, the outer counts.
    fn posts(&self) -> Vec<Post> {
        let mut taken = FxHashSet::default();
        let elements = 0..self.marked.page.elements.len() as u32;
        let posts = elements.filter_map(|element| {
            self.find(RulePart::Post, element)?;
            let body = self.find(RulePart::Text, element)?;
            taken.insert(body).then(|| self.post(element, body))
        });
        let work = &self.marked.outline.work;
        work.at_most(MOST_POSTS, posts, |met| met.posts = true).collect()
    }

    fn find(&self, part: RulePart, from: u32) -> Option<u32> {
        let wanted = |element: u32| !self.skipped[element as usize];
        self.marked.first_of(self.rules.of(part), from, &wanted)
    }

    fn post(&self, element: u32, body: u32) -> Post {
        let Marked { page, outline, .. } = self.marked;
        let found = |part| {
            let text = line(page, outline, self.find(part, element)?);
            Some(text).filter(|text| !text.is_empty())
        };
        Post {
            title: found(RulePart::Title),
            published: self.find(RulePart::Date, element).and_then(|at| self.dated(at)),
            author: found(RulePart::Author),
            text: text(page, outline, outline.runs(body), &|element| {
                self.skipped[element as usize]
            }),
            ..Post::default()
        }
    }

    /// The date of an element: that of its attributes, else the printed one.
    fn dated(&self, element: u32) -> Option<Dated> {
        let Marked { page, outline, .. } = self.marked;
        let text = line(page, outline, element);
        let datetime = page.attribute(element, Attr::Datetime).and_then(Day::from_iso);
        let printed = || read_where(&text, outline.runs(element), &self.marked, self.language.as_ref());
        let day = datetime.or_else(|| printed().and_then(Partial::whole));
        (day.is_some() || !text.is_empty()).then_some(Dated {
            day,
            text,
            completed: None,
        })
    }
}
