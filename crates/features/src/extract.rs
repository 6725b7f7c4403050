//! Pages to columns.

use std::ops::Range;

use gleaner_columns::{Columns, widest};
use gleaner_page::Page;

use crate::captions::captions;
use crate::catalogue::{Feature, FeatureKind, Value};
use crate::config::FeatureConfig;
use crate::facts::{BlockFacts, Facts, Measurer};
use crate::module::Module;
use crate::page_cues::PageCues;
use crate::preformatted::preformatted;
use crate::{Error, Query};

/// Turns pages into columns. It keeps its memory from page to page; a thread has one of its own.
#[derive(Clone)]
pub struct Extractor {
    config: FeatureConfig,
    columns: Vec<Column>,
    measurer: Measurer,
    facts: Facts,
    /// The landmarks by their bits: their columns, [`u16::MAX`] where there is none.
    landmarks: [u16; 32],
}

/// Blocks for which all columns are computed before the next ones: their facts stay in the nearest cache.
const TILE: usize = 64;
/// Values that are quantised at once.
const LANES: usize = 32;

/// A feature that is on, with its quantisation made ready.
#[derive(Clone)]
struct Column {
    feature: &'static Feature,
    steps: Steps,
}

/// How values become codes.
#[derive(Clone)]
enum Steps {
    /// The value is the code, and never above this.
    Same(f32),
    /// How many of these thresholds are less or equal. The first value of a list is none of them. They go by
    /// fours, filled up with what no value reaches.
    Thresholds(Vec<f32>),
    /// The value times this many, rounded down; 1 is in the last step.
    Scale(f32),
}

impl Extractor {
    /// An extractor for a configuration.
    ///
    /// # Errors
    /// When a list of values, a scale or an expression of the configuration is not sound.
    pub fn new(config: FeatureConfig) -> Result<Extractor, Error> {
        config.check()?;
        let column = |feature| Column {
            feature,
            steps: Steps::new(feature, &config),
        };
        let columns: Vec<Column> = config.features().map(column).collect();
        let mut landmarks = [u16::MAX; 32];
        for (number, column) in columns.iter().enumerate() {
            if let Value::Landmark(landmark) = column.feature.value {
                landmarks[landmark as usize] = number as u16;
            }
        }
        let measurer = config.measurer()?;
        Ok(Extractor {
            config,
            columns,
            measurer,
            facts: Facts::default(),
            landmarks,
        })
    }

    /// What the extractor was made with.
    pub fn config(&self) -> &FeatureConfig {
        &self.config
    }

    /// Fills `out` with the features of a page that was found at `url`.
    pub fn extract(&mut self, page: &Page, url: &str, out: &mut Columns) {
        let mut query = Query::default();
        if self.config.has(Module::Query) {
            query.add_url(url);
        }
        self.extract_asking(page, url, &query, out);
    }

    /// The same where it is known what was searched for, in place of the values in `url`. Without
    /// [`Module::Query`] it is ignored.
    pub fn extract_asking(&mut self, page: &Page, url: &str, query: &Query, out: &mut Columns) {
        let query = self.config.has(Module::Query).then_some(query);
        self.measurer.measure(page, url, query, &mut self.facts);
        let groups = if self.config.has(Module::Keyword) {
            self.config.keywords.len()
        } else {
            0
        };
        out.reset_unfilled(page.blocks.len(), self.columns.len() + groups);
        self.fill_columns(out);
        self.fill_landmarks(out);
        if groups > 0 {
            self.fill_keywords(out);
        }
        if self.measurer.is_beyond() {
            out.set_groups(self.facts.blocks.iter().map(|block| block.group));
            out.set_texts(self.facts.blocks.iter().map(|block| block.same_text));
            out.set_preformatted(preformatted(page));
            out.set_captions(captions(page, &self.facts.blocks));
        }
    }

