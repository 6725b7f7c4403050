//! What is configured: which modules run, how their values are quantised, and the expressions.

use std::collections::BTreeMap;

use gleaner_columns::ColumnInfo;
use gleaner_page::PageConfig;
use serde::{Deserialize, Deserializer, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::catalogue::{self, Feature, FeatureKind};
use crate::chars::CharTable;
use crate::expressions::Regexps;
use crate::facts::Measurer;
use crate::keywords::{self, KeywordGroup};
use crate::{Error, Module};

/// Raised when the meaning of a feature changes, so that older models are refused.
const DEFINITIONS: u32 = 1;

/// Maximum codes per column.
const MAX_CARDINALITY: usize = 256;

/// Maximum keyword groups: a bit each in a word.
const MAX_KEYWORD_GROUPS: usize = 64;

/// The configuration of the features. In TOML every part may be left out and then has its
/// default; of `values` and `scales` the features left out keep theirs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureConfig {
    /// How pages are cut into blocks: features mean nothing on blocks of another cut. Its limits
    /// are the run's and do not count in the fingerprint.
    pub page: PageConfig,
    /// The modules that run.
    pub modules: Vec<Module>,
    /// What ends a sentence.
    pub sentences: Sentences,
    /// Expressions that are looked for in a block's text.
    pub regexps: Regexps,
    /// Groups of words that are looked for in classes and ids: a column each.
    pub keywords: Vec<KeywordGroup>,
    /// How many equal steps the features that are shares have: a share of 1 is in the last.
    #[serde(deserialize_with = "scales_over_defaults")]
    pub scales: BTreeMap<String, u16>,
    /// The values that a number is mapped to, ascending: to the largest less or equal, and to the
    /// first if it is below all of them.
    #[serde(deserialize_with = "values_over_defaults")]
    pub values: BTreeMap<String, Vec<f64>>,
    /// Whether phrases in scripts without spaces (Chinese, Japanese, Thai) are measured by [`unspaced_words`] besides: a
    /// paragraph is one word else. Tags distinguish it from a menu, but a plain text has none.
    ///
    /// [`unspaced_words`]: crate::unspaced_words
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unspaced: bool,
}

/// What ends a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sentences {
    /// Characters that end a sentence when white space or the block's end follows.
    pub stops: String,
    /// Characters that end a sentence whatever follows.
    pub full_stops: String,
    /// Characters that may stand between a stop and the white space.
    pub closing: String,
}

impl Default for FeatureConfig {
    fn default() -> Self {
        FeatureConfig {
            page: PageConfig::default(),
            modules: Module::ALL
                .iter()
                .copied()
                .filter(|module| ![Module::Query, Module::Window].contains(module))
                .collect(),
            sentences: Sentences::default(),
            regexps: Regexps::default(),
            keywords: keywords::default_groups(),
            scales: catalogue::default_scales(),
            values: catalogue::default_values(),
            unspaced: false,
        }
    }
}

fn toml_of(value: &impl Serialize) -> String {
    toml::to_string(value).expect("maps with string keys, lists and numbers always have a form in TOML")
}

impl FeatureConfig {
    /// The 46 features of the Victor thesis and no others.
    pub fn victor() -> FeatureConfig {
        FeatureConfig {
            modules: Module::VICTOR.to_vec(),
            ..FeatureConfig::default()
        }
    }

