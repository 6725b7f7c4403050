//! Labels for the blocks of a page: the hot loop of the program.

use std::sync::Arc;

use gleaner_features::Columns;

use crate::chain::{Chain, Lattice, Wide, argmax};
use crate::lanes::{LANES, Row};
use crate::scores::Tables;
use crate::{Decoder, Label, Labels, Model};

/// Tags pages with a model. Owns all that it works in, so that a page costs no allocation once the
/// largest one has been seen. One for each thread: a clone shares the model's tables.
#[derive(Clone, Debug)]
pub struct Tagger {
    labels: Labels,
    decoder: Decoder,
    columns: usize,
    tables: Arc<Tables>,
    chain: Chain,
    scores: Vec<Row>,
    lattice: Lattice,
    wide: Vec<Wide>,
    path: Vec<u8>,
    chosen: Vec<Label>,
    confidence: Vec<f32>,
    content: Vec<f32>,
}

/// What the tagger says of a page, a value a block.
#[derive(Clone, Copy, Debug)]
pub struct Tagged<'a> {
    /// The label.
    pub labels: &'a [Label],
    /// The marginal probability of that label.
    pub confidence: &'a [f32],
    /// The probability that the block is content: 1 - P(other).
    pub content: &'a [f32],
    /// The marginal probability of each label, in the order of [`Model::labels`]; then zeros.
    pub marginals: &'a [[f64; LANES]],
}

impl Tagger {
    /// Lays the weights out for tagging.
    pub fn new(model: &Model) -> Tagger {
        let count = model.labels.len();
        Tagger {
            labels: model.labels.clone(),
            decoder: model.decoder,
            columns: model.space.columns.len(),
            tables: Arc::new(Tables::new(&model.template, count, &model.weights)),
            chain: Chain::new(count, &model.transitions),
            scores: Vec::new(),
            lattice: Lattice::default(),
            wide: Vec::new(),
            path: Vec::new(),
            chosen: Vec::new(),
            confidence: Vec::new(),
            content: Vec::new(),
        }
    }

    /// Labels the blocks of a page.
    ///
    /// # Panics
    /// The page has another number of columns than the model: the extractor of the model's own
    /// configuration never makes such a page.
    pub fn tag(&mut self, page: &Columns) -> Tagged<'_> {
        assert!(
            page.rows() == 0 || page.columns() == self.columns,
            "a page of other features"
        );
        let scores = self.tables.score(page, &mut self.scores);
        self.wide.clear();
        self.wide.resize(scores.len(), [0.0; LANES]);
        let mut pairs = [[0.0; LANES]; LANES];
        self.chain
            .marginals(scores, &mut self.lattice, &mut self.wide, &mut pairs);
        match self.decoder {
            Decoder::Viterbi => self.chain.viterbi(scores, &mut self.lattice, &mut self.path),
            Decoder::Marginal { threshold } => {
                self.path.clear();
                let other = self.labels.other();
                self.path
                    .extend(self.wide.iter().map(|row| by_threshold(row, other, threshold)));
            }
        }
        self.describe();
        Tagged {
            labels: &self.chosen,
            confidence: &self.confidence,
            content: &self.content,
            marginals: &self.wide,
        }
    }

    fn describe(&mut self) {
        let other = self.labels.other();
        let rows = || self.path.iter().zip(&self.wide);
        self.chosen.clear();
        self.chosen.extend(
            self.path
                .iter()
                .map(|&class| self.labels.as_slice()[usize::from(class)]),
        );
        self.confidence.clear();
        self.confidence
            .extend(rows().map(|(&class, row)| row[usize::from(class)] as f32));
        self.content.clear();
        self.content
            .extend(self.wide.iter().map(|row| (1.0 - row[other]) as f32));
    }
}

/// The most probable content label if content is probable enough, else other.
fn by_threshold(row: &Wide, other: usize, threshold: f32) -> u8 {
    if 1.0 - row[other] <= f64::from(threshold) {
        return other as u8;
    }
    let mut content = row.map(|value| value as f32);
    content[other] = -1.0;
    argmax(&content) as u8
}
