//! Mined templates as tables of a corpus folder, and back.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use gleaner_corpus::{Corpus, HistogramRow, Identity, Readable, Row, TemplateRow};
use gleaner_dataflow::{histogram_row, template_row};
use gleaner_store::{Options, Store};
use gleaner_template::{CutOff, Expression, Histogram, SiteTemplate, TokenConfig};

use crate::args::Over;
use crate::faults;

/// How settings that expressions depend on are called in a corpus' identity.
const TOKENS: &str = "tokens";
const OVER: &str = "over";
/// A table of templates is not longer.
const MOST_BYTES: u64 = 1 << 32;

/// Mined templates, and how they were mined.
pub(super) struct Mined {
    pub(super) tokens: TokenConfig,
    pub(super) over: Over,
    pub(super) sites: Vec<SiteTemplate>,
}

/// Writes templates to a folder.
pub(super) fn write(mined: &Mined, mut identity: Identity, out: &str, force: bool) -> Result<()> {
    identity
        .options
        .insert(TOKENS.into(), serde_json::to_string(&mined.tokens)?);
    identity.options.insert(OVER.into(), mined.over.name().into());
    let store = Store::new(Options::default())?;
    let output = store.output(out)?;
    let corpus = Corpus::create(output.clone(), &identity, force);
    if matches!(corpus, Err(gleaner_corpus::Error::Complete { .. })) {
        faults::refuse(&output, out)?;
    }
    let corpus = corpus?;
    let mut templates = corpus.table::<TemplateRow>(0)?;
    let mut histograms = corpus.table::<HistogramRow>(0)?;
    for site in &mined.sites {
        histograms.push(&histogram_row(site))?;
        for expression in &site.expressions {
            templates.push(&template_row(site, expression))?;
        }
    }
    let mut totals = BTreeMap::new();
    let files = [templates.finish()?.wait()?, histograms.finish()?.wait()?];
    corpus.commit::<HistogramRow>(0, &files)?;
    corpus.commit::<TemplateRow>(0, &files)?;
    for part in files {
        let table = part.name.split('/').next().unwrap_or_default().to_owned();
        totals.insert(table, part.rows);
    }
    Ok(corpus.finish(totals, serde_json::Map::new(), Vec::new())?)
}

/// Reads the templates of a folder, of one site or of all.
pub(super) fn read(folder: &str, site: Option<&str>) -> Result<Mined> {
    let store = Store::new(Options::default())?;
    let output = store.output(folder)?;
    let marker = Corpus::marker(&output)?.with_context(|| {
        format!("'{folder}' holds no templates: make them with gleaner templates mine --out")
    })?;
    let option = |name: &str| marker.identity.options.get(name).map(String::as_str);
    let tokens = match option(TOKENS) {
        Some(tokens) => serde_json::from_str(tokens)
            .with_context(|| format!("'{folder}' was made by another version: mine its templates anew"))?,
        None => TokenConfig::default(),
    };
    let histograms: Vec<HistogramRow> = rows(&store, folder)?;
    let mut sites: BTreeMap<String, SiteTemplate> = histograms
        .into_iter()
        .filter(|row| site.is_none_or(|site| row.site == site))
        .map(|row| (row.site.clone(), template(row)))
        .collect();
    if let Some(site) = site.filter(|site| !sites.contains_key(*site)) {
        bail!("'{folder}' holds no templates of {site}: gleaner templates show names its sites");
    }
    for row in rows::<TemplateRow>(&store, folder)? {
        if let Some(site) = sites.get_mut(&row.site) {
            site.expressions.push(Expression {
                expression: row.expression,
                pages: row.pages,
                occurrences: row.occurrences,
                tokens: row.tokens,
                example: row.example,
            });
        }
    }
    Ok(Mined {
        tokens,
        over: if option(OVER) == Some(Over::Html.name()) {
            Over::Html
        } else {
            Over::Text
        },
        sites: sites.into_values().collect(),
    })
}

fn template(row: HistogramRow) -> SiteTemplate {
    let histogram = Histogram {
        bins: row.bins,
        pages: row.sampled_pages,
    };
    SiteTemplate {
        site: row.site,
        pages: row.pages,
        sampled_pages: row.sampled_pages,
        sampled_tokens: row.tokens,
        cut_off: CutOff {
            bin: row.cutoff_bin as usize,
            ..histogram.cut_off()
        },
        histogram,
        cutoff_pages: row.cutoff,
        expressions: Vec::new(),
        examples: row.examples,
    }
}

/// The rows of a table, of all its files.
fn rows<R: Readable + Row>(store: &Store, folder: &str) -> Result<Vec<R>> {
    let pattern = format!("{}/{}/*.parquet", folder.trim_end_matches('/'), R::TABLE);
    let mut rows = Vec::new();
    for file in store.expand(&[pattern], None)?.shards {
        let bytes = store.read(&file.place, MOST_BYTES)?;
        rows.extend(R::read(bytes, &file.name)?);
    }
    Ok(rows)
}
