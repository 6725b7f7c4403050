//! All features: name, module, definition, how the value is quantised, and how it is found.

/// Writes a row: name, module, kind, definition, value. A value that leaves the block out is the
/// document's.
macro_rules! feature {
    ($name:literal, $module:ident, $kind:expr, $definition:literal, |$facts:ident, _| $value:expr) => {
        feature!(@ $name, $module, $kind, $definition, Value::Document(|$facts| $value))
    };
    ($name:literal, $module:ident, $kind:expr, $definition:literal, |$facts:tt, $block:ident| $value:expr) => {
        feature!(@ $name, $module, $kind, $definition, Value::Block(|facts, blocks, values| {
            let of = |$facts: &Facts, $block: &BlockFacts| -> f32 { $value };
            for (value, block) in values.iter_mut().zip(blocks) {
                *value = of(facts, block);
            }
        }))
    };
    ($name:literal, $module:ident, $kind:expr, $definition:literal, $landmark:expr) => {
        feature!(@ $name, $module, $kind, $definition, Value::Landmark($landmark))
    };
    (@ $name:literal, $module:ident, $kind:expr, $definition:literal, $value:expr) => {
        Feature {
            name: $name,
            module: Module::$module,
            kind: $kind,
            definition: $definition,
            value: $value,
        }
    };
}

mod beyond;
mod victor;

use std::collections::BTreeMap;

use crate::Module;
use crate::expressions::{Expressions, Regexps};
use crate::facts::{BlockFacts, Facts, Landmark};

/// A feature of a block.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    pub(crate) module: Module,
    pub(crate) kind: FeatureKind,
    /// What it means, a sentence for the table of features.
    pub(crate) definition: &'static str,
    /// Its value before it is quantised.
    pub(crate) value: Value,
}

/// Where a value comes from.
pub(crate) enum Value {
    /// The document: all its blocks have the same.
    Document(fn(&Facts) -> f32),
    /// The block: fills in the values of some blocks, a loop of its own for each feature.
    Block(fn(&Facts, &[BlockFacts], &mut [f32])),
    /// How far a part of the page is: 0 if it is not around the block, 1 if it is within three
    /// elements, 2 farther.
    Landmark(Landmark),
}

/// How a value becomes a code.
pub(crate) enum FeatureKind {
    /// Zero or one.
    Flag,
    /// Already a code, below this number.
    Number(u16),
    /// The place of the largest value that is less or equal, in a configured list.
    Values(&'static [f64]),
    /// The same in a list that is not configured.
    Fixed(&'static [f64]),
    /// A share from 0 to 1 in a configured number of equal steps.
    Share(u16),
    /// The number of the first expression that matches, counted from one; zero for none.
    FirstMatch(fn(&Regexps) -> &Expressions),
    /// A bit for each expression that matches.
    AllMatches(fn(&Regexps) -> &Expressions),
}

impl FeatureKind {
    /// What codes there are, in words.
    fn describe(&self) -> String {
        match self {
            FeatureKind::Flag => "0, 1".to_owned(),
            FeatureKind::Number(count) => format!("0 to {}", count - 1),
            FeatureKind::Values(values) | FeatureKind::Fixed(values) => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                format!("at least {}", values.join(", "))
            }
            FeatureKind::Share(steps) => format!("{steps} steps of a share"),
            FeatureKind::FirstMatch(_) => "number of the expression, 0 for none".to_owned(),
            FeatureKind::AllMatches(_) => "a bit an expression".to_owned(),
        }
    }

    /// The expressions that the feature is about.
    pub(crate) fn expressions<'r>(&self, regexps: &'r Regexps) -> Option<&'r Expressions> {
        match self {
            FeatureKind::FirstMatch(list) | FeatureKind::AllMatches(list) => Some(list(regexps)),
            _ => None,
        }
    }
}

const FEW: &[f64] = &[0.0, 1.0, 2.0, 3.0, 4.0, 6.0];
const COUNTS: &[f64] = &[0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 40.0, 80.0];

fn flag(on: bool) -> f32 {
    f32::from(u8::from(on))
}

/// All features, in the order of their columns.
pub(crate) fn all() -> impl Iterator<Item = &'static Feature> {
    victor::ROWS.iter().chain(beyond::ROWS)
}

/// The feature of a name.
pub(crate) fn find(name: &str) -> Option<&'static Feature> {
    all().find(|feature| feature.name == name)
}

/// The value lists that the features have unless configured.
pub(crate) fn default_values() -> BTreeMap<String, Vec<f64>> {
    let list = |feature: &Feature| match feature.kind {
        FeatureKind::Values(values) => Some((feature.name.to_owned(), values.to_vec())),
        _ => None,
    };
    all().filter_map(list).collect()
}

/// The scales that the features have unless configured.
pub(crate) fn default_scales() -> BTreeMap<String, u16> {
    let scale = |feature: &Feature| match feature.kind {
        FeatureKind::Share(steps) => Some((feature.name.to_owned(), steps)),
        _ => None,
    };
    all().filter_map(scale).collect()
}

/// The table of all features as Markdown: name, module, definition and range.
///
/// ```
/// assert!(gleaner_features::feature_table().contains("| `split.br` |"));
/// ```
pub fn feature_table() -> String {
    let mut table = "| feature | module | definition | codes |\n|---|---|---|---|\n".to_owned();
    for feature in all() {
        let module = format!("{:?}", feature.module);
        let (name, definition, codes) = (feature.name, feature.definition, feature.kind.describe());
        table += &format!("| `{name}` | {module} | {definition} | {codes} |\n");
    }
    table
}
