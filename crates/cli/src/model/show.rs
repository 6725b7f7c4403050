//! `gleaner model show`: the card, the settings and the columns of a model; as JSON its weights too.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_content::{Label, TrainingPages, TreesInfo};
use gleaner_crf::Attribute;
use serde::Serialize;

use super::Opened;
use super::names::{Named, Names};
use super::settings::{Settings, settings};
use crate::args::ShowModel;
use crate::terminal::table::{plain, table};
use crate::terminal::{Outcome, console};

/// Maximum characters of a setting in a table.
const SETTING_WIDTH: usize = 100;

#[derive(Serialize)]
struct Shown {
    name: String,
    bytes: u64,
    /// XXH3 of the file.
    checksum: String,
    /// The number of pages it was trained on, where their digests are in the file.
    training_pages: Option<usize>,
    fingerprint: String,
    labels: Vec<Label>,
    kinds: Vec<String>,
    settings: Settings,
    card: toml::Table,
    columns: Vec<Column>,
    /// The number of weights that are not zero.
    nonzero: usize,
    /// The score of each label (column) after each label (row).
    transitions: Vec<Vec<f32>>,
    label_weights: Vec<Weights>,
    kind_weights: Vec<Weights>,
    content_weights: Vec<Weights>,
    /// How many questions the trees have about each column or kind.
    label_questions: BTreeMap<String, usize>,
    content_questions: BTreeMap<String, usize>,
}

#[derive(Serialize)]
struct Column {
    name: String,
    module: String,
    codes: u16,
}

#[derive(Serialize)]
struct Weights {
    #[serde(flatten)]
    named: Named,
    /// What the feature measures.
    definition: String,
    /// As the file has it: column, offset and code.
    attribute: String,
    weights: Vec<f32>,
}

pub(super) fn run(arguments: &ShowModel) -> Result<Outcome> {
    let shown = Shown::new(&Opened::new(arguments.model.as_deref())?)?;
    console::out_as(arguments.json, &shown, || shown.text())?;
    Ok(Outcome::Done)
}

impl Shown {
    fn new(opened: &Opened) -> Result<Shown> {
        let (model, names) = (&opened.model, Names::of(&opened.model));
        let space = model.space();
        let labels = model.labels().as_slice().to_vec();
        let card = toml::from_str(model.card()).unwrap_or_else(|_| {
            toml::Table::from_iter([("text".to_owned(), toml::Value::from(model.card()))])
        });
        let columns = space.columns.iter().map(|column| Column {
            name: column.name.clone(),
            module: names.module_of(&column.name),
            codes: column.cardinality,
        });
        let transitions = model.transitions().chunks_exact(labels.len());
        Ok(Shown {
            name: opened.name.clone(),
            bytes: opened.bytes,
            checksum: opened.checksum.clone(),
            training_pages: model.training_pages().map(TrainingPages::len),
            fingerprint: format!("{:016x}", space.fingerprint),
            kinds: model.kinds().to_vec(),
            settings: settings(model)?,
            card,
            columns: columns.collect(),
            nonzero: model.nonzero(),
            transitions: transitions.map(<[f32]>::to_vec).collect(),
            label_weights: weights(&names, model.attributes()),
            kind_weights: weights(&names, model.kind_attributes()),
            content_weights: weights(&names, model.content_attributes()),
            label_questions: questions(model.label_trees()),
            content_questions: questions(model.trees()),
            labels,
        })
    }

    fn text(&self) -> String {
        let card = toml::to_string(&self.card).unwrap_or_default();
        let card: String = card.lines().map(|line| plain(line, 200) + "\n").collect();
        [
            self.head(),
            titled("Card", &card),
            titled("Settings", &setting_table(&self.settings)),
            titled("Columns", &self.module_table()),
        ]
        .concat()
    }

    fn head(&self) -> String {
        let pages = self.training_pages.map_or(String::new(), |count| {
            format!("trained on  {} pages\n", console::grouped(count as u64))
        });
        format!(
            "model       {}\nsize        {}, {} weights\nchecksum    {}\n{pages}features    {} columns, fingerprint {}\n",
            plain(&self.name, 100),
            console::bytes(self.bytes),
            console::grouped(self.nonzero as u64),
            self.checksum,
            self.columns.len(),
            self.fingerprint
        )
    }

    fn module_table(&self) -> String {
        let mut modules: BTreeMap<&str, usize> = BTreeMap::new();
        for column in &self.columns {
            *modules.entry(&column.module).or_default() += 1;
        }
        let rows = modules
            .iter()
            .map(|(module, columns)| vec![plain(module, 60), columns.to_string()]);
        table(&["module", "columns"], rows)
    }
}

fn weights<'m>(names: &Names, attributes: impl Iterator<Item = (Attribute, &'m [f32])>) -> Vec<Weights> {
    let has_weights = |(_, weights): &(Attribute, &[f32])| weights.iter().any(|weight| *weight != 0.0);
    let weights = attributes
        .filter(has_weights)
        .map(|(attribute, weights)| Weights {
            named: names.of_attribute(&attribute),
            definition: names.definition(&attribute),
            attribute: attribute.to_string(),
            weights: weights.to_vec(),
        });
    weights.collect()
}

fn questions(trees: Option<TreesInfo>) -> BTreeMap<String, usize> {
    trees.map_or_else(BTreeMap::new, |trees| trees.asked.into_iter().collect())
}

fn setting_table(settings: &Settings) -> String {
    let rows = settings
        .iter()
        .map(|(name, value)| vec![plain(name, 60), plain(value, SETTING_WIDTH)]);
    table(&["setting", "value"], rows)
}

/// A part of a report.
pub(super) fn titled(title: &str, text: &str) -> String {
    format!("\n{title}\n\n{text}")
}
