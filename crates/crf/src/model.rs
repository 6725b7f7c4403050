//! A trained model.

use gleaner_features::Extractor;

use crate::decoder::Decoder;
use crate::{Attribute, Error, FeatureSpace, Labels, Template, TemplateConfig};

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
        let compiled = Template::compile(&template, &space)?;
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
        })
    }

    /// The features that the model needs.
    pub fn space(&self) -> &FeatureSpace {
        &self.space
    }

    /// The labels it tells apart.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Its template.
    pub fn template(&self) -> &TemplateConfig {
        &self.template_config
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

    /// Data, licence, command and scores, TOML.
    pub fn card(&self) -> &str {
        &self.card
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
            .map(|(attribute, weights)| (self.template.attribute(attribute, &self.space), weights))
    }

    /// How many weights are not zero, transitions included.
    pub fn nonzero(&self) -> usize {
        self.transitions
            .iter()
            .chain(&self.weights)
            .filter(|weight| **weight != 0.0)
            .count()
    }

    /// The extractor of the model's features. There is no other way to a page that fits it.
    ///
    /// # Errors
    /// This program's features are not those that the model was trained on.
    pub fn extractor(&self) -> Result<Extractor, Error> {
        self.space.extractor()
    }
}
