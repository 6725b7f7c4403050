//! The sums of one site in memory, and the evidence from them for a page.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{KindShares, KindSums, PageNotes, PathSums};

/// The evidence of a site for one of its pages, from a sample of its pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Number of sampled pages.
    pub pages: u32,
    /// Whether the page is one of them. If so, numbers of pages and sums include it.
    pub has_page: bool,
    /// For each text of the page's notes, the number of sampled pages that have it.
    pub texts: Vec<u32>,
    /// For each place of the page's notes, the sums over the sampled pages.
    pub places: Vec<PathSums>,
    /// The sums over the sampled pages with an address like that of the page.
    pub kinds: KindSums,
}

impl Evidence {
    /// The number of sampled pages without the page itself.
    pub fn others(&self) -> u32 {
        self.pages.saturating_sub(u32::from(self.has_page))
    }

    /// The number of other sampled pages that have a text of the page's notes.
    pub(crate) fn others_with(&self, text: u32) -> u32 {
        self.texts[text as usize].saturating_sub(u32::from(self.has_page))
    }

    /// Leaves a sampled page out: for the `page` that the evidence is for, another capture of the same URL. `counts` has for each
    /// text of the `other` page's notes how many sampled pages have it.
    ///
    /// # Panics
    /// There are not as many counts as texts.
    pub fn leave_out(&mut self, page: &PageNotes, other: &PageNotes, counts: &[u32]) {
        self.pages = self.pages.saturating_sub(1);
        let texts: FxHashSet<u128> = other.texts.iter().copied().collect();
        for (pages, text) in self.texts.iter_mut().zip(&page.texts) {
            *pages = pages.saturating_sub(u32::from(texts.contains(text)));
        }
        let sums: FxHashMap<u64, PathSums> = other
            .places
            .iter()
            .copied()
            .zip(other.sums_with(counts))
            .collect();
        for (place, key) in self.places.iter_mut().zip(&page.places) {
            if let Some(&own) = sums.get(key) {
                *place += -own;
            }
        }
        if page.kind.address == other.kind.address {
            self.kinds = self.kinds - other.kind.sums();
        }
    }

    /// The probabilities of the page's kinds beside those of the other sampled pages, if these say anything.
    pub fn kinds(&self, page: &PageNotes) -> Option<KindShares> {
        let others = match self.has_page {
            true => self.kinds - page.kind.sums(),
            false => self.kinds,
        };
        page.kind.beside(&others)
    }

    /// For each place of the page's notes, the sums over the other sampled pages.
    pub(crate) fn other_places(&self, page: &PageNotes) -> Vec<PathSums> {
        match self.has_page {
            true => {
                let own = page.sums_with(&self.texts);
                self.places.iter().zip(own).map(|(&all, own)| all - own).collect()
            }
            false => self.places.clone(),
        }
    }
}

/// The sums of one site. Pages are added and removed in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteSums {
    pages: u32,
    texts: FxHashMap<u128, SiteText>,
    places: FxHashMap<u64, PathSums>,
    kinds: FxHashMap<u64, KindSums>,
}

