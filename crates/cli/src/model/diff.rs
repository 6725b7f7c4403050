//! `gleaner model diff`: in what two models differ.

use std::collections::BTreeMap;

use anyhow::Result;
use gleaner_content::Model;
use gleaner_crf::Attribute;
use serde::Serialize;

use super::Opened;
use super::names::{Named, Names};
use super::show::{as_written, titled};
use super::table::{plain, table, weight};
use crate::args::DiffModels;
use crate::eval::score;
use crate::prepared::{prepare, threads};
use crate::{Outcome, console};

/// Of the changes of each kind of page, one in so many is shown beside those of the labels.
const SHARE_OF_KIND: usize = 4;

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
    /// Whether either tells kinds of pages.
    #[serde(skip)]
    knows_kinds: bool,
    /// The largest changes of what tells the kind of a page.
    kind_changes: Vec<Change>,
    /// The largest changes of what tells content on the pages of each kind that either knows.
    content_changes: Vec<ContentChanges>,
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
    /// The label or kind that it speaks for.
    #[serde(rename = "label")]
    class: String,
    a: f32,
    b: f32,
}

/// How the weights that tell content on pages of a kind have changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct ContentChanges {
    kind: String,
    /// Weights that are not the same.
    count: usize,
    /// The mean of all changes, without their signs.
    mean: f64,
    /// The largest of them.
    most: Vec<Change>,
}

/// Weights by what they are about and what they speak for; those that are zero are missing.
type Weights = BTreeMap<(Named, String), f32>;

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
        changes: largest(differing(&weights(&a.model), &weights(&b.model)), top),
        kind_changes: largest(
            differing(
                &of_kinds(&a.model, a.model.kind_attributes()),
                &of_kinds(&b.model, b.model.kind_attributes()),
            ),
            top,
        ),
        knows_kinds: !(a.model.kinds().is_empty() && b.model.kinds().is_empty()),
        content_changes: content_changes(&a.model, &b.model, top.div_ceil(SHARE_OF_KIND)),
        a: a.source,
        b: b.source,
        pages,
    };
    console::out_as(arguments.json, &difference, || difference.text())?;
    Ok(Outcome::Done)
}

/// All settings of a model by their paths.
fn flat(model: &Model) -> Result<BTreeMap<String, String>> {
    let mut all = toml::Table::new();
    all.insert("labels".to_owned(), toml::Value::try_from(model.labels())?);
    all.insert("kinds".to_owned(), toml::Value::try_from(model.kinds())?);
    all.insert(
        "conventions".to_owned(),
        toml::Value::try_from(model.conventions())?,
    );
    for (name, trees) in [("label_trees", model.label_trees()), ("trees", model.trees())] {
        let Some(trees) = trees else { continue };
        let shape = [
            ("count", trees.count.to_string()),
            ("leaves", trees.leaves.to_string()),
            ("share", trees.share.to_string()),
        ];
        let shape = shape.map(|(name, value)| (name.to_owned(), toml::Value::from(value)));
        all.insert(name.to_owned(), toml::Value::Table(toml::Table::from_iter(shape)));
    }
    for (name, setting) in [
        ("alike", model.group_smoothing().to_string()),
        ("repeated", model.repeated().to_string()),
        ("preformatted", model.preformatted().to_string()),
        ("captions", model.captions().to_string()),
        ("confidence", format!("{:?}", model.calibration().points())),
    ] {
        all.insert(name.to_owned(), toml::Value::from(setting));
    }
    if let Some(columns) = model.content_columns() {
        all.insert("content_columns".to_owned(), toml::Value::try_from(columns)?);
    }
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

/// The weights that differ. Weights belong together if features, values and labels are called the same,
/// so that lists of values may differ.
fn differing(a: &Weights, b: &Weights) -> Vec<Change> {
    keys(a, b)
        .map(|key| Change {
            named: key.0.clone(),
            class: key.1.clone(),
            a: a.get(key).copied().unwrap_or(0.0),
            b: b.get(key).copied().unwrap_or(0.0),
        })
        .filter(|change| change.a != change.b)
        .collect()
}

/// The `top` largest changes.
fn largest(mut changes: Vec<Change>, top: usize) -> Vec<Change> {
    changes.sort_by(|one, other| other.size().total_cmp(&one.size()));
    changes.truncate(top);
    changes
}

/// The weights for labels, transitions among them.
fn weights(model: &Model) -> Weights {
    let labels: Vec<String> = model
        .labels()
        .as_slice()
        .iter()
        .map(|label| label.name().to_owned())
        .collect();
    let mut out = of_classes(model, model.attributes(), &labels);
    for (before, weights) in labels.iter().zip(model.transitions().chunks_exact(labels.len())) {
        let named = Named {
            feature: "the label before".to_owned(),
            value: before.clone(),
        };
        add(&mut out, &named, weights, &labels);
    }
    out
}

/// Weights for kinds of pages.
fn of_kinds<'m>(model: &'m Model, attributes: impl Iterator<Item = (Attribute, &'m [f32])>) -> Weights {
    of_classes(model, attributes, model.kinds())
}

fn of_classes<'m>(
    model: &Model,
    attributes: impl Iterator<Item = (Attribute, &'m [f32])>,
    classes: &[String],
) -> Weights {
    let names = Names::of(model);
    let mut out = Weights::new();
    for (attribute, weights) in attributes.filter(|(_, weights)| weights.iter().any(|weight| *weight != 0.0))
    {
        add(&mut out, &names.of_attribute(&attribute), weights, classes);
    }
    out
}

fn add(out: &mut Weights, named: &Named, weights: &[f32], classes: &[String]) {
    for (class, &weight) in classes.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        out.insert((named.clone(), class.clone()), weight);
    }
}

