//! When a post was published.

use std::ops::Range;

use gleaner_html::{Attr, Tag};

use crate::body::meet;
use crate::find::Candidate;
use crate::local::read_where;
use crate::rules::RulePart;
use crate::scene::Scene;
use crate::weights::letters;
use crate::{Completed, Dated};
use gleaner_metadata::date::{Day, Partial, of_url};

/// Maximum letters per line with a date.
const LONGEST_LINE: u32 = 90;
/// Maximum letters per heading of a day.
const LONGEST_HEADER: u32 = 40;
/// Maximum elements above a post whose siblings may be its day's heading.
const LEVELS: usize = 5;
/// Maximum siblings examined before each.
const SIBLINGS: usize = 6;
/// Maximum lines read per post.
const LINES: usize = 40;

/// A date as printed, whole or not.
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) partial: Partial,
    /// The first run of its line or element.
    pub(crate) place: usize,
}

impl Scene<'_> {
    /// The date of a post: in its own elements, in the lines around its text, or in a heading before it.
    pub(crate) fn printed(&self, post: &Candidate) -> Option<Printed> {
        let mut best: Option<Printed> = None;
        let before = post.runs.start..post.body.runs.start;
        // A day in a title is what the post is about rather than when it was written.
        let title = post.title.map_or(0..0, |title| meet(&self.runs(title), &before));
        let above = before.start..title.start.min(before.end);
        let below = title.end.max(before.start)..before.end;
        let behind = post.body.runs.end..post.runs.end;
        let ways: [&dyn Fn() -> Option<Printed>; 6] = [
            &|| self.date_by_rules(post),
            &|| self.date_line(above.clone()),
            &|| self.date_line(below.clone()),
            &|| self.date_header(post),
            &|| self.date_line(behind.clone()),
            &|| self.date_line(title.clone()),
        ];
        for way in ways {
            let Some(found) = way() else { continue };
            if found.partial.whole().is_some() {
                return Some(found);
            }
            let is_more = best.as_ref().is_none_or(|best| {
                best.partial.month.is_none() || (best.partial.day.is_none() && found.partial.day.is_some())
            });
            if is_more {
                best = Some(found);
            }
        }
        best
    }

    /// The date in the elements that rules name: the first whole one, else the first of all.
    fn date_by_rules(&self, post: &Candidate) -> Option<Printed> {
        let is_outside = |at: u32| {
            let runs = self.runs(at);
            let is_own = post.runs.start <= runs.start && runs.end <= post.runs.end;
            is_own && (!post.body.is_named || !self.is_within(at, post.body.element))
        };
        let mut text = None;
        for rule in self.rules.of(RulePart::Date) {
            let wanted = |at: u32| !self.skipped[at as usize] && is_outside(at);
            for at in self
                .marked
                .every(rule, post.element, &wanted)
                .into_iter()
                .take(LINES)
            {
                let found = self.date_of(at);
                if found.partial.whole().is_some() {
                    return Some(found);
                }
                text = text.or(Some(found).filter(|found| found.partial.month.is_some()));
            }
        }
        text
    }

    /// The date of an element: that of its attributes, else the printed one; or this one if they contradict each other.
    pub(crate) fn date_of(&self, element: u32) -> Printed {
        let text = self.line(element);
        let value = |name| self.page.attribute(element, name).and_then(Day::from_iso);
        let day = value(Attr::Datetime)
            .or_else(|| value(Attr::Content))
            .or_else(|| value(Attr::Title));
        let read = || self.read(&text, self.runs(element)).unwrap_or_default();
        let partial = match day {
            None => read(),
            Some(day) => {
                let printed = read();
                let is_other = printed
                    .whole()
                    .is_some_and(|other| contradicts(day, other, &text));
                if is_other { printed } else { Partial::from_day(day) }
            }
        };
        Printed {
            text,
            partial,
            place: self.runs(element).start,
        }
    }

    /// A short line with a date, the first that is whole.
    fn date_line(&self, runs: Range<usize>) -> Option<Printed> {
        let mut partial = None;
        let mut run = runs.start;
        for _ in 0..LINES {
            if run >= runs.end {
                break;
            }
            let block = &self.page.blocks[self.outline.block(run) as usize];
            let holder = self.page.runs[run].element;
            // What an image is called is often the title again.
            let is_skipped = self.skipped[holder as usize] || self.tag(holder) == Tag::Img;
            let own = run..block.runs.end as usize;
            let place = run;
            run = own.end;
            let text = self.page.text(block);
            if block.hidden || is_skipped || letters(text) > LONGEST_LINE {
                continue;
            }
            let Some(found) = self.read(text, own) else {
                continue;
            };
            let found = Printed {
                text: text.to_owned(),
                partial: found,
                place,
            };
            if found.partial.whole().is_some() {
                return Some(found);
            }
            partial = partial.or(Some(found).filter(|found| found.partial.day.is_some()));
        }
        partial
    }

    /// A heading of a day, before the post or before an element that it stands in.
    fn date_header(&self, post: &Candidate) -> Option<Printed> {
        let mut at = post.anchor;
        for _ in 0..LEVELS {
            if matches!(self.tag(at), Tag::Body | Tag::Main) {
                return None;
            }
            for sibling in self.outline.before(at).take(SIBLINGS) {
                let runs = self.runs(sibling);
                let is_post = || self.find(RulePart::Post, sibling, &|_| true).is_some();
                if runs.is_empty()
                    || self.skipped[sibling as usize]
                    || self.weights.all(&runs) > LONGEST_HEADER
                    || is_post()
                {
                    continue;
                }
                let text = self.line(sibling);
                let place = runs.start;
                if let Some(partial) = self.read(&text, runs).filter(|date| date.day.is_some()) {
                    return Some(Printed { text, partial, place });
                }
            }
            at = self.parent(at)?;
        }
        None
    }

    /// Reads the date in the text of runs, as the language there has it.
    pub(crate) fn read(&self, text: &str, runs: Range<usize>) -> Option<Partial> {
        read_where(text, runs, &self.marked, self.head.language.as_ref())
    }

    /// The date of a post: the printed one, completed by an address, or that of the address alone.
    pub(crate) fn completed(printed: Option<Printed>, address: Option<&str>) -> Option<Dated> {
        let known = address.and_then(of_url).unwrap_or_default();
        let Some(printed) = printed else {
            return known.whole().map(|day| Dated {
                day: Some(day),
                text: String::new(),
                completed: Some(Completed::Address),
            });
        };
        let whole = printed.partial.whole();
        let day = whole.or_else(|| printed.partial.completed_by(known).and_then(Partial::whole));
        Some(Dated {
            completed: (day.is_some() && whole.is_none()).then_some(Completed::Address),
            day,
            text: printed.text,
        })
    }
}

