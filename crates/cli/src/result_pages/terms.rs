//! What was searched for: terms from files, addresses, and the forms of sites.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_features::{Query, form_page_config, form_terms};
use gleaner_gold::GoldPage;
use gleaner_page::{Page, Parser};
use url::Url;

use super::features::is_gold;
use crate::args::QueryChoice;
use crate::gold_pages::{host, load};
use crate::pages;

/// The terms of each site.
#[derive(Default)]
pub(crate) struct Terms {
    /// Of all sites.
    all: Query,
    /// Given for hosts.
    hosts: BTreeMap<String, Query>,
    /// What the forms of a site's pages say; pages without an address are one site.
    forms: BTreeMap<String, Query>,
    /// Whether nothing is asked at all.
    is_off: bool,
}

impl Terms {
    /// What `--query` says: a file for all pages, or a folder with a file a host, `HOST.txt` or `HOST`.
    pub(crate) fn read(choice: &QueryChoice) -> Result<Terms> {
        let mut terms = Terms {
            is_off: choice.no_query,
            ..Terms::default()
        };
        let Some(path) = &choice.query else {
            return Ok(terms);
        };
        if !path.is_dir() {
            terms.all = read_file(path)?;
            return Ok(terms);
        }
        let failed = || format!("could not read the folder {}", path.display());
        for entry in std::fs::read_dir(path).with_context(failed)? {
            let file = entry.with_context(failed)?.path();
            let name = file
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if file.is_file() && !name.starts_with('.') {
                let host = name.strip_suffix(".txt").unwrap_or(name);
                let known = terms.hosts.entry(site(&format!("http://{host}/"))).or_default();
                known.extend(&read_file(&file)?);
            }
        }
        if terms.hosts.is_empty() {
            bail!(
                "{} has no file HOST.txt with labels and values of forms",
                path.display()
            );
        }
        Ok(terms)
    }

    /// Adds what the forms of all pages say, each to its site.
    pub(crate) fn gather(&mut self, inputs: &[PathBuf], workers: usize) -> Result<()> {
        if self.is_off {
            return Ok(());
        }
        let config = form_page_config();
        let (gold, crawl): (Vec<PathBuf>, Vec<PathBuf>) =
            inputs.iter().cloned().partition(|path| is_gold(path));
        if !gold.is_empty() {
            let found = load(&gold, &config, workers, || {
                |page: &Page, _: &GoldPage| form_terms(page)
            })?;
            for sample in found {
                self.add(site_of_gold(&sample.gold), &sample.value);
            }
        }
        let mut parser = Parser::new(config);
        for path in &crawl {
            pages::each(path, &mut |found| {
                if let Ok(page) = parser.parse(found.body, found.content_type.as_deref()) {
                    self.add(site(found.url), &form_terms(page));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Adds what the forms of one page say.
    pub(crate) fn add_forms(&mut self, url: &str, html: &[u8], content_type: Option<&str>) {
        let mut parser = Parser::new(form_page_config());
        if let Ok(page) = parser.parse(html, content_type).map(form_terms) {
            self.add(site(url), &page);
        }
    }

    fn add(&mut self, site: String, terms: &Query) {
        if !self.is_off {
            self.forms.entry(site).or_default().extend(terms);
        }
    }

    /// What to look for on a page: the terms for all, those of its site, and those of its address.
    pub(crate) fn of_page(&self, url: &str) -> Query {
        self.of(url, &site(url))
    }

    /// The same of a page with gold, whose host may not be known.
    pub(crate) fn of_gold(&self, gold: &GoldPage) -> Query {
        self.of(&gold.url, &site_of_gold(gold))
    }

    /// The same of a page by itself: beside the terms that are given, those of its address and of its own forms.
    pub(crate) fn of_page_alone(&self, url: &str, html: &[u8], content_type: Option<&str>) -> Query {
        let mut query = self.of_page(url);
        let mut parser = Parser::new(form_page_config());
        if let Ok(forms) = parser.parse(html, content_type).map(form_terms)
            && !self.is_off
        {
            query.extend(&forms);
        }
        query
    }

    /// What tells these terms from others.
    pub(crate) fn identity(&self) -> String {
        if self.is_off {
            return "off".to_owned();
        }
        let hosts = self.hosts.iter().map(|(host, query)| (host.as_str(), query));
        let mut text = String::new();
        for (host, query) in std::iter::once(("", &self.all)).chain(hosts) {
            let terms: Vec<&str> = query.terms().collect();
            text += &format!("{host}\n{}\n\n", terms.join("\n"));
        }
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }

    fn of(&self, url: &str, site_key: &str) -> Query {
        if self.is_off {
            return Query::default();
        }
        let mut query = self.all.clone();
        let given = self.hosts.get(&site(url));
        let known = given.into_iter().chain(self.forms.get(site_key));
        known.for_each(|terms| query.extend(terms));
        query.add_url(url);
        query
    }
}

/// The site of an address: its host as browsers write it, without port, user and the dot of the root. What is no address is
/// itself.
fn site(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let known = parsed.as_ref().and_then(Url::host_str);
    known
        .unwrap_or_else(|| host(url))
        .trim_end_matches('.')
        .to_lowercase()
}

/// The same of a page with gold, which may be the only page of its site that is known.
fn site_of_gold(gold: &GoldPage) -> String {
    match gold.host_known {
        Some(false) => gold.url.to_lowercase(),
        _ => site(&gold.url),
    }
}

/// The terms of a file, one label or value a line.
fn read_file(path: &Path) -> Result<Query> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read the terms of {}", path.display()))?;
    Ok(Query::new(text.lines()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_one_site_however_it_is_spelt() {
        for url in [
            "http://b\u{fc}cher.example/a",
            "https://xn--bcher-kva.example:8443",
            "http://u:p@B\u{dc}CHER.example./?q#f",
            "HTTP://XN--BCHER-KVA.EXAMPLE:80/",
            "http://b%C3%BCcher.example",
        ] {
            assert_eq!(site(url), "xn--bcher-kva.example", "{url}");
        }
        for (url, key) in [
            ("http://[::1]:80/", "[::1]"),
            ("http://boats.test:no/a", "boats.test:no"),
            ("", ""),
            ("Page.html", "page.html"),
            ("file:///a/b.html", ""),
        ] {
            assert_eq!(site(url), key, "{url}");
        }
        assert_ne!(site("http://a.boats.test/"), site("http://boats.test/"));
    }

    #[test]
    fn terms_of_forms_and_of_files_are_for_the_whole_host() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Boats.TEST.txt"), "Hull\n").unwrap();
        let choice = QueryChoice {
            query: Some(folder.path().to_owned()),
            no_query: false,
        };
        let mut terms = Terms::read(&choice).unwrap();
        let form = b"<form><input name=a value=Rigging></form>";
        terms.add_forms("http://boats.test:80/", form, None);
        let words = |url: &str| {
            let query = terms.of_page(url);
            query.terms().map(str::to_lowercase).collect::<Vec<_>>()
        };
        for url in ["http://boats.test/found", "https://u:p@BOATS.test./found"] {
            let found = words(url);
            assert!(found.contains(&"hull".to_owned()), "{url}: {found:?}");
            assert!(found.contains(&"rigging".to_owned()), "{url}: {found:?}");
        }
        assert!(!words("http://other.test/found").contains(&"hull".to_owned()));
    }
}