/// The changes of content weights by kind, the kind that changed most first.
fn content_changes(a: &Model, b: &Model, top: usize) -> Vec<ContentChanges> {
    let (a, b) = (
        of_kinds(a, a.content_attributes()),
        of_kinds(b, b.content_attributes()),
    );
    let mut by_kind: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    for change in differing(&a, &b) {
        by_kind.entry(change.class.clone()).or_default().push(change);
    }
    let of_kind = |(kind, changes): (String, Vec<Change>)| ContentChanges {
        kind,
        count: changes.len(),
        mean: changes.iter().map(|change| f64::from(change.size())).sum::<f64>() / changes.len() as f64,
        most: largest(changes, top),
    };
    let mut all: Vec<ContentChanges> = by_kind.into_iter().map(of_kind).collect();
    all.sort_by(|one, other| other.mean.total_cmp(&one.mean));
    all
}

impl Change {
    /// The change without its sign.
    fn size(&self) -> f32 {
        (self.b - self.a).abs()
    }
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
        text += &titled("Weights that changed most", &change_table("label", &self.changes));
        text += &self.kind_text();
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

    /// What tells kinds, and content by kind; nothing where neither model does.
    fn kind_text(&self) -> String {
        if !self.knows_kinds {
            return String::new();
        }
        let mut text = titled(
            "Weights for kinds of pages that changed most",
            &change_table("kind", &self.kind_changes),
        );
        let row = |kind: &ContentChanges| {
            vec![
                plain(&kind.kind, 60),
                console::grouped(kind.count as u64),
                format!("{:.3}", kind.mean),
            ]
        };
        let table = lines(
            ["kind", "changed", "mean change"],
            self.content_changes.iter().map(row),
        );
        text += &titled("Weights for content, by the kind of the page", &table);
        for kind in &self.content_changes {
            let title = format!("Content on pages of the kind {}", plain(&kind.kind, 60));
            text += &titled(&title, &change_table("kind", &kind.most));
        }
        text
    }
}

fn change_table(class: &str, changes: &[Change]) -> String {
    let row = |change: &Change| {
        vec![
            plain(&change.named.feature, 60),
            plain(&change.named.value, 40),
            plain(&change.class, 60),
            weight(change.a),
            weight(change.b),
            weight(change.b - change.a),
        ]
    };
    lines(
        ["feature", "value", class, "A", "B", "change"],
        changes.iter().map(row),
    )
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
    let mut rows = rows.peekable();
    match rows.peek() {
        None => NONE.to_owned(),
        Some(_) => table(&heads, rows),
    }
}