/// Whether the printed day is another one than that for machines, which no reader has seen. Time zones make a day of
/// difference, and of two numbers the attribute says which is the month.
fn contradicts(machine: Day, printed: Day, text: &str) -> bool {
    let (year, month, day) = machine.parts();
    let is_turned = printed.parts() == (year, day, month) && !text.chars().any(char::is_alphabetic);
    (machine.number() - printed.number()).abs() > 1 && !is_turned
}

/// Gives posts of a listing the year that their neighbours have, where it is not printed: posts stand in
/// the order of their days, the latest first or the earliest.
pub(crate) fn complete_by_neighbours(dates: &mut [(Option<Dated>, Partial)]) {
    let days: Vec<Option<Day>> = dates
        .iter()
        .map(|(date, _)| date.as_ref().and_then(|date| date.day))
        .collect();
    for (at, (date, partial)) in dates.iter_mut().enumerate() {
        let Some(date) = date.as_mut().filter(|date| date.day.is_none()) else {
            continue;
        };
        let before = days[..at].iter().rev().flatten().next();
        let after = days[at + 1..].iter().flatten().next();
        let years = [before, after].into_iter().flatten();
        let candidates = years.flat_map(|day| {
            let (year, _, _) = day.parts();
            [year, year.saturating_sub(1), year + 1]
        });
        let days = candidates.filter_map(|year| {
            let partial = Partial {
                year: Some(year),
                ..*partial
            };
            partial.whole()
        });
        // The day that is nearest to both neighbours lies between them where one can.
        let distance = |day: &Day| -> i64 {
            let of = |other: &Day| (other.number() - day.number()).abs();
            before.map_or(0, of) + after.map_or(0, of)
        };
        if partial.year.is_none()
            && let Some(day) = days.min_by_key(distance)
        {
            date.day = Some(day);
            date.completed = Some(Completed::Neighbours);
        }
    }
}
