//! Which selectors match no capture of a version, and which pages are near what they name: a name may be misspelt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_corpus::{Arguments, Matcher, Rule, RuleKind, Rules, Selector, SelectorKind};
use gleaner_store::Output;

use crate::change::base::Base;
use crate::data::key::{KeyParts, KeyRange, after, is_site_file};
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::rules::RulesOfArchive;
use crate::sorted_runs::{Merge, Runs};
use crate::staging::Staging;

/// A selector that matches no capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmatched {
    /// Its number among the selectors.
    pub selector: usize,
    /// Pages of the units in which its pages would stand, by the SURTs of their URLs.
    pub near: BTreeMap<String, String>,
}

/// Which of some selectors match no capture of a version: captures that a rule leaves out already are none. Waits for the store.
///
/// # Errors
/// The state of the corpus cannot be read.
pub fn unmatched(
    output: &Output,
    arguments: &Arguments,
    is_labelled: bool,
    selectors: &[Selector],
) -> Result<Vec<Unmatched>, Error> {
    let base = Base::read(output, arguments)?;
    let staging = Arc::new(Staging::new(output));
    let [pages, _] = base.runs().map(|run| Runs::new(&staging, vec![Arc::new(run)]));
    let version = Version {
        prefixes: base.prefixes(),
        base,
        pages,
        is_labelled,
    };
    let mut anywhere = BTreeSet::new();
    let mut unmatched = Vec::new();
    for (number, selector) in selectors.iter().enumerate() {
        match selector.ranges() {
            None => {
                anywhere.insert(number);
            }
            Some(ranges) if !version.has(selector, &ranges)? => unmatched.push(Unmatched {
                selector: number,
                near: version.near(&ranges)?,
            }),
            Some(_) => {}
        }
    }
    let others = version.none_of(selectors, anywhere)?;
    unmatched.extend(others.into_iter().map(|selector| Unmatched {
        selector,
        near: BTreeMap::new(),
    }));
    unmatched.sort_by_key(|unmatched| unmatched.selector);
    Ok(unmatched)
}

/// A version of a corpus.
struct Version {
    base: Base,
    pages: Runs,
    /// How the keys of its crawls begin.
    prefixes: Vec<Vec<u8>>,
    is_labelled: bool,
}

impl Version {
    /// Ranges of SURTs in each crawl.
    fn in_crawls<'a>(&'a self, ranges: &'a [KeyRange]) -> impl Iterator<Item = KeyRange> + 'a {
        self.prefixes.iter().flat_map(move |prefix| {
            ranges.iter().map(move |range| {
                let with = |surt: &[u8]| [&**prefix, surt].concat();
                let end = match range.end.is_empty() {
                    true => after(prefix),
                    false => with(&range.end),
                };
                with(&range.start)..end
            })
        })
    }

    /// Whether a selector matches a capture in these ranges.
    fn has(&self, selector: &Selector, ranges: &[KeyRange]) -> Result<bool, Error> {
        let rules = rules_of(&[selector])?;
        for range in self.in_crawls(ranges) {
            let mut pages = Merge::new(&self.pages, &range.start, &range.end)?;
            while let Some(record) = pages.next()? {
                let parts = KeyParts::of(record.key, self.is_labelled).ok_or(Error::Damaged)?;
                if rules.by_names(&parts.names()).is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The pages of the units in which the first of these ranges begins.
    fn near(&self, ranges: &[KeyRange]) -> Result<BTreeMap<String, String>, Error> {
        let mut near = BTreeMap::new();
        for range in self.in_crawls(&ranges[..ranges.len().min(1)]) {
            let place = range.start.clone()..[&*range.start, &[0]].concat();
            for unit in self.base.units_of(&place) {
                let keys = &self.base.units[unit].keys;
                let mut pages = Merge::new(&self.pages, &keys.start, &keys.end)?;
                while let Some(record) = pages.next()? {
                    if is_site_file(record.key) {
                        continue;
                    }
                    let parts = KeyParts::of(record.key, self.is_labelled).ok_or(Error::Damaged)?;
                    near.insert(parts.surt.to_owned(), parts.url.to_owned());
                }
            }
        }
        Ok(near)
    }

    /// Those of some records and texts, given by their numbers, that are nowhere.
    fn none_of(&self, selectors: &[Selector], mut wanted: BTreeSet<usize>) -> Result<BTreeSet<usize>, Error> {
        if wanted.is_empty() {
            return Ok(wanted);
        }
        let numbers: BTreeMap<String, usize> = wanted
            .iter()
            .map(|&number| (selectors[number].name(), number))
            .collect();
        let texts = wanted
            .iter()
            .map(|&number| &selectors[number])
            .filter(|selector| selector.kind() == SelectorKind::Text);
        let has_texts = texts.count() > 0;
        let mut pages = Merge::new(&self.pages, &[], &[])?;
        while let Some(record) = pages.next()?.filter(|_| !wanted.is_empty()) {
            let parts = KeyParts::of(record.key, self.is_labelled).ok_or(Error::Damaged)?;
            let ids = [parts.record, parts.drawn_from].into_iter().filter_map(|id| {
                let id = Selector::new(SelectorKind::Record, id).ok()?;
                Some(id.name())
            });
            let text = match has_texts {
                true => text_of(record.value)?,
                false => None,
            };
            for name in ids.chain(text) {
                numbers.get(&name).into_iter().for_each(|number| {
                    wanted.remove(number);
                });
            }
        }
        Ok(wanted)
    }
}

/// The name of the selector of a page's texts.
fn text_of(page: &[u8]) -> Result<Option<String>, Error> {
    let StagedPage::Page(page) = StagedPage::take(page)? else {
        return Ok(None);
    };
    let digest = gleaner_corpus::text_digest(page.blocks.layout.texts());
    let selector = Selector::new(SelectorKind::Text, &digest);
    Ok(selector.ok().map(|selector| selector.name()))
}

/// A rule of some selectors, for all archives.
fn rules_of(selectors: &[&Selector]) -> Result<RulesOfArchive, Error> {
    let selectors: Vec<Selector> = selectors.iter().copied().cloned().collect();
    let rule = Rule {
        id: Rule::id(1),
        kind: RuleKind::Takedown,
        matcher: Matcher::names(RuleKind::Takedown, &selectors),
        since: 1,
        until: None,
        reason: String::new(),
        source: None,
    };
    Ok(RulesOfArchive::new(&Rules::new(vec![rule])?, 1))
}
