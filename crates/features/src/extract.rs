//! Pages to columns.

use gleaner_page::Page;

use crate::catalogue::{Feature, Kind};
use crate::config::{FeatureConfig, Module};
use crate::facts::{BlockFacts, Facts, Measurer};
use crate::{Columns, Error};

/// Turns pages into columns. It keeps its memory from page to page; a thread has one of its own.
#[derive(Clone)]
pub struct Extractor {
    config: FeatureConfig,
    columns: Vec<Column>,
    measurer: Measurer,
    facts: Facts,
    raw: Vec<f32>,
}

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
    /// How many of these thresholds are less or equal. The first value of a list is none of them.
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
            steps: Steps::of(feature, &config),
        };
        let columns = config.features().map(column).collect();
        let measurer = Measurer::new(&config)?;
        Ok(Extractor {
            config,
            columns,
            measurer,
            facts: Facts::default(),
            raw: Vec::new(),
        })
    }

    /// What the extractor was made with.
    pub fn config(&self) -> &FeatureConfig {
        &self.config
    }

    /// Fills `out` with the features of a page that was found at `url`.
    pub fn extract(&mut self, page: &Page, url: &str, out: &mut Columns) {
        self.measurer.measure(page, url, &mut self.facts);
        let groups = if self.config.has(Module::Keyword) {
            self.config.keywords.len()
        } else {
            0
        };
        out.reset(page.blocks.len(), self.columns.len() + groups);
        self.raw.resize(page.blocks.len(), 0.0);
        for (number, column) in self.columns.iter().enumerate() {
            for (raw, block) in self.raw.iter_mut().zip(&self.facts.blocks) {
                *raw = (column.feature.value)(&self.facts, block);
            }
            column.steps.quantise(&self.raw, out.column_mut(number));
        }
        for group in 0..groups {
            let codes = out.column_mut(self.columns.len() + group);
            codes
                .iter_mut()
                .zip(&self.facts.blocks)
                .for_each(|(code, block)| *code = block.keyword_code(group));
        }
        if self.config.has(Module::NameTokens) {
            self.fill_bags(page, out);
        }
    }

    fn fill_bags(&self, page: &Page, out: &mut Columns) {
        for block in &self.facts.blocks {
            self.facts
                .hash_names(page, block.up[0], |hash| out.push_hash(hash));
            out.end_bag();
        }
    }
}

impl BlockFacts {
    /// 0 without a keyword of the group around the block, 1 with one within two elements, 2
    /// within five, 3 farther.
    fn keyword_code(&self, group: usize) -> u8 {
        let [near, middle, any] = self.keywords.map(|bits| (bits >> group & 1) as u8);
        if any == 0 { 0 } else { 3 - middle - near }
    }
}

impl Steps {
    fn of(feature: &Feature, config: &FeatureConfig) -> Steps {
        match feature.kind {
            Kind::Flag => Steps::Same(1.0),
            Kind::Number(count) => Steps::Same(f32::from(count) - 1.0),
            Kind::FirstMatch(_) | Kind::AllMatches(_) => Steps::Same(255.0),
            Kind::Values(_) => {
                let list = config.values.get(feature.name).map_or(&[][..], Vec::as_slice);
                Steps::Thresholds(list.iter().skip(1).map(|&value| value as f32).collect())
            }
            Kind::Share(_) => Steps::Scale(
                config
                    .scales
                    .get(feature.name)
                    .map_or(1.0, |&steps| f32::from(steps)),
            ),
        }
    }

    /// Loops over one threshold at a time, so that the compiler compares many blocks at once.
    fn quantise(&self, raw: &[f32], codes: &mut [u8]) {
        match self {
            Steps::Same(most) => {
                codes
                    .iter_mut()
                    .zip(raw)
                    .for_each(|(code, raw)| *code = raw.clamp(0.0, *most) as u8);
            }
            Steps::Scale(steps) => codes
                .iter_mut()
                .zip(raw)
                .for_each(|(code, raw)| *code = (raw * steps).clamp(0.0, steps - 1.0) as u8),
            Steps::Thresholds(list) => {
                for threshold in list {
                    codes
                        .iter_mut()
                        .zip(raw)
                        .for_each(|(code, raw)| *code += u8::from(raw >= threshold));
                }
            }
        }
    }
}
