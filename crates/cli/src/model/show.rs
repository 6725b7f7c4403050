//! `gleaner model show`: what a model has learned, in words.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use gleaner_content::{Label, TrainingPages, TreesInfo};
use gleaner_crf::Attribute;
use gleaner_page::PageConfig;
use serde::Serialize;

use super::Opened;
use super::names::{Named, Names};
use super::table::{plain, table, weight};
use crate::args::ShowModel;
use crate::{Outcome, console};

/// What is said of a model.
#[derive(Serialize)]
struct Shown {
    name: String,
    bytes: u64,
    checksum: String,
    /// How many pages it was trained on, where these are recorded.
    training_pages: Option<usize>,
    /// Of the features.
    fingerprint: String,
    labels: Vec<Label>,
    /// The kinds of pages by which it tells content.
    kinds: Vec<String>,
    /// The conventions by which it may be told to judge, with the kinds of each.
    conventions: BTreeMap<String, Vec<String>>,
    /// The trees of all labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    label_trees: Option<TreesShown>,
    /// The trees that judge content.
    #[serde(skip_serializing_if = "Option::is_none")]
    trees: Option<TreesShown>,
    /// How much the mean over blocks that look alike counts beside a block itself.
    alike: f32,
    /// What repeated texts lose of their log odds.
    repeated: f32,
    /// What preformatted texts between blocks of content gain in log odds.
    preformatted: f32,
    /// Whether captions go with what they are about.
    captions: bool,
    /// The points of the calibration: expected and observed word F1 of pages.
    confidence: Vec<[f32; 2]>,
    /// Which columns tell content, where they are not those of the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_columns: Option<toml::Value>,
    decoder: toml::Value,
    template: toml::Value,
    /// How pages are read and cut into blocks.
    page: toml::Table,
    columns: usize,
    /// Weights that are not zero.
    weights: usize,
    card: toml::Table,
    modules: Vec<Module>,
    /// The score of each label (column) after each label (row).
    transitions: Vec<Vec<f32>>,
    strongest: Vec<Strongest>,
}

/// Trees that judge beside weights.
#[derive(Serialize)]
struct TreesShown {
    count: usize,
    leaves: usize,
    /// What they count in the mean with the weights.
    share: f32,
    /// What is asked about most.
    asked: Vec<Asked>,
}

#[derive(Serialize)]
struct Asked {
    /// A column, or a kind of page.
    input: String,
    /// How many of the questions.
    questions: usize,
}

/// A module's part of a model.
#[derive(Serialize)]
struct Module {
    module: String,
    columns: usize,
    /// Weights that are not zero.
    weights: usize,
    /// Of the sum of all weights without their signs.
    share: f64,
    /// Of all trees.
    questions: usize,
}

/// What speaks most for a label, and against it; or for a kind of page, or for content on such pages.
#[derive(Serialize)]
struct Strongest {
    label: String,
    for_it: Vec<Weight>,
    against_it: Vec<Weight>,
}

#[derive(Clone, Serialize)]
struct Weight {
    weight: f32,
    #[serde(flatten)]
    named: Named,
    /// What the feature measures.
    definition: String,
    /// As the file has it: column, offset and code.
    attribute: String,
}

/// All weights of some features.
#[derive(Serialize)]
struct Table {
    labels: Vec<Label>,
    rows: Vec<TableRow>,
}

#[derive(Serialize)]
struct TableRow {
    #[serde(flatten)]
    named: Named,
    definition: String,
    weights: Vec<f32>,
}

/// Runs the command.
pub(super) fn run(arguments: &ShowModel) -> Result<Outcome> {
    let opened = Opened::new(arguments.model.as_deref())?;
    let names = Names::of(&opened.model);
    match &arguments.feature {
        Some(feature) => {
            let table = Table::new(&opened, &names, feature)?;
            console::out_as(arguments.json, &table, || table.text())?;
        }
        None => {
            let shown = Shown::new(&opened, &names, usize::from(arguments.top))?;
            console::out_as(arguments.json, &shown, || shown.text())?;
        }
    }
    Ok(Outcome::Done)
}

