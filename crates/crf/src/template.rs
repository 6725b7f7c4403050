//! Which features of which neighbours a block's labels depend on.
//!
//! A [`TemplateConfig`] is what users write; [`Template`] is what it means for given columns:
//! strips, each with its place in the weights. An *attribute* is one code of one column at one offset, and has a weight a
//! label.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gleaner_columns::{ColumnInfo, Columns};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Maximum attributes per template.
pub const MAX_ATTRIBUTES: usize = 1 << 24;

/// Maximum offset.
pub const MAX_OFFSET: i32 = 32;

/// Maximum offsets per strip: what the kernels unroll.
pub(crate) const MAX_SPAN: usize = 5;

/// The template as written in a training configuration, in the manner of CRF++.
///
/// ```toml
/// [offsets]
/// "" = [-2, -1, 0, 1, 2]   # every column,
/// "doc." = [0]             # but of those that begin so only the block's own,
/// "doc.secret" = []        # and this one not at all: the longest prefix decides
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TemplateConfig {
    /// Whether a label depends on the label before it.
    pub bigrams: bool,
    /// The offsets of the columns that begin with the key; the longest key that fits decides.
    pub offsets: BTreeMap<String, Vec<i32>>,
}

impl Default for TemplateConfig {
    fn default() -> Self {
        TemplateConfig {
            bigrams: true,
            offsets: BTreeMap::from([(String::new(), vec![-2, -1, 0, 1, 2])]),
        }
    }
}

/// What has a weight for each label: a code of a column at an offset. Written as `column@offset=code`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attribute {
    /// The column's name.
    pub column: String,
    /// Of which block: 0 is the block itself, 1 the next one.
    pub offset: i32,
    /// The column's code.
    pub code: u16,
}

impl fmt::Display for Attribute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}={}", self.column, self.offset, self.code)
    }
}

/// One column at a run of consecutive offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The column.
    pub column: usize,
    /// Its cardinality.
    pub codes: usize,
    /// The largest offset: a block's code counts first for the block this far before it.
    pub last: i32,
    /// How many offsets: `last - span + 1 ..= last`.
    pub span: usize,
    /// The attribute of code 0 at offset `last`. Code c at offset `last - k` is `base + c * span + k`.
    pub base: usize,
}

/// A template compiled for columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    columns: Vec<ColumnInfo>,
    pub(crate) strips: Vec<Strip>,
    pub(crate) attributes: usize,
    pub(crate) bigrams: bool,
    /// How far the strips reach to either side: the padding that their kernels need.
    pub(crate) reach: usize,
}

impl Template {
    /// Works out what a configuration means for given columns.
    ///
    /// # Errors
    /// A name that fits no column, an offset out of range, too many attributes.
    pub fn compile(config: &TemplateConfig, columns: &[ColumnInfo]) -> Result<Template, Error> {
        check_prefixes(config, columns)?;
        let mut template = Template {
            columns: columns.to_vec(),
            strips: Vec::new(),
            attributes: 0,
            bigrams: config.bigrams,
            reach: 0,
        };
        for (column, info) in columns.iter().enumerate() {
            template.add_column(column, info, config)?;
        }
        Ok(template)
    }

    /// How many attributes there are; each has a weight a label.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// The columns at their offsets that labels depend on.
    pub fn strips(&self) -> &[Strip] {
        &self.strips
    }

