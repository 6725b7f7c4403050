//! The sums of one site in memory, and what a page is told of them.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::notes::TextNote;
use super::{PageNotes, PathSums};

/// What a site says of one of its pages: the answer to its notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Pages of the site, the page itself among them.
    pub pages: u32,
    /// For each fingerprint of the page, in their order, how many pages have it, itself among them.
    pub texts: Vec<(u128, u32)>,
    /// For each key of the page, in their order, the sums over all pages, itself among them.
    pub paths: Vec<(u64, PathSums)>,
}

impl Evidence {
    /// How many pages have a text.
    pub fn pages_with(&self, fingerprint: u128) -> u32 {
        let found = self.texts.binary_search_by_key(&fingerprint, |(text, _)| *text);
        found.map_or(0, |at| self.texts[at].1)
    }

    /// The sums of a place.
    pub fn sums(&self, key: u64) -> PathSums {
        let found = self.paths.binary_search_by_key(&key, |(path, _)| *path);
        found.map_or_else(|_| PathSums::default(), |at| self.paths[at].1)
    }
}

/// The sums of one site. Pages come and go in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteSums {
    pages: u32,
    texts: FxHashMap<u128, Text>,
    paths: FxHashMap<u64, PathSums>,
}

/// A text of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Text {
    pages: u32,
    /// Words by place.
    words: FxHashMap<u64, i64>,
}

impl SiteSums {
    /// Adds a page.
    pub fn add(&mut self, page: &PageNotes) {
        self.pages += 1;
        self.change(page, 1);
    }

    /// Takes a page off that was added.
    pub fn remove(&mut self, page: &PageNotes) {
        self.pages = self.pages.saturating_sub(1);
        self.change(page, -1);
    }

    /// How many pages there are.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// What the site says of a page that was added.
    pub fn evidence(&self, page: &PageNotes) -> Evidence {
        let mut texts: Vec<u128> = page.blocks.iter().filter_map(|block| block.fingerprint).collect();
        let mut paths: Vec<u64> = page.blocks.iter().map(|block| block.key).collect();
        texts.sort_unstable();
        texts.dedup();
        paths.sort_unstable();
        paths.dedup();
        let pages_with = |text| self.texts.get(&text).map_or(0, |known| known.pages);
        Evidence {
            pages: self.pages,
            texts: texts.into_iter().map(|text| (text, pages_with(text))).collect(),
            paths: paths
                .into_iter()
                .map(|key| (key, self.paths.get(&key).copied().unwrap_or_default()))
                .collect(),
        }
    }

    fn change(&mut self, page: &PageNotes, sign: i64) {
        for (key, sums) in page.sums() {
            self.add_to_path(key, if sign < 0 { -sums } else { sums });
        }
        for same_text in page
            .texts()
            .chunk_by(|one, other| one.fingerprint == other.fingerprint)
        {
            self.change_text(same_text, sign);
        }
    }

    /// Has one page more, or less, have a text; its words at all its places may change their class.
    fn change_text(&mut self, places: &[TextNote], sign: i64) {
        let fingerprint = places[0].fingerprint;
        let mut text = self.texts.remove(&fingerprint).unwrap_or_default();
        for (&key, &words) in &text.words {
            self.add_to_path(key, -PathSums::of_text(text.pages, words));
        }
        text.pages = text.pages.saturating_add_signed(sign as i32);
        for place in places {
            *text.words.entry(place.key).or_default() += sign * place.words;
        }
        text.words.retain(|_, words| *words != 0);
        for (&key, &words) in &text.words {
            self.add_to_path(key, PathSums::of_text(text.pages, words));
        }
        if text.pages > 0 {
            self.texts.insert(fingerprint, text);
        }
    }

    fn add_to_path(&mut self, key: u64, sums: PathSums) {
        let of_key = self.paths.entry(key).or_default();
        *of_key += sums;
        if of_key.is_zero() {
            self.paths.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::{BlockNote, fixed};
    use super::*;

    fn page() -> impl Strategy<Value = PageNotes> {
        let block = (prop::option::of(0u128..6), 0u64..4, 0u32..5, -20f32..20.0);
        prop::collection::vec(block, 0..6).prop_map(|blocks| PageNotes {
            logits: blocks.iter().map(|block| block.3).collect(),
            blocks: blocks
                .into_iter()
                .map(|(fingerprint, key, words, _)| BlockNote {
                    fingerprint,
                    key,
                    words,
                    is_title: false,
                })
                .collect(),
        })
    }

    fn pages_with(pages: &[PageNotes], text: u128) -> u32 {
        let has = |page: &&PageNotes| page.blocks.iter().any(|block| block.fingerprint == Some(text));
        pages.iter().filter(has).count() as u32
    }

    /// The sums of a place, block by block.
    fn slow(pages: &[PageNotes], key: u64) -> PathSums {
        let mut sums = PathSums::default();
        for page in pages {
            let blocks = page
                .blocks
                .iter()
                .zip(&page.logits)
                .filter(|(block, _)| block.key == key);
            sums.pages += i64::from(blocks.clone().next().is_some());
            for (block, &logit) in blocks {
                let words = i64::from(block.words);
                sums.blocks += 1;
                sums.logit += fixed(logit) * (words + 1);
                sums.words += words;
                if let Some(text) = block.fingerprint {
                    sums += PathSums::of_text(pages_with(pages, text), words);
                }
            }
        }
        sums
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_pages_that_stay(
            pages in prop::collection::vec(page(), 1..7),
            gone in prop::collection::vec(page(), 0..5),
            order in any::<prop::sample::Index>(),
        ) {
            let mut site = SiteSums::default();
            // The ones that go come first and in between, and go in another order.
            gone.iter().for_each(|page| site.add(page));
            let middle = order.index(pages.len());
            pages[middle..].iter().for_each(|page| site.add(page));
            gone.iter().rev().for_each(|page| site.remove(page));
            pages[..middle].iter().for_each(|page| site.add(page));

            let mut direct = SiteSums::default();
            pages.iter().for_each(|page| direct.add(page));
            prop_assert_eq!(&site, &direct);
            for page in &pages {
                let evidence = site.evidence(page);
                prop_assert_eq!(evidence.pages as usize, pages.len());
                for block in &page.blocks {
                    prop_assert_eq!(evidence.sums(block.key), slow(&pages, block.key));
                    if let Some(text) = block.fingerprint {
                        prop_assert_eq!(evidence.pages_with(text), pages_with(&pages, text));
                    }
                }
                let texts: BTreeSet<u128> = page.blocks.iter().filter_map(|block| block.fingerprint).collect();
                prop_assert!(evidence.texts.iter().map(|(text, _)| *text).eq(texts));
            }
            pages.iter().for_each(|page| site.remove(page));
            prop_assert_eq!(site, SiteSums::default());
        }
    }
}