/// The settings of reading pages in the configuration of features.
fn page_settings(features: &str) -> toml::Table {
    let features: toml::Table = toml::from_str(features).unwrap_or_default();
    let page = features
        .get("page")
        .cloned()
        .unwrap_or(toml::Value::Table(toml::Table::new()));
    // (As it is understood: models of old have limits that are no more.)
    let config: Result<PageConfig, _> = page.clone().try_into();
    let understood = config.ok().and_then(|config| toml::Table::try_from(config).ok());
    understood
        .or_else(|| page.as_table().cloned())
        .unwrap_or_default()
}

impl Shown {
    fn new(opened: &Opened, names: &Names, top: usize) -> Result<Shown> {
        let model = &opened.model;
        let space = model.space();
        let labels = model.labels().as_slice().to_vec();
        let card = toml::from_str(model.card()).unwrap_or_else(|_| {
            toml::Table::from_iter([("text".to_owned(), toml::Value::from(model.card()))])
        });
        Ok(Shown {
            name: opened.name.clone(),
            bytes: opened.bytes,
            checksum: opened.checksum.clone(),
            training_pages: model.training_pages().map(TrainingPages::len),
            fingerprint: format!("{:016x}", space.fingerprint),
            decoder: as_written(&model.decoder())?,
            template: as_written(model.template())?,
            page: page_settings(&space.config),
            columns: space.columns.len(),
            weights: model.nonzero(),
            card,
            modules: modules(opened, names),
            transitions: model
                .transitions()
                .chunks_exact(labels.len())
                .map(<[f32]>::to_vec)
                .collect(),
            strongest: strongest(opened, names, top),
            labels,
            kinds: model.kinds().to_vec(),
            conventions: model.conventions(),
            label_trees: model.label_trees().map(|trees| TreesShown::of(trees, top)),
            trees: model.trees().map(|trees| TreesShown::of(trees, top)),
            alike: model.group_smoothing(),
            repeated: model.repeated(),
            preformatted: model.preformatted(),
            captions: model.captions(),
            confidence: model.calibration().points().to_vec(),
            content_columns: model.content_columns().map(as_written).transpose()?,
        })
    }

    fn text(&self) -> String {
        let card = toml::to_string(&self.card).unwrap_or_default();
        let card: String = card.lines().map(|line| plain(line, 200) + "\n").collect();
        [
            self.head(),
            titled("Card", &card),
            titled(
                "Modules: share of the weights, without their signs, and the trees' questions",
                &self.module_table(),
            ),
            self.transition_table(),
            self.label_trees
                .iter()
                .map(|trees| trees.text("Trees of labels: most frequent questions"))
                .collect(),
            self.trees
                .iter()
                .map(|trees| trees.text("Trees of content: most frequent questions"))
                .collect(),
            self.strongest.iter().map(Strongest::text).collect(),
        ]
        .concat()
    }

    fn head(&self) -> String {
        let labels: Vec<&str> = self.labels.iter().map(|label| label.name()).collect();
        let offsets = self.template.get("offsets").map(ToString::to_string);
        let columns = self.content_columns.as_ref().map(ToString::to_string);
        let facts = [
            ("model", plain(&self.name, 100)),
            (
                "size",
                format!(
                    "{}, {} weights",
                    console::bytes(self.bytes),
                    console::grouped(self.weights as u64)
                ),
            ),
            ("checksum", self.checksum.clone()),
            (
                "trained on",
                self.training_pages
                    .map(|count| format!("{} pages, known by their digests", console::grouped(count as u64)))
                    .unwrap_or_default(),
            ),
            ("labels", labels.join(", ")),
            ("kinds", plain(&self.kinds.join(", "), 200)),
            ("conventions", self.conventions_fact()),
            (
                "trees",
                [("labels", &self.label_trees), ("content", &self.trees)]
                    .into_iter()
                    .filter_map(|(of, trees)| Some(trees.as_ref()?.fact(of)))
                    .collect::<Vec<_>>()
                    .join("; "),
            ),
            ("alike", self.alike_fact()),
            ("repeated", self.repeated_fact()),
            ("pre", self.preformatted_fact()),
            ("captions", self.captions_fact()),
            ("confidence", self.confidence_fact()),
            ("decoder", plain(&self.decoder.to_string(), 200)),
            ("unit", self.unit_fact()),
            ("page", self.page_fact()),
            (
                "features",
                format!("{} columns, fingerprint {}", self.columns, self.fingerprint),
            ),
            ("offsets", plain(&offsets.unwrap_or_default(), 200)),
            ("content", plain(&columns.unwrap_or_default(), 200)),
        ];
        facts
            .iter()
            .filter(|(_, fact)| !fact.is_empty())
            .map(|(name, fact)| format!("{name:12}{fact}\n"))
            .collect()
    }

