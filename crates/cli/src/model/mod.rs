//! The labeller that a command works with, and `gleaner model`, which looks into it.

mod diff;
mod names;
mod show;
pub(crate) mod table;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use gleaner_crf::{Favor, Model};

use crate::Outcome;
use crate::args::{Decision, InspectModel, ModelChoice, Side};

/// The default model; its card is in `models/` beside it.
static BUILT_IN: &[u8] = include_bytes!("../../../../models/default.gcrf");

/// A model and what to call it.
pub(crate) struct Chosen {
    pub(crate) model: Arc<Model>,
    /// Name and checksum, as they stand in a corpus' identity.
    pub(crate) identity: String,
}

impl Decision {
    /// The side that is favored.
    pub(crate) fn favor(&self) -> Favor {
        match self.favor {
            Side::Precision => Favor::Precision,
            Side::Recall => Favor::Recall,
            Side::Balanced => Favor::Balanced,
        }
    }
}

/// The model of `--model`, or the one built in, that decides as it is told to.
pub(crate) fn choose_deciding(choice: &ModelChoice, decision: &Decision) -> Result<Chosen> {
    let mut chosen = choose(choice)?;
    let decoder = chosen.model.decoder().favoring(decision.favor());
    Arc::make_mut(&mut chosen.model).set_decoder(decoder)?;
    Ok(chosen)
}

/// The model of `--model`, or the one built in.
pub(crate) fn choose(choice: &ModelChoice) -> Result<Chosen> {
    let opened = Opened::new(choice.model.as_deref())?;
    // A model whose features this version does not make is refused before anything is touched.
    opened.model.extractor().with_context(|| {
        format!(
            "{} cannot be used: train it anew with this version",
            opened.source
        )
    })?;
    Ok(Chosen {
        identity: format!("{} {}", opened.name, opened.checksum),
        model: Arc::new(opened.model),
    })
}

/// A model file that was read, whether or not this version makes its features.
struct Opened {
    /// The file's name without its end.
    name: String,
    /// How errors call it.
    source: String,
    /// Its size in bytes.
    bytes: u64,
    /// XXH3 of all of them, in hexadecimal.
    checksum: String,
    model: Model,
}

impl Opened {
    /// Reads a file, or the model that is built in.
    fn new(path: Option<&Path>) -> Result<Opened> {
        let Some(path) = path else {
            return Opened::of("default".to_owned(), "the built-in model".to_owned(), BUILT_IN);
        };
        let bytes =
            std::fs::read(path).with_context(|| format!("could not read the model {}", path.display()))?;
        let stem = path.file_stem();
        let name = stem.map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
        Opened::of(name, path.display().to_string(), &bytes)
    }

    fn of(name: String, source: String, bytes: &[u8]) -> Result<Opened> {
        let model = Model::from_bytes(bytes).with_context(|| format!("{source} cannot be used"))?;
        Ok(Opened {
            name,
            source,
            bytes: bytes.len() as u64,
            checksum: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes)),
            model,
        })
    }
}

/// Runs `gleaner model`.
pub(crate) fn inspect(what: &InspectModel) -> Result<Outcome> {
    match what {
        InspectModel::Show(arguments) => show::run(arguments),
        InspectModel::Diff(arguments) => diff::run(arguments),
    }
}
