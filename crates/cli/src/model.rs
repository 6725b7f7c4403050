//! The labeller that a command works with.

use std::sync::Arc;

use anyhow::{Context, Result};
use gleaner_crf::Model;

use crate::args::ModelChoice;

/// The default model; its card is in `models/` beside it.
static BUILT_IN: &[u8] = include_bytes!("../../../models/default.gcrf");

/// A model and what to call it.
pub(crate) struct Chosen {
    pub(crate) model: Arc<Model>,
    /// Name and checksum, as they stand in a corpus' identity.
    pub(crate) identity: String,
}

/// The model of `--model`, or the one built in.
pub(crate) fn choose(choice: &ModelChoice) -> Result<Chosen> {
    let (name, bytes) = match &choice.model {
        Some(path) => {
            let bytes = std::fs::read(path)
                .with_context(|| format!("could not read the model {}", path.display()))?;
            (
                path.file_stem()
                    .map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned()),
                bytes,
            )
        }
        None => ("default".to_owned(), BUILT_IN.to_vec()),
    };
    let source = choice.model.as_ref().map_or_else(
        || "the built-in model".to_owned(),
        |path| path.display().to_string(),
    );
    let model = Model::from_bytes(&bytes).with_context(|| format!("{source} cannot be used"))?;
    // A model whose features this version does not make is refused before anything is touched.
    model
        .extractor()
        .with_context(|| format!("{source} cannot be used: train it anew with this version"))?;
    let identity = format!("{name} {:016x}", xxhash_rust::xxh3::xxh3_64(&bytes));
    Ok(Chosen {
        model: Arc::new(model),
        identity,
    })
}