    /// What a block is.
    fn unit_fact(&self) -> String {
        let unit = self
            .page
            .get("unit")
            .and_then(toml::Value::as_str)
            .unwrap_or_default();
        let meaning = match unit {
            "line" => ": a block is a line of the page as it is shown",
            "tag" => ": a block is the text between two tags",
            "text" => ": a block is a line of a plain text",
            _ => "",
        };
        plain(unit, 60) + meaning
    }

    /// The other settings of reading pages, where they are not those by default.
    fn page_fact(&self) -> String {
        let default = toml::Table::try_from(PageConfig::default()).unwrap_or_default();
        let others = self
            .page
            .iter()
            .filter(|(key, value)| *key != "unit" && default.get(*key) != Some(value));
        let others: Vec<String> = others.map(|(key, value)| format!("{key} = {value}")).collect();
        match others.is_empty() {
            true => "as by default: alt texts of images are text".to_owned(),
            false => plain(&others.join("; "), 500),
        }
    }

    /// What `--convention` may be.
    fn conventions_fact(&self) -> String {
        let each = self.conventions.iter();
        let each = each.map(|(name, kinds)| format!("{name} ({})", kinds.join(", ")));
        plain(&each.collect::<Vec<_>>().join("; "), 200)
    }

    /// How blocks that look alike are judged.
    fn alike_fact(&self) -> String {
        match self.alike {
            0.0 => String::new(),
            share => format!("blocks that look alike: {share} of the way to the mean of their log odds"),
        }
    }

    /// How texts are judged that stand elsewhere on the page, too.
    fn repeated_fact(&self) -> String {
        match self.repeated {
            0.0 => String::new(),
            cost => format!("repeated texts of a page lose {cost} in log odds"),
        }
    }

    /// How preformatted texts are judged.
    fn preformatted_fact(&self) -> String {
        match self.preformatted {
            0.0 => String::new(),
            gain => format!("preformatted texts between blocks of content gain {gain} in log odds"),
        }
    }

    /// How captions are judged.
    fn captions_fact(&self) -> String {
        match self.captions {
            false => String::new(),
            true => "at least as probable as the figure, table or definition that they belong to".to_owned(),
        }
    }

    /// What the expected word F1 of a page comes to.
    fn confidence_fact(&self) -> String {
        let points = self.confidence.iter();
        let points: Vec<String> = points
            .map(|[expected, observed]| format!("{expected:.2} -> {observed:.2}"))
            .collect();
        match points.is_empty() {
            true => String::new(),
            false => format!("expected -> observed word F1: {}", points.join(", ")),
        }
    }

    fn module_table(&self) -> String {
        let rows = self.modules.iter().map(|module| {
            vec![
                plain(&module.module, 60),
                module.columns.to_string(),
                console::grouped(module.weights as u64),
                format!("{:.1}%", module.share * 100.0),
                console::grouped(module.questions as u64),
            ]
        });
        table(&["module", "columns", "weights", "share", "questions"], rows)
    }

    /// Empty where all of them are zero, as where labels go by trees alone.
    fn transition_table(&self) -> String {
        if self.transitions.iter().flatten().all(|&weight| weight == 0.0) {
            return String::new();
        }
        let rows = self.labels.iter().zip(&self.transitions).map(|(label, weights)| {
            let weights = weights.iter().map(|&value| weight(value));
            [label.name().to_owned()].into_iter().chain(weights).collect()
        });
        titled(
            "Transitions: the label before (row), the label (column)",
            &table(&heads("", &self.labels), rows),
        )
    }
}

