//! A trained model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use gleaner_crf::{Attribute, Template, TemplateConfig};
use gleaner_features::Extractor;
use gleaner_gbdt::{Split, Trees};

use crate::adjust::Adjustments;
use crate::confidence::{Calibration, expected_f1};
use crate::content::{ContentColumns, ContentModel};
use crate::conventions::Conventions;
use crate::decoder::Decoder;
use crate::label_trees::Inputs;
use crate::training_pages::TrainingPages;
use crate::{BlockSize, Error, FeatureSpace, Label, Labels};

/// Counts of a model's trees.
#[derive(Clone, Debug, PartialEq)]
pub struct TreesInfo {
    /// How many there are.
    pub count: usize,
    /// How many leaves each of them has.
    pub leaves: usize,
    /// What they count in the mean with the weights, 0 to 1.
    pub share: f32,
    /// How many questions are about each column, or kind of page.
    pub asked: Vec<(String, usize)>,
}

/// A trained model: what it was trained on, and its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) space: FeatureSpace,
    pub(crate) labels: Labels,
    pub(crate) template_config: TemplateConfig,
    pub(crate) template: Template,
    pub(crate) decoder: Decoder,
    pub(crate) card: String,
    /// Row by row: the label before, the label after.
    pub(crate) transitions: Vec<f32>,
    /// Attribute by attribute, a weight a label.
    pub(crate) weights: Vec<f32>,
    /// Trees for each label, that judge beside the weights; or none.
    pub(crate) label_trees: Vec<Trees>,
    /// What judges content, where it is not the labels' own probabilities.
    pub(crate) content: Option<ContentModel>,
    /// How good its texts are, by what it expects of them.
    pub(crate) calibration: Calibration,
    /// The pages that it was trained on, if that is recorded.
    pub(crate) training_pages: Option<TrainingPages>,
    made: Made,
}

/// The extractor of a model, once it was asked for: its expressions take long to compile. Models that differ in nothing
/// else are equal.
#[derive(Clone, Default)]
struct Made(OnceLock<Extractor>);

impl fmt::Debug for Made {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.get().is_some() {
            "made"
        } else {
            "not made"
        })
    }
}

impl PartialEq for Made {
    fn eq(&self, _: &Made) -> bool {
        true
    }
}

/// Counts of all trees of the same shape together.
fn described(forests: &[Trees], name: impl Fn(usize) -> String) -> TreesInfo {
    let mut asked = BTreeMap::<u16, usize>::new();
    let splits = forests.iter().flat_map(|trees| &trees.splits);
    for split in splits.filter(|split| **split != Split::NOTHING) {
        *asked.entry(split.question.input).or_default() += 1;
    }
    TreesInfo {
        count: forests.iter().map(Trees::count).sum(),
        leaves: forests[0].width,
        share: forests[0].share,
        asked: asked
            .into_iter()
            .map(|(input, count)| (name(usize::from(input)), count))
            .collect(),
    }
}

impl Model {
    /// A model all of whose weights are zero.
    ///
    /// # Errors
    /// The template does not fit the features, or the decoder's settings are out of range.
    pub fn zero(
        space: FeatureSpace,
        labels: Labels,
        template: TemplateConfig,
        decoder: Decoder,
    ) -> Result<Model, Error> {
        decoder.check()?;
        let compiled = Template::compile(&template, &space.columns)?;
        let count = labels.len();
        Ok(Model {
            transitions: vec![0.0; count * count],
            weights: vec![0.0; compiled.attributes() * count],
            template: compiled,
            template_config: template,
            card: String::new(),
            space,
            labels,
            decoder,
            label_trees: Vec::new(),
            content: None,
            calibration: Calibration::default(),
            training_pages: None,
            made: Made::default(),
        })
    }

    /// The features that the model needs.
    pub fn space(&self) -> &FeatureSpace {
        &self.space
    }

    /// The labels it distinguishes.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Its template.
    pub fn template(&self) -> &TemplateConfig {
        &self.template_config
    }

    /// The kinds of pages by which it judges content; none where it uses the labels alone.
    pub fn kinds(&self) -> &[String] {
        self.content.as_ref().map_or(&[], |content| &content.kinds)
    }

    /// The conventions of gold sets that it knows, and the kinds of the pages of each.
    pub fn conventions(&self) -> BTreeMap<String, Vec<String>> {
        let of_model = self.content.iter().flat_map(|content| {
            content.conventions.iter().map(|(name, kinds)| {
                let names = content.kinds.iter().enumerate();
                let own = names.filter(|(kind, _)| kinds.has(*kind));
                (name.to_owned(), own.map(|(_, name)| name.clone()).collect())
            })
        });
        of_model.collect()
    }

    /// Has it judge all pages by the convention of a gold set; or by none, as it does at first. A convention that has
    /// every kind changes nothing. It is no part of a model file, and the kinds of pages are predicted as before.
    ///
    /// # Errors
    /// It does not know such a convention.
    pub fn set_convention(&mut self, name: Option<&str>) -> Result<(), Error> {
        match &mut self.content {
            Some(content) => content.conventions.choose(name),
            None => Conventions::default().choose(name),
        }
    }

    /// How it decides.
    pub fn decoder(&self) -> Decoder {
        self.decoder
    }

    /// Has it decide in another way.
    ///
    /// # Errors
    /// The decoder's settings are out of range.
    pub fn set_decoder(&mut self, decoder: Decoder) -> Result<(), Error> {
        decoder.check()?;
        self.decoder = decoder;
        Ok(())
    }

