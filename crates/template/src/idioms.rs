//! Expressions whose matches are nearly never removed: idioms of the language, such as "as much as".
//!
//! The cut-off is low, so that no template is lost, and also lets through idioms. With few sites the second level (section
//! 3.3) cannot find them. But idioms are in the middle of lines that are otherwise kept, where the locality heuristics keep
//! them; a string for which that is true nearly everywhere is no template. Neither is a string that is frequent only as a
//! part of longer ones, and otherwise an idiom.

use std::ops::Range;

use crate::apply::{Applier, KnownTokens};
use crate::locality::{is_island, is_shorter};
use crate::share::beginning;
use crate::{CleanConfig, Error, Expression, Page, TokenConfig};

/// Number of pages of the sample that are examined.
const PAGES: usize = 48;

/// Number of bytes of each that are examined.
const PAGE_BYTES: usize = 1 << 17;

/// Minimum share of the single occurrences of a template that are removed, as one in this many.
const ONE_IN: u32 = 4;

/// Drops the expressions whose matches on the pages of a sample are nearly never removed.
pub(crate) fn drop_idioms(
    expressions: &mut Vec<Expression>,
    sample: &[Page<'_>],
    tokens: &TokenConfig,
) -> Result<(), Error> {
    let applier = Applier::of(expressions.iter().map(|found| found.expression.as_str()), tokens)?;
    let mut counts = vec![MatchCounts::default(); expressions.len()];
    let mut known = KnownTokens::new();
    for page in sample.iter().take(PAGES) {
        let text = beginning(page.text, PAGE_BYTES);
        let mut matches = Vec::new();
        applier.each_match(text, &mut known, |expression, range| {
            matches.push((range, expression))
        });
        count(text, matches, &mut counts);
    }
    let mut counts = counts.into_iter();
    expressions.retain(|_| counts.next().is_some_and(|counts| counts.is_template()));
    Ok(())
}

/// Occurrences of an expression.
#[derive(Clone, Copy, Debug, Default)]
struct MatchCounts {
    all: u32,
    /// Those that are not part of a longer match.
    alone: u32,
    /// Those of them that the locality heuristics remove.
    lasting: u32,
}

impl MatchCounts {
    fn is_template(self) -> bool {
        // An expression without occurrences on these pages is kept.
        self.all == 0 || (self.alone > 0 && self.lasting * ONE_IN >= self.alone)
    }
}

/// Counts the occurrences on a page, given where each expression matches. Idioms are often next to each
/// other, and one must not make the other count as removed: the text around a short match counts as kept unless a long
/// match covers it.
fn count(text: &str, mut matches: Vec<(Range<usize>, usize)>, counts: &mut [MatchCounts]) {
    let island = CleanConfig::default().island;
    // A longer match comes before those within it.
    matches.sort_unstable_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let is_short: Vec<bool> = matches
        .iter()
        .map(|(range, _)| is_shorter(text, range.clone(), island))
        .collect();
    let long = union(
        matches
            .iter()
            .zip(&is_short)
            .filter(|(_, short)| !**short)
            .map(|((range, _), _)| range),
    );
    let mut end = 0;
    for ((range, expression), is_short) in matches.iter().zip(is_short) {
        let counts = &mut counts[*expression];
        counts.all += 1;
        if range.end > end {
            end = range.end;
            counts.alone += 1;
            counts.lasting +=
                u32::from(!is_short || !is_island(text, range, between(&long, range, text.len())));
        }
    }
}

/// The union of ranges that come in order of their starts.
fn union<'a>(ranges: impl Iterator<Item = &'a Range<usize>>) -> Vec<Range<usize>> {
    let mut union: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match union.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => union.push(range.clone()),
        }
    }
    union
}

/// What lies around a range between its neighbours.
fn between(neighbours: &[Range<usize>], range: &Range<usize>, end: usize) -> Range<usize> {
    let next = neighbours.partition_point(|neighbour| neighbour.end < range.end);
    let before = next.checked_sub(1).map_or(0, |before| neighbours[before].end);
    before..neighbours.get(next).map_or(end, |after| after.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MineConfig, Miner};

    #[test]
    fn an_idiom_is_distinguished_from_a_short_line() {
        let texts: Vec<String> = (0..30)
            .map(|page| {
                let words = |from: usize| {
                    let words: Vec<String> = (from..from + 6).map(|word| format!("w{page}x{word}")).collect();
                    words.join(" ")
                };
                format!("{} as much as {}\nread more\n{}", words(0), words(6), words(12))
            })
            .collect();
        let urls: Vec<String> = (0..30).map(|page| page.to_string()).collect();
        let pages: Vec<Page<'_>> = urls
            .iter()
            .zip(&texts)
            .map(|(url, text)| Page { url, text })
            .collect();
        let template = Miner::new(MineConfig::default())
            .unwrap()
            .mine("a.example", &pages);
        let found: Vec<&str> = template
            .expressions
            .iter()
            .map(|found| found.expression.as_str())
            .collect();
        assert_eq!(found, [r"([\t-\r ]+|^)read[\t-\r ]+more([\t-\r ]+|$)"]);
    }
}
