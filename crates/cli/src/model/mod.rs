//! The labeller that a command works with, and `gleaner model`, which looks into it.

mod diff;
mod names;
mod settings;
mod show;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gleaner_content::Model;
use gleaner_page::Unit;
use gleaner_results::Tree;

use crate::args::nearest::not_there;
use crate::args::{ConventionChoice, Decision, InspectModel, ModelChoice};
use crate::terminal::Outcome;

/// A model that is part of the program; its scores are in `models/` of the repository.
struct BuiltIn {
    name: &'static str,
    /// How errors call it.
    source: &'static str,
    bytes: &'static [u8],
}

static DEFAULT: BuiltIn = BuiltIn {
    name: "default",
    source: "the built-in model",
    bytes: gleaner_document::built_in::PAGES,
};

static TEXT: BuiltIn = BuiltIn {
    name: "text",
    source: "the built-in model of plain texts",
    bytes: gleaner_document::built_in::TEXTS,
};

#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) model: Arc<Model>,
    /// Name and checksum, as they stand in a corpus' identity.
    pub(crate) identity: String,
}

impl Chosen {
    pub(crate) fn name(&self) -> &str {
        self.identity.rsplit_once(' ').map_or("", |(name, _)| name)
    }
}

/// The models of pages and of plain texts.
pub(crate) struct Models {
    pub(crate) pages: Chosen,
    pub(crate) texts: Chosen,
}

impl Models {
    /// Those of `--model` and `--text-model`, else the built-in ones.
    pub(crate) fn choose(pages: &ModelChoice, texts: Option<&Path>) -> Result<Models> {
        Ok(Models {
            pages: choose(pages)?,
            texts: choose_of_texts(texts)?,
        })
    }

    /// The same with the options of the decision.
    pub(crate) fn deciding(&self, decision: &Decision) -> Result<Models> {
        Ok(Models {
            pages: favoring(self.pages.clone(), decision)?,
            texts: favoring(self.texts.clone(), decision)?,
        })
    }
}

/// The model of `--model`, else the built-in one, with the options of the decision.
pub(crate) fn choose_deciding(choice: &ModelChoice, decision: &Decision) -> Result<Chosen> {
    favoring(choose(choice)?, decision)
}

/// The same, by a convention of what content is.
pub(crate) fn choose_deciding_by(
    choice: &ModelChoice,
    decision: &Decision,
    convention: &ConventionChoice,
) -> Result<Chosen> {
    judging_by(choose_deciding(choice, decision)?, convention)
}

/// The model of plain texts in a file, else the built-in one, with the options of the decision.
pub(crate) fn choose_for_texts(file: Option<&Path>, decision: &Decision) -> Result<Chosen> {
    favoring(choose_of_texts(file)?, decision)
}

/// The model of plain texts that a file holds, or the one built in.
fn choose_of_texts(file: Option<&Path>) -> Result<Chosen> {
    let chosen = choose_or(file, &TEXT)?;
    let unit = chosen.model.extractor()?.config().page.unit;
    if unit != Unit::Text {
        let own = toml::Value::try_from(unit)?;
        bail!(
            "the model {} does not label plain texts: its unit is {own}, not \"text\" (jobs/train-text.toml \
             trains such a model); leave it out for the built-in model 'text'",
            chosen.name()
        );
    }
    Ok(chosen)
}

/// A model that judges by a convention.
pub(crate) fn judging_by(mut chosen: Chosen, convention: &ConventionChoice) -> Result<Chosen> {
    if convention.name().is_none() {
        return Ok(chosen);
    }
    Arc::make_mut(&mut chosen.model)
        .set_convention(convention.name())
        .with_context(|| format!("--convention does not fit the model {}", chosen.identity))?;
    Ok(chosen)
}

