//! `gleaner log`: the versions of a corpus, and what it is made from.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_corpus::{Corpus, Crawl, Inputs, Marker};
use gleaner_store::{Options, Store};
use serde::Serialize;

use super::spec::Spec;
use crate::args::Log;
use crate::terminal::console::{bytes, counted, grouped};
use crate::terminal::{Outcome, console};

/// A version of a corpus, as JSON. Documented in docs/json.md.
#[derive(Serialize)]
struct Version {
    version: u64,
    inputs: Inputs,
    model: String,
    crawl: Option<String>,
    rows: BTreeMap<String, u64>,
    /// The digest of all that it keeps; none where it keeps nothing.
    manifest: Option<String>,
}

impl Version {
    fn of(marker: Marker) -> Version {
        let mut totals = marker.totals;
        totals.retain(|name, _| marker.tables.contains_key(name));
        Version {
            version: marker.version,
            crawl: marker.identity.options.get(Crawl::COLUMN).cloned(),
            inputs: marker.identity.inputs,
            model: marker.identity.model,
            rows: totals,
            manifest: marker.arguments.map(|arguments| arguments.manifest),
        }
    }

    fn text(&self) -> String {
        let rows = self.rows.iter();
        let rows: Vec<String> = rows
            .map(|(table, rows)| format!("{table} {}", grouped(*rows)))
            .collect();
        let crawl = self.crawl.as_deref().unwrap_or("none");
        let manifest = self.manifest.as_deref().unwrap_or("none: it keeps no state");
        format!(
            "version   {}\ninputs    {}, {}\nmodel     {}\ncrawl     {crawl}\nrows      {}\nmanifest  {manifest}\n",
            self.version,
            counted(self.inputs.files, "file"),
            bytes(self.inputs.bytes),
            self.model,
            rows.join(", "),
        )
    }
}

/// `gleaner log`.
pub(crate) fn run(arguments: &Log) -> Result<Outcome> {
    let output = Store::new(Options::default())?.output(&arguments.corpus)?;
    let marker = Corpus::complete(&output)?;
    match arguments.spec {
        true => console::out_as(true, &Spec::of(&output, marker)?, String::new)?,
        false => {
            let versions = [Version::of(marker)];
            console::out_as(arguments.json, &versions, || versions[0].text())?;
        }
    }
    Ok(Outcome::Done)
}
