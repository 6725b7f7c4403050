//! Mined templates as tables of a corpus folder, and back; tables that other programs wrote, and files of expressions, too.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use gleaner_corpus::{Corpus, Crawl, HistogramRow, Identity, Readable, Row, TemplateRow};
use gleaner_dataflow::{histogram_row, template_row};
use gleaner_store::{Options, Shard, Store};
use gleaner_template::{BINS, CutOff, Expression, Histogram, SiteTemplate, TokenConfig};

use super::expressions;
use crate::args::Over;
use crate::corpus::changed_files;

/// How settings that expressions depend on are called in a corpus' identity.
const TOKENS: &str = "tokens";
const OVER: &str = "over";
const MOST_BYTES: u64 = 1 << 32;

pub(super) struct Mined {
    pub(super) tokens: TokenConfig,
    pub(super) over: Over,
    /// In the order of their names.
    pub(super) sites: Vec<SiteTemplate>,
    /// Whether these are expressions of no site.
    pub(super) for_all: bool,
}

pub(super) fn write(mined: &Mined, mut identity: Identity, out: &str, force: bool) -> Result<()> {
    identity
        .options
        .insert(TOKENS.into(), serde_json::to_string(&mined.tokens)?);
    identity.options.insert(OVER.into(), mined.over.to_string());
    let store = Store::new(Options::default())?;
    let output = store.output(out)?;
    let corpus = Corpus::create(output.clone(), &identity, force);
    if matches!(corpus, Err(gleaner_corpus::Error::Complete(..))) {
        changed_files::refuse(&output, out)?;
    }
    let corpus = corpus?;
    let mut templates = corpus.table::<TemplateRow>(None, 0)?;
    let mut histograms = corpus.table::<HistogramRow>(None, 0)?;
    for site in &mined.sites {
        histograms.push(&histogram_row(site))?;
        for expression in &site.expressions {
            templates.push(&template_row(site, expression))?;
        }
    }
    let mut totals = BTreeMap::new();
    let files = [templates.finish()?.wait()?, histograms.finish()?.wait()?];
    corpus.commit(&HistogramRow::TABLE, 0, &files)?;
    corpus.commit(&TemplateRow::TABLE, 0, &files)?;
    for part in files {
        let table = part.name.split('/').next().unwrap_or_default().to_owned();
        totals.insert(table, part.rows);
    }
    Ok(corpus.finish(totals, serde_json::Map::new(), Vec::new(), None)?)
}

/// Reads templates, of one site or of all: those of a folder or of its files, or a text file of expressions.
pub(super) fn read(source: &str, site: Option<&str>) -> Result<Mined> {
    let path = Path::new(source);
    let is_text = path.is_file() && !is_table(path)?;
    match (is_text, site) {
        (true, None) => of_text(path),
        (true, Some(_)) => bail!("'{source}' holds expressions without a site: leave the site out"),
        (false, _) => of_tables(source, site),
    }
}

/// Whether a file is a table, by its name or its first bytes.
fn is_table(path: &Path) -> Result<bool> {
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read(&mut head));
    read.with_context(|| format!("could not read {}", path.display()))?;
    Ok(is_table_name(&path.to_string_lossy()) || &head == b"PAR1")
}

fn is_table_name(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".parquet")
}

fn of_text(path: &Path) -> Result<Mined> {
    let mut template = without_histogram(path.display().to_string(), 0, 0);
    let expressions = expressions::read(path)?.into_iter();
    template.expressions = expressions
        .map(|expression| Expression {
            expression,
            pages: 0,
            occurrences: 0,
            tokens: 0,
            example: String::new(),
        })
        .collect();
    Ok(Mined {
        tokens: TokenConfig::default(),
        over: Over::Text,
        sites: vec![template],
        for_all: true,
    })
}

fn of_tables(source: &str, site: Option<&str>) -> Result<Mined> {
    let store = Store::new(Options::default())?;
    let marker = Corpus::marker(&store.output(corpus_of(source))?)?;
    let option = |name: &str| marker.as_ref()?.identity.options.get(name).map(String::as_str);
    let tokens = match option(TOKENS) {
        Some(tokens) => serde_json::from_str(tokens).with_context(|| {
            format!("'{source}' was written by another version: mine its templates again")
        })?,
        None => TokenConfig::default(),
    };
    let templates = template_rows(&store, source)?;
    let Some(templates) = templates.or(marker.is_some().then(Vec::new)) else {
        bail!(
            "'{source}' holds no templates: make them with gleaner templates mine --out, or give a file with one \
             expression per line"
        );
    };
    let histograms: Vec<HistogramRow> =
        rows_below(&store, &format!("{}/{}", bare(source), HistogramRow::TABLE.name))?;
    let is_wanted = |name: &str| site.is_none_or(|site| name == site);
    let mut sites: BTreeMap<String, SiteTemplate> = histograms
        .into_iter()
        .filter(|row| is_wanted(&row.site))
        .map(|row| (row.site.clone(), template(row)))
        .collect();
    for row in templates.into_iter().filter(|row| is_wanted(&row.site)) {
        let new = || without_histogram(row.site.clone(), row.sampled_pages, row.cutoff);
        let site = sites.entry(row.site.clone()).or_insert_with(new);
        site.expressions.push(Expression {
            expression: row.expression,
            pages: row.pages,
            occurrences: row.occurrences,
            tokens: row.tokens,
            example: row.example,
        });
    }
    if let Some(site) = site.filter(|_| sites.is_empty()) {
        bail!("'{source}' holds no templates of {site}: gleaner templates show lists its sites");
    }
    Ok(Mined {
        tokens,
        over: option(OVER)
            .map_or(Ok(Over::Text), |over| Over::from_str(over, false))
            .unwrap_or(Over::Text),
        sites: sites.into_values().collect(),
        for_all: false,
    })
}

