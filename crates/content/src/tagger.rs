//! Labels for the blocks of a page: the hot loop of the program.

use std::sync::Arc;

use gleaner_columns::{Columns, Runs};
use gleaner_crf::{Chain, LANES, Lattice, Scores, Tables, Wide};

use crate::content::{ContentTables, Judging};
use crate::decoder::{best_content, content_probability, expected_f_threshold, pool_lines, set_content};
use crate::label_trees::{Joining, LabelForests, transitions};
use crate::{Decoder, Label, Labels, Model, TextCopy};

/// Tags pages with a model. Owns all that it works in, so that a page costs no allocation once the
/// largest one has been seen. One for each thread: a clone shares the model's tables.
#[derive(Clone, Debug)]
pub struct Tagger {
    labels: Labels,
    decoder: Decoder,
    columns: usize,
    tables: Arc<Tables>,
    label_trees: Option<Arc<LabelForests>>,
    by_kind: Option<Arc<ContentTables>>,
    chain: Chain,
    /// Where the codes of the page's columns change.
    runs: Runs,
    scores: Scores,
    judging: Judging,
    joining: Joining,
    /// The probability of each kind of page, where the model predicts them.
    kinds: [f32; LANES],
    lattice: Lattice,
    wide: Vec<Wide>,
    path: Vec<u8>,
    chosen: Vec<Label>,
    confidence: Vec<f32>,
    content: Vec<f32>,
    /// The probability above which blocks are content.
    threshold: f32,
    blocks: Vec<BlockSize>,
    order: Vec<u64>,
}

/// What the tagger needs to know of a block beside its features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSize {
    /// How many words it has.
    pub words: u32,
    /// Whether it is kept or dropped together with the block before: half a listing is of no use.
    pub with_before: bool,
}

/// The tagger's result for a page, a value per block.
#[derive(Clone, Copy, Debug)]
pub struct Tagged<'a> {
    /// The label.
    pub labels: &'a [Label],
    /// The marginal probability of that label.
    pub confidence: &'a [f32],
    /// The probability that the block is content, 1 - P(other); for lines of preformatted text the
    /// mean of all its lines, weighted by words.
    pub content: &'a [f32],
    /// The blocks with a larger probability are kept; infinite for a page that is expected to have too few words of content.
    pub threshold: f32,
    /// The blocks whose text another one has, too, in the order of the page; none where the model does not ask.
    pub copies: &'a [TextCopy],
    /// The probability that the page is of each kind, in the order of [`Model::kinds`].
    pub kinds: &'a [f32],
    /// The marginal probability of each label, in the order of [`Model::labels`]; then zeros.
    pub marginals: &'a [[f64; LANES]],
}

/// What a page is by itself, a value a block: of [`Tagger::tag_blocks`], for [`Tagger::decide_blocks`].
#[derive(Clone, Copy, Debug)]
pub struct Alone<'a> {
    /// [`Tagged::content`].
    pub content: &'a [f32],
    /// [`Tagged::content_labels`].
    pub labels: &'a [(Label, f32)],
    /// [`Tagged::copies`].
    pub copies: &'a [TextCopy],
}

impl Alone<'_> {
    /// The probabilities of content as they would be if no text stood on the page twice. It is these that something
    /// else than the page may change: what repetition takes is taken once, of what has come of it.
    pub fn unrepeated(&self) -> Vec<f32> {
        let mut content = self.content.to_vec();
        for copy in self.copies {
            content[copy.block as usize] = copy.content;
        }
        content
    }
}

