//! The terms of a search, from `--query`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_features::{Module, Query};
use gleaner_results::SiteTerms;

use crate::args::QueryChoice;
use crate::model::Chosen;

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

fn read_file(path: &Path) -> Result<Query> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read the terms of {}", path.display()))?;
    Ok(Query::new(text.lines()))
}

/// Refuses `--query` and `--no-query` where nothing looks for terms; `what` does not.
pub(crate) fn terms_without_use(query: &QueryChoice, what: &str) -> Result<()> {
    let option = match (&query.query, query.no_query) {
        (Some(_), _) => "--query",
        (None, true) => "--no-query",
        (None, false) => return Ok(()),
    };
    bail!("{option} has no effect: {what} does not use query terms; leave {option} out")
}

/// Refuses them where the model does not look for terms.
pub(crate) fn check_terms(query: &QueryChoice, chosen: &Chosen) -> Result<()> {
    let does = chosen.model.extractor()?.config().has(Module::Query);
    match does {
        true => Ok(()),
        false => terms_without_use(query, &format!("the model {}", chosen.name())),
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
