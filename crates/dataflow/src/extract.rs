//! Extract phase: a capture to text blocks and feature columns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::{Day, DocumentRow, PostRow, RejectRow};
use gleaner_features::Extractor;
use gleaner_metadata::date::Day as CalendarDay;
use gleaner_metadata::{Context, metadata};
use gleaner_page::{Page, PageConfig, Parser};
use gleaner_posts::{About, Post};
use gleaner_template::evidence::{Noter, PageNotes};

use crate::job::Job;
use crate::judge::Made;
use crate::message::{Capture, Extracted, Written};
use crate::method::{PageSource, word_counts};
use crate::{reject, watch};

/// Turns captures into blocks and columns. One a worker; its memory is kept from page to page.
pub(crate) struct PageExtractor {
    job: Arc<Job>,
    parser: Parser,
    features: Made<Extractor>,
    noter: Noter,
    /// Memory of notes that nobody needs any more.
    spare: Vec<PageNotes>,
    posts: Option<gleaner_posts::Extractor>,
}

impl PageExtractor {
    pub(crate) fn new(job: &Arc<Job>) -> PageExtractor {
        PageExtractor {
            job: Arc::clone(job),
            parser: parser(&job.page),
            features: Made::new(job.judges.pages.extractor.clone()),
            noter: Noter::default(),
            spare: Vec::new(),
            posts: posts(job),
        }
    }

    /// Reads a page. A page that can't be read, or that a library fails on, is a reject.
    pub(crate) fn extract(&mut self, capture: Capture) -> Result<Extracted, Box<RejectRow>> {
        let Capture {
            document,
            content_type,
            plain_text,
            body,
        } = capture;
        self.job.progress.pages.fetch_add(1, Relaxed);
        self.job.progress.page_bytes.fetch_add(body.len() as u64, Relaxed);
        let url = document.url.clone();
        let mut in_hand = self.job.large.take(body.len());
        let mut extracted = Extracted::of(document);
        let read = watch::page(&url, || {
            catch_unwind(AssertUnwindSafe(|| {
                self.fill(&mut extracted, &body, content_type.as_deref(), plain_text)
            }))
        });
        match read {
            Ok(Ok(())) => {
                if body.len() > KEPT_BYTES || extracted.blocks.len() > KEPT_BLOCKS {
                    self.begin_anew();
                }
                if let Some(in_hand) = &mut in_hand {
                    in_hand.has_blocks(extracted.blocks.len(), body.len());
                }
                extracted.in_hand = in_hand.map(Arc::new);
                Ok(extracted)
            }
            Ok(Err(error)) => Err(reject::of_page(
                &extracted.document,
                error.reason(),
                error.to_string(),
            )),
            Err(panic) => {
                // What the parser holds may be half a page.
                self.begin_anew();
                Err(reject::of_page(
                    &extracted.document,
                    "internal-error",
                    reject::panic_text(&*panic),
                ))
            }
        }
    }

    /// Begins with new memory.
    fn begin_anew(&mut self) {
        self.parser = parser(&self.job.page);
        self.features = Made::new(self.job.judges.pages.extractor.clone());
        self.noter = Noter::default();
        self.posts = posts(&self.job);
    }

    /// Takes the memory of a page's notes back, unless it is much.
    pub(crate) fn take_back(&mut self, notes: PageNotes) {
        if (1..=KEPT_NOTES).contains(&notes.blocks.capacity()) {
            self.spare.push(notes);
        }
    }

    fn fill(
        &mut self,
        extracted: &mut Extracted,
        body: &[u8],
        content_type: Option<&str>,
        plain_text: bool,
    ) -> Result<(), gleaner_page::PageError> {
        let page = match plain_text {
            true => self.parser.parse_text(body, content_type)?,
            false => self.parser.parse(body, content_type)?,
        };
        extracted.plain_text = plain_text;
        match self.job.judges.method.as_ref().filter(|_| !plain_text) {
            Some(method) => {
                let url = &extracted.document.url;
                let source = PageSource {
                    url,
                    body,
                    content_type,
                };
                extracted.labels = Some(method.labels(page, &source));
                extracted.words.extend(word_counts(page));
            }
            None => {
                let features = self
                    .features
                    .of(plain_text, || self.job.judges.of(true).extractor.clone());
                features.extract(page, &extracted.document.url, &mut extracted.columns);
                extracted.words.extend(features.word_counts());
            }
        }
        describe(page, extracted);
        if !self.job.structured_data {
            extracted.structured = None;
        }
        extracted.text.clone_from(&page.text);
        extracted
            .blocks
            .extend(page.blocks.iter().map(|block| block.text.clone()));
        extracted.written = Written::of(page);
        extracted.joints = page.joints();
        extracted
            .same_pre
            .extend((0..page.blocks.len()).map(|block| page.is_same_pre(block)));
        if self.job.stage.is_some() {
            extracted.notes = self.spare.pop().unwrap_or_default();
            let title = extracted.document.title.as_deref();
            self.noter
                .note(page, &extracted.words, title, &mut extracted.notes);
        }
        // Posts are found by the tree, which a plain text has not.
        if let Some(posts) = self.posts.as_mut().filter(|_| !page.plain) {
            let about = About {
                url: &extracted.document.url,
                captured: captured(&extracted.document),
                ..About::default()
            };
            let found = posts.extract(page, about);
            extracted.posts = post_rows(&extracted.document, found.posts);
            // The day of the only post is the page's.
            if let [post] = extracted.posts.as_slice() {
                let document = &mut extracted.document;
                document.published = document.published.or(post.published);
            }
            extracted.document.platform = found.platform;
            add_limits(&mut extracted.document.truncated, found.truncated.names());
        }
        if self.job.blocks {
            extracted
                .paths
                .extend(page.blocks.iter().map(|block| page.tag_path(block)));
        }
        Ok(())
    }
}

/// Memory of notes of so many blocks is kept for other pages: hardly any page has more.
const KEPT_NOTES: usize = 1 << 12;

/// Memory of a page of so many bytes, or blocks, is kept for other pages. What larger ones take goes back: a worker must not
/// have that for the rest of the build.
const KEPT_BYTES: usize = 4 << 20;
pub(crate) const KEPT_BLOCKS: usize = 1 << 15;

fn parser(config: &PageConfig) -> Parser {
    Parser::new(config.clone())
}

fn posts(job: &Job) -> Option<gleaner_posts::Extractor> {
    job.posts.clone().map(gleaner_posts::Extractor::new)
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

fn describe(page: &Page, extracted: &mut Extracted) {
    let context = Context {
        url: &extracted.document.url,
        captured: captured(&extracted.document),
    };
    let found = metadata(page, &context);
    let document = &mut extracted.document;
    document.charset = page.charset.to_owned();
    document.title = found.title.map(Into::into);
    document.authors = found.authors;
    document.published = found
        .published
        .map(|published| Day(published.day.number() as i32));
    document.language = found.language;
    document.structured_data = found
        .structured
        .as_ref()
        .map(|text| text.source.name().to_owned());
    extracted.structured = found.structured;
    add_limits(&mut document.truncated, page.truncated.names());
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
