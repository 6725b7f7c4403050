//! `gleaner model diff`: in what two models differ.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_crf::{Label, Model};
use serde::Serialize;

use super::Opened;
use super::names::{Named, Names};
use super::show::{as_written, titled};
use super::table::{plain, table, weight};
use crate::args::DiffModels;
use crate::eval::score;
use crate::prepared::{prepare, threads};
use crate::{Outcome, console};

/// In what two models differ.
#[derive(Serialize)]
struct Difference {
    a: String,
    b: String,
    settings: Vec<Setting>,
    /// Columns that only one of them has, or that have another number of codes.
    columns: Vec<Column>,
    /// Weights that are not zero, of each.
    weights: [usize; 2],
    /// The largest changes of weights.
    changes: Vec<Change>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Pages>,
}

/// A setting that they do not share; none where one does not have it.
#[derive(Debug, PartialEq, Serialize)]
struct Setting {
    name: String,
    a: Option<String>,
    b: Option<String>,
}

/// A column and how many codes it has in each.
#[derive(Debug, PartialEq, Serialize)]
struct Column {
    name: String,
    a: Option<u16>,
    b: Option<u16>,
}

/// A weight of both.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Change {
    #[serde(flatten)]
    named: Named,
    label: Label,
    a: f32,
    b: f32,
}

/// Word F1 of pages.
#[derive(Serialize)]
struct Pages {
    /// Means of each.
    mean: [f64; 2],
    count: usize,
    /// Those on which the scores differ most.
    most: Vec<Page>,
}

#[derive(Clone, Serialize)]
struct Page {
    url: String,
    a: f64,
    b: f64,
}

/// Runs the command.
pub(super) fn run(arguments: &DiffModels) -> Result<Outcome> {
    let a = Opened::new(Some(&arguments.a))?;
    let b = Opened::new(arguments.b.as_deref())?;
    let top = usize::from(arguments.top);
    let pages = match arguments.gold.as_slice() {
        [] => None,
        files => Some(pages(&a, &b, files, top, threads(arguments.workers))?),
    };
    let difference = Difference {
        settings: settings(&flat(&a.model)?, &flat(&b.model)?),
        columns: columns(&a.model, &b.model),
        weights: [a.model.nonzero(), b.model.nonzero()],
        changes: changes(&a.model, &b.model, top),
        a: a.source,
        b: b.source,
        pages,
    };
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&difference)? + "\n",
        false => difference.text(),
    };
    console::out(&text)?;
    Ok(Outcome::Done)
}

/// All settings of a model by their paths.
fn flat(model: &Model) -> Result<BTreeMap<String, String>> {
    let mut all = toml::Table::new();
    all.insert("labels".to_owned(), toml::Value::try_from(model.labels())?);
    all.insert("kinds".to_owned(), toml::Value::try_from(model.kinds())?);
    all.insert("decoder".to_owned(), as_written(&model.decoder())?);
    all.insert("template".to_owned(), as_written(model.template())?);
    let features: toml::Table = toml::from_str(&model.space().config)?;
    all.insert("features".to_owned(), toml::Value::Table(features));
    let card = toml::from_str(model.card()).unwrap_or_default();
    all.insert("card".to_owned(), toml::Value::Table(card));
    let mut out = BTreeMap::new();
    flatten("", &toml::Value::Table(all), &mut out);
    Ok(out)
}

fn flatten(path: &str, value: &toml::Value, out: &mut BTreeMap<String, String>) {
    let toml::Value::Table(table) = value else {
        out.insert(path.to_owned(), value.to_string());
        return;
    };
    for (key, value) in table {
        let dot = if path.is_empty() { "" } else { "." };
        let key = if key.is_empty() { "\"\"" } else { key };
        flatten(&format!("{path}{dot}{key}"), value, out);
    }
}

