//! The terms of searches, from the forms of pages.

use std::path::PathBuf;

use gleaner_features::{Query, form_page_config, form_terms};
use gleaner_gold::GoldPage;
use gleaner_page::{Page, Parser};
use gleaner_results::{SiteTerms, site_key};

use crate::Error;
use crate::gold_pages::{GoldReader, is_gold};

impl GoldReader<'_> {
    /// Adds the terms in the forms of all pages, each for its site. Inputs are gold files, and archives or pages without
    /// gold.
    ///
    /// # Errors
    /// An input cannot be read.
    pub fn gather_terms(self, terms: &mut SiteTerms, inputs: &[PathBuf]) -> Result<(), Error> {
        if terms.is_off() {
            return Ok(());
        }
        let config = form_page_config();
        let (gold, crawl): (Vec<PathBuf>, Vec<PathBuf>) =
            inputs.iter().cloned().partition(|path| is_gold(path));
        if !gold.is_empty() {
            let found = self.load(&gold, &config, || |page: &Page, _: &GoldPage| form_terms(page))?;
            for sample in found {
                terms.add_form_terms(site_of_gold(&sample.gold), &sample.value);
            }
        }
        let mut parser = Parser::new(config);
        for path in &crawl {
            self.each(path, &mut |found| {
                if let Ok(page) = parser.parse(found.body, found.content_type.as_deref()) {
                    terms.add_form_terms(site_key(found.url), &form_terms(page));
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The query of a page with gold.
pub fn query_of_gold(terms: &SiteTerms, gold: &GoldPage) -> Query {
    terms.query_of_site(&gold.url, &site_of_gold(gold))
}

/// The site of a page with gold. A page whose host is not known is a site of its own.
fn site_of_gold(gold: &GoldPage) -> String {
    match gold.host_known {
        Some(false) => gold.url.to_lowercase(),
        _ => site_key(&gold.url),
    }
}
