//! `gleaner features --set hidden-web`: the columns of the elements of pages as a file.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gleaner_corpus::{HiddenWebRow, Real, Settings, TableWriter};
use gleaner_gold::GoldPage;
use gleaner_page::{Page, Parser};
use gleaner_results::{
    ElementRow, SiteTerms, Table, add_rows, arff, element_rows, element_table, noise_elements, page_config,
};
use gleaner_training::{GoldReader, is_gold, query_of_gold};

use super::terms::read_terms;
use crate::args::{Features, TableFormat};
use crate::inputs::gold::reader;
use crate::inputs::is_standard_input;
use crate::inputs::pages::each;

pub(super) struct PageRows {
    pub(super) url: String,
    pub(super) page_type: Option<String>,
    pub(super) rows: Vec<ElementRow>,
    /// For each row the names of the elements from the root to it.
    paths: Vec<String>,
    pub(super) noise: Option<Vec<bool>>,
    pub(super) digest: Option<u64>,
}

pub(crate) fn file(arguments: &Features) -> Result<Vec<u8>> {
    let pages = read(&arguments.inputs, read_terms(&arguments.query)?, reader(None))?;
    Ok(match arguments.format {
        TableFormat::Parquet => parquet(&pages)?,
        TableFormat::Arff | TableFormat::Crf => arff::write(&table(&pages)).into_bytes(),
    })
}

/// The rows of all pages: with classes for gold files, without for archives and HTML files. The terms of all forms of the
/// inputs are added to `terms`.
pub(super) fn read(
    inputs: &[PathBuf],
    mut terms: SiteTerms,
    reader: GoldReader<'_>,
) -> Result<Vec<PageRows>> {
    if inputs.iter().any(is_standard_input) {
        bail!(
            "pages are read twice (for their forms first), which standard input does not allow: name files"
        );
    }
    reader.gather_terms(&mut terms, inputs)?;
    let mut pages = Vec::new();
    for input in inputs {
        match is_gold(input) {
            true => pages.extend(of_gold(input, &terms, reader)?),
            false => of_crawl(input, &terms, &mut pages)?,
        }
    }
    Ok(pages)
}

fn of_gold(file: &Path, terms: &SiteTerms, reader: GoldReader<'_>) -> Result<Vec<PageRows>> {
    let found = reader.load(&[file.to_owned()], &page_config(), || {
        |page: &Page, gold: &GoldPage| {
            let rows = element_rows(page, &query_of_gold(terms, gold));
            let noise = noise_elements(page, &gold.labels(page), &rows);
            PageRows::new(page, &gold.url, rows, Some(noise))
        }
    })?;
    let typed = found.into_iter().map(|sample| PageRows {
        page_type: sample.gold.page_type,
        digest: Some(sample.digest),
        ..sample.value
    });
    Ok(typed.collect())
}

fn of_crawl(path: &Path, terms: &SiteTerms, pages: &mut Vec<PageRows>) -> Result<()> {
    let mut parser = Parser::new(page_config());
    each(path, &mut |found| {
        if let Ok(page) = parser.parse(found.body, found.content_type.as_deref()) {
            let rows = element_rows(page, &terms.query(found.url));
            pages.push(PageRows::new(page, found.url, rows, None));
        }
        Ok(())
    })?;
    Ok(())
}

impl PageRows {
    fn new(page: &Page, url: &str, rows: Vec<ElementRow>, noise: Option<Vec<bool>>) -> PageRows {
        let path = |row: &ElementRow| {
            let up = page.ancestors(row.element);
            let mut names: Vec<&str> = up.map(|up| page.elements[up as usize].tag.name()).collect();
            names.reverse();
            names.join("/")
        };
        PageRows {
            url: url.to_owned(),
            page_type: None,
            paths: rows.iter().map(path).collect(),
            rows,
            noise,
            digest: None,
        }
    }
}

/// All rows as a table with the class at its end.
pub(super) fn table(pages: &[PageRows]) -> Table {
    let mut table = element_table();
    for page in pages {
        add_rows(&mut table, &page.rows, page.noise.as_deref());
    }
    table
}

fn parquet(pages: &[PageRows]) -> Result<Vec<u8>> {
    let mut writer: TableWriter<HiddenWebRow, Vec<u8>> =
        TableWriter::new(Vec::new(), "the table of columns", &Settings::default())?;
    for page in pages {
        for (at, row) in page.rows.iter().enumerate() {
            let [composite, sum, score, matches, distance] = row.values;
            writer.push(&HiddenWebRow {
                url: page.url.clone(),
                element: row.element,
                path: page.paths[at].clone(),
                composite_density: Real(composite),
                density_sum: Real(sum),
                query_score: Real(score),
                matches: matches as u32,
                distance_to_body: distance as u32,
                noise: page.noise.as_ref().map(|noise| noise[at]),
            })?;
        }
    }
    Ok(writer.into_inner()?)
}
