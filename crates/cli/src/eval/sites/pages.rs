//! The pages of a blog, scored and noted.

use std::path::Path;

use anyhow::{Context, Result};
use gleaner_document::{Cleaner, Origin, ScoredBlocks};
use gleaner_gold::read_feed;
use gleaner_site::PageNotes;
use gleaner_template::page_key;

use crate::args::PostPages;
use crate::inputs::pages as input_pages;
use gleaner_training::archive_beside;
use gleaner_training::set_name;

pub(super) struct SitePage {
    key: u64,
    pub(super) notes: PageNotes,
    pub(super) blocks: ScoredBlocks,
    pub(super) kind: Option<String>,
    /// The text of the feed, if it is a page with gold.
    gold: Option<String>,
}

/// A page whose text is in the feed.
pub(super) struct Post {
    pub(super) page: usize,
    pub(super) gold: String,
}

/// A blog: all its pages in the order of the hashes of their addresses, and those of posts.
pub(super) struct Blog {
    pub(super) name: String,
    pub(super) pages: Vec<SitePage>,
    pub(super) posts: Vec<Post>,
}

impl Blog {
    /// Reads the archive beside a gold file. Pages that cannot be parsed are none.
    pub(super) fn read(path: &Path, cleaner: &mut Cleaner, kind: PostPages, titles: bool) -> Result<Blog> {
        let mut wanted = read_feed(path)?;
        wanted.retain(|_, page| page.page_kind == kind.to_string());
        let mut pages = Vec::new();
        input_pages::each(&archive_beside(path)?, &mut |found| {
            let gold = wanted.remove(found.url).and_then(|page| page.text(titles));
            pages.extend(SitePage::read(cleaner, &found, gold));
            Ok(())
        })?;
        if let Some(url) = wanted.into_keys().min() {
            return Err(anyhow::anyhow!("its archive has no page {url}"))
                .with_context(|| format!("{} does not belong to its archive", path.display()));
        }
        pages.sort_by_key(|page: &SitePage| page.key);
        let texts = pages.iter_mut().map(|page| page.gold.take()).enumerate();
        let posts = texts.filter_map(|(page, gold)| Some(Post { page, gold: gold? }));
        Ok(Blog {
            name: set_name(path),
            posts: posts.collect(),
            pages,
        })
    }
}

impl SitePage {
    fn read(
        cleaner: &mut Cleaner,
        found: &gleaner_training::FoundPage<'_>,
        gold: Option<String>,
    ) -> Option<SitePage> {
        let origin = Origin {
            url: found.url,
            content_type: found.content_type.as_deref(),
            ..Origin::default()
        };
        let read = cleaner.read(found.body, &origin).ok()?;
        let mut notes = PageNotes::default();
        cleaner.note(&read, &mut notes);
        let scored = cleaner.score(read);
        notes.logits = scored.blocks.logits();
        Some(SitePage {
            key: page_key(found.url),
            notes,
            kind: scored.facts.kind().map(|(kind, _)| kind.to_owned()),
            blocks: scored.blocks,
            gold,
        })
    }
}
