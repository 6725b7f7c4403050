//! The first steps with a page: a capture is parsed, measured and scored by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::{Day, DocumentRow, PostRow, RejectRow, Share};
use gleaner_document::{Cleaner, Origin, PageFacts, ReadPage, ScoredPage};
use gleaner_html::PageError;
use gleaner_metadata::date::Day as CalendarDay;
use gleaner_posts::{About, Post, Rules};
use gleaner_site::PageNotes;

use crate::job::Progress;
use crate::large::LargePages;
use crate::message::{Capture, Extracted, Parts, Scored};
use crate::{reject, watch};

/// What is extracted of pages.
#[derive(Clone)]
pub(crate) struct ExtractConfig {
    /// What reads and scores them.
    pub(crate) cleaner: Cleaner,
    /// Whether blocks have tag paths, for the blocks table.
    pub(crate) paths: bool,
    /// What posts are found by, for the posts table.
    pub(crate) posts: Option<Rules>,
    /// Whether pages are noted for the evidence of their sites.
    pub(crate) notes: bool,
    pub(crate) large: Arc<LargePages>,
    pub(crate) progress: Arc<Progress>,
}

/// Parses, measures and scores pages. One a worker; its memory is kept from page to page.
pub(crate) struct PageExtractor {
    config: ExtractConfig,
    posts: Option<gleaner_posts::Extractor>,
    /// Memory of notes that nobody needs any more.
    spare: Vec<PageNotes>,
}

/// Memory of notes of so many blocks is kept for other pages: hardly any page has more.
const KEPT_NOTES: usize = 1 << 12;

impl PageExtractor {
    pub(crate) fn new(config: ExtractConfig) -> PageExtractor {
        PageExtractor {
            posts: config.posts.clone().map(gleaner_posts::Extractor::new),
            config,
            spare: Vec::new(),
        }
    }

    /// Parses and measures a page. A page that can't be read, or that a library fails on, is a reject.
    pub(crate) fn extract(&mut self, capture: Capture) -> Result<Extracted, Box<RejectRow>> {
        let Capture {
            mut document,
            content_type,
            plain_text,
            body,
        } = capture;
        let progress = &self.config.progress;
        progress.pages.fetch_add(1, Relaxed);
        progress.page_bytes.fetch_add(body.len() as u64, Relaxed);
        let mut in_hand = self.config.large.take(body.len());
        let url = document.url.clone();
        let origin = Origin {
            url: &url,
            content_type: content_type.as_deref(),
            is_text: plain_text,
            query: None,
            captured: captured(&document),
        };
        let read = watch::page(&url, || {
            catch_unwind(AssertUnwindSafe(|| self.read(&mut document, &body, &origin)))
        });
        match read {
            Ok(Ok((page, mut parts, notes))) => {
                if let Some(in_hand) = &mut in_hand {
                    in_hand.has_blocks(page.layout.len(), body.len());
                }
                parts.in_hand = in_hand.map(Arc::new);
                Ok(Extracted {
                    document,
                    page,
                    parts,
                    notes,
                })
            }
            Ok(Err(error)) => Err(reject::of_page(&document, error.reason(), error.to_string())),
            Err(panic) => {
                self.begin_anew();
                let said = reject::panic_text(&*panic);
                Err(reject::of_page(&document, "internal-error", said))
            }
        }
    }

    /// Scores a page by itself.
    pub(crate) fn score(&mut self, extracted: Extracted) -> (Scored, PageNotes) {
        let Extracted {
            mut document,
            page,
            parts,
            mut notes,
        } = extracted;
        let ScoredPage { facts, blocks } = self.config.cleaner.score(page);
        if let Some((kind, probability)) = facts.kind {
            document.page_kind = Some(kind);
            document.page_kind_probability = Some(Share(probability));
        }
        if self.config.notes {
            notes.logits.extend(blocks.logits());
        }
        let scored = Scored {
            document,
            blocks,
            parts,
        };
        (scored, notes)
    }

    /// Extracts and scores captures, each with its place.
    ///
    /// All are parsed before the first is scored: each of the two has tables that fill the processor's caches, and page by page
    /// they would drive each other out.
    pub(crate) fn score_all<P>(
        &mut self,
        captures: impl Iterator<Item = (P, Capture)>,
    ) -> Vec<(P, Result<Scored, Box<RejectRow>>)> {
        let extracted: Vec<_> = captures
            .map(|(place, capture)| (place, self.extract(capture)))
            .collect();
        let score = |(place, page): (P, Result<Extracted, _>)| (place, page.map(|page| self.score(page).0));
        extracted.into_iter().map(score).collect()
    }