/// A text of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SiteText {
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

    /// Removes a page that was added.
    pub fn remove(&mut self, page: &PageNotes) {
        self.pages = self.pages.saturating_sub(1);
        self.change(page, -1);
    }

    /// The number of pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The evidence for a page. `has_page` says whether it was added.
    pub fn evidence(&self, page: &PageNotes, has_page: bool) -> Evidence {
        let pages_with = |text| self.texts.get(text).map_or(0, |text| text.pages);
        let sums = |place| self.places.get(place).copied().unwrap_or_default();
        Evidence {
            pages: self.pages,
            has_page,
            texts: page.texts.iter().map(pages_with).collect(),
            places: page.places.iter().map(sums).collect(),
            kinds: self.kinds.get(&page.kind.address).copied().unwrap_or_default(),
        }
    }

    fn change(&mut self, page: &PageNotes, sign: i64) {
        for (&place, sums) in page.places.iter().zip(page.sums()) {
            self.add_to_place(place, if sign < 0 { -sums } else { sums });
        }
        let kinds = self.kinds.entry(page.kind.address).or_default();
        *kinds += if sign < 0 {
            -page.kind.sums()
        } else {
            page.kind.sums()
        };
        if kinds.is_zero() {
            self.kinds.remove(&page.kind.address);
        }
        let mut words = vec![FxHashMap::default(); page.texts.len()];
        for block in page.blocks.iter().filter(|block| block.can_repeat()) {
            let by_place: &mut FxHashMap<u64, i64> = &mut words[block.text as usize];
            *by_place.entry(page.places[block.place as usize]).or_default() += i64::from(block.words);
        }
        for (&text, words) in page.texts.iter().zip(words) {
            self.change_text(text, words, sign);
        }
    }

    /// Adds a text of a page, or removes it. The repetition of the text changes in all its places, also on other pages.
    fn change_text(&mut self, fingerprint: u128, by_place: FxHashMap<u64, i64>, sign: i64) {
        let mut text = self.texts.remove(&fingerprint).unwrap_or_default();
        for (&key, &words) in &text.words {
            self.add_to_place(key, -PathSums::repeated(text.pages, words));
        }
        text.pages = text.pages.saturating_add_signed(sign as i32);
        for (place, words) in by_place {
            *text.words.entry(place).or_default() += sign * words;
        }
        text.words.retain(|_, words| *words != 0);
        for (&key, &words) in &text.words {
            self.add_to_place(key, PathSums::repeated(text.pages, words));
        }
        if text.pages > 0 {
            self.texts.insert(fingerprint, text);
        }
    }

    fn add_to_place(&mut self, key: u64, sums: PathSums) {
        let place = self.places.entry(key).or_default();
        *place += sums;
        if place.is_zero() {
            self.places.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{BlockNote, KindNote, NO_TEXT, fixed_point};

    fn page() -> impl Strategy<Value = PageNotes> {
        let block = (
            prop::option::of(0usize..6),
            0u32..4,
            0u32..5,
            -20f32..20.0,
            any::<bool>(),
        );
        let kind = prop::option::of((0u8..3, prop::array::uniform8(0f32..1.0)));
        (prop::collection::vec(block, 0..6), kind).prop_map(|(blocks, kind)| {
            let mut notes = PageNotes::default();
            if let Some((address, shares)) = kind {
                notes.kind = KindNote::of(
                    &format!("http://a.example/{}/1", "x".repeat(usize::from(address))),
                    &shares,
                );
            }
            for (text, place, words, logit, is_title) in blocks {
                notes.logits.push(logit);
                notes.blocks.push(BlockNote {
                    text: text.map_or(NO_TEXT, |text| number(text as u128, &mut notes.texts)),
                    place: number(u64::from(place), &mut notes.places),
                    words,
                    is_title,
                    is_heading: false,
                });
            }
            notes
        })
    }

    fn number<T: Copy + Eq>(seen: T, all: &mut Vec<T>) -> u32 {
        let known = all.iter().position(|other| *other == seen);
        known.unwrap_or_else(|| {
            all.push(seen);
            all.len() - 1
        }) as u32
    }

    fn pages_with(pages: &[PageNotes], text: u128) -> u32 {
        pages.iter().filter(|page| page.texts.contains(&text)).count() as u32
    }

    /// The sums of a place over some of the pages, block by block.
    fn slow(of: &[PageNotes], pages: &[PageNotes], key: u64) -> PathSums {
        let mut sums = PathSums::default();
        for page in of {
            let blocks = page
                .blocks
                .iter()
                .zip(&page.logits)
                .filter(|(block, _)| page.places[block.place as usize] == key);
            sums.pages += i64::from(blocks.clone().next().is_some());
            for (block, &logit) in blocks {
                let words = i64::from(block.words);
                sums.blocks += 1;
                sums.logit += fixed_point(logit) * (words + 1);
                sums.words += words;
                if block.text != NO_TEXT && !block.is_title {
                    let text = page.texts[block.text as usize];
                    sums += PathSums::repeated(pages_with(pages, text), words);
                }
            }
        }
        sums
    }

    proptest! {
        #[test]
        fn sums_depend_on_the_remaining_pages_only(
            pages in prop::collection::vec(page(), 1..7),
            removed in prop::collection::vec(page(), 0..5),
            order in any::<prop::sample::Index>(),
        ) {
            let mut site = SiteSums::default();
            // Pages are removed in another order than they were added, and between others.
            removed.iter().for_each(|page| site.add(page));
            let middle = order.index(pages.len());
            pages[middle..].iter().for_each(|page| site.add(page));
            removed.iter().rev().for_each(|page| site.remove(page));
            pages[..middle].iter().for_each(|page| site.add(page));

            let mut direct = SiteSums::default();
            pages.iter().for_each(|page| direct.add(page));
            prop_assert_eq!(&site, &direct);
            for page in &pages {
                let evidence = site.evidence(page, true);
                prop_assert_eq!(evidence.pages as usize, pages.len());
                // A page gets the evidence of the others alone.
                let mut others = site.clone();
                others.remove(page);
                let apart = others.evidence(page, false);
                prop_assert_eq!((apart.others(), apart.pages), (evidence.others(), evidence.pages - 1));
                prop_assert_eq!(apart.kinds(page), evidence.kinds(page));
                for text in 0..page.texts.len() as u32 {
                    prop_assert_eq!(apart.others_with(text), evidence.others_with(text));
                }
                for (apart, other) in apart.other_places(page).iter().zip(evidence.other_places(page)) {
                    prop_assert_eq!((apart.pages, apart.blocks, apart.logit, apart.words),
                        (other.pages, other.blocks, other.logit, other.words));
                }
                for (&place, sums) in page.places.iter().zip(&evidence.places) {
                    prop_assert_eq!(*sums, slow(&pages, &pages, place));
                }
                for (&text, &with_text) in page.texts.iter().zip(&evidence.texts) {
                    prop_assert_eq!(with_text, pages_with(&pages, text));
                }
                for (&place, sums) in page.places.iter().zip(page.sums_with(&evidence.texts)) {
                    prop_assert_eq!(sums, slow(std::slice::from_ref(page), &pages, place));
                }
            }
            // A page that another one stands for gets the evidence of the others, too.
            let (page, other) = (&pages[0], &pages[pages.len() - 1]);
            let counts: Vec<u32> = other.texts.iter().map(|&text| pages_with(&pages, text)).collect();
            let mut without = site.evidence(page, false);
            without.leave_out(page, other, &counts);
            let same = site.evidence(other, true);
            if pages.len() == 1 {
                prop_assert_eq!(&without.places, &same.other_places(page));
            }
            let mut others = site.clone();
            others.remove(other);
            let apart = others.evidence(page, false);
            prop_assert_eq!((without.others(), &without.texts, without.kinds), (apart.others(), &apart.texts, apart.kinds));
            for (found, apart) in without.places.iter().zip(&apart.places) {
                prop_assert_eq!((found.pages, found.blocks, found.logit, found.words),
                    (apart.pages, apart.blocks, apart.logit, apart.words));
            }
            pages.iter().for_each(|page| site.remove(page));
            prop_assert_eq!(site, SiteSums::default());
        }
    }
}
