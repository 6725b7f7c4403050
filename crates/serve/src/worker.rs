//! What a worker keeps from page to page: the memory of cleaners, of a parser and of the search for posts.

use std::sync::Arc;

use gleaner_content::Model;
use gleaner_document::{Cleaner, Options};
use gleaner_page::{PageConfig, Parser, Unit};
use gleaner_posts::{Extractor, Rules};

use crate::StartError;

/// What a worker keeps from page to page.
pub(crate) struct Worker {
    /// Cleans pages without finding their kinds, which are a part of the cost.
    pub(crate) cleaner: Cleaner,
    /// The same with kinds.
    pub(crate) with_kinds: Cleaner,
    /// Reads pages to search them for posts.
    pub(crate) parser: Parser,
    pub(crate) posts: Extractor,
    pub(crate) models: Models,
}

/// The models of all workers.
#[derive(Clone)]
pub(crate) struct Models {
    pub(crate) pages: Arc<Model>,
    /// For plain texts; none where the model of pages labels them, too.
    pub(crate) texts: Option<Arc<Model>>,
}

impl Models {
    /// # Errors
    /// The features of a model are not those of this program.
    pub(crate) fn new(pages: Arc<Model>, texts: Arc<Model>) -> Result<Models, StartError> {
        let is_of_texts = pages.extractor()?.config().page.unit == Unit::Text;
        Ok(Models {
            pages,
            texts: (!is_of_texts).then_some(texts),
        })
    }

    /// The model that labels a page.
    pub(crate) fn of(&self, is_text: bool) -> &Model {
        let texts = self.texts.as_ref().filter(|_| is_text);
        texts.unwrap_or(&self.pages)
    }
}

impl Worker {
    /// # Errors
    /// The features of a model are not those of this program.
    pub(crate) fn new(models: Models) -> Result<Worker, StartError> {
        let cleaner = |without_kinds| {
            let options = Options {
                text_model: models.texts.clone(),
                without_kinds,
                ..Options::default()
            };
            Cleaner::new(&models.pages, options)
        };
        Ok(Worker {
            cleaner: cleaner(true)?,
            with_kinds: cleaner(false)?,
            parser: Parser::new(PageConfig::default()),
            posts: Extractor::new(Rules::default_rules()),
            models,
        })
    }

    /// The same without anything kept.
    pub(crate) fn fresh(&self) -> Worker {
        Worker {
            cleaner: self.cleaner.clone(),
            with_kinds: self.with_kinds.clone(),
            parser: Parser::new(PageConfig::default()),
            posts: Extractor::new(Rules::default_rules()),
            models: self.models.clone(),
        }
    }
}