    /// The expected word F1 of a page's kept text, from 0 to 1, none if nothing is kept; given for each block the probability of content, the final label
    /// and the size. It is calibrated if the model has a [calibration](Self::set_calibration).
    pub fn confidence(
        &self,
        content: &[f32],
        labels: &[Label],
        blocks: impl IntoIterator<Item = BlockSize>,
    ) -> Option<f32> {
        expected_f1(content, labels, blocks).map(|expected| self.calibration.observed(expected))
    }

    /// How good its texts are, by what it expects of them.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Records how good its texts are: [`Calibration::fit`].
    pub fn set_calibration(&mut self, calibration: Calibration) {
        self.calibration = calibration;
    }

    /// Data, licence, command and scores, TOML.
    pub fn card(&self) -> &str {
        &self.card
    }

    /// The pages that the model was trained on; `None` where that is not recorded.
    pub fn training_pages(&self) -> Option<&TrainingPages> {
        self.training_pages.as_ref()
    }

    /// Records the pages that the model was trained on.
    pub fn set_training_pages(&mut self, pages: Option<TrainingPages>) {
        self.training_pages = pages;
    }

    /// Writes the card.
    pub fn set_card(&mut self, card: String) {
        self.card = card;
    }

    /// The score of each label (column) after each label (row).
    pub fn transitions(&self) -> &[f32] {
        &self.transitions
    }

    /// The attributes with their weights, a label each.
    pub fn attributes(&self) -> impl Iterator<Item = (Attribute, &[f32])> {
        let rows = self.weights.chunks_exact(self.labels.len());
        rows.enumerate()
            .map(|(attribute, weights)| (self.template.attribute(attribute), weights))
    }

    /// The attributes by which it predicts the kind of a page, with a weight a kind each.
    pub fn kind_attributes(&self) -> impl Iterator<Item = (Attribute, &[f32])> {
        self.by_kind(|content| &content.gate)
    }

    /// The attributes by which it judges content on pages of each kind, with a weight a kind each.
    pub fn content_attributes(&self) -> impl Iterator<Item = (Attribute, &[f32])> {
        self.by_kind(|content| &content.weights)
    }

    fn by_kind<'m>(
        &'m self,
        of: impl Fn(&'m ContentModel) -> &'m Vec<f32>,
    ) -> impl Iterator<Item = (Attribute, &'m [f32])> {
        self.content.iter().flat_map(move |content| {
            let rows = of(content).chunks_exact(content.kinds.len());
            rows.enumerate()
                .map(|(attribute, weights)| (content.template.attribute(attribute), weights))
        })
    }

    /// How many weights are not zero, transitions included.
    pub fn nonzero(&self) -> usize {
        let by_kind = self
            .content
            .iter()
            .flat_map(|content| content.gate.iter().chain(&content.weights));
        self.transitions
            .iter()
            .chain(&self.weights)
            .chain(by_kind)
            .filter(|weight| **weight != 0.0)
            .count()
    }

    /// The boosted trees that judge content beside the weights, if there are any.
    pub fn trees(&self) -> Option<TreesInfo> {
        let content = self.content.as_ref()?;
        let columns = self.space.columns.len();
        let name = |input: usize| match input.checked_sub(columns) {
            None => self.space.columns[input].name.clone(),
            Some(kind) => format!("the kind {}", content.kinds[kind]),
        };
        Some(described(std::slice::from_ref(content.trees.as_ref()?), name))
    }

    /// The boosted trees that judge labels beside the weights, if there are any: of all labels together.
    pub fn label_trees(&self) -> Option<TreesInfo> {
        let inputs = self.label_inputs();
        let name = |input: usize| match inputs.column(input) {
            (column, 0) => self.space.columns[column].name.clone(),
            (column, offset) => format!("{}@{offset}", self.space.columns[column].name),
        };
        (!self.label_trees.is_empty()).then(|| described(&self.label_trees, name))
    }

    /// What trees of labels may ask about.
    pub(crate) fn label_inputs(&self) -> Inputs {
        Inputs::new(&self.template, &self.space)
    }

    /// How much the mean over the blocks that look alike counts beside a block itself when content is judged,
    /// 0 to 1.
    pub fn group_smoothing(&self) -> f32 {
        self.adjustments().group_smoothing
    }

    /// What a text that stands elsewhere on the page, too, loses of its log odds of being content; twice that where a
    /// block next to it is repeated with it, half of it where both blocks look alike. 0 where the model does not judge
    /// content by kinds.
    pub fn repeated(&self) -> f32 {
        self.adjustments().repeated
    }

    /// What a preformatted text between two blocks of content gains in log odds of being content. 0 where the model does
    /// not judge content by kinds.
    pub fn preformatted(&self) -> f32 {
        self.adjustments().preformatted
    }

    /// Whether the head of a table and each part of a short list of definitions is at least as probable as the rest of it is
    /// on average, where that is content with even odds. Not where the model does not judge content by kinds.
    pub fn captions(&self) -> bool {
        self.adjustments().captions
    }

    /// What adjusts the probabilities of content; nothing where the model does not judge content by kinds.
    pub(crate) fn adjustments(&self) -> Adjustments {
        let content = self.content.as_ref();
        content.map_or_else(Adjustments::default, |content| content.adjustments)
    }

    /// Which columns content is judged by, where they are not those of the labels' template.
    pub fn content_columns(&self) -> Option<&ContentColumns> {
        self.content.as_ref()?.columns.as_ref()
    }

    /// The extractor of the model's features. There is no other way to a page that fits it. It is made when it is first
    /// asked for, and copied then.
    ///
    /// # Errors
    /// This program's features are not those that the model was trained on.
    pub fn extractor(&self) -> Result<Extractor, Error> {
        let made = match self.made.0.get() {
            Some(made) => made,
            None => {
                let made = self.space.extractor()?;
                self.made.0.get_or_init(|| made)
            }
        };
        Ok(made.clone())
    }
}