impl TreesShown {
    fn of(trees: TreesInfo, top: usize) -> TreesShown {
        let mut asked: Vec<Asked> = trees
            .asked
            .into_iter()
            .map(|(input, questions)| Asked { input, questions })
            .collect();
        asked.sort_by_key(|asked| std::cmp::Reverse(asked.questions));
        asked.truncate(top);
        TreesShown {
            count: trees.count,
            leaves: trees.leaves,
            share: trees.share,
            asked,
        }
    }

    fn fact(&self, of: &str) -> String {
        let TreesShown {
            count, leaves, share, ..
        } = self;
        format!("{count} of {leaves} leaves, {share} of the mean with the weights of {of}")
    }

    fn text(&self, title: &str) -> String {
        let rows = self
            .asked
            .iter()
            .map(|asked| vec![asked.questions.to_string(), plain(&asked.input, 60)]);
        titled(title, &table(&["questions", "about"], rows))
    }
}

impl Strongest {
    fn text(&self) -> String {
        let name = plain(&self.label, 60);
        [("For", &self.for_it), ("Against", &self.against_it)]
            .into_iter()
            .filter(|(_, weights)| !weights.is_empty())
            .map(|(side, weights)| titled(&format!("{side} {name}"), &weight_table(weights)))
            .collect()
    }
}

impl Table {
    /// The weights of the columns whose names begin so.
    fn new(opened: &Opened, names: &Names, feature: &str) -> Result<Table> {
        let wanted = |attribute: &Attribute| attribute.column.starts_with(feature);
        let rows: Vec<TableRow> = opened
            .model
            .attributes()
            .filter(|(attribute, _)| wanted(attribute))
            .map(|(attribute, weights)| TableRow {
                named: names.of_attribute(&attribute),
                definition: names.definition(&attribute),
                weights: weights.to_vec(),
            })
            .collect();
        if rows.is_empty() {
            bail!(
                "{}: no column that has weights begins with {feature:?}",
                opened.source
            );
        }
        Ok(Table {
            labels: opened.model.labels().as_slice().to_vec(),
            rows,
        })
    }

    /// A table for each feature.
    fn text(&self) -> String {
        let same = |a: &TableRow, b: &TableRow| a.named.feature == b.named.feature;
        self.rows
            .chunk_by(same)
            .map(|rows| self.feature_text(rows))
            .collect()
    }

    fn feature_text(&self, rows: &[TableRow]) -> String {
        let (feature, definition) = rows.first().map_or(("", ""), |row| {
            (row.named.feature.as_str(), row.definition.as_str())
        });
        let cells = rows.iter().map(|row| {
            let weights = row.weights.iter().map(|&value| weight(value));
            [plain(&row.named.value, 60)].into_iter().chain(weights).collect()
        });
        let table = table(&heads("value", &self.labels), cells);
        titled(&plain(&format!("{feature}: {definition}"), 200), &table)
    }
}

/// Columns, weights and questions by module, the largest share first, then the most questions.
fn modules(opened: &Opened, names: &Names) -> Vec<Module> {
    let mut columns: BTreeMap<String, usize> = BTreeMap::new();
    for column in &opened.model.space().columns {
        *columns.entry(names.module_of(&column.name)).or_default() += 1;
    }
    let mut questions = questions(opened, names);
    let mut sums: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for module in questions.keys() {
        sums.insert(module.clone(), (0, 0.0));
    }
    for (attribute, weights) in opened.model.attributes() {
        let sum = sums.entry(names.module_of(&attribute.column)).or_default();
        for weight in weights.iter().filter(|weight| **weight != 0.0) {
            sum.0 += 1;
            sum.1 += f64::from(weight.abs());
        }
    }
    let all: f64 = sums.values().map(|(_, sum)| sum).sum();
    let module = |(module, (weights, sum)): (String, (usize, f64))| Module {
        columns: columns.get(&module).copied().unwrap_or(0),
        share: if all > 0.0 { sum / all } else { 0.0 },
        questions: questions.remove(&module).unwrap_or(0),
        module,
        weights,
    };
    let mut modules: Vec<Module> = sums.into_iter().map(module).collect();
    modules.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.questions.cmp(&a.questions)));
    modules
}

