//! Ways of telling content from noise beside the labeller: each says of a page which blocks to keep.

use std::sync::Arc;

use anyhow::Result;
use gleaner_content::Label;
use gleaner_dataflow::{PageMethod, PageSource};
use gleaner_features::{Densities, Query};
use gleaner_page::{Block, Page, PageConfig, Tag};

use crate::args::{Build, Method};
use crate::result_pages::{PageElements, Terms, TreeJudge};

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
                let tree = TreeJudge::of_choice(&arguments.model, &arguments.query)?;
                let terms = Terms::read(&arguments.query)?;
                Some(BuildMethod {
                    identity: format!("tree {}, query {}", tree.identity, terms.identity()),
                    judge: Arc::new(ByTree { tree, terms }),
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
        by_density(page)
    }
}

struct ByTree {
    tree: TreeJudge,
    terms: Terms,
}

impl PageMethod for ByTree {
    fn page_config(&self) -> PageConfig {
        page_config()
    }

    fn labels(&self, page: &Page, source: &PageSource<'_>) -> Vec<Label> {
        let query = match self.tree.looks_for_terms() {
            true => self
                .terms
                .of_page_alone(source.url, source.body, source.content_type),
            false => Query::default(),
        };
        self.tree.labels(&PageElements::new(page, &query))
    }
}

/// Pages as these methods read them: what stands for an image is no text.
pub(crate) fn page_config() -> PageConfig {
    PageConfig {
        alt: false,
        ..PageConfig::default()
    }
}

/// The labels that text density gives.
pub(crate) fn by_density(page: &Page) -> Vec<Label> {
    labels(page, &Densities::of(page).content_blocks(page))
}

/// What kept blocks are by their elements: headers, list items, or paragraphs.
pub(crate) fn labels(page: &Page, kept: &[bool]) -> Vec<Label> {
    let label = |(block, kept): (&Block, &bool)| match kept {
        true => label_of(page, block.element),
        false => Label::Other,
    };
    page.blocks.iter().zip(kept).map(label).collect()
}

fn label_of(page: &Page, element: u32) -> Label {
    let tags = page.ancestors(element).map(|up| page.elements[up as usize].tag);
    let told = tags
        .take_while(|tag| !matches!(tag, Tag::Body | Tag::Table))
        .find_map(|tag| match tag {
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Some(Label::Header),
            Tag::Li | Tag::Dt | Tag::Dd => Some(Label::List),
            Tag::P | Tag::Pre | Tag::Blockquote | Tag::Article => Some(Label::Paragraph),
            _ => None,
        });
    told.unwrap_or(Label::Paragraph)
}

#[cfg(test)]
mod tests {
    use gleaner_page::Parser;

    use super::*;

    #[test]
    fn kept_blocks_are_what_their_elements_say() {
        let html = "<h2>One</h2><ul><li>two<li><p>three</p></ul><div>four</div><nav>five</nav>";
        let mut parser = Parser::new(page_config());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        use Label::{Header, List, Other, Paragraph};
        assert_eq!(
            labels(page, &[true, true, true, true, false]),
            [Header, List, Paragraph, Paragraph, Other]
        );
    }
}
