//! Labels for the blocks of a page: the hot loop of the program.

use std::sync::Arc;

use gleaner_features::Columns;

use crate::chain::{Chain, Lattice, Wide};
use crate::decoder::{by_threshold, content_probability, expected_f_threshold};
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
    words: Vec<u32>,
    order: Vec<u32>,
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
            words: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Labels the blocks of a page. (A model that decides by the expected F measure takes each
    /// block for one word; see [`tag_words`](Self::tag_words).)
    ///
    /// # Panics
    /// The page has another number of columns than the model: the extractor of the model's own
    /// configuration never makes such a page.
    pub fn tag(&mut self, page: &Columns) -> Tagged<'_> {
        self.words.clear();
        self.words.resize(page.rows(), 1);
        self.infer(page);
        self.decide()
    }

    /// Labels the blocks of a page, given how many words each has.
    ///
    /// # Panics
    /// As [`tag`](Self::tag); and if there are not as many numbers as blocks.
    pub fn tag_words(&mut self, page: &Columns, words: impl IntoIterator<Item = u32>) -> Tagged<'_> {
        self.words.clear();
        self.words.extend(words);
        assert_eq!(
            self.words.len(),
            page.rows(),
            "as many numbers of words as blocks"
        );
        self.infer(page);
        self.decide()
    }

    /// Fills in the marginal probabilities, and the path where it is decoded from scores.
    fn infer(&mut self, page: &Columns) {
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
        if self.decoder == Decoder::Viterbi {
            self.chain.viterbi(scores, &mut self.lattice, &mut self.path);
        }
    }

    /// From probabilities to labels.
    fn decide(&mut self) -> Tagged<'_> {
        let other = self.labels.other();
        self.content.clear();
        self.content
            .extend(self.wide.iter().map(|row| content_probability(row, other)));
        match self.decoder {
            Decoder::Viterbi => {}
            Decoder::Marginal { threshold } => self.keep_above(threshold),
            Decoder::ExpectedF { beta, least_words } => {
                let setting = (beta, least_words);
                let threshold = expected_f_threshold(&self.content, &self.words, setting, &mut self.order);
                self.keep_above(threshold);
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

    fn keep_above(&mut self, threshold: f32) {
        let other = self.labels.other();
        self.path.clear();
        self.path
            .extend(self.wide.iter().map(|row| by_threshold(row, other, threshold)));
    }

    fn describe(&mut self) {
        let labels = self.labels.as_slice();
        self.chosen.clear();
        self.chosen
            .extend(self.path.iter().map(|&class| labels[usize::from(class)]));
        let rows = self.path.iter().zip(&self.wide);
        self.confidence.clear();
        self.confidence
            .extend(rows.map(|(&class, row)| row[usize::from(class)] as f32));
    }
}