    /// How many words (see [`words`](crate::words)) each block has of the page that was extracted
    /// last.
    pub fn word_counts(&self) -> impl Iterator<Item = u32> + '_ {
        let texts = self.facts.blocks.iter().map(|block| &block.text);
        texts.map(|text| text.words - text.unspaced)
    }

    /// The cues of the page that was extracted last, found at `url`. Nothing where no feature is on beyond the thesis's.
    pub fn page_cues(&self, page: &Page, url: &str, out: &mut PageCues) {
        if self.measurer.is_beyond() {
            out.read(page, &self.facts, url);
        }
    }

    fn fill_columns(&self, out: &mut Columns) {
        let mut raw = [0.0; TILE];
        for (number, column) in self.columns.iter().enumerate() {
            match column.feature.value {
                Value::Document(value) => out.column_mut(number).fill(column.steps.code(value(&self.facts))),
                Value::Landmark(_) => out.column_mut(number).fill(0),
                Value::Block(_) => {}
            }
        }
        widest(
            #[inline(always)]
            || {
                for (tile, blocks) in self.facts.blocks.chunks(TILE).enumerate() {
                    for (number, column) in self.columns.iter().enumerate() {
                        if let Value::Block(fill) = column.feature.value {
                            fill(&self.facts, blocks, &mut raw);
                            let codes = &mut out.column_mut(number)[tile * TILE..][..blocks.len()];
                            column.steps.quantise(&raw, codes);
                        }
                    }
                }
            },
        );
    }

    /// Goes over the landmarks there are, which are few. Neighbours often have the same.
    fn fill_landmarks(&self, out: &mut Columns) {
        let landmarks = |block: &BlockFacts| (block.landmarks | block.landmarks_near, block.landmarks_near);
        each_run(&self.facts.blocks, landmarks, |rows, (all, near)| {
            each_bit(all.into(), |bit| {
                if self.landmarks[bit] != u16::MAX {
                    let code = 2 - (near >> bit & 1);
                    out.column_mut(self.landmarks[bit].into())[rows.clone()].fill(code as u8);
                }
            });
        });
    }

    /// Codes of a keyword group: 0 without one of its keywords around the block, 1 with one within
    /// two elements, 2 within five, 3 farther.
    fn fill_keywords(&self, out: &mut Columns) {
        for group in self.columns.len()..out.columns() {
            out.column_mut(group).fill(0);
        }
        let keywords = |block: &BlockFacts| block.keywords;
        each_run(&self.facts.blocks, keywords, |rows, [near, middle, any]| {
            each_bit(any, |group| {
                let code = 3 - (middle >> group & 1) - (near >> group & 1);
                out.column_mut(self.columns.len() + group)[rows.clone()].fill(code as u8);
            });
        });
    }
}

/// Calls for each run of blocks that have the same, with the range of their numbers.
fn each_run<T: PartialEq>(
    blocks: &[BlockFacts],
    of: impl Fn(&BlockFacts) -> T,
    mut each: impl FnMut(Range<usize>, T),
) {
    let mut first = 0;
    for run in blocks.chunk_by(|block, next| of(block) == of(next)) {
        each(first..first + run.len(), of(&run[0]));
        first += run.len();
    }
}

/// Calls for each bit that is set, by its number.
#[inline]
fn each_bit(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

impl Steps {
    fn new(feature: &Feature, config: &FeatureConfig) -> Steps {
        match feature.kind {
            FeatureKind::Flag => Steps::Same(1.0),
            FeatureKind::Number(count) => Steps::Same(f32::from(count) - 1.0),
            FeatureKind::FirstMatch(_) | FeatureKind::AllMatches(_) => Steps::Same(255.0),
            FeatureKind::Values(_) => {
                Steps::thresholds(config.values.get(feature.name).map_or(&[][..], Vec::as_slice))
            }
            FeatureKind::Fixed(values) => Steps::thresholds(values),
            FeatureKind::Share(_) => Steps::Scale(
                config
                    .scales
                    .get(feature.name)
                    .map_or(1.0, |&steps| f32::from(steps)),
            ),
        }
    }

    /// Of the values of a list.
    fn thresholds(list: &[f64]) -> Steps {
        let mut list: Vec<f32> = list.iter().skip(1).map(|&value| value as f32).collect();
        list.resize(list.len().next_multiple_of(4), f32::NAN);
        Steps::Thresholds(list)
    }

    /// The code of one value.
    fn code(&self, raw: f32) -> u8 {
        let mut codes = [0];
        self.quantise(&[raw; TILE], &mut codes);
        codes[0]
    }

    /// The codes of as many values as there are codes to fill in, and then some: the loops are over whole
    /// vectors. That their number is not known beforehand keeps the compiler from writing out each step.
    #[inline(always)]
    fn quantise(&self, raw: &[f32; TILE], codes: &mut [u8]) {
        let mut all = [0; TILE];
        let length = codes.len().next_multiple_of(LANES).min(TILE);
        self.codes(&raw[..length], &mut all[..length]);
        codes.copy_from_slice(&all[..codes.len()]);
    }

    #[inline(always)]
    fn codes(&self, raw: &[f32], codes: &mut [u8]) {
        match self {
            Steps::Same(most) => {
                for (code, raw) in codes.iter_mut().zip(raw) {
                    *code = whole(raw.max(0.0).min(*most));
                }
            }
            Steps::Scale(steps) => {
                for (code, raw) in codes.iter_mut().zip(raw) {
                    *code = whole((raw * steps).max(0.0).min(steps - 1.0).floor());
                }
            }
            Steps::Thresholds(list) => {
                let mut counts = [0; TILE];
                let counts = &mut counts[..raw.len()];
                for [first, second, third, fourth] in list.as_chunks().0 {
                    for (count, raw) in counts.iter_mut().zip(raw) {
                        *count += i32::from(raw >= first)
                            + i32::from(raw >= second)
                            + i32::from(raw >= third)
                            + i32::from(raw >= fourth);
                    }
                }
                for (code, count) in codes.iter_mut().zip(counts) {
                    *code = *count as u8;
                }
            }
        }
    }
}

/// A whole number from 0 to 255 as a byte: the lowest of its bits, once it is so large that these count ones.
/// A conversion looks for all that a float can be, which takes longer.
#[inline(always)]
fn whole(number: f32) -> u8 {
    const LARGE: f32 = (1 << (f32::MANTISSA_DIGITS - 1)) as f32;
    (number + LARGE).to_bits() as u8
}