fn settings(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<Setting> {
    keys(a, b)
        .map(|name| Setting {
            a: a.get(name).cloned(),
            b: b.get(name).cloned(),
            name: name.clone(),
        })
        .filter(|setting| setting.a != setting.b)
        .collect()
}

fn columns(a: &Model, b: &Model) -> Vec<Column> {
    let of = |model: &Model| -> BTreeMap<String, u16> {
        let columns = model.space().columns.iter();
        columns
            .map(|column| (column.name.clone(), column.cardinality))
            .collect()
    };
    let (a, b) = (of(a), of(b));
    keys(&a, &b)
        .map(|name| Column {
            a: a.get(name).copied(),
            b: b.get(name).copied(),
            name: name.clone(),
        })
        .filter(|column| column.a != column.b)
        .collect()
}

/// The keys of either map, in order.
fn keys<'a, K: Ord, V>(a: &'a BTreeMap<K, V>, b: &'a BTreeMap<K, V>) -> impl Iterator<Item = &'a K> {
    let mut keys: Vec<&K> = a.keys().chain(b.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
}

/// The `top` largest changes. Weights belong together if features, values and labels are called the
/// same, so that lists of values may differ.
fn changes(a: &Model, b: &Model, top: usize) -> Vec<Change> {
    let (a, b) = (weights(a), weights(b));
    let mut changes: Vec<Change> = keys(&a, &b)
        .map(|key| Change {
            named: key.0.clone(),
            label: key.1,
            a: a.get(key).copied().unwrap_or(0.0),
            b: b.get(key).copied().unwrap_or(0.0),
        })
        .filter(|change| change.a != change.b)
        .collect();
    changes.sort_by(|one, other| (other.b - other.a).abs().total_cmp(&(one.b - one.a).abs()));
    changes.truncate(top);
    changes
}

/// The weights that are not zero, transitions among them.
fn weights(model: &Model) -> BTreeMap<(Named, Label), f32> {
    let names = Names::of(model);
    let labels = model.labels().as_slice();
    let mut out = BTreeMap::new();
    let mut add = |named: &Named, weights: &[f32]| {
        for (&label, &weight) in labels.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            out.insert((named.clone(), label), weight);
        }
    };
    for (attribute, weights) in model.attributes() {
        if weights.iter().any(|weight| *weight != 0.0) {
            add(&names.of_attribute(&attribute), weights);
        }
    }
    for (before, weights) in labels.iter().zip(model.transitions().chunks_exact(labels.len())) {
        let named = Named {
            feature: "the label before".to_owned(),
            value: before.name().to_owned(),
        };
        add(&named, weights);
    }
    out
}

/// Scores the pages of gold files with both.
fn pages(a: &Opened, b: &Opened, files: &[std::path::PathBuf], top: usize, workers: usize) -> Result<Pages> {
    let scores = |opened: &Opened| -> Result<Vec<(String, f64)>> {
        let samples = prepare(files, &opened.model.extractor()?, workers)?;
        let scored = score(samples.iter(), &opened.model, 0);
        let f1 = scored
            .iter()
            .map(|page| (page.sample.gold.url.clone(), page.words.words.f1));
        Ok(f1.collect())
    };
    let both = scores(a)?.into_iter().zip(scores(b)?);
    let mut pages: Vec<Page> = both.map(|((url, a), (_, b))| Page { url, a, b }).collect();
    let mean = |of: fn(&Page) -> f64| pages.iter().map(of).sum::<f64>() / pages.len().max(1) as f64;
    let (mean, count) = ([mean(|page| page.a), mean(|page| page.b)], pages.len());
    pages.retain(|page| page.a != page.b);
    pages.sort_by(|one, other| (other.b - other.a).abs().total_cmp(&(one.b - one.a).abs()));
    pages.truncate(top);
    Ok(Pages {
        mean,
        count,
        most: pages,
    })
}

impl Difference {
    fn text(&self) -> String {
        let [a, b] = self.weights.map(|count| console::grouped(count as u64));
        let mut text = format!("A  {}: {a} weights\nB  {}: {b} weights\n", self.a, self.b);
        text += &titled("Settings", &self.setting_table());
        text += &titled("Columns", &self.column_lists());
        text += &titled("Weights that changed most", &self.change_table());
        if let Some(pages) = &self.pages {
            text += &titled("Word F1 of pages", &pages.text());
        }
        text
    }

    fn setting_table(&self) -> String {
        let show = |value: &Option<String>| value.as_deref().map_or("-".to_owned(), |value| plain(value, 50));
        let row = |setting: &Setting| vec![plain(&setting.name, 50), show(&setting.a), show(&setting.b)];
        lines(["setting", "A", "B"], self.settings.iter().map(row))
    }

    fn column_lists(&self) -> String {
        let those = |wanted: fn(&Column) -> bool, show: fn(&Column) -> String| -> Vec<String> {
            self.columns
                .iter()
                .filter(|column| wanted(column))
                .map(show)
                .collect()
        };
        let name = |column: &Column| plain(&column.name, 60);
        let only_a = those(|column| column.b.is_none(), name);
        let only_b = those(|column| column.a.is_none(), name);
        let changed = those(
            |column| column.a.is_some() && column.b.is_some(),
            |column| {
                let [a, b] = [column.a, column.b].map(Option::unwrap_or_default);
                format!("{} ({a} codes, {b} codes)", plain(&column.name, 60))
            },
        );
        let lists = [("only in A", only_a), ("only in B", only_b), ("in both", changed)];
        let text: String = lists.iter().map(|(title, names)| list(title, names)).collect();
        if text.is_empty() { NONE.to_owned() } else { text }
    }

    fn change_table(&self) -> String {
        let row = |change: &Change| {
            vec![
                plain(&change.named.feature, 60),
                plain(&change.named.value, 40),
                change.label.name().to_owned(),
                weight(change.a),
                weight(change.b),
                weight(change.b - change.a),
            ]
        };
        let heads = ["feature", "value", "label", "A", "B", "change"];
        lines(heads, self.changes.iter().map(row))
    }
}

impl Pages {
    fn text(&self) -> String {
        let row = |name: String, a: f64, b: f64| {
            vec![
                format!("{a:.4}"),
                format!("{b:.4}"),
                format!("{:+.4}", b - a),
                name,
            ]
        };
        let [a, b] = self.mean;
        let mean = row(format!("mean of {} pages", self.count), a, b);
        let pages = self
            .most
            .iter()
            .map(|page| row(plain(&page.url, 120), page.a, page.b));
        lines(["A", "B", "change", "page"], [mean].into_iter().chain(pages))
    }
}

const NONE: &str = "no difference\n";

/// A title with its names, a hundred characters a line.
fn list(title: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut text = format!("{title}, {}:", names.len());
    let mut width = text.len();
    for (place, name) in names.iter().enumerate() {
        let comma = if place + 1 < names.len() { "," } else { "" };
        width += name.chars().count() + 2;
        if width > 100 {
            text.push_str("\n ");
            width = name.chars().count() + 4;
        }
        text.push_str(&format!(" {name}{comma}"));
    }
    text + "\n"
}

/// A table, or the word that there is nothing in it.
fn lines<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut all = vec![heads.map(str::to_owned).to_vec()];
    all.extend(rows);
    match all.len() {
        1 => NONE.to_owned(),
        _ => table(&all),
    }
}
