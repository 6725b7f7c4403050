//! Lines that are titles of posts without being headings.

use gleaner_html::Tag;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::repeated::{SHORTEST, Segment, is_most};
use crate::scene::Scene;
use crate::weights::letters;

/// Maximum letters beside a title in its line; they have a day.
const LONGEST_DAY: u32 = 40;

/// Fewer lines than these are captions or links beside a text, on a page that says that it is an article.
const FEWEST_OF_ARTICLE: usize = 3;

impl Scene<'_> {
    /// Lines in an element that are alike and may be titles: links, terms of a list of definitions, bold or large letters; each with a
    /// text behind it that is parted from those of the others.
    pub(crate) fn title_lines(&self, within: u32) -> Vec<Vec<u32>> {
        let is_line = |at: u32| {
            let may_be_title = match self.tag(at) {
                Tag::A => self.linked(at).is_some_and(|href| self.is_of_site(href)),
                // A term with a link in it is a title if it is that link.
                Tag::Dt => self.linked(at).is_none() || self.weights.plain(&self.runs(at)) == 0,
                Tag::B | Tag::Strong | Tag::Font | Tag::Big => true,
                _ => false,
            };
            may_be_title
                && !self.page.elements[at as usize].hidden
                && !self.skipped[at as usize]
                && self.is_line(at)
        };
        let groups = self.alike(within, &is_line).into_iter();
        let mut groups: Vec<Vec<u32>> = groups.map(|group| self.distinct(group)).collect();
        let fewest = if self.head.is_article {
            FEWEST_OF_ARTICLE
        } else {
            2
        };
        groups.retain(|group| group.len() >= fewest && self.are_titles(group));
        groups
    }

    /// Whether an element is a line of text, but for images and a day.
    fn is_line(&self, element: u32) -> bool {
        let own = self.runs(element);
        let Some(first) = own.clone().next() else {
            return false;
        };
        let block = &self.page.blocks[self.outline.block(first) as usize];
        let line = block.runs.start as usize..block.runs.end as usize;
        let is_image = |run: &usize| self.tag(self.page.runs[*run].element) == Tag::Img;
        if own.end > line.end || self.weights.all(&own) == 0 {
            return false;
        }
        let beside = line.clone().filter(|run| !own.contains(run) && !is_image(run));
        let texts: String = beside
            .map(|run| self.page.run_text(&self.page.runs[run]))
            .collect();
        let count = letters(&texts);
        count == 0 || (count <= LONGEST_DAY && self.read(&texts, line).is_some_and(|date| date.day.is_some()))
    }

    /// Lines without those that are repeated, such as links to more, and without numbers and days.
    fn distinct(&self, lines: Vec<u32>) -> Vec<u32> {
        let texts: Vec<String> = lines.iter().map(|&at| self.line(at)).collect();
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for text in &texts {
            *counts.entry(text).or_default() += 1;
        }
        let is_distinct = |text: &str| !is_most(counts[text] * REPEATED, lines.len()) || counts[text] == 1;
        let own = lines.iter().zip(&texts).filter(|(_, text)| is_distinct(text));
        let worded = own.filter(|(_, text)| text.chars().any(char::is_alphabetic));
        let others = worded.map(|(&at, _)| at);
        others
            .filter(|&at| self.tag(at) == Tag::A || !self.is_day(at))
            .collect()
    }

    /// Whether lines differ from each other, and nearly all stand before a text that is parted from the others'.
    fn are_titles(&self, lines: &[u32]) -> bool {
        let texts: FxHashSet<String> = lines.iter().map(|&at| self.line(at)).collect();
        let rules = self.rules_between(lines);
        let is_before_text = |own: &Segment| {
            let title = self.runs(own.heading);
            let before = self.weights.plain(&(own.runs.start..title.start));
            let behind = self.weights.plain(&(title.end..own.runs.end));
            behind >= SHORTEST && before < behind
        };
        let is_parted = |own: &Segment| {
            let is_row = matches!(self.tag(own.anchor), Tag::Tr | Tag::Dt);
            rules || is_row || own.element == own.anchor
        };
        let segments = self.segments(lines);
        let count = segments
            .iter()
            .filter(|own| is_before_text(own) && is_parted(own))
            .count();
        is_most(texts.len(), lines.len())
            && is_most(count, lines.len())
            && is_most(self.most_at_one_depth(&segments), lines.len())
    }

    /// How many segments have elements at the depth that most of them have.
    fn most_at_one_depth(&self, segments: &[Segment]) -> usize {
        let mut counts: FxHashMap<u16, usize> = FxHashMap::default();
        for own in segments {
            *counts
                .entry(self.page.elements[own.anchor as usize].depth)
                .or_default() += 1;
        }
        counts.into_values().max().unwrap_or_default()
    }

    /// Whether a line is drawn between each two of some elements.
    fn rules_between(&self, lines: &[u32]) -> bool {
        let is_rule = |at: u32| self.tag(at) == Tag::Hr;
        lines.windows(2).all(|pair| (pair[0]..pair[1]).any(is_rule))
    }
}

/// A text that is at least one in this many of a group is no title.
const REPEATED: usize = 4;
