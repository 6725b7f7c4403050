//! The comments under a post.

use std::ops::Range;

use gleaner_html::Tag;

use crate::rules::RulePart;
use crate::scene::Scene;
use crate::select::Marked;
use crate::text::{line, text};
use crate::weights::letters;
use crate::{Comment, Dated};
use gleaner_metadata::date::Partial;

/// Comments that are returned of one page.
const MOST: usize = 1000;

/// Maximum letters per line with a date and a name.
const LONGEST_BYLINE: u32 = 60;

impl Scene<'_> {
    /// The comments of a page, in their order. Replies stand in what they reply to: a comment ends where
    /// the next begins.
    pub(crate) fn comments(&self) -> Vec<Comment> {
        let elements = 0..self.page.elements.len() as u32;
        let named = elements.filter(|&at| self.marked.first(self.rules.of(RulePart::Comment), at).is_some());
        let mut places: Vec<(u32, Range<usize>)> = Vec::new();
        for at in named {
            // A comment that begins in a term of a list continues in its description.
            let holder = match self.tag(at) {
                Tag::Dt => self.parent(at).unwrap_or(at),
                _ => at,
            };
            let runs = self.runs(at).start..self.runs(holder).end;
            // An element that begins with another of them is the same comment.
            let is_new = places.last().is_none_or(|(_, last)| last.start < runs.start);
            if runs.is_empty() || !is_new {
                continue;
            }
            if places.len() >= MOST {
                self.outline.work.meet(|met| met.comments = true);
                break;
            }
            places.push((at, runs));
        }
        for at in 1..places.len() {
            let next = places[at].1.start;
            let before = &mut places[at - 1].1;
            before.end = before.end.min(next);
        }
        let comments = places.into_iter().map(|(at, runs)| self.comment(at, runs));
        comments.filter(|comment| !comment.text.is_empty()).collect()
    }

    fn comment(&self, element: u32, runs: Range<usize>) -> Comment {
        let Marked { page, outline, .. } = self.marked;
        let is_own = |at: u32| {
            let own = self.runs(at);
            !own.is_empty() && runs.start <= own.start && own.end <= runs.end
        };
        let first = |part| {
            let mut rules = self.rules.of(part).iter();
            rules.find_map(|rule| self.marked.every(rule, element, &is_own).into_iter().next())
        };
        let author = first(RulePart::CommentAuthor);
        let (date_at, date) = self.comment_date(element, &is_own).unzip();
        // The text is what is neither author nor date, nor beside them: of all, or of what is named for it.
        let body = first(RulePart::CommentText);
        let frame = body.unwrap_or(element);
        let is_byline = |at: u32| {
            let mut byline = [author, date_at].into_iter().flatten();
            byline.any(|own| self.is_within(at, own) || self.is_beside(at, own, frame))
        };
        let own = body.map_or(runs.clone(), |body| self.runs(body));
        Comment {
            author: author
                .map(|at| self.plain_line(at))
                .filter(|name| !name.is_empty()),
            published: date,
            text: text(page, outline, own, &is_byline),
        }
    }

    /// Whether an element stands in one line with a name or a date, a short one within the frame.
    fn is_beside(&self, element: u32, byline: u32, frame: u32) -> bool {
        let is_line = |&line: &u32| line > frame && self.is_within(element, line);
        let Some(line) = self.parent(byline).filter(is_line) else {
            return false;
        };
        let text = self.plain_line(line);
        letters(&text) <= LONGEST_BYLINE
    }

    fn comment_date(&self, element: u32, is_own: &dyn Fn(u32) -> bool) -> Option<(u32, Dated)> {
        let rules = self.rules.of(RulePart::CommentDate).iter();
        let named = rules.flat_map(|rule| self.marked.every(rule, element, is_own));
        let mut dated = named.filter_map(|at| {
            let found = self.date_of(at);
            let day = Partial::whole(found.partial)?;
            let date = Dated {
                day: Some(day),
                text: found.text,
                completed: None,
            };
            Some((at, date))
        });
        dated.next()
    }

    /// The text of an element on one line, whatever is skipped.
    fn plain_line(&self, element: u32) -> String {
        line(self.page, self.outline, element)
    }
}
