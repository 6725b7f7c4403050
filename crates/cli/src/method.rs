//! Ways of telling content from noise beside the labeller: each says of a page which blocks to keep.

use std::sync::Arc;

use anyhow::Result;
use gleaner_crf::Label;
use gleaner_dataflow::{PageMethod, PageSource};
use gleaner_features::Query;
use gleaner_page::{Page, PageConfig};
use gleaner_results::{PageElements, SiteTerms, TreeJudge, density_labels, page_config};

use crate::args::{Build, Method};
use crate::result_pages::{SavedTree, read_terms};

/// A method of a build.
pub(crate) struct BuildMethod {
    /// What it is, as it stands in the corpus' identity.
    pub(crate) identity: String,
    pub(crate) judge: Arc<dyn PageMethod>,
}

impl BuildMethod {
    /// The method that is asked for; nothing where that is the model.
    pub(crate) fn choose(arguments: &Build) -> Result<Option<BuildMethod>> {
        Ok(match arguments.method {
            Method::Model => None,
            Method::Density => Some(BuildMethod {
                identity: "density".to_owned(),
                judge: Arc::new(ByDensity),
            }),
            Method::Tree => {
                let tree = SavedTree::of_choice(&arguments.model, &arguments.query)?;
                let terms = read_terms(&arguments.query)?;
                Some(BuildMethod {
                    identity: format!("tree {}, query {}", tree.identity, terms.identity()),
                    judge: Arc::new(ByTree {
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

    fn labels(&self, page: &Page, _: &PageSource<'_>) -> Vec<Label> {
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

    fn labels(&self, page: &Page, source: &PageSource<'_>) -> Vec<Label> {
        let query = match self.tree.uses_query() {
            true => self
                .terms
                .query_with_own_forms(source.url, source.body, source.content_type),
            false => Query::default(),
        };
        self.tree.labels(&PageElements::new(page, &query))
    }
}
