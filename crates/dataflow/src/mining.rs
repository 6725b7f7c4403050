//! How expressions are mined in a build, and the tables they are written to.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gleaner_corpus::{Corpus, Finishing, HistogramRow, Part, TemplateRow};
use gleaner_template::{Expression, MineConfig, Miner, SiteTemplate};

use crate::error::Error;
use crate::log::MinedGroup;
use crate::packing::{add_sum, check_sum, pack, unpack};
use crate::staging::{Extent, Kept, Staging};

/// Tokens of a site that a build mines. Of most sites fewer pages than a sample has are enough to
/// find what they repeat, and a build must not be spent on the rest.
const SITE_TOKENS: usize = 1 << 15;

/// The miner of a build, and what it has found.
pub(crate) struct Mining {
    pub(crate) miner: Miner,
    /// The rows of each group of sites, in staging.
    groups: Mutex<BTreeMap<u32, Option<Extent>>>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mined {
    pub(crate) sites: u64,
    pub(crate) expressions: u64,
    pub(crate) files: u64,
}

impl Mining {
    /// With samples of so many pages, and what earlier runs have mined.
    pub(crate) fn new(sample: usize, mined: &BTreeMap<u32, MinedGroup>) -> Mining {
        let mut config = MineConfig {
            sample,
            ..MineConfig::default()
        };
        config.limits.site_tokens = SITE_TOKENS;
        let groups = mined.iter().map(|(&number, group)| (number, group.rows));
        Mining {
            miner: Miner::new(config).expect("the settings are the usual ones"),
            groups: Mutex::new(groups.collect()),
        }
    }

    pub(crate) fn sample(&self) -> usize {
        self.miner.config().sample
    }

    /// Whether a group is mined.
    pub(crate) fn has(&self, number: u32) -> bool {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.contains_key(&number)
    }

    /// How many groups are mined.
    pub(crate) fn groups(&self) -> u64 {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.len() as u64
    }

    /// A group is mined, and its rows are there.
    pub(crate) fn done(&self, number: u32, rows: Option<Extent>) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.insert(number, rows);
    }

    /// Writes the tables, group after group, and says so of each. Nothing is written where no site was mined.
    pub(crate) fn write(&self, corpus: &Corpus, staging: &Staging, step: &dyn Fn()) -> Result<Mined, Error> {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut tables, mut mined, mut bytes) = (None, Mined::default(), Vec::new());
        for &rows in groups.values() {
            step();
            let Some(rows) = rows else { continue };
            let bytes = staging.read(rows, &mut bytes)?;
            let (templates, histograms) = match &mut tables {
                Some(tables) => tables,
                none => none.insert((corpus.table::<TemplateRow>(0)?, corpus.table::<HistogramRow>(0)?)),
            };
            let mut rest = check_sum(&bytes)?;
            while !rest.is_empty() {
                let (histogram, expressions): (HistogramRow, Vec<TemplateRow>) = unpack(&mut rest)?;
                histograms.push(&histogram)?;
                expressions.iter().try_for_each(|row| templates.push(row))?;
                mined.sites += 1;
                mined.expressions += expressions.len() as u64;
            }
        }
        if let Some((templates, histograms)) = tables {
            let files = [templates.finish()?, histograms.finish()?].map(Finishing::wait);
            let files = files.into_iter().collect::<Result<Vec<Part>, _>>()?;
            corpus.commit::<HistogramRow>(0, &files)?;
            corpus.commit::<TemplateRow>(0, &files)?;
            mined.files = files.len() as u64;
        }
        Ok(mined)
    }
}

/// Stages the rows of some sites, if there are any.
pub(crate) fn stage(staging: &Staging, file: Kept, sites: &[SiteTemplate]) -> Result<Option<Extent>, Error> {
    let mut bytes = Vec::new();
    for site in sites {
        let expressions = site.expressions.iter();
        let expressions: Vec<TemplateRow> = expressions
            .map(|expression| template_row(site, expression))
            .collect();
        pack(&(histogram_row(site), expressions), &mut bytes);
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    add_sum(&mut bytes);
    staging.append(file, &mut bytes).map(Some)
}

/// The row of an expression.
pub fn template_row(site: &SiteTemplate, expression: &Expression) -> TemplateRow {
    TemplateRow {
        site: site.site.clone(),
        expression: expression.expression.clone(),
        pages: expression.pages,
        sampled_pages: site.sampled_pages,
        cutoff: site.cutoff_pages,
        tokens: expression.tokens,
        occurrences: expression.occurrences,
        example: expression.example.clone(),
    }
}

/// The row of a site that was mined.
pub fn histogram_row(site: &SiteTemplate) -> HistogramRow {
    HistogramRow {
        site: site.site.clone(),
        pages: site.pages,
        sampled_pages: site.sampled_pages,
        tokens: site.sampled_tokens,
        cutoff: site.cutoff_pages,
        cutoff_bin: site.cut_off.bin as u32,
        bins: site.histogram.bins.clone(),
        examples: site.examples.clone(),
    }
}
