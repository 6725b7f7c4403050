//! The settings of a model by their paths, and what two models differ in.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_content::{Model, TreesInfo};
use gleaner_page::PageConfig;
use serde::Serialize;

/// Settings by their paths: `decoder.mode`.
pub(super) type Settings = BTreeMap<String, String>;

/// All settings of a model but those of its features and its card.
pub(super) fn settings(model: &Model) -> Result<Settings> {
    let mut all = toml::Table::new();
    let mut add = |name: &str, value: toml::Value| all.insert(name.to_owned(), value);
    add("labels", toml::Value::try_from(model.labels())?);
    add("kinds", toml::Value::try_from(model.kinds())?);
    add("conventions", toml::Value::try_from(model.conventions())?);
    for (name, trees) in [("label_trees", model.label_trees()), ("trees", model.trees())] {
        trees.map(|trees| add(name, shape(&trees)));
    }
    add("alike", number(model.group_smoothing()));
    add("repeated", number(model.repeated()));
    add("preformatted", number(model.preformatted()));
    add("captions", model.captions().into());
    let points = model.calibration().points().iter();
    add(
        "confidence",
        points
            .map(|point| toml::Value::from(point.map(number).to_vec()))
            .collect::<Vec<_>>()
            .into(),
    );
    if let Some(columns) = model.content_columns() {
        add("content_columns", toml::Value::try_from(columns)?);
    }
    add("decoder", as_written(&model.decoder())?);
    add("template", as_written(model.template())?);
    add("page", toml::Value::Table(page_settings(&model.space().config)));
    Ok(flat(all))
}

pub(super) fn features_and_card(model: &Model) -> Result<Settings> {
    let features = toml::from_str(&model.space().config)?;
    let card = toml::from_str(model.card()).unwrap_or_default();
    Ok(flat(toml::Table::from_iter([
        ("features".to_owned(), toml::Value::Table(features)),
        ("card".to_owned(), toml::Value::Table(card)),
    ])))
}

fn shape(trees: &TreesInfo) -> toml::Value {
    let shape = [
        ("count", (trees.count as i64).into()),
        ("leaves", (trees.leaves as i64).into()),
        ("share", number(trees.share)),
    ];
    let shape = shape.map(|(name, value): (_, toml::Value)| (name.to_owned(), value));
    toml::Value::Table(toml::Table::from_iter(shape))
}

/// The decimal number that is written for an `f32`: as `f64` 0.3 would be another.
fn number(value: f32) -> toml::Value {
    value
        .to_string()
        .parse()
        .map_or(toml::Value::String(value.to_string()), toml::Value::Float)
}

fn as_written(settings: &impl Serialize) -> Result<toml::Value> {
    Ok(toml::Value::Table(toml::from_str(&toml::to_string(settings)?)?))
}

/// The settings of reading pages in the configuration of features, with the defaults of this version.
fn page_settings(features: &str) -> toml::Table {
    let features: toml::Table = toml::from_str(features).unwrap_or_default();
    let page = features.get("page").and_then(toml::Value::as_table);
    let page = page.cloned().unwrap_or_default();
    let config: Result<PageConfig, _> = page.clone().try_into();
    let understood = config.ok().and_then(|config| toml::Table::try_from(config).ok());
    understood.unwrap_or(page)
}

fn flat(all: toml::Table) -> Settings {
    let mut settings = Settings::new();
    flatten("", &toml::Value::Table(all), &mut settings);
    settings
}

fn flatten(path: &str, value: &toml::Value, settings: &mut Settings) {
    let toml::Value::Table(table) = value else {
        settings.insert(path.to_owned(), value.to_string());
        return;
    };
    for (key, value) in table {
        let dot = if path.is_empty() { "" } else { "." };
        let key = if key.is_empty() { "\"\"" } else { key };
        flatten(&format!("{path}{dot}{key}"), value, settings);
    }
}
