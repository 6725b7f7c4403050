//! What is measured on a page, before any of it is quantised: of the document, each element and
//! each block.

mod cues;
mod density;
mod groups;
mod keywords;
mod landmarks;
mod lines;
mod names;
mod place;
mod repetition;
mod root;
mod same_text;
mod text;
mod title;
mod tree;
mod window;

use std::hash::{Hash, Hasher};
use std::ops::Range;

use gleaner_page::{Block, Page};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

pub(crate) use cues::{Cues, GENERATOR_CODES, OG_TYPE_CODES};
pub(crate) use density::ElementSums;
pub(crate) use landmarks::Landmark;
pub(crate) use lines::{LineFacts, SHORT};
pub(crate) use place::{BlockPlace, heading_level};
pub(crate) use repetition::PathSums;
pub(crate) use root::Root;
pub(crate) use text::TextFacts;
use title::TitleFacts;
use tree::innermost_block_level;
pub(crate) use tree::{Around, ElementFacts, Holds};
pub(crate) use window::Surroundings;

use crate::chars::CharTable;
use crate::expressions::Regexps;
use crate::keywords::KeywordGroup;
use crate::regexps::Matcher;
use crate::{Error, Module, Query, QueryEvidence};

/// Everything measured on a page. Memory is kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) document: DocumentFacts,
    pub(crate) elements: Vec<ElementFacts>,
    /// Of each element. What loops over all elements ask for stands apart from the rest, which they need not go through.
    holds: Vec<Holds>,
    /// What each holds of the blocks' text: directly first, then with its descendants.
    pub(crate) sums: Vec<ElementSums>,
    /// The sum of the densities of each one's children.
    pub(crate) density_sums: Vec<f32>,
    densities: density::CompositeDensities,
    /// How much running text the children and grandchildren of each hold.
    paragraph_scores: Vec<f32>,
    /// The `<article>` elements, and the first main part.
    articles: Vec<u32>,
    main: u32,
    pub(crate) blocks: Vec<BlockFacts>,
    /// Blocks by the hash of their letters: how many, and which was first.
    same_letters: FxHashMap<u64, (u32, u32)>,
    /// The first block with a text, by the hash of the text.
    first_of_text: FxHashMap<u64, u32>,
    /// Words outside of links by the element that makes a group.
    group_words: Vec<u32>,
    /// The letters of the block at hand.
    letters: Vec<u8>,
    /// The text of the page with ASCII letters in lower case.
    small: String,
    names: names::Names,
    siblings: repetition::Siblings,
    paths: repetition::Paths,
    pub(crate) cues: Cues,
    /// Of each element; empty where nothing was asked.
    pub(crate) query: Vec<QueryEvidence>,
    /// Of each block; empty where they are not asked for.
    pub(crate) surroundings: Vec<Surroundings>,
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
    /// Long blocks with few links.
    pub(crate) long: u32,
    /// The most words outside of links that blocks of one tag path have.
    pub(crate) longest_path: u32,
    /// The element with the largest sum of densities below it, and that sum.
    pub(crate) densest: u32,
    pub(crate) best_density_sum: f32,
    /// The `<article>` with most words, and the first main part; [`NONE`] without one.
    pub(crate) article: u32,
    pub(crate) main: u32,
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
    /// The first block of the same text: see [`gleaner_columns::Columns::texts`].
    pub(crate) same_text: u32,
    /// Numbers of matching expressions; of bullets a bit for each.
    pub(crate) url: u8,
    pub(crate) date: u8,
    pub(crate) time: u8,
    pub(crate) bullet: u8,
    /// The share of its div group of the document's words outside of links; zero without one.
    pub(crate) div_share: f32,
    /// The same of its td group.
    pub(crate) td_share: f32,
    /// The innermost block-level element around it, and its three ancestors.
    pub(crate) up: [u32; 4],
    /// Keyword groups within 2, within 5 and within any number of elements.
    pub(crate) keywords: [u64; 3],
    /// How far it is below the document's densest element, -1 if it is not inside.
    pub(crate) in_densest: i32,
    /// How many elements up one holds the densest element.
    pub(crate) to_densest: u32,
    /// As `in_densest`, of the element with most running text in its children.
    pub(crate) in_readable: i32,
    /// As `in_densest`, of the largest article and the main part.
    pub(crate) in_article: i32,
    pub(crate) in_main: i32,
    /// Parts of the page around it, and those within three elements.
    pub(crate) landmarks: u32,
    pub(crate) landmarks_near: u32,
    /// Not shown as delivered.
    pub(crate) hidden: bool,
    /// Blocks of the same tag path, and of the same path of tags and classes.
    pub(crate) path: PathSums,
    pub(crate) class_path: PathSums,
    /// The number of the group of blocks that look like this one.
    pub(crate) group: u32,
    /// The most siblings of its kind that an element around the block has, how far up that element
    /// is (-1 for none), and which it is.
    pub(crate) repeated: u32,
    pub(crate) repeated_level: i32,
    pub(crate) repeated_element: u32,
    pub(crate) place: BlockPlace,
    pub(crate) line: LineFacts,
    /// Its words, those of scripts without spaces, too.
    pub(crate) words: u32,
    /// The groups of page cues that a block up to [`SHORT`] has a word of, a bit each.
    pub(crate) cues: u16,
}

impl BlockFacts {
    /// Whether such a part of a page is around it.
    pub(crate) fn has(&self, landmark: Landmark) -> bool {
        self.landmarks & landmark.bit() != 0
    }
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
    names: names::Wanted,
    /// Whether anything beyond the thesis's features is on.
    beyond: bool,
    /// Whether [`Module::Window`] is, and [`Module::Line`].
    window: bool,
    line: bool,
}

