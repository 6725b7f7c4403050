//! Pages whose labels are known.

use std::sync::Arc;

use gleaner_content::Label;
use gleaner_document::{Cleaner, MarkdownOptions, Options, Origin, PageMethod, built_in};
use gleaner_page::{Page, PageConfig, Unit};

/// The address of all pages.
pub(crate) const PAGE: &str = "https://sea.example/tides/";

/// The text of a page, and its Markdown.
pub(crate) struct Cleaned {
    pub(crate) text: String,
    pub(crate) markdown: String,
}

/// A method that labels each block by its number and its text.
struct ByBlock<F> {
    label: F,
    unit: Unit,
}

impl<F: Fn(usize, &str) -> Label + Send + Sync> PageMethod for ByBlock<F> {
    fn page_config(&self) -> PageConfig {
        PageConfig {
            unit: self.unit,
            alt: false,
            ..PageConfig::default()
        }
    }

    fn labels(&self, page: &Page, _: &[u8], _: &Origin<'_>) -> Vec<Label> {
        let blocks = page.blocks.iter().enumerate();
        blocks
            .map(|(at, block)| (self.label)(at, page.text(block)))
            .collect()
    }
}

/// What labels blocks so.
pub(crate) fn cleaner(
    unit: Unit,
    markdown: MarkdownOptions,
    label: impl Fn(usize, &str) -> Label + Send + Sync + 'static,
) -> Cleaner {
    let options = Options {
        method: Some(Arc::new(ByBlock { label, unit })),
        markdown: Some(markdown),
        ..Options::default()
    };
    Cleaner::new(&built_in::pages(), options).expect("the built-in model fits the program")
}

pub(crate) fn clean(cleaner: &mut Cleaner, html: &[u8]) -> Cleaned {
    let origin = Origin {
        url: PAGE,
        content_type: Some("text/html; charset=utf-8"),
        ..Origin::default()
    };
    let content = cleaner.clean(html, &origin).expect("a page").content;
    Cleaned {
        markdown: content.markdown().expect("Markdown is wanted"),
        text: content.text,
    }
}
