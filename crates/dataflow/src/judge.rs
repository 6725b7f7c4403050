//! The labellers of a build: that of pages, and that of plain texts, which have no tags to go by.

use std::sync::Arc;

use gleaner_content::{Model, Tagger};
use gleaner_features::Extractor;
use gleaner_page::PageConfig;

use crate::error::Error;
use crate::method::PageMethod;

/// A labeller, and what measures what it goes by.
pub(crate) struct Judge {
    pub(crate) model: Arc<Model>,
    pub(crate) extractor: Extractor,
}

/// The labellers of a build.
pub(crate) struct Judges {
    pub(crate) pages: Judge,
    /// What labels pages in place of that.
    pub(crate) method: Option<Arc<dyn PageMethod>>,
    /// Of plain texts; none where they are judged as pages are.
    texts: Option<Judge>,
}

/// What a worker makes of each labeller: of that of plain texts when the first one comes.
pub(crate) struct Made<T> {
    pages: T,
    texts: Option<T>,
}

impl Judge {
    fn new(model: Arc<Model>) -> Result<Judge, Error> {
        let extractor = model.extractor()?;
        Ok(Judge { model, extractor })
    }

    pub(crate) fn tagger(&self) -> Tagger {
        Tagger::new(&self.model)
    }
}

impl Judges {
    pub(crate) fn new(
        pages: Arc<Model>,
        method: Option<Arc<dyn PageMethod>>,
        texts: Option<Arc<Model>>,
    ) -> Result<Judges, Error> {
        Ok(Judges {
            method,
            pages: Judge::new(pages)?,
            texts: texts.map(Judge::new).transpose()?,
        })
    }

    /// How pages are read.
    pub(crate) fn page_config(&self) -> PageConfig {
        match &self.method {
            Some(method) => method.page_config(),
            None => self.pages.extractor.config().page.clone(),
        }
    }

    /// The one that judges plain texts, or pages.
    pub(crate) fn of(&self, plain_text: bool) -> &Judge {
        let texts = self.texts.as_ref().filter(|_| plain_text);
        texts.unwrap_or(&self.pages)
    }
}

impl<T> Made<T> {
    pub(crate) fn new(pages: T) -> Made<T> {
        Made { pages, texts: None }
    }

    /// That for plain texts, or for pages.
    pub(crate) fn of(&mut self, plain_text: bool, make: impl FnOnce() -> T) -> &mut T {
        match plain_text {
            true => self.texts.get_or_insert_with(make),
            false => &mut self.pages,
        }
    }
}
