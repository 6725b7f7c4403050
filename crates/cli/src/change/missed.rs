//! Selectors that select no capture: a name may be misspelt, and then the nearest one helps.

use std::collections::BTreeSet;

use gleaner_corpus::{Crawl, SelectorKind, host};
use gleaner_dataflow::{Unmatched, unmatched};
use strsim::damerau_levenshtein;

use super::Changed;
use super::selected::Selected;

/// Letters of a URL that are compared.
const COMPARED: usize = 300;

/// A selector that selects no capture.
pub(super) struct Missed {
    /// As it was typed.
    typed: String,
    nearest: Option<String>,
}

impl Missed {
    /// Those of some selectors.
    pub(super) fn of(selected: &Selected, changed: &Changed) -> anyhow::Result<Vec<Missed>> {
        let Some(arguments) = changed
            .marker
            .arguments
            .as_ref()
            .filter(|_| !selected.selectors.is_empty())
        else {
            return Ok(Vec::new());
        };
        let is_labelled = changed.marker.identity.options.contains_key(Crawl::COLUMN);
        let unmatched = unmatched(&changed.output, arguments, is_labelled, &selected.selectors)?;
        let missed = unmatched.iter().map(|unmatched| Missed {
            typed: selected.typed[unmatched.selector].clone(),
            nearest: nearest(
                selected.selectors[unmatched.selector].kind(),
                &selected.typed[unmatched.selector],
                unmatched,
            ),
        });
        Ok(missed.collect())
    }

    pub(super) fn text(&self) -> String {
        match &self.nearest {
            Some(nearest) => format!("{} (the nearest that is there: {nearest})", self.typed),
            None => self.typed.clone(),
        }
    }

    pub(super) fn typed(&self) -> &str {
        &self.typed
    }
}

/// The host or URL that is nearest to what was typed, if any is near.
fn nearest(kind: SelectorKind, typed: &str, unmatched: &Unmatched) -> Option<String> {
    let typed = typed.split_whitespace().last()?;
    let urls = || unmatched.near.values().cloned();
    let candidates: BTreeSet<String> = match kind {
        SelectorKind::Site | SelectorKind::Domain => urls().map(|url| host(&url)).collect(),
        SelectorKind::Url | SelectorKind::Prefix => urls().collect(),
        SelectorKind::Record | SelectorKind::Text => return None,
    };
    let begin = |text: &str| text.chars().take(COMPARED).collect::<String>();
    let typed = begin(typed);
    let distances = candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty())
        .map(|candidate| {
            let distance = damerau_levenshtein(&typed, &begin(&candidate));
            (distance, candidate)
        });
    let (distance, candidate) = distances.min()?;
    let is_near = distance <= typed.chars().count() / 3;
    is_near.then_some(candidate)
}
