//! Mining many sites at once, and dropping their common expressions: the second level of section 3.3.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::{Miner, Page, SiteTemplate};

/// A site to be mined.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// Its name: a host, or a domain.
    pub name: &'a str,
    /// Its pages, in any order.
    pub pages: Vec<Page<'a>>,
}

impl Miner {
    /// Mines sites on `threads` threads, the largest first, and drops expressions that many of them share. The templates are
    /// in the order of the sites, and do not depend on the threads.
    pub fn mine_all(&self, sites: &[Site<'_>], threads: usize) -> Vec<SiteTemplate> {
        let bytes: Vec<usize> = sites
            .iter()
            .map(|site| site.pages.iter().map(|page| page.text.len()).sum())
            .collect();
        let all: usize = bytes.iter().sum();
        let mut order: Vec<usize> = (0..bytes.len()).collect();
        order.sort_by_key(|&site| std::cmp::Reverse(bytes[site]));
        // A site larger than the share of one thread is read on several.
        let threads_of = |site: usize| (bytes[site] * threads / all.max(1)).max(1);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(bytes.len()));
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, bytes.len().max(1)) {
                scope.spawn(|| {
                    while let Some(&site) = order.get(next.fetch_add(1, Relaxed)) {
                        let Site { name, pages } = &sites[site];
                        let template = self.mine_on(name, pages, threads_of(site));
                        let mut done = done.lock();
                        done.push((site, template));
                    }
                });
            }
        });
        let mut done = done.into_inner();
        done.sort_by_key(|(site, _)| *site);
        let mut templates: Vec<SiteTemplate> = done.into_iter().map(|(_, template)| template).collect();
        drop_common(&mut templates, self.config.many_sites);
        templates
    }
}

/// A string of more tokens than this is no idiom, but text of software that many sites use.
const IDIOM_TOKENS: u32 = 8;

/// Drops the expressions that are on many sites: a `share` of them, at least three. They are idioms of the language, such as
/// "as much as" (section 3.3).
fn drop_common(templates: &mut [SiteTemplate], share: f64) {
    let most = ((templates.len() as f64 * share).ceil() as usize).max(3);
    let mut sites: HashMap<&str, usize> = HashMap::new();
    for found in templates.iter().flat_map(|template| &template.expressions) {
        if found.tokens <= IDIOM_TOKENS {
            *sites.entry(&found.expression).or_default() += 1;
        }
    }
    let common: std::collections::HashSet<String> = sites
        .into_iter()
        .filter(|&(_, count)| count >= most)
        .map(|(expression, _)| expression.to_owned())
        .collect();
    for template in templates {
        template
            .expressions
            .retain(|found| !common.contains(&found.expression));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MineConfig;

    /// Sites with a menu each, and a sentence that every page of every site has.
    fn texts(sites: usize) -> Vec<Vec<String>> {
        let page = |site: usize, page: usize| {
            format!(
                "Menu{site} Home{site} About{site} x{site}y{page}\nas much as\nz{site}y{page} End{site} of it{site}"
            )
        };
        (0..sites)
            .map(|site| (0..5 + site).map(|number| page(site, number)).collect())
            .collect()
    }

    fn mine(texts: &[Vec<String>], threads: usize) -> Vec<SiteTemplate> {
        let names: Vec<String> = (0..texts.len()).map(|site| format!("s{site}.example")).collect();
        let sites: Vec<Site<'_>> = names
            .iter()
            .zip(texts)
            .map(|(name, texts)| Site {
                name,
                pages: texts.iter().map(|text| Page { url: text, text }).collect(),
            })
            .collect();
        Miner::new(MineConfig::default())
            .unwrap()
            .mine_all(&sites, threads)
    }

    #[test]
    fn expressions_of_many_sites_are_dropped() {
        let idiom = r"([\t-\r ]+|^)as[\t-\r ]+much[\t-\r ]+as([\t-\r ]+|$)";
        let has =
            |template: &SiteTemplate| template.expressions.iter().any(|found| found.expression == idiom);
        assert!(mine(&texts(2), 1).iter().all(has), "two sites are not many");
        let many = mine(&texts(4), 1);
        assert!(!many.iter().any(has));
        assert!(many.iter().all(|template| template.expressions.len() == 2));
    }

    #[test]
    fn threads_do_not_matter() {
        let texts = texts(9);
        let one = mine(&texts, 1);
        assert_eq!(one.len(), 9);
        for threads in [2, 4, 40] {
            assert_eq!(mine(&texts, threads), one);
        }
    }
}