    /// Makes sure that the codes of a page's blocks are codes of the columns.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check_page(&self, page: &Columns) -> Result<(), String> {
        let expected = self.columns.len();
        if page.rows() == 0 {
            return Ok(());
        }
        if page.columns() != expected {
            return Err(format!(
                "{} columns, but the features have {expected}",
                page.columns()
            ));
        }
        for (place, info) in self.columns.iter().enumerate() {
            let largest = page.column(place).iter().copied().max().unwrap_or(0);
            if u16::from(largest) >= info.cardinality {
                return Err(format!(
                    "column {:?} has code {largest}, not below {}",
                    info.name, info.cardinality
                ));
            }
        }
        Ok(())
    }

    /// What an attribute stands for.
    pub fn attribute(&self, attribute: usize) -> Attribute {
        let before = self.strips.partition_point(|strip| strip.base <= attribute);
        let strip = &self.strips[before - 1];
        let place = attribute - strip.base;
        Attribute {
            column: self.columns[strip.column].name.clone(),
            offset: strip.last - (place % strip.span) as i32,
            code: (place / strip.span) as u16,
        }
    }

    fn grow(&mut self, by: usize) -> Result<usize, Error> {
        let base = self.attributes;
        self.attributes = base.saturating_add(by);
        if self.attributes > MAX_ATTRIBUTES {
            return Err(Error::Template(format!("more than {MAX_ATTRIBUTES} attributes")));
        }
        Ok(base)
    }

    fn add_column(&mut self, column: usize, info: &ColumnInfo, config: &TemplateConfig) -> Result<(), Error> {
        let codes = usize::from(info.cardinality);
        if !(1..=256).contains(&codes) {
            return Err(Error::Template(format!(
                "column {:?} has {codes} codes, not 1 to 256",
                info.name
            )));
        }
        for (last, span) in runs(&offsets_of(&info.name, config)) {
            let base = self.grow(codes * span)?;
            let first = last - span as i32 + 1;
            self.reach = self
                .reach
                .max(last.unsigned_abs().max(first.unsigned_abs()) as usize);
            self.strips.push(Strip {
                column,
                codes,
                last,
                span,
                base,
            });
        }
        Ok(())
    }
}

impl Strip {
    /// Where the rows begin that the first block of a page adds to, if the page's own begin at `row`.
    pub(crate) fn first_row(&self, row: usize) -> usize {
        row.checked_add_signed(-self.last as isize)
            .expect("pages are padded by the template's reach")
    }
}

fn check_prefixes(config: &TemplateConfig, columns: &[ColumnInfo]) -> Result<(), Error> {
    for (prefix, offsets) in &config.offsets {
        if !prefix.is_empty() && !columns.iter().any(|c| c.name.starts_with(prefix.as_str())) {
            return Err(Error::UnknownColumn(prefix.clone(), "offsets".into()));
        }
        if offsets.len() > 2 * MAX_OFFSET as usize + 1 {
            return Err(Error::Template(format!(
                "{} offsets for {prefix:?}",
                offsets.len()
            )));
        }
        offsets.iter().try_for_each(|&offset| check_offset(offset))?;
    }
    Ok(())
}

fn check_offset(offset: i32) -> Result<(), Error> {
    if (-MAX_OFFSET..=MAX_OFFSET).contains(&offset) {
        return Ok(());
    }
    Err(Error::Template(format!(
        "offset {offset} is not within {MAX_OFFSET} blocks"
    )))
}

/// The offsets of a column, ascending: those of the longest prefix that fits.
fn offsets_of(name: &str, config: &TemplateConfig) -> BTreeSet<i32> {
    let fits = config
        .offsets
        .iter()
        .filter(|(prefix, _)| name.starts_with(prefix.as_str()));
    let longest = fits.max_by_key(|(prefix, _)| prefix.len());
    longest
        .map(|(_, offsets)| offsets.iter().copied().collect())
        .unwrap_or_default()
}

/// Splits ascending offsets into runs of consecutive ones: the last of each and their number.
fn runs(offsets: &BTreeSet<i32>) -> Vec<(i32, usize)> {
    let mut runs: Vec<(i32, usize)> = Vec::new();
    for &offset in offsets {
        match runs.last_mut() {
            Some((last, span)) if *last + 1 == offset && *span < MAX_SPAN => {
                *last = offset;
                *span += 1;
            }
            _ => runs.push((offset, 1)),
        }
    }
    runs
}
