//! Models: what labels the blocks of pages.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gleaner_content::Favor;
use gleaner_document::built_in;
use gleaner_page::{Limits, Unit};

use crate::Error;

/// A trained model. A clone shares its weights.
///
/// `gleaner train` makes model files. The default is the built-in model of pages, which is parsed once per process.
#[derive(Clone)]
pub struct Model(Arc<gleaner_content::Model>);

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// The file cannot be read, is no model, or was trained with features that this version does not have.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Model, Error> {
        Model::usable(gleaner_content::Model::load(path.as_ref())?)
    }

    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// The bytes are no model, or it was trained with features that this version does not have.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        Model::usable(gleaner_content::Model::from_bytes(bytes)?)
    }

    /// The built-in model of plain texts, which have no tags: `.txt` files and WET records.
    pub fn of_texts() -> Model {
        Model(built_in::texts())
    }

    fn usable(model: gleaner_content::Model) -> Result<Model, Error> {
        model.extractor()?;
        Ok(Model(Arc::new(model)))
    }

    /// The same, moved to one side: the model decides what is content with other weights of its mistakes.
    pub(crate) fn favoring(mut self, favor: Favor) -> Result<Model, Error> {
        let decoder = self.0.decoder().favoring(favor);
        if decoder != self.0.decoder() {
            Arc::make_mut(&mut self.0).set_decoder(decoder)?;
        }
        Ok(self)
    }

    /// The limits of pages that its features were measured with.
    pub(crate) fn limits(&self) -> Result<Limits, Error> {
        Ok(self.0.extractor()?.config().page.limits.clone())
    }

    pub(crate) fn inner(self) -> Arc<gleaner_content::Model> {
        self.0
    }

    /// Whether it labels plain texts.
    pub(crate) fn is_of_texts(&self) -> Result<bool, Error> {
        Ok(self.0.extractor()?.config().page.unit == Unit::Text)
    }
}

impl Default for Model {
    fn default() -> Model {
        Model(built_in::pages())
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.0.space().columns.len();
        out.debug_struct("Model")
            .field("columns", &columns)
            .finish_non_exhaustive()
    }
}
