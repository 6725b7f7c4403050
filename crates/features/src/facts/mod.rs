//! What is measured on a page, before any of it is quantised: of the document, each element and
//! each block.

mod groups;
mod text;
mod tree;

use std::ops::Range;

use gleaner_page::{Block, Page};
use rustc_hash::FxHashMap;

pub(crate) use text::TextFacts;
pub(crate) use tree::{Around, ElementFacts};

use crate::Error;
use crate::chars::CharTable;
use crate::config::{FeatureConfig, Module};
use crate::regexps::Matcher;

/// Everything measured on a page. Memory is kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) document: DocumentFacts,
    pub(crate) elements: Vec<ElementFacts>,
    pub(crate) blocks: Vec<BlockFacts>,
    /// Blocks by the hash of their letters: how many, and which was first.
    same_letters: FxHashMap<u64, (u32, u32)>,
    /// Words outside of links by the element that makes a group.
    group_words: Vec<u32>,
}

/// What is measured on the document as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct DocumentFacts {
    pub(crate) words: u32,
    pub(crate) link_words: u32,
    pub(crate) sentences: u32,
    pub(crate) blocks: u32,
    /// The largest share that a div group has of the words outside of links.
    pub(crate) max_div_share: f32,
    /// The same of td groups.
    pub(crate) max_td_share: f32,
}

/// What is measured on a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockFacts {
    /// Its number on the page.
    pub(crate) index: u32,
    pub(crate) text: TextFacts,
    /// What stands around any of its runs.
    pub(crate) around: Around,
    /// Tags since the block before.
    pub(crate) split: SplitFacts,
    /// How many blocks have the same letters, this one included.
    pub(crate) duplicates: u32,
    /// Whether it is the first of several with the same letters.
    pub(crate) first_duplicate: bool,
    /// Numbers of matching expressions; of bullets a bit for each.
    pub(crate) url: u8,
    pub(crate) date: u8,
    pub(crate) time: u8,
    pub(crate) bullet: u8,
    /// The share of its div group of the document's words outside of links; zero without one.
    pub(crate) div_share: f32,
    /// The same of its td group.
    pub(crate) td_share: f32,
}

/// How many tags of a kind stand between a block and the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SplitFacts {
    pub(crate) p: u32,
    pub(crate) br: u32,
    pub(crate) hr: u32,
    pub(crate) inline: u32,
    pub(crate) block: u32,
}

/// Measures pages: the parts of a configuration that are made ready once.
#[derive(Clone, Debug)]
pub(crate) struct Measurer {
    chars: CharTable,
    url: Option<Matcher>,
    date: Option<Matcher>,
    time: Option<Matcher>,
    bullet: Option<Matcher>,
}

impl Measurer {
    pub(crate) fn new(config: &FeatureConfig) -> Result<Measurer, Error> {
        let matcher = |module, name, expressions| {
            config
                .has(module)
                .then(|| Matcher::new(name, expressions))
                .transpose()
        };
        let (sentences, regexps) = (&config.sentences, &config.regexps);
        Ok(Measurer {
            chars: CharTable::new(&sentences.stops, &sentences.full_stops, &sentences.closing),
            url: matcher(Module::Regexp, "regexp.url", &regexps.url)?,
            date: matcher(Module::Regexp, "regexp.date", &regexps.date)?,
            time: matcher(Module::Regexp, "regexp.time", &regexps.time)?,
            bullet: matcher(Module::Bullet, "bullet", &regexps.bullet)?,
        })
    }

    /// Measures a page.
    pub(crate) fn measure(&self, page: &Page, facts: &mut Facts) {
        facts.measure_elements(page);
        facts.blocks.clear();
        for (index, block) in page.blocks.iter().enumerate() {
            let block = self.measure_block(page, block, index, &facts.elements);
            facts.blocks.push(block);
        }
        facts.sum_up();
        facts.count_duplicates();
        facts.measure_groups(page);
    }

    fn measure_block(
        &self,
        page: &Page,
        block: &Block,
        index: usize,
        elements: &[ElementFacts],
    ) -> BlockFacts {
        let runs = page.runs(block);
        let around = runs.iter().fold(Around::default(), |all, run| {
            all | elements[run.element as usize].around
        });
        let text = TextFacts::of(&self.chars, page, block, elements);
        let (own, hints) = (page.text(block), text.hints);
        let first =
            |matcher: &Option<Matcher>| matcher.as_ref().map_or(0, |matcher| matcher.first(own, hints));
        BlockFacts {
            index: index as u32,
            around,
            split: SplitFacts::of(page, block),
            url: first(&self.url),
            date: first(&self.date),
            time: first(&self.time),
            bullet: self.bullet.as_ref().map_or(0, |matcher| matcher.all(own, hints)),
            text,
            ..BlockFacts::default()
        }
    }
}

impl Facts {
    fn sum_up(&mut self) {
        let sum = |of: fn(&TextFacts) -> u32| self.blocks.iter().map(|block| of(&block.text)).sum();
        self.document = DocumentFacts {
            words: sum(|text| text.words),
            link_words: sum(|text| text.link_words),
            sentences: sum(|text| text.sentences),
            blocks: self.blocks.len() as u32,
            ..DocumentFacts::default()
        };
    }

    fn count_duplicates(&mut self) {
        self.same_letters.clear();
        for block in &self.blocks {
            self.same_letters
                .entry(block.text.letters_hash)
                .or_insert((0, block.index))
                .0 += 1;
        }
        for block in &mut self.blocks {
            let (count, first) = self.same_letters[&block.text.letters_hash];
            block.duplicates = count;
            block.first_duplicate = count > 1 && first == block.index;
        }
    }
}

impl SplitFacts {
    fn of(page: &Page, block: &Block) -> SplitFacts {
        let mut counts = SplitFacts::default();
        for event in page.split(block) {
            counts.add(event.tag);
        }
        counts
    }
}

/// A share, zero where there is no whole.
pub(crate) fn share(part: u32, whole: u32) -> f32 {
    part as f32 / whole.max(1) as f32
}

/// A range of the page's text as byte offsets.
fn bytes(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
