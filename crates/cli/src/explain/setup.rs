//! How a corpus was built, and what labels its pages again.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gleaner_corpus::Marker;
use gleaner_dataflow::{SiteSettings, VERSIONS};
use gleaner_document::{Cleaner, Options};
use gleaner_page::Limits;
use gleaner_template::DEFAULT_SAMPLE;

use crate::args::{Build, MILLION, Method, StructuredData};
use crate::build::by_spec::options_of;
use crate::model::{Chosen, Models};

/// How a corpus was built.
pub(super) struct Setup {
    pub(super) cleaner: Cleaner,
    pub(super) models: Models,
    pub(super) site: SiteSettings,
    /// The largest record, in bytes.
    pub(super) record_bytes: usize,
    /// Whether a method labelled the pages, and no model.
    pub(super) is_by_method: bool,
    /// The versions of what the tables follow from, if they are not this program's.
    pub(super) other_versions: Option<String>,
}

impl Setup {
    pub(super) fn of(marker: &Marker, models: &Models, corpus: &str) -> Result<Setup> {
        let identity = &marker.identity;
        let options = options(marker, corpus)?;
        let is_by_method = options.method != Method::Model;
        if !is_by_method {
            check(&models.pages, &identity.model, "--model", corpus)?;
        }
        if let Some(wanted) = identity.options.get("text-model") {
            check(&models.texts, wanted, "--text-model", corpus)?;
        }
        let models = models.deciding(&options.decision)?;
        Ok(Setup {
            cleaner: cleaner(&models, &options)?,
            models,
            site: SiteSettings {
                site: options.site,
                sample: options.uses_sites().then(|| sample(&options)),
            },
            record_bytes: largest_record(&options),
            is_by_method,
            other_versions: other_versions(identity.options.get("versions")),
        })
    }
}

/// The largest record of a corpus, in bytes.
pub(super) fn record_bytes(marker: &Marker, corpus: &str) -> Result<usize> {
    options(marker, corpus).map(|options| largest_record(&options))
}

fn largest_record(options: &Build) -> usize {
    (options.limits.max_record as usize) << 20
}

/// The options that a corpus was built with.
fn options(marker: &Marker, corpus: &str) -> Result<Build> {
    let identity = &marker.identity;
    options_of(&identity.model, &identity.options).with_context(|| {
        format!("the corpus in '{corpus}' was built with options that this program does not know")
    })
}

fn sample(options: &Build) -> usize {
    options.site_sample.map_or(DEFAULT_SAMPLE, |pages| pages as usize)
}

/// The labels of the corpus follow from the model.
fn check(chosen: &Chosen, wanted: &str, option: &str, corpus: &str) -> Result<()> {
    let digest = |identity: &str| identity.rsplit(' ').next().map(str::to_owned);
    if digest(&chosen.identity) == digest(wanted) {
        return Ok(());
    }
    let identity = &chosen.identity;
    bail!(
        "the corpus in '{corpus}' was built with the model '{wanted}', not with '{identity}': give the file of that model \
         with {option}"
    )
}

/// Labels pages as the build did.
fn cleaner(models: &Models, options: &Build) -> Result<Cleaner> {
    let limits = Limits {
        bytes: (options.limits.max_page as usize) << 20,
        steps: options.limits.max_steps * MILLION,
        ..Limits::default()
    };
    let options = Options {
        text_model: Some(Arc::clone(&models.texts.model)),
        limits: Some(limits),
        parser: options.parser.parser,
        structured_data: options.decision.structured_data == StructuredData::Fallback,
        without_title: options.decision.no_title,
        ..Options::default()
    };
    Ok(Cleaner::new(&models.pages.model, options)?)
}

fn other_versions(of_corpus: Option<&String>) -> Option<String> {
    let known: serde_json::Map<String, serde_json::Value> = serde_json::from_str(of_corpus?).ok()?;
    let differs = |(name, number): &(&str, u32)| known.get(*name) != Some(&(*number).into());
    let own: Vec<(&str, u32)> = VERSIONS.iter().map(|&(name, number)| (name, number)).collect();
    let other = own.iter().filter(|version| differs(version));
    let phrases: Vec<String> = other
        .map(|(name, number)| {
            let of_corpus = known.get(*name).map_or("none".to_owned(), ToString::to_string);
            format!("{name} {of_corpus}, here {number}")
        })
        .collect();
    (!phrases.is_empty()).then(|| phrases.join("; "))
}
