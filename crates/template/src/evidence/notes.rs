//! What is noted of a page's blocks for the sake of its site.

use gleaner_page::Page;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Fingerprinter, PathKeys, PathSums};

/// What is noted of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlockNote {
    /// Of its text; none for numbers alone, which do not count as repeated.
    pub fingerprint: Option<u128>,
    /// Of its place: [`PathKeys`].
    pub key: u64,
    /// Its words.
    pub words: u32,
    /// Whether it is the page's own title. Other pages have that too, in menus and in lists of what is
    /// new: it says nothing of the block.
    pub is_title: bool,
}

/// What is noted of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageNotes {
    /// A note a block.
    pub blocks: Vec<BlockNote>,
    /// The labeller's log odds that the block is content, a value a block, of the page by itself.
    pub logits: Vec<f32>,
}

/// Words of a page whose text is the same and in the same place, those of its title apart: what a page sends to the owner of
/// (site, fingerprint).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextNote {
    /// Of the text.
    pub fingerprint: u128,
    /// Of the place.
    pub key: u64,
    /// The words of all such blocks of the page.
    pub words: i64,
}

/// Notes pages; its memory is kept from page to page.
#[derive(Clone, Debug, Default)]
pub struct Noter {
    fingerprinter: Fingerprinter,
    keys: PathKeys,
}

impl Noter {
    /// Writes a note a block of a page into `notes`, given the words of each and the page's title.
    ///
    /// # Panics
    /// There are not as many numbers of words as blocks.
    pub fn note(&mut self, page: &Page, words: &[u32], title: Option<&str>, notes: &mut Vec<BlockNote>) {
        assert_eq!(
            page.blocks.len(),
            words.len(),
            "as many numbers of words as blocks"
        );
        self.keys.begin(page);
        notes.clear();
        let title = title.and_then(|title| self.fingerprinter.of(title));
        notes.extend(page.blocks.iter().zip(words).map(|(block, &words)| {
            let fingerprint = self.fingerprinter.of(page.text(block));
            BlockNote {
                fingerprint,
                key: self.keys.key(page, block.element),
                words,
                is_title: fingerprint.is_some() && fingerprint == title,
            }
        }));
    }
}

impl PageNotes {
    /// The page's texts, each once a place, in the order of fingerprints and keys. A page counts once
    /// for each fingerprint in it.
    pub fn texts(&self) -> Vec<TextNote> {
        let with_text = self.blocks.iter().filter_map(|block| {
            Some(TextNote {
                fingerprint: block.fingerprint?,
                key: block.key,
                words: if block.is_title { 0 } else { i64::from(block.words) },
            })
        });
        let mut texts: Vec<TextNote> = with_text.collect();
        texts.sort_unstable();
        texts.dedup_by(|later, first| {
            let same = (later.fingerprint, later.key) == (first.fingerprint, first.key);
            first.words += if same { later.words } else { 0 };
            same
        });
        texts
    }

    /// What the page adds to the sums of each place by itself, repetition apart; in the order of keys.
    ///
    /// # Panics
    /// There are not as many logits as blocks.
    pub fn sums(&self) -> Vec<(u64, PathSums)> {
        assert_eq!(self.blocks.len(), self.logits.len(), "as many logits as blocks");
        let mut sums: FxHashMap<u64, PathSums> = FxHashMap::default();
        for (block, &logit) in self.blocks.iter().zip(&self.logits) {
            let of_key = sums.entry(block.key).or_default();
            *of_key += PathSums::of_block(logit, block.words);
            of_key.pages = 1;
        }
        let mut sums: Vec<(u64, PathSums)> = sums.into_iter().collect();
        sums.sort_unstable_by_key(|(key, _)| *key);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_of_the_title_is_marked() {
        let mut parser = gleaner_page::Parser::new(gleaner_page::PageConfig::default());
        let html = b"<h1>Installing\xc2\xb6</h1><p>Installing it is easy</p><p>12</p>";
        let page = parser
            .parse(html, Some("text/html; charset=utf-8"))
            .expect("it is a page");
        let marked = |title| {
            let mut notes = Vec::new();
            Noter::default().note(page, &[1, 4, 1], title, &mut notes);
            notes.iter().map(|note| note.is_title).collect::<Vec<_>>()
        };
        assert_eq!(marked(Some("Installing")), [true, false, false]);
        assert_eq!(marked(Some("12")), [false; 3]);
        assert_eq!(marked(None), [false; 3]);
    }
}
