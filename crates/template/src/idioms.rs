//! Expressions that would only ever be put back: idioms of the language, "as much as".
//!
//! The cut-off is set so that no template is lost, and lets through what the language itself repeats.
//! Where few sites are mined, the second level (section 3.3) cannot tell those. But such strings
//! stand in the middle of lines that are otherwise kept, where the locality heuristics put them
//! back; a string of which that is true nearly everywhere is no template.

use std::ops::Range;

use crate::apply::Applier;
use crate::collection;
use crate::{CleanConfig, Error, Expression, Page, TokenConfig};

/// As many pages of the sample are looked at.
const PAGES: usize = 48;

/// And as many bytes of each.
const PAGE_BYTES: usize = 1 << 17;

/// Of a template's occurrences, at least one in so many lasts.
const ONE_IN: u32 = 8;

/// Takes away the expressions that hardly ever last on the pages of a sample.
pub(crate) fn drop_idioms(
    expressions: &mut Vec<Expression>,
    sample: &[&Page<'_>],
    tokens: &TokenConfig,
) -> Result<(), Error> {
    let applier = Applier::of(expressions.iter().map(|found| found.expression.as_str()), tokens)?;
    let clean = CleanConfig::default();
    let mut seen = vec![0u32; expressions.len()];
    let mut lasting = vec![0u32; expressions.len()];
    for page in sample.iter().take(PAGES) {
        let text = collection::beginning(page.text, PAGE_BYTES);
        let removed = applier.removed(text, &clean);
        applier.each_match(text, |expression, range| {
            seen[expression] += 1;
            lasting[expression] += u32::from(lasts(&removed, &range));
        });
    }
    let mut counts = seen.into_iter().zip(lasting);
    expressions.retain(|_| {
        let counts = counts.next();
        counts.is_none_or(|(seen, lasting)| seen == 0 || lasting * ONE_IN >= seen)
    });
    Ok(())
}

fn lasts(removed: &[Range<usize>], range: &Range<usize>) -> bool {
    let place = removed.partition_point(|removed| removed.end < range.end);
    removed
        .get(place)
        .is_some_and(|removed| removed.start <= range.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MineConfig, Miner};

    #[test]
    fn an_idiom_is_told_from_a_short_line() {
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
        assert_eq!(found, [r"(\s+|^)read\s+more(\s+|$)"]);
    }
}