/// How often the trees ask about each module, and about the kind of the page.
fn questions(opened: &Opened, names: &Names) -> BTreeMap<String, usize> {
    let columns = &opened.model.space().columns;
    let mut sums = BTreeMap::new();
    let trees = [opened.model.label_trees(), opened.model.trees()];
    for (input, count) in trees.into_iter().flatten().flat_map(|trees| trees.asked) {
        // (Those of neighbours have the offset behind: `split.p@-1`.)
        let name = input.split_once('@').map_or(input.as_str(), |(name, _)| name);
        let module = match columns.iter().any(|column| column.name == name) {
            true => names.module_of(name),
            false => "kind of page".to_owned(),
        };
        *sums.entry(module).or_default() += count;
    }
    sums
}

/// The largest and smallest weights of each label, then of what is told by kinds of pages.
fn strongest(opened: &Opened, names: &Names, top: usize) -> Vec<Strongest> {
    let model = &opened.model;
    let labels = model
        .labels()
        .as_slice()
        .iter()
        .map(|label| label.name().to_owned());
    let of_kinds =
        |what: &str| -> Vec<String> { model.kinds().iter().map(|kind| format!("{what}{kind}")).collect() };
    let mut all = extremes(model.attributes(), labels.collect(), names, top);
    all.extend(extremes(
        model.kind_attributes(),
        of_kinds("the kind "),
        names,
        top,
    ));
    all.extend(extremes(
        model.content_attributes(),
        of_kinds("content on pages of the kind "),
        names,
        top,
    ));
    all
}

/// The `top` largest and smallest weights of each class.
fn extremes<'m>(
    attributes: impl Iterator<Item = (Attribute, &'m [f32])>,
    classes: Vec<String>,
    names: &Names,
    top: usize,
) -> Vec<Strongest> {
    let rows: Vec<(Attribute, &[f32])> = attributes
        .filter(|(_, weights)| weights.iter().any(|weight| *weight != 0.0))
        .collect();
    let of_class = |(place, label): (usize, String)| {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        // (A stable sort: equal weights stay in the order of the file.)
        order.sort_by(|&a, &b| rows[b].1[place].total_cmp(&rows[a].1[place]));
        let named = |&row: &usize| {
            let (attribute, weights) = &rows[row];
            Weight {
                weight: weights[place],
                named: names.of_attribute(attribute),
                definition: names.definition(attribute),
                attribute: attribute.to_string(),
            }
        };
        let largest = order.iter().map(named).take_while(|row| row.weight > 0.0);
        let smallest = order.iter().rev().map(named).take_while(|row| row.weight < 0.0);
        Strongest {
            label,
            for_it: largest.take(top).collect(),
            against_it: smallest.take(top).collect(),
        }
    };
    classes.into_iter().enumerate().map(of_class).collect()
}

fn weight_table(weights: &[Weight]) -> String {
    let rows = weights.iter().map(|row| {
        vec![
            weight(row.weight),
            plain(&row.named.feature, 60),
            plain(&row.named.value, 40),
            plain(&row.definition, 70),
        ]
    });
    table(&["weight", "feature", "value", "what it measures"], rows)
}

/// Settings as they stand in a file: 0.3, which is another number as `f32` than as `f64`.
pub(super) fn as_written(settings: &impl Serialize) -> Result<toml::Value> {
    Ok(toml::Value::Table(toml::from_str(&toml::to_string(settings)?)?))
}

/// The names of labels behind another head.
fn heads<'a>(first: &'a str, labels: &[Label]) -> Vec<&'a str> {
    let labels = labels.iter().map(|label| label.name());
    std::iter::once(first).chain(labels).collect()
}

/// A part of a report.
pub(super) fn titled(title: &str, text: &str) -> String {
    format!("\n{title}\n\n{text}")
}