impl Measurer {
    /// A measurer for the features of some modules.
    pub(crate) fn new(
        modules: &[Module],
        chars: CharTable,
        regexps: &Regexps,
        groups: &[KeywordGroup],
    ) -> Result<Measurer, Error> {
        let has = |module| modules.contains(&module);
        let matcher =
            |module, name, expressions| has(module).then(|| Matcher::new(name, expressions)).transpose();
        Ok(Measurer {
            chars,
            url: matcher(Module::Regexp, "regexp.url", &regexps.url)?,
            date: matcher(Module::Regexp, "regexp.date", &regexps.date)?,
            time: matcher(Module::Regexp, "regexp.time", &regexps.time)?,
            bullet: matcher(Module::Bullet, "bullet", &regexps.bullet)?,
            names: names::Wanted {
                keywords: has(Module::Keyword).then(|| keywords::Keywords::new(groups)),
            },
            beyond: modules.iter().any(|module| !Module::VICTOR.contains(module)),
            window: has(Module::Window),
            line: has(Module::Line),
        })
    }

    /// Whether anything beyond the thesis's features is measured.
    pub(crate) fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// Measures a page that was found at `url`, and what `query` finds on it.
    pub(crate) fn measure(&self, page: &Page, url: &str, query: Option<&Query>, facts: &mut Facts) {
        facts.query = query.map_or_else(Vec::new, |query| query.evidence(page));
        facts.surroundings.clear();
        facts.measure_elements(page, self.beyond.then_some(&self.names));
        facts.small.clone_from(&page.text);
        facts.small.make_ascii_lowercase();
        facts.blocks.clear();
        for (index, block) in page.blocks.iter().enumerate() {
            let Facts {
                elements,
                sums,
                letters,
                ..
            } = facts;
            let text = TextFacts::new(&self.chars, page, block, elements, sums, letters);
            let block = self.measure_block(page, &facts.small, block, index, &facts.elements, text);
            facts.blocks.push(block);
        }
        facts.sum_up();
        facts.count_duplicates();
        facts.measure_groups(page);
        if self.beyond {
            self.measure_beyond(page, url, facts);
        }
    }

    fn measure_beyond(&self, page: &Page, url: &str, facts: &mut Facts) {
        facts.sum_subtrees(page);
        facts.compare_elements(page);
        facts.choose_elements(page);
        facts.measure_repetition(page);
        facts.compare_texts(page);
        facts.measure_landmarks(page);
        facts.measure_place(page);
        facts.measure_cues(page, url);
        if self.names.keywords.is_some() {
            facts.measure_keywords(page);
        }
        facts.measure_words(page, self.line);
        if self.line {
            facts.measure_lines();
        }
        if self.window {
            facts.measure_surroundings(page);
            facts.compare_with_title(page);
        }
    }

    fn measure_block(
        &self,
        page: &Page,
        small: &str,
        block: &Block,
        index: usize,
        elements: &[ElementFacts],
        text: TextFacts,
    ) -> BlockFacts {
        let runs = page.runs(block);
        let around = runs.iter().fold(Around::default(), |all, run| {
            all | elements[run.element as usize].around
        });
        let (own, hints) = (
            [&*page.text, small].map(|text| &text[bytes(&block.text)]),
            text.hints,
        );
        let first =
            |matcher: &Option<Matcher>| matcher.as_ref().map_or(0, |matcher| matcher.first(own, hints));
        BlockFacts {
            index: index as u32,
            around,
            split: SplitFacts::new(page, block),
            url: first(&self.url),
            date: first(&self.date),
            time: first(&self.time),
            bullet: self.bullet.as_ref().map_or(0, |matcher| matcher.all(own, hints)),
            up: up(page, block.element),
            hidden: block.hidden,
            text,
            ..BlockFacts::default()
        }
    }
}

/// The innermost block-level element around an element and its three ancestors; the root again
/// where there are fewer.
fn up(page: &Page, element: u32) -> [u32; 4] {
    let mut last = innermost_block_level(page, element);
    let mut levels = page.ancestors(last);
    std::array::from_fn(|_| {
        last = levels.next().unwrap_or(last);
        last
    })
}

impl Facts {
    fn sum_up(&mut self) {
        let mut sums = DocumentFacts {
            blocks: self.blocks.len() as u32,
            ..DocumentFacts::default()
        };
        for BlockFacts { text, .. } in &self.blocks {
            sums.words += text.words;
            sums.link_words += text.link_words;
            sums.sentences += text.sentences;
        }
        self.document = sums;
    }

    fn count_duplicates(&mut self) {
        clear_for(&mut self.same_letters, self.blocks.len());
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
    fn new(page: &Page, block: &Block) -> SplitFacts {
        let mut counts = SplitFacts::default();
        for event in page.split(block) {
            counts.add(*event);
        }
        counts
    }
}

/// Empties a map for about this many entries. One that a large page left much larger is made again:
/// each of its slots would be a cache miss.
fn clear_for<V>(map: &mut FxHashMap<u64, V>, entries: usize) {
    let entries = entries.max(64);
    if map.capacity() > 4 * entries {
        *map = FxHashMap::with_capacity_and_hasher(entries, FxBuildHasher);
    } else {
        map.clear();
    }
}

/// A share, zero where there is no whole.
pub(crate) fn share(part: u32, whole: u32) -> f32 {
    part as f32 / whole.max(1) as f32
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A range of the page's text as byte offsets.
fn bytes(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