impl Tagged<'_> {
    /// What each block is most probably if it is content, and with what probability then: what
    /// [`Tagger::decide_blocks`] asks for. The labels are those of the model.
    pub fn content_labels<'t>(&'t self, labels: &'t Labels) -> impl Iterator<Item = (Label, f32)> + 't {
        let other = labels.other();
        self.marginals.iter().map(move |row| {
            let best = usize::from(best_content(row, other));
            let of_content = row.iter().enumerate().filter(|(class, _)| *class != other);
            let sum: f64 = of_content.map(|(_, probability)| probability).sum();
            let share = if sum > 0.0 { row[best] / sum } else { 1.0 };
            (labels.as_slice()[best], share as f32)
        })
    }
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
            label_trees: LabelForests::new(&model.label_trees, model.label_inputs()).map(Arc::new),
            by_kind: model
                .content
                .as_ref()
                .map(|content| Arc::new(ContentTables::new(content))),
            chain: Chain::new(count, &transitions(&model.transitions, &model.label_trees)),
            runs: Runs::default(),
            scores: Scores::default(),
            judging: Judging::default(),
            joining: Joining::default(),
            kinds: [0.0; LANES],
            lattice: Lattice::default(),
            wide: Vec::new(),
            path: Vec::new(),
            chosen: Vec::new(),
            confidence: Vec::new(),
            content: Vec::new(),
            threshold: 0.0,
            blocks: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Labels the blocks of a page, each taken for one word and for a text of its own; see
    /// [`tag_blocks`](Self::tag_blocks).
    ///
    /// # Panics
    /// The page has another number of columns than the model: the extractor of the model's own
    /// configuration never makes such a page.
    pub fn tag(&mut self, page: &Columns) -> Tagged<'_> {
        let alone = BlockSize {
            words: 1,
            with_before: false,
        };
        self.tag_blocks(page, std::iter::repeat_n(alone, page.rows()))
    }

    /// Labels the blocks of a page, given how many words each has and which are lines of one text.
    ///
    /// # Panics
    /// As [`tag`](Self::tag); and if there are not as many sizes as blocks.
    pub fn tag_blocks(&mut self, page: &Columns, blocks: impl IntoIterator<Item = BlockSize>) -> Tagged<'_> {
        self.blocks.clear();
        self.blocks.extend(blocks);
        assert_eq!(self.blocks.len(), page.rows(), "as many sizes as blocks");
        self.judging.adjusting.repeats.clear();
        self.infer(page);
        self.judge_by_kind(page);
        let other = self.labels.other();
        self.content.clear();
        self.content
            .extend(self.wide.iter().map(|row| content_probability(row, other)));
        self.decide()
    }

    /// Labels once more the blocks of a page that was tagged with this model: something else than the
    /// page has changed the probabilities of content, from [`Alone::unrepeated`] to `content`. What content is stays
    /// as it was, and its features are not needed.
    ///
    /// A page that was expected to have enough words of content to be kept is kept, however many it
    /// is expected to have now. The kinds of the page are not given, nor the probabilities of other labels.
    ///
    /// # Panics
    /// There is not one of everything a block, or a label is none of the model's.
    pub fn decide_blocks(
        &mut self,
        alone: Alone<'_>,
        content: &[f32],
        blocks: impl IntoIterator<Item = BlockSize>,
    ) -> Tagged<'_> {
        self.blocks.clear();
        self.blocks.extend(blocks);
        let lengths = [alone.content.len(), content.len(), alone.labels.len()];
        assert_eq!(lengths, [self.blocks.len(); 3], "one of everything a block");
        let decoder = self.decoder_after(alone.content);
        self.content.clear();
        self.content.extend_from_slice(content);
        self.judging.adjusting.repeats.set(alone.copies);
        if let Some(tables) = &self.by_kind {
            tables.repeat(&self.blocks, &mut self.judging, &mut self.content);
        }
        let own = self.content.clone();
        pool_lines(&mut self.content, &self.blocks);
        self.threshold = self.find_threshold(decoder);
        self.wide.clear();
        self.choose(&own, alone.labels, self.threshold);
        Tagged {
            kinds: &[],
            ..self.tagged()
        }
    }

    /// Gives blocks their labels of content where their probability, that of their text's lines, is above a
    /// threshold. Their own are those of the labels.
    fn choose(&mut self, content: &[f32], labels: &[(Label, f32)], threshold: f32) {
        let known = self.labels.as_slice();
        let other = self.labels.other();
        // What has no share of anything is the first there is.
        let first = known[usize::from(best_content(&[0.0; LANES], other))];
        self.chosen.clear();
        self.confidence.clear();
        for ((&content, &pooled), &(label, share)) in content.iter().zip(&self.content).zip(labels) {
            assert!(known.contains(&label), "a label of the model");
            let of_label = (f64::from(content) * f64::from(share)) as f32;
            let (chosen, confidence) = match pooled > threshold {
                true if of_label > 0.0 => (label, of_label),
                true => (first, of_label),
                false => (known[other], (1.0 - f64::from(content)) as f32),
            };
            self.chosen.push(chosen);
            self.confidence.push(confidence);
        }
    }

    /// The decoder for a page that had some probabilities of content by itself.
    fn decoder_after(&self, before: &[f32]) -> Decoder {
        match self.decoder {
            Decoder::ExpectedF { beta, least_words } => {
                let words = before.iter().zip(&self.blocks);
                let expected: f64 = words
                    .map(|(&content, block)| f64::from(content) * f64::from(block.words))
                    .sum();
                let is_kept = expected >= f64::from(least_words);
                let least_words = if is_kept { 0.0 } else { least_words };
                Decoder::ExpectedF { beta, least_words }
            }
            decoder => decoder,
        }
    }

    /// Fills in the marginal probabilities.
    fn infer(&mut self, page: &Columns) {
        assert!(
            page.rows() == 0 || page.columns() == self.columns,
            "a page of other features"
        );
        self.runs.read(page);
        let scores = self.tables.score(page, &self.runs, &mut self.scores);
        if let Some(trees) = &self.label_trees {
            trees.join(page, &self.runs, &mut self.joining, scores);
        }
        self.wide.clear();
        self.wide.resize(scores.len(), [0.0; LANES]);
        self.chain
            .marginals(scores, &mut self.lattice, &mut self.wide, None);
    }

    /// Has the probability of content be that of the page's kinds; what it is given the labels of
    /// content stays as it was.
    fn judge_by_kind(&mut self, page: &Columns) {
        let Some(tables) = &self.by_kind else { return };
        let kinds = tables.kinds(page, &self.runs, &self.blocks, &mut self.judging);
        self.kinds = kinds.predicted;
        let judging = &mut self.judging;
        tables.content(
            page,
            &self.runs,
            &self.blocks,
            &kinds.judged,
            judging,
            &mut self.content,
        );
        let other = self.labels.other();
        for (row, &content) in self.wide.iter_mut().zip(&self.content) {
            set_content(row, other, f64::from(content));
        }
    }

    /// From probabilities to labels.
    fn decide(&mut self) -> Tagged<'_> {
        pool_lines(&mut self.content, &self.blocks);
        self.threshold = self.find_threshold(self.decoder);
        self.keep_above(self.threshold);
        self.describe();
        self.tagged()
    }

    /// The probability above which blocks are content.
    fn find_threshold(&mut self, decoder: Decoder) -> f32 {
        match decoder {
            Decoder::Marginal { threshold } => threshold,
            Decoder::ExpectedF { beta, least_words } => {
                expected_f_threshold(&self.content, &self.blocks, beta, least_words, &mut self.order)
            }
        }
    }

    fn tagged(&self) -> Tagged<'_> {
        Tagged {
            labels: &self.chosen,
            confidence: &self.confidence,
            content: &self.content,
            threshold: self.threshold,
            copies: self.judging.adjusting.repeats.copies(),
            kinds: &self.kinds[..self.by_kind.as_ref().map_or(0, |tables| tables.count())],
            marginals: &self.wide,
        }
    }

    fn keep_above(&mut self, threshold: f32) {
        let other = self.labels.other();
        self.path.clear();
        let rows = self.wide.iter().zip(&self.content);
        self.path
            .extend(rows.map(|(row, &content)| match content > threshold {
                true => best_content(row, other),
                false => other as u8,
            }));
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