    /// Takes the memory of a page's notes back, unless it is much.
    pub(crate) fn take_back(&mut self, notes: PageNotes) {
        if (1..=KEPT_NOTES).contains(&notes.blocks.capacity()) {
            self.spare.push(notes);
        }
    }

    /// Begins with new memory: after a panic the old may hold half a page.
    fn begin_anew(&mut self) {
        self.config.cleaner.reset();
        self.posts = self.config.posts.clone().map(gleaner_posts::Extractor::new);
    }

    fn read(
        &mut self,
        document: &mut DocumentRow,
        body: &[u8],
        origin: &Origin<'_>,
    ) -> Result<(ReadPage, Parts, PageNotes), PageError> {
        let cleaner = &mut self.config.cleaner;
        let read = cleaner.read(body, origin)?;
        describe(&read, document);
        let mut notes = PageNotes::default();
        if self.config.notes {
            notes = self.spare.pop().unwrap_or_default();
            cleaner.note(&read, &mut notes);
        }
        let mut parts = Parts::default();
        let page = cleaner.page();
        // Posts are found by the tree, which a plain text has not.
        if let Some(posts) = self.posts.as_mut().filter(|_| !page.plain) {
            let about = About {
                url: origin.url,
                captured: origin.captured,
                ..About::default()
            };
            let found = posts.extract(page, about);
            parts.posts = post_rows(document, found.posts);
            document.platform = found.platform;
            add_limits(&mut document.truncated, found.truncated.names());
        }
        if self.config.paths {
            let paths = page.blocks.iter().map(|block| page.tag_path(block));
            parts.paths = paths.collect();
        }
        Ok((read, parts, notes))
    }
}

/// Rows of the posts table.
fn post_rows(document: &DocumentRow, posts: Vec<Post>) -> Vec<PostRow> {
    let row = |(place, post): (usize, Post)| {
        let date = post.published.unwrap_or_default();
        PostRow {
            record_id: document.record_id.clone(),
            url: document.url.clone(),
            post: place as u32,
            title: post.title,
            published: date.day.map(|day| Day(day.number() as i32)),
            published_text: Some(date.text).filter(|text| !text.is_empty()),
            published_completed: date.completed.map(|completed| completed.name().to_owned()),
            author: post.author,
            text: post.text,
            link: post.link,
            comments: post.comments.len() as u32,
        }
    };
    posts.into_iter().enumerate().map(row).collect()
}

/// Writes what is known of a page as a whole into its row.
fn describe(read: &ReadPage, document: &mut DocumentRow) {
    let PageFacts {
        metadata,
        charset,
        structured_data,
        truncated,
        ..
    } = &read.facts;
    document.charset = (*charset).to_owned();
    document.title = metadata.title.as_deref().map(str::to_owned);
    document.authors.clone_from(&metadata.authors);
    document.published = metadata
        .published
        .map(|published| Day(published.day.number() as i32));
    document.language = metadata.language.clone();
    document.structured_data = structured_data.map(|source| source.name().to_owned());
    add_limits(&mut document.truncated, truncated.names());
}

/// The day of the capture. The first second of a year is written where nobody knows when a page was captured.
fn captured(document: &DocumentRow) -> Option<CalendarDay> {
    let millis = document.crawl_date?.0;
    let day = CalendarDay::of_number(i32::try_from(millis.div_euclid(MILLIS_OF_DAY)).ok()?)?;
    let (_, month, number) = day.parts();
    let is_placeholder = (month, number) == (1, 1) && millis.rem_euclid(MILLIS_OF_DAY) == 0;
    (!is_placeholder).then_some(day)
}

const MILLIS_OF_DAY: i64 = 24 * 60 * 60 * 1000;

/// Adds limits that were met to those that a document says it has met.
fn add_limits<'a>(truncated: &mut Option<String>, names: impl Iterator<Item = &'a str>) {
    let before = truncated.take().into_iter();
    let limits: Vec<String> = before.chain(names.map(String::from)).collect();
    *truncated = Some(limits.join(",")).filter(|names| !names.is_empty());
}