/// A name without slashes at its end.
fn bare(source: &str) -> &str {
    source.trim_end_matches('/')
}

/// The folder that says how the templates of a folder, of a file or of a pattern were mined.
fn corpus_of(source: &str) -> &str {
    let above = |name| match bare(name).rsplit_once('/') {
        Some((above, _)) => above,
        None => ".",
    };
    let table = if is_table_name(source) {
        above(source)
    } else {
        bare(source)
    };
    let table = match table.rsplit_once('/') {
        Some((table, folder)) if is_of_crawl(folder) => table,
        _ => table,
    };
    match table.rsplit('/').next() == Some(TemplateRow::TABLE.name) {
        true => above(table),
        false => table,
    }
}

fn is_of_crawl(folder: &str) -> bool {
    let name = folder.strip_prefix(Crawl::COLUMN);
    name.is_some_and(|name| name.starts_with('='))
}

/// The rows of a table of templates; `None` where there is no file.
fn template_rows(store: &Store, source: &str) -> Result<Option<Vec<TemplateRow>>> {
    if is_table_name(source) {
        return Ok(Some(rows(store, source)?));
    }
    let (bare, table) = (bare(source), TemplateRow::TABLE.name);
    for folder in [format!("{bare}/{table}"), bare.to_owned()] {
        let found: Vec<TemplateRow> = rows_below(store, &folder)?;
        if !found.is_empty() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The rows of the files of a table's folder, and of those in its folders of crawls.
fn rows_below<R: Readable + Row>(store: &Store, folder: &str) -> Result<Vec<R>> {
    let mut found = rows(store, &format!("{folder}/*.parquet"))?;
    found.extend(rows(store, &format!("{folder}/{}=*/*.parquet", Crawl::COLUMN))?);
    Ok(found)
}

fn rows<R: Readable + Row>(store: &Store, pattern: &str) -> Result<Vec<R>> {
    let mut rows = Vec::new();
    for file in files(store, pattern)? {
        let bytes = store.read(&file.place, MOST_BYTES)?;
        rows.extend(R::read(bytes, &file.location)?);
    }
    Ok(rows)
}

fn files(store: &Store, pattern: &str) -> Result<Vec<Shard>> {
    match store.expand(&[pattern.to_owned()], None) {
        Err(gleaner_store::Error::NoMatch(..)) if pattern.ends_with("/*.parquet") => Ok(Vec::new()),
        found => Ok(found?.shards),
    }
}

/// A site without its expressions. Another program may have changed how many bins there are.
fn template(mut row: HistogramRow) -> SiteTemplate {
    row.bins.resize(BINS, 0);
    let histogram = Histogram {
        bins: row.bins,
        pages: row.sampled_pages,
    };
    SiteTemplate {
        site: row.site,
        sampled_pages: row.sampled_pages,
        sampled_tokens: row.tokens,
        cut_off: CutOff {
            bin: BINS.min(row.cutoff_bin as usize),
            ..histogram.cut_off()
        },
        histogram,
        cutoff_pages: row.cutoff,
        expressions: Vec::new(),
    }
}

fn without_histogram(site: String, pages: u32, cutoff_pages: u32) -> SiteTemplate {
    let mut histogram = Histogram::new(pages);
    let cut_off = histogram.cut_off();
    histogram.bins.clear();
    SiteTemplate {
        site,
        sampled_pages: pages,
        sampled_tokens: 0,
        cut_off,
        histogram,
        cutoff_pages,
        expressions: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_belongs_to_the_folder_that_it_stands_in() {
        for (source, folder) in [
            ("T", "T"),
            ("a/T/", "a/T"),
            ("T/templates", "T"),
            ("a/T/templates/part-0.parquet", "a/T"),
            ("T/templates/*.parquet", "T"),
            ("T/templates/crawl=a/", "T"),
            ("a/T/templates/crawl=a.b-1/0.parquet", "a/T"),
            ("T/templates/crawl=*/*.parquet", "T"),
            ("a/b.parquet", "a"),
            ("b.parquet", "."),
            ("templates", "."),
        ] {
            assert_eq!(corpus_of(source), folder, "{source}");
        }
    }
}
