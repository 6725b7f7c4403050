//! The terms of a search, from `--query` and from the forms of pages.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_features::{Query, form_page_config, form_terms};
use gleaner_gold::GoldPage;
use gleaner_page::{Page, Parser};
use gleaner_results::{SiteTerms, site_key};

use crate::args::QueryChoice;
use crate::gold_pages::{is_gold, load};
use crate::pages;

/// The terms of `--query`: a file for all pages, or a folder with a file for each host, `HOST.txt` or `HOST`.
pub(crate) fn read_terms(choice: &QueryChoice) -> Result<SiteTerms> {
    if choice.no_query {
        return Ok(SiteTerms::off());
    }
    let mut terms = SiteTerms::default();
    match &choice.query {
        None => {}
        Some(path) if path.is_dir() => read_folder(path, &mut terms)?,
        Some(path) => terms.add_for_all(&read_file(path)?),
    }
    Ok(terms)
}

fn read_folder(path: &Path, terms: &mut SiteTerms) -> Result<()> {
    let failed = || format!("could not read the folder {}", path.display());
    let mut is_empty = true;
    for entry in std::fs::read_dir(path).with_context(failed)? {
        let file = entry.with_context(failed)?.path();
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if file.is_file() && !name.starts_with('.') {
            let host = name.strip_suffix(".txt").unwrap_or(name);
            terms.add_for_host(host, &read_file(&file)?);
            is_empty = false;
        }
    }
    if is_empty {
        bail!(
            "{} has no file HOST.txt with labels and values of forms",
            path.display()
        );
    }
    Ok(())
}

/// The terms of a file, one label or value a line.
fn read_file(path: &Path) -> Result<Query> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read the terms of {}", path.display()))?;
    Ok(Query::new(text.lines()))
}

/// Adds the terms in the forms of all pages, each for its site.
pub(crate) fn gather_terms(terms: &mut SiteTerms, inputs: &[PathBuf], workers: usize) -> Result<()> {
    if terms.is_off() {
        return Ok(());
    }
    let config = form_page_config();
    let (gold, crawl): (Vec<PathBuf>, Vec<PathBuf>) = inputs.iter().cloned().partition(|path| is_gold(path));
    if !gold.is_empty() {
        let found = load(&gold, &config, workers, || {
            |page: &Page, _: &GoldPage| form_terms(page)
        })?;
        for sample in found {
            terms.add_form_terms(site_of_gold(&sample.gold), &sample.value);
        }
    }
    let mut parser = Parser::new(config);
    for path in &crawl {
        pages::each(path, &mut |found| {
            if let Ok(page) = parser.parse(found.body, found.content_type.as_deref()) {
                terms.add_form_terms(site_key(found.url), &form_terms(page));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The query of a page with gold.
pub(crate) fn query_of_gold(terms: &SiteTerms, gold: &GoldPage) -> Query {
    terms.query_of_site(&gold.url, &site_of_gold(gold))
}

/// The site of a page with gold. A page whose host is not known is a site of its own.
fn site_of_gold(gold: &GoldPage) -> String {
    match gold.host_known {
        Some(false) => gold.url.to_lowercase(),
        _ => site_key(&gold.url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_folder_are_terms_of_hosts() {
        let folder = tempfile::tempdir().unwrap();
        let choice = QueryChoice {
            query: Some(folder.path().to_owned()),
            no_query: false,
        };
        let error = read_terms(&choice).unwrap_err().to_string();
        assert!(
            error.ends_with("has no file HOST.txt with labels and values of forms"),
            "{error}"
        );
        std::fs::write(folder.path().join("Boats.TEST.txt"), "Hull\n").unwrap();
        std::fs::write(folder.path().join("pears.test"), "Fruit\n").unwrap();
        let terms = read_terms(&choice).unwrap();
        let words = |url: &str| terms.query(url).terms().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words("http://boats.test/found"), ["hull"]);
        assert_eq!(words("http://pears.test/"), ["fruit"]);
        assert!(words("http://other.test/found").is_empty());
    }
}