fn favoring(mut chosen: Chosen, decision: &Decision) -> Result<Chosen> {
    let decoder = chosen.model.decoder().favoring(decision.favor);
    if decoder == chosen.model.decoder() {
        return Ok(chosen);
    }
    Arc::make_mut(&mut chosen.model).set_decoder(decoder)?;
    Ok(chosen)
}

/// The model of `--model`, or the one built in, that judges by a convention.
pub(crate) fn choose_judging_by(choice: &ModelChoice, convention: &ConventionChoice) -> Result<Chosen> {
    judging_by(choose(choice)?, convention)
}

/// The model of `--model`, or the one built in.
pub(crate) fn choose(choice: &ModelChoice) -> Result<Chosen> {
    choose_or(choice.model.as_deref(), &DEFAULT)
}

fn choose_or(file: Option<&Path>, built_in: &BuiltIn) -> Result<Chosen> {
    let opened = Opened::new_or(file, built_in)?;
    // A model whose features this version does not make is refused before anything is touched.
    opened.model.extractor().with_context(|| {
        format!(
            "{} cannot be used: train it again with this version",
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
    bytes: u64,
    /// XXH3 of all of them, in hexadecimal.
    checksum: String,
    model: Model,
}

impl Opened {
    /// Reads a file, or without one the model that is built in.
    fn new(path: Option<&Path>) -> Result<Opened> {
        Opened::new_or(path, &DEFAULT)
    }

    /// The same with another model built in. Those that are built in go by their names, too, where no file does.
    fn new_or(path: Option<&Path>, built_in: &BuiltIn) -> Result<Opened> {
        let Some(path) = path else {
            return Opened::built_in(built_in);
        };
        let mut built_in = [&DEFAULT, &TEXT].into_iter();
        if let Some(named) = built_in.find(|own| path == Path::new(own.name) && !path.is_file()) {
            return Opened::built_in(named);
        }
        if !path.exists() {
            bail!(not_there("model file", path, &[DEFAULT.name, TEXT.name]));
        }
        let bytes =
            std::fs::read(path).with_context(|| format!("could not read the model {}", path.display()))?;
        let stem = path.file_stem();
        let name = stem.map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
        Opened::of(name, path.display().to_string(), &bytes)
    }

    fn built_in(model: &BuiltIn) -> Result<Opened> {
        Opened::of(model.name.to_owned(), model.source.to_owned(), model.bytes)
    }

    fn of(name: String, source: String, bytes: &[u8]) -> Result<Opened> {
        if Tree::is_saved(bytes) {
            bail!(
                "{source} is a saved tree, not a model: use it in gleaner clean, build and eval with --method tree --model {source}"
            );
        }
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

pub(crate) fn inspect(what: &InspectModel) -> Result<Outcome> {
    match what {
        InspectModel::Show(arguments) => show::run(arguments),
        InspectModel::Diff(arguments) => diff::run(arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use gleaner_content::Favor;

    use super::*;

    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        model: ModelChoice,
        #[command(flatten)]
        decision: Decision,
        #[command(flatten)]
        convention: ConventionChoice,
    }

    /// A service explains many pages: it has one copy of a model.
    #[test]
    fn a_model_is_copied_only_for_another_decision() {
        let mut typed = Typed::parse_from(["gleaner"]);
        let models = Models::choose(&typed.model, None).unwrap();
        let is_copied = |typed: &Typed| {
            let deciding = models.deciding(&typed.decision).unwrap();
            let judging = judging_by(models.pages.clone(), &typed.convention).unwrap();
            let copied = |other: &Chosen, own: &Chosen| !Arc::ptr_eq(&other.model, &own.model);
            [
                copied(&deciding.pages, &models.pages),
                copied(&deciding.texts, &models.texts),
                copied(&judging, &models.pages),
            ]
        };
        assert_eq!(is_copied(&typed), [false; 3]);
        typed.decision.favor = Favor::Recall;
        typed.convention.convention = "dragnet".to_owned();
        assert_eq!(is_copied(&typed), [true; 3]);
    }
}
