//! Dates as the language of their place on the page writes them.

use std::iter::successors;
use std::ops::Range;

use gleaner_html::NONE;
use gleaner_metadata::{Language, published_in};

use crate::select::Marked;
use gleaner_metadata::date::{Partial, digit};

/// Reads the date of publication in the text of runs. Its language is that of the element around its first digit, else the page's.
pub(crate) fn read_where(
    text: &str,
    runs: Range<usize>,
    marked: &Marked<'_>,
    page_language: Option<&Language>,
) -> Option<Partial> {
    let language = || language(runs.clone(), marked, page_language);
    published_in(text, &language)
}

/// What the nearest element declares; a region that it leaves open is that of the next one of the same language.
fn language(runs: Range<usize>, marked: &Marked<'_>, page_language: Option<&Language>) -> Option<Language> {
    let Marked { page, outline, .. } = *marked;
    let mut elements = page.runs[runs].iter();
    let holder = elements.find(|run| page.run_text(run).chars().any(|letter| digit(letter).is_some()));
    let around = successors(holder.map(|run| run.element), |&at| {
        Some(page.elements[at as usize].parent).filter(|&parent| parent != NONE)
    });
    let declared = around
        .take_while(|_| outline.work.look())
        .filter_map(|at| Language::from_element(page, at))
        .chain(page_language.cloned())
        .reduce(Language::completed_by);
    Language::for_numbers(declared, page)
}
