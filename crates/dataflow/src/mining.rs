//! How expressions are mined in a build, and the tables they are written to.

use std::sync::{Mutex, PoisonError};

use gleaner_corpus::{Corpus, HistogramRow, TableWriter, TemplateRow};
use gleaner_template::{Expression, MineConfig, Miner, SiteTemplate};

use crate::error::Error;

/// Tokens of a site that a build mines. Of most sites fewer pages than a sample has are enough to
/// find what they repeat, and a build must not be spent on the rest.
const SITE_TOKENS: usize = 1 << 15;

/// The miner of a build, and its tables.
pub(crate) struct Mining {
    pub(crate) miner: Miner,
    tables: Mutex<Option<Tables>>,
}

struct Tables {
    templates: TableWriter<TemplateRow>,
    histograms: TableWriter<HistogramRow>,
    mined: Mined,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mined {
    pub(crate) sites: u64,
    pub(crate) expressions: u64,
    pub(crate) files: u64,
}

impl Mining {
    /// With samples of so many pages.
    pub(crate) fn new(sample: usize) -> Mining {
        let mut config = MineConfig {
            sample,
            ..MineConfig::default()
        };
        config.limits.site_tokens = SITE_TOKENS;
        Mining {
            miner: Miner::new(config).expect("the settings are the usual ones"),
            tables: Mutex::default(),
        }
    }

    pub(crate) fn sample(&self) -> usize {
        self.miner.config().sample
    }

    /// Adds sites to the tables, which are begun with the first.
    pub(crate) fn write(&self, corpus: &Corpus, sites: &[SiteTemplate]) -> Result<(), Error> {
        if sites.is_empty() {
            return Ok(());
        }
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if tables.is_none() {
            *tables = Some(Tables {
                templates: corpus.table(0)?,
                histograms: corpus.table(0)?,
                mined: Mined::default(),
            });
        }
        let tables = tables.as_mut().expect("they were just begun");
        for site in sites {
            tables.histograms.push(&histogram_row(site))?;
            for expression in &site.expressions {
                tables.templates.push(&template_row(site, expression))?;
            }
            tables.mined.sites += 1;
            tables.mined.expressions += site.expressions.len() as u64;
        }
        Ok(())
    }

    /// Ends the tables.
    pub(crate) fn finish(&self) -> Result<Mined, Error> {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(tables) = tables else {
            return Ok(Mined::default());
        };
        let files = [tables.templates.finish()?, tables.histograms.finish()?];
        let mut mined = tables.mined;
        for file in files {
            file.wait()?;
            mined.files += 1;
        }
        Ok(mined)
    }
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
