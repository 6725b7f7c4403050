//! Methods that label pages in place of a model.

use std::sync::Arc;

use anyhow::Result;
use gleaner_content::Label;
use gleaner_document::{Origin, PageMethod};
use gleaner_features::Query;
use gleaner_page::{Page, PageConfig};
use gleaner_results::{PageElements, SiteTerms, TreeJudge, density_labels, page_config};

use crate::args::{Method, ModelChoice, QueryChoice};
use crate::result_pages::{SavedTree, read_terms};

pub(crate) struct PageLabels {
    pub(crate) identity: String,
    pub(crate) labels: Arc<dyn PageMethod>,
}

impl PageLabels {
    pub(crate) fn choose(
        method: Method,
        tree: &ModelChoice,
        query: &QueryChoice,
    ) -> Result<Option<PageLabels>> {
        Ok(match method {
            Method::Model => None,
            Method::Density => Some(PageLabels {
                identity: "density".to_owned(),
                labels: Arc::new(ByDensity),
            }),
            Method::Tree => {
                let tree = SavedTree::of_choice(tree, query)?;
                let terms = read_terms(query)?;
                Some(PageLabels {
                    identity: format!("tree {}, query {}", tree.identity, terms.identity()),
                    labels: Arc::new(ByTree {
                        tree: tree.judge,
                        terms,
                    }),
                })
            }
        })
    }
}

struct ByDensity;

impl PageMethod for ByDensity {
    fn page_config(&self) -> PageConfig {
        page_config()
    }

    fn labels(&self, page: &Page, _: &[u8], _: &Origin<'_>) -> Vec<Label> {
        density_labels(page)
    }
}

struct ByTree {
    tree: TreeJudge,
    terms: SiteTerms,
}

impl PageMethod for ByTree {
    fn page_config(&self) -> PageConfig {
        page_config()
    }

    fn labels(&self, page: &Page, body: &[u8], origin: &Origin<'_>) -> Vec<Label> {
        let query = match origin.query {
            Some(query) => query.clone(),
            None if self.tree.uses_query() => {
                self.terms
                    .query_with_own_forms(origin.url, body, origin.content_type)
            }
            None => Query::default(),
        };
        self.tree.labels(&PageElements::new(page, &query))
    }
}
