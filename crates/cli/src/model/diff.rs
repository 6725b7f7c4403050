//! `gleaner model diff`: the settings and columns in which two models differ.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_content::Model;
use serde::Serialize;

use super::Opened;
use super::settings::{Settings, features_and_card, settings};
use super::show::titled;
use crate::args::DiffModels;
use crate::terminal::table::{plain, table};
use crate::terminal::{Outcome, console};

#[derive(Serialize)]
struct Difference {
    a: String,
    b: String,
    /// The number of weights of each that are not zero.
    weights: [usize; 2],
    settings: BTreeMap<String, Sides>,
    columns: BTreeMap<String, Sides>,
}

/// The values of both models; none where a model has none.
#[derive(Serialize)]
struct Sides {
    a: Option<String>,
    b: Option<String>,
}

pub(super) fn run(arguments: &DiffModels) -> Result<Outcome> {
    let a = Opened::new(Some(&arguments.a))?;
    let b = Opened::new(arguments.b.as_deref())?;
    let difference = Difference {
        weights: [a.model.nonzero(), b.model.nonzero()],
        settings: differing(&all_settings(&a.model)?, &all_settings(&b.model)?),
        columns: differing(&columns(&a.model), &columns(&b.model)),
        a: a.source,
        b: b.source,
    };
    console::out_as(arguments.json, &difference, || difference.text())?;
    Ok(Outcome::Done)
}

fn all_settings(model: &Model) -> Result<Settings> {
    let mut all = settings(model)?;
    all.extend(features_and_card(model)?);
    Ok(all)
}

fn columns(model: &Model) -> Settings {
    let columns = model.space().columns.iter();
    columns
        .map(|column| (column.name.clone(), column.cardinality.to_string()))
        .collect()
}

/// The values that are not the same.
fn differing(a: &Settings, b: &Settings) -> BTreeMap<String, Sides> {
    let names = a.keys().chain(b.keys());
    names
        .filter(|name| a.get(*name) != b.get(*name))
        .map(|name| {
            let [a, b] = [a, b].map(|values| values.get(name).cloned());
            (name.clone(), Sides { a, b })
        })
        .collect()
}

impl Difference {
    fn text(&self) -> String {
        let [a, b] = self.weights.map(|count| console::grouped(count as u64));
        [
            format!("A  {}: {a} weights\nB  {}: {b} weights\n", self.a, self.b),
            titled("Settings", &sides_table("setting", &self.settings)),
            titled("Columns", &sides_table("column", &self.columns)),
        ]
        .concat()
    }
}

fn sides_table(head: &str, differences: &BTreeMap<String, Sides>) -> String {
    if differences.is_empty() {
        return "no difference\n".to_owned();
    }
    let show = |value: &Option<String>| value.as_deref().map_or("-".to_owned(), |value| plain(value, 50));
    let rows = differences
        .iter()
        .map(|(name, sides)| vec![plain(name, 60), show(&sides.a), show(&sides.b)]);
    table(&[head, "A", "B"], rows)
}
