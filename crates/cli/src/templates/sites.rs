//! Which site's templates a page is cleaned by.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use gleaner_dataflow::SiteOf;
use gleaner_template::{Applier, SiteTemplate, TokenConfig};

use super::pages::{folder, host};
use super::table::Mined;
use crate::terminal::console;
use gleaner_training::FoundPage;

pub(super) struct Sites<'a> {
    source: &'a str,
    mined: &'a Mined,
    /// Whether the first of them is taken for every page.
    for_all: bool,
    /// Those that a page came of, ready to be matched.
    ready: BTreeMap<&'a str, Applier>,
    /// How many pages there are no expressions for, and their sites.
    unchanged: (u64, BTreeSet<String>),
}

const NAMED: usize = 3;

impl<'a> Sites<'a> {
    /// `for_all` takes one site for all pages, whatever their addresses. `source` is what errors call the
    /// templates.
    pub(super) fn new(mined: &'a Mined, source: &'a str, for_all: bool) -> Result<Sites<'a>> {
        if mined.sites.is_empty() {
            bail!("'{source}' holds no templates: no site was mined");
        }
        Ok(Sites {
            source,
            mined,
            for_all,
            ready: BTreeMap::new(),
            unchanged: (0, BTreeSet::new()),
        })
    }

    /// The site of a page and its templates; `None` where there are none of the page's host.
    pub(super) fn of(&mut self, page: &FoundPage<'_>) -> Result<Option<(&'a SiteTemplate, &Applier)>> {
        let Some(site) = self.choose(page)? else {
            return Ok(None);
        };
        if site.expressions.is_empty() {
            self.note_unchanged(&site.site);
        }
        if !self.ready.contains_key(site.site.as_str()) {
            let applier = applier(site, &self.mined.tokens, self.source)?;
            self.ready.insert(&site.site, applier);
        }
        Ok(self.ready.get(site.site.as_str()).map(|applier| (site, applier)))
    }

    fn choose(&mut self, page: &FoundPage<'_>) -> Result<Option<&'a SiteTemplate>> {
        let sites = &self.mined.sites;
        if self.for_all {
            return Ok(sites.first());
        }
        // They come in the order of their names.
        let place = |name: &str| sites.binary_search_by(|site| site.site.as_str().cmp(name));
        let named = |name: &str| place(name).ok().map(|place| &sites[place]);
        let Some(host) = host(page.url) else {
            return match (named(folder(page.file)), sites.as_slice()) {
                (Some(site), _) | (None, [site]) => Ok(Some(site)),
                (None, _) => bail!(
                    "'{}' holds the templates of {} sites, and {} has no URL that gives its site: name the site with \
                     --site, such as --site {}",
                    self.source,
                    sites.len(),
                    page.file,
                    sites[0].site
                ),
            };
        };
        let found = named(&host).or_else(|| named(&SiteOf::Domain.site(&host)));
        let found = found.or_else(|| {
            sites
                .first()
                .filter(|site| sites.len() == 1 && is_folder(&site.site))
        });
        if found.is_none() {
            self.note_unchanged(&host);
        }
        Ok(found)
    }

    fn note_unchanged(&mut self, site: &str) {
        self.unchanged.0 += 1;
        self.unchanged.1.insert(site.to_owned());
    }

    pub(super) fn warn(&self) {
        let (pages, sites) = &self.unchanged;
        if *pages == 0 {
            return;
        }
        let mut names: Vec<&str> = sites.iter().take(NAMED).map(String::as_str).collect();
        if sites.len() > NAMED {
            names.push("...");
        }
        let (what, are) = match *pages {
            1 => ("page", "is printed unchanged"),
            _ => ("pages", "are printed unchanged"),
        };
        let has_others = self.mined.sites.iter().any(|site| !site.expressions.is_empty());
        let mend = match has_others {
            true => "; --site NAME uses the templates of one site for all pages",
            false => ", nor of any other site",
        };
        console::say(&format!(
            "warning: {} {what} {are}: '{}' has no expressions of {}{mend}",
            console::grouped(*pages),
            self.source,
            names.join(", ")
        ));
    }
}

fn is_folder(site: &str) -> bool {
    site.contains('/') || !site.trim_matches('.').contains('.')
}

fn applier(site: &SiteTemplate, tokens: &TokenConfig, source: &str) -> Result<Applier> {
    Applier::new(site, tokens)
        .with_context(|| format!("the templates of {} in '{source}' cannot be applied", site.site))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_distinguished_from_hosts() {
        for (site, is) in [
            ("pages", true),
            (".", true),
            ("../a.b/c", true),
            ("www.a.example", false),
            ("a.example", false),
        ] {
            assert_eq!(is_folder(site), is, "{site}");
        }
    }
}
