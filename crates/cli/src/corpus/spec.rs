//! What a corpus is made from: `gleaner log CORPUS --spec` prints it, and `gleaner build --spec` builds from it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_corpus::{Corpus, Crawl, KeptKind, Marker, Rule, read_rules};
use gleaner_store::Output;
use serde::{Deserialize, Serialize};

/// The arguments of a corpus, as JSON. Documented in docs/json.md.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    /// The version of the tables.
    pub(crate) format: u32,
    /// Name and digest of the model of pages, or the method in its place.
    pub(crate) model: String,
    /// The options that change tables, by their names without dashes, and what else the rows follow from.
    pub(crate) options: BTreeMap<String, String>,
    /// The archives, by name.
    pub(crate) inputs: Vec<SpecInput>,
    /// What is left out.
    pub(crate) rules: Vec<Rule>,
}

/// An archive of a corpus.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SpecInput {
    /// Its crawl, if the corpus is labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) crawl: Option<Crawl>,
    /// The version of the corpus in which it came.
    #[serde(default = "first")]
    pub(crate) since: u64,
    /// Its name in the tables.
    pub(crate) name: String,
    pub(crate) size: Option<u64>,
    /// The BLAKE3 digest of its bytes; none where it was not read to its end.
    pub(crate) digest: Option<String>,
}

impl Spec {
    /// The spec of a complete corpus.
    pub(crate) fn of(output: &Output, marker: &Marker) -> Result<Spec> {
        let Some(arguments) = &marker.arguments else {
            let folder = output.place();
            bail!("the corpus in '{folder}' keeps no list of its inputs: build it without --no-state");
        };
        Ok(Spec {
            format: marker.format,
            inputs: lines(&Corpus::kept(output, KeptKind::Inputs, &arguments.inputs)?)?,
            rules: read_rules(&Corpus::kept(output, KeptKind::Rules, &arguments.rules)?)?,
            model: marker.identity.model.clone(),
            options: marker.identity.options.clone(),
        })
    }

    /// Reads the file of a spec.
    pub(crate) fn read(file: &Path) -> Result<Spec> {
        let name = file.display();
        let bytes = std::fs::read(file).with_context(|| format!("could not read the spec {name}"))?;
        serde_json::from_slice(&bytes)
            .with_context(|| format!("{name} is not a spec: `gleaner log CORPUS --spec` prints one"))
    }
}

/// The version of archives of a first build.
fn first() -> u64 {
    1
}

/// The values of a kept file, one a line.
fn lines<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<Vec<T>, serde_json::Error> {
    serde_json::Deserializer::from_slice(bytes).into_iter().collect()
}
