//! The pages of a blog, tagged and noted.

use std::path::Path;

use anyhow::{Context, Result};
use gleaner_columns::Columns;
use gleaner_content::{Alone, BlockSize, Label, Model, Piece, Tagger, TextCopy, assemble};
use gleaner_features::Extractor;
use gleaner_gold::word_score;
use gleaner_page::{Joint, Page, Parser, metadata};
use gleaner_template::evidence::{Noter, PageNotes, logit};
use gleaner_template::page_key;

use super::{gold, set_name};
use crate::args::PostPages;
use crate::gold_pages::archive_beside;
use crate::pages as input_pages;
use crate::prepared::size;

/// A page of a site, as the labeller sees it by itself.
pub(super) struct SitePage {
    key: u64,
    pub(super) notes: PageNotes,
    /// The probabilities of content.
    content: Vec<f32>,
    /// What each block is if it is content, with its probability then.
    labels: Vec<(Label, f32)>,
    copies: Vec<TextCopy>,
    sizes: Vec<BlockSize>,
    /// The most probable kind.
    pub(super) kind: Option<String>,
    post: Option<GoldText>,
}

/// A page whose text is in the feed.
pub(super) struct Post {
    /// Its place among the pages.
    pub(super) page: usize,
    text: GoldText,
}

struct GoldText {
    /// The blocks, and how they hang together.
    blocks: Vec<(String, Joint)>,
    gold: String,
}

/// A blog: all its pages in the order of the hashes of their addresses, and those of posts.
pub(super) struct Blog {
    pub(super) name: String,
    pub(super) pages: Vec<SitePage>,
    pub(super) posts: Vec<Post>,
}

impl Blog {
    /// Reads the archive beside a gold file. Pages that cannot be parsed are none.
    pub(super) fn read(path: &Path, model: &Model, kind: PostPages, titles: bool) -> Result<Blog> {
        let mut wanted = gold::read(path)?;
        wanted.retain(|_, page| page.page_kind == kind.name());
        let mut reader = PageReader::new(model)?;
        let mut pages = Vec::new();
        input_pages::each(&archive_beside(path)?, &mut |found| {
            let gold = wanted.remove(found.url).and_then(|page| page.text(titles));
            pages.extend(reader.read(&found, gold));
            Ok(())
        })?;
        if let Some(url) = wanted.into_keys().min() {
            return Err(anyhow::anyhow!("its pages lack {url}"))
                .with_context(|| format!("{} does not belong to its archive", path.display()));
        }
        pages.sort_by_key(|page: &SitePage| page.key);
        let texts = pages.iter_mut().map(|page| page.post.take()).enumerate();
        let posts = texts.filter_map(|(page, text)| Some(Post { page, text: text? }));
        Ok(Blog {
            name: set_name(path),
            posts: posts.collect(),
            pages,
        })
    }
}

impl SitePage {
    /// What the site's evidence changes: the probabilities of content, were no text on the page twice.
    pub(super) fn unrepeated(&self) -> Vec<f32> {
        self.alone().unrepeated()
    }

    fn alone(&self) -> Alone<'_> {
        Alone {
            content: &self.content,
            labels: &self.labels,
            copies: &self.copies,
        }
    }
}

impl Post {
    /// The word F1 of what is kept of its page, with some probabilities of content.
    pub(super) fn score(&self, page: &SitePage, content: &[f32], tagger: &mut Tagger) -> f64 {
        let sizes = page.sizes.iter().copied();
        let tagged = tagger.decide_blocks(page.alone(), content, sizes);
        let pieces = self.text.blocks.iter().zip(tagged.labels);
        let kept = assemble(pieces.map(|((text, joint), &label)| Piece {
            text,
            label,
            joint: *joint,
        }));
        word_score(&kept, &self.text.gold).f1
    }
}

/// Parses, measures, tags and notes pages.
struct PageReader<'m> {
    model: &'m Model,
    parser: Parser,
    extractor: Extractor,
    tagger: Tagger,
    columns: Columns,
    noter: Noter,
}

impl<'m> PageReader<'m> {
    fn new(model: &'m Model) -> Result<PageReader<'m>> {
        let extractor = model.extractor()?;
        Ok(PageReader {
            model,
            parser: Parser::new(extractor.config().page.clone()),
            extractor,
            tagger: Tagger::new(model),
            columns: Columns::default(),
            noter: Noter::default(),
        })
    }

    fn read(&mut self, found: &input_pages::Found<'_>, gold: Option<String>) -> Option<SitePage> {
        let page = self
            .parser
            .parse(found.body, found.content_type.as_deref())
            .ok()?;
        self.extractor.extract(page, found.url, &mut self.columns);
        let sizes: Vec<BlockSize> = (0..page.blocks.len()).map(|block| size(page, block)).collect();
        let tagged = self.tagger.tag_blocks(&self.columns, sizes.iter().copied());
        let content = tagged.content.to_vec();
        let labels = tagged.content_labels(self.model.labels()).collect();
        let copies = tagged.copies.to_vec();
        let kind = self.model.kind_of(&tagged).map(|(kind, _)| kind.to_owned());
        let words: Vec<u32> = sizes.iter().map(|size| size.words).collect();
        let mut notes = PageNotes::default();
        let title = metadata(page, found.url).title;
        self.noter.note(page, &words, title.as_deref(), &mut notes);
        let mut read = SitePage {
            key: page_key(found.url),
            notes,
            content,
            labels,
            copies,
            sizes,
            kind,
            post: gold.map(|gold| GoldText {
                blocks: blocks(page),
                gold,
            }),
        };
        read.notes.logits = read.unrepeated().into_iter().map(logit).collect();
        Some(read)
    }
}

fn blocks(page: &Page) -> Vec<(String, Joint)> {
    let texts = page.blocks.iter().map(|block| page.written(block).to_owned());
    texts.zip(page.joints()).collect()
}