    /// Reads a configuration and checks it.
    ///
    /// # Errors
    /// When the text is not TOML, names something unknown, or a list or expression is not sound.
    ///
    /// ```
    /// let config = gleaner_features::FeatureConfig::from_toml("modules = ['split', 'char']")?;
    /// assert_eq!(config.columns()[0].name, "split.p");
    /// # Ok::<(), gleaner_features::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<FeatureConfig, Error> {
        let config: FeatureConfig = toml::from_str(text)?;
        config.check()?;
        Ok(config)
    }

    /// The whole configuration, defaults spelled out.
    pub fn to_toml(&self) -> String {
        toml_of(self)
    }

    /// The columns that an extractor with this configuration fills, in order.
    pub fn columns(&self) -> Vec<ColumnInfo> {
        let info = |feature: &Feature| ColumnInfo {
            name: feature.name.to_owned(),
            cardinality: self.cardinality(feature) as u16,
        };
        let mut columns: Vec<ColumnInfo> = self.features().map(info).collect();
        if self.has(Module::Keyword) {
            let name = |group: &KeywordGroup| format!("keyword.{}", group.name);
            columns.extend(self.keywords.iter().map(|group| ColumnInfo {
                name: name(group),
                cardinality: 4,
            }));
        }
        columns
    }

    /// A hash of everything that decides what a column means. A model carries it, and is refused
    /// with columns of another.
    pub fn fingerprint(&self) -> u64 {
        let mut canonical = self.clone();
        canonical.modules.sort_unstable();
        canonical.modules.dedup();
        let text = canonical.to_toml();
        let text = text.replacen(&toml_of(&canonical.page.limits), "", 1);
        xxh3_64(format!("{DEFINITIONS}\n{text}").as_bytes())
    }

    /// Whether the module runs.
    pub fn has(&self, module: Module) -> bool {
        self.modules.contains(&module)
    }

    /// What measures pages for these features.
    pub(crate) fn measurer(&self) -> Result<Measurer, Error> {
        let Sentences {
            stops,
            full_stops,
            closing,
        } = &self.sentences;
        let mut chars = CharTable::new(stops, full_stops, closing);
        chars.unspaced = self.unspaced;
        Measurer::new(&self.modules, chars, &self.regexps, &self.keywords)
    }

    /// The features that are on, in the order of the catalogue.
    pub(crate) fn features(&self) -> impl Iterator<Item = &'static Feature> {
        catalogue::all().filter(|feature| self.has(feature.module))
    }

    fn cardinality(&self, feature: &Feature) -> usize {
        match feature.kind {
            FeatureKind::Flag => 2,
            FeatureKind::Number(count) => count as usize,
            FeatureKind::Values(_) => self.values.get(feature.name).map_or(1, Vec::len),
            FeatureKind::Fixed(values) => values.len(),
            FeatureKind::Share(_) => self.scales.get(feature.name).map_or(1, |&scale| scale as usize),
            FeatureKind::FirstMatch(expressions) => expressions(&self.regexps).patterns.len() + 1,
            FeatureKind::AllMatches(expressions) => 1 << expressions(&self.regexps).patterns.len(),
        }
    }

    /// Checks what the types alone do not.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.values
            .iter()
            .try_for_each(|(name, list)| check_values(name, list))?;
        self.scales
            .iter()
            .try_for_each(|(name, &scale)| check_scale(name, scale))?;
        if self.keywords.len() > MAX_KEYWORD_GROUPS {
            return Err(Error::TooManyKeywordGroups);
        }
        let too_many = self.features().find(|feature| {
            let most = if matches!(feature.kind, FeatureKind::AllMatches(_)) {
                8
            } else {
                MAX_CARDINALITY - 1
            };
            feature
                .kind
                .expressions(&self.regexps)
                .is_some_and(|list| list.patterns.len() > most)
        });
        too_many.map_or(Ok(()), |feature| Err(Error::TooManyExpressions(feature.name)))
    }
}

fn check_values(name: &str, list: &[f64]) -> Result<(), Error> {
    if !matches!(
        catalogue::find(name).map(|feature| &feature.kind),
        Some(FeatureKind::Values(_))
    ) {
        return Err(Error::UnknownFeature("values", name.to_owned()));
    }
    let ascending = list.is_sorted_by(|low, high| low < high) && list.iter().all(|value| value.is_finite());
    if list.is_empty() || list.len() > MAX_CARDINALITY || !ascending {
        return Err(Error::Values(name.to_owned()));
    }
    Ok(())
}

fn check_scale(name: &str, scale: u16) -> Result<(), Error> {
    if !matches!(
        catalogue::find(name).map(|feature| &feature.kind),
        Some(FeatureKind::Share(_))
    ) {
        return Err(Error::UnknownFeature("scales", name.to_owned()));
    }
    if scale == 0 || scale as usize > MAX_CARDINALITY {
        return Err(Error::Scale(name.to_owned()));
    }
    Ok(())
}

fn values_over_defaults<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<f64>>, D::Error> {
    let mut all = catalogue::default_values();
    all.extend(BTreeMap::deserialize(from)?);
    Ok(all)
}

fn scales_over_defaults<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, u16>, D::Error> {
    let mut all = catalogue::default_scales();
    all.extend(BTreeMap::deserialize(from)?);
    Ok(all)
}

impl Default for Sentences {
    fn default() -> Self {
        Sentences {
            stops: ".!?…؟۔।॥։።".to_owned(),
            full_stops: "。！？｡".to_owned(),
            closing: "\"'”’»«“)]』」）".to_owned(),
        }
    }
}
