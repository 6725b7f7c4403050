//! The text of a post: the element that rules name, or the one that most of the text is in, without
//! what stands before and behind it.

use std::ops::Range;

use gleaner_html::Tag;

use crate::rules::RulePart;
use crate::scene::Scene;
use crate::select::children;
use crate::text::text;
use crate::weights::letters;
use gleaner_metadata::date::Partial;

/// The text of a post.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The element that holds it.
    pub(crate) element: u32,
    pub(crate) runs: Range<usize>,
    /// Whether a rule says that the element is the text of a post; else what is around texts may be in
    /// it.
    pub(crate) is_named: bool,
}

/// Minimum percentage of the text's letters in the element that the text is in.
const MOST: u64 = 80;

/// Minimum percentage of the text around it in an element that is named as the text: a box about the author or a heading may
/// have such a name.
const NAMED: u64 = 10;

/// Minimum percentage of the text around it in an element that is named like a text.
const ENOUGH: u64 = 40;

/// Minimum percentage of letters kept when the ends of a text are cut off.
const LEFT: u64 = 75;

/// Letters below which a line may be part of what is around a text.
const SHORT_LINE: u32 = 70;

impl Scene<'_> {
    /// The text of a post in some runs of an element.
    pub(crate) fn body(&self, element: u32, runs: &Range<usize>) -> Body {
        // What has most of the letters is nearly always the text, also where a theme gives the name of a text to a teaser or to a
        // box about the author. So a name counts only beside the weight: a certain name from a tenth of it, a likely one from
        // two fifths.
        let inner = self.innermost(element, runs);
        let inner = Body {
            element: inner,
            runs: meet(&self.runs(inner), runs),
            is_named: false,
        };
        let weight = |body: &Body| u64::from(self.weights.solid(&body.runs));
        let has = |body: &Body, share: u64| weight(body) * 100 >= weight(&inner) * share;
        let named = self.named_body(RulePart::Text, element, runs);
        if let Some(named) = named.filter(|named| has(named, NAMED)) {
            return named;
        }
        let is_enough = |like: &Body| has(like, ENOUGH);
        let like = self
            .named_body(RulePart::TextLike, element, runs)
            .filter(is_enough);
        self.trim(like.unwrap_or(inner))
    }

    /// The element that the first rule of a part names: of several the one with the most text.
    fn named_body(&self, part: RulePart, element: u32, runs: &Range<usize>) -> Option<Body> {
        let is_within = |own: &Range<usize>| runs.start <= own.start && own.end <= runs.end;
        let wanted = |at: u32| !self.skipped[at as usize] && is_within(&self.runs(at));
        let rules = self.rules.of(part).iter();
        let named = rules.map(|rule| self.marked.every(rule, element, &wanted));
        let weight = |at: &u32| (self.weights.all(&self.runs(*at)), u32::MAX - at);
        let own = named.into_iter().find(|own| !own.is_empty())?;
        let element = own.iter().copied().max_by_key(weight)?;
        Some(self.in_parts(element, &own).unwrap_or(Body {
            element,
            runs: self.runs(element),
            is_named: part == RulePart::Text,
        }))
    }

    /// The text of which an element is a part, with what stands between the parts, if others beside it
    /// have as much.
    fn in_parts(&self, element: u32, named: &[u32]) -> Option<Body> {
        let weight = |at: u32| u64::from(self.weights.all(&self.runs(at)));
        let holder = self.parent(element)?;
        let beside = named.iter().filter(|&&at| self.parent(at) == Some(holder));
        let all: u64 = beside.clone().map(|&at| weight(at)).sum();
        let (first, last) = (*beside.clone().min()?, *beside.max()?);
        (weight(element) * 100 < all * MOST).then(|| Body {
            element: holder,
            runs: self.runs(first).start..self.runs(last).end,
            is_named: false,
        })
    }

    /// The innermost element that holds most of the text of some runs.
    fn innermost(&self, from: u32, runs: &Range<usize>) -> u32 {
        let weight = |at: u32| self.weights.solid(&meet(&self.runs(at), runs));
        let mut at = from;
        loop {
            let all = u64::from(weight(at));
            let most = children(self.page, at).max_by_key(|&child| weight(child));
            match most.filter(|&child| {
                holds_blocks(self.tag(child)) && u64::from(weight(child)) * 100 >= all * MOST && all > 0
            }) {
                Some(child) => at = child,
                None => return at,
            }
        }
    }

    /// Takes lines off both ends that are around texts: dates, tags, links.
    fn trim(&self, body: Body) -> Body {
        let mut runs = body.runs.clone();
        while let Some(block) = self
            .block_at(&runs, runs.start)
            .filter(|block| self.is_around(block))
        {
            runs.start = block.end;
        }
        while let Some(block) = runs
            .end
            .checked_sub(1)
            .and_then(|last| self.block_at(&runs, last))
            .filter(|block| self.is_around(block))
        {
            runs.end = block.start;
        }
        // A text of links alone is no less one.
        let (left, all) = (self.weights.all(&runs), self.weights.all(&body.runs));
        match u64::from(left) * 100 < u64::from(all) * LEFT {
            true => body,
            false => Body { runs, ..body },
        }
    }

    /// The runs of the block of a run, within some runs.
    pub(crate) fn block_at(&self, runs: &Range<usize>, run: usize) -> Option<Range<usize>> {
        if !runs.contains(&run) {
            return None;
        }
        let block = &self.page.blocks[self.outline.block(run) as usize];
        Some(meet(&(block.runs.start as usize..block.runs.end as usize), runs))
    }

    /// Whether a line at the end of a text is none of it.
    fn is_around(&self, block: &Range<usize>) -> bool {
        let left_out = |run: usize| {
            let at = self.page.runs[run].element as usize;
            self.skipped[at] || self.apart[at]
        };
        if block.clone().all(left_out) {
            return true;
        }
        let text: String = block
            .clone()
            .map(|run| self.page.run_text(&self.page.runs[run]))
            .collect();
        let all = letters(&text);
        if all >= SHORT_LINE {
            return false;
        }
        let is_linked = self.weights.plain(block) * 4 < self.weights.all(block);
        is_linked
            || self
                .read(&text, block.clone())
                .is_some_and(|date: Partial| date.day.is_some() && all < 40)
    }

    /// Whether a line is short and has a day.
    pub(crate) fn is_byline(&self, block: &Range<usize>) -> bool {
        let texts = block.clone().map(|run| self.page.run_text(&self.page.runs[run]));
        let text: String = texts.collect();
        letters(&text) < SHORT_LINE
            && self
                .read(&text, block.clone())
                .is_some_and(|date| date.day.is_some())
    }

    /// The text of a body, a line a paragraph or row of a table.
    pub(crate) fn text_of(&self, body: &Body, title: Option<u32>) -> String {
        text(self.page, self.outline, body.runs.clone(), &|at| {
            self.skipped[at as usize]
                || (!body.is_named
                    && (self.apart[at as usize] || title.is_some_and(|title| self.is_within(at, title))))
        })
    }
}

/// What two ranges share.
pub(crate) fn meet(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let start = one.start.max(other.start);
    start..one.end.min(other.end).max(start)
}

/// Whether an element can hold a whole text; a paragraph or a list is a part of one.
fn holds_blocks(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        Article
            | Body
            | Center
            | Dd
            | Div
            | Dl
            | Fieldset
            | Font
            | Form
            | Html
            | Li
            | Main
            | Other
            | Section
            | Span
            | Table
            | Tbody
            | Td
            | Tr
    )
}
