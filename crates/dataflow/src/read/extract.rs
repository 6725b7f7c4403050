//! The first steps with a page: a capture is parsed, measured and scored by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::{Day, DocumentRow, PostRow, RejectRow, Share};
use gleaner_curate::Agents;
use gleaner_curate::rights::page_rights;
use gleaner_document::{Cleaner, Origin, PageFacts, ReadPage, ScoredPage};
use gleaner_html::PageError;
use gleaner_posts::{About, Post, Rules};
use gleaner_site::{KindNote, PageNotes};

use crate::data::message::{Capture, Extracted, Parts, Scored};
use crate::data::reject;
use crate::memory::large::LargePages;
use crate::settings::Settings;
use crate::watch::{self, Progress};
use crate::work::running::Running;

/// Parses, measures and scores pages. One a worker; its memory is kept from page to page.
pub(crate) struct PageExtractor {
    cleaner: Cleaner,
    paths: bool,
    rules: Option<Rules>,
    posts: Option<gleaner_posts::Extractor>,
    /// The crawlers for which signals about rights are read; none where they are not.
    agents: Option<Agents>,
    notes: bool,
    large: Arc<LargePages>,
    progress: Arc<Progress>,
    /// Memory of notes that are no longer needed.
    spare: Vec<PageNotes>,
}

/// Maximum blocks of notes whose memory is kept for other pages: hardly any page has more.
const KEPT_NOTES: usize = 1 << 12;

impl PageExtractor {
    pub(crate) fn new(settings: &Settings, running: &Running) -> PageExtractor {
        PageExtractor {
            cleaner: settings.cleaner.clone(),
            paths: settings.blocks,
            rules: settings.posts.clone(),
            posts: settings.posts.clone().map(gleaner_posts::Extractor::new),
            agents: settings.rights.clone(),
            notes: settings.site_sample.is_some(),
            large: Arc::clone(&running.large),
            progress: Arc::clone(&running.progress),
            spare: Vec::new(),
        }
    }

    /// Parses and measures a page. A page that can't be read, or that a library fails on, is a reject.
    pub(crate) fn extract(&mut self, capture: Capture) -> Result<Extracted, Box<RejectRow>> {
        let captured = capture.day();
        let Capture {
            mut document,
            content_type,
            rights_headers,
            drawn_from,
            plain_text,
            body,
        } = capture;
        let progress = &self.progress;
        progress.pages.fetch_add(1, Relaxed);
        progress.page_bytes.fetch_add(body.len() as u64, Relaxed);
        let mut reserved = self.large.take(body.len());
        let url = document.url.clone();
        let origin = Origin {
            url: &url,
            content_type: content_type.as_deref(),
            is_text: plain_text,
            query: None,
            captured,
        };
        let read = watch::page(&url, || {
            catch_unwind(AssertUnwindSafe(|| self.read(&mut document, &body, &origin)))
        });
        match read {
            Ok(Ok((page, mut parts, notes))) => {
                self.shrink();
                if let Some(reserved) = &mut reserved {
                    reserved.has_blocks(page.layout.len(), body.len());
                }
                if let Some(agents) = &self.agents {
                    let headers = rights_headers.iter().map(|(name, value)| (&**name, &**value));
                    parts.rights = page_rights(&page.facts.metadata.rights, headers, &url, agents);
                }
                parts.reserved = reserved.map(Arc::new);
                Ok(Extracted {
                    document,
                    drawn_from,
                    page,
                    parts,
                    notes,
                })
            }
            Ok(Err(error)) => Err(reject::of_page(&document, error.reason(), error.to_string())),
            Err(panic) => {
                self.reset();
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
            ..
        } = extracted;
        let ScoredPage { facts, blocks } = self.cleaner.score(page);
        if let Some((kind, probability)) = facts.kind() {
            document.page_kind = Some(kind.to_owned());
            document.page_kind_probability = Some(Share::in_hundredths(probability));
        }
        if self.notes {
            let kind = facts.kinds.map(|shares| KindNote::of(&document.url, &shares));
            notes.kind = kind.unwrap_or_default();
            notes.logits.extend(blocks.logits());
        }
        let scored = Scored {
            document,
            blocks,
            parts,
        };
        (scored, notes)
    }

    /// Takes the memory of a page's notes back, unless it is much.
    pub(crate) fn take_back(&mut self, notes: PageNotes) {
        if (1..=KEPT_NOTES).contains(&notes.blocks.capacity()) {
            self.spare.push(notes);
        }
    }

    /// Gives the memory of a large page back.
    fn shrink(&mut self) {
        if self.cleaner.shrink() {
            self.posts = self.rules.clone().map(gleaner_posts::Extractor::new);
        }
    }

    /// Begins with new memory: after a panic the old may hold half a page.
    fn reset(&mut self) {
        self.cleaner.reset();
        self.posts = self.rules.clone().map(gleaner_posts::Extractor::new);
    }

    fn read(
        &mut self,
        document: &mut DocumentRow,
        body: &[u8],
        origin: &Origin<'_>,
    ) -> Result<(ReadPage, Parts, PageNotes), PageError> {
        let cleaner = &mut self.cleaner;
        let read = cleaner.read(body, origin)?;
        describe(&read, document);
        let mut notes = PageNotes::default();
        if self.notes {
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
        if self.paths {
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
            row_id: document.row_id.clone(),
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
    document.declared_language = metadata.language.clone();
    document.structured_data = structured_data.map(|source| source.name().to_owned());
    add_limits(&mut document.truncated, truncated.names());
}

/// Adds limits that were met to those that a document says it has met.
fn add_limits<'a>(truncated: &mut Option<String>, names: impl Iterator<Item = &'a str>) {
    let before = truncated.take().into_iter();
    let limits: Vec<String> = before.chain(names.map(String::from)).collect();
    *truncated = Some(limits.join(",")).filter(|names| !names.is_empty());
}

#[cfg(test)]
mod tests {
    use gleaner_content::Label;
    use gleaner_document::{Options, PageMethod, built_in};
    use gleaner_page::{Page, PageConfig};

    use super::*;
    use crate::memory::Memory;

    /// Keeps all blocks, and fails on pages of `fails.example`.
    struct All;

    impl PageMethod for All {
        fn page_config(&self) -> PageConfig {
            PageConfig::default()
        }

        fn labels(&self, page: &Page, _: &[u8], origin: &Origin<'_>) -> Vec<Label> {
            assert!(!origin.url.contains("fails.example"), "the page it fails on");
            vec![Label::Paragraph; page.blocks.len()]
        }
    }

    fn extractor() -> PageExtractor {
        let options = Options {
            method: Some(Arc::new(All)),
            ..Options::default()
        };
        PageExtractor {
            cleaner: Cleaner::new(&built_in::pages(), options).unwrap(),
            paths: true,
            rules: None,
            posts: None,
            agents: Some(Agents::default()),
            notes: true,
            large: Arc::new(LargePages::new(Memory::default())),
            progress: Arc::default(),
            spare: Vec::new(),
        }
    }

    fn capture(url: &str, body: &[u8]) -> Capture {
        Capture {
            document: DocumentRow {
                url: url.to_owned(),
                record_id: format!("<{url}>"),
                warc_file: "a.warc".to_owned(),
                ..DocumentRow::default()
            },
            content_type: Some("text/html".to_owned()),
            rights_headers: Vec::new(),
            drawn_from: None,
            plain_text: false,
            body: body.to_vec(),
        }
    }

    #[test]
    fn pages_that_fail_are_rejects_and_cost_no_other_page() {
        let mut extractor = extractor();
        let captures = [
            ("http://fails.example/", &b"<p>One"[..]),
            ("http://sea.example/pdf", b"%PDF-1.7\n"),
            ("http://sea.example/", b"<p>Two"),
        ];
        let results = captures.map(|(url, body)| (url, extractor.extract(capture(url, body))));
        let reasons = results
            .iter()
            .map(|(url, result)| (*url, result.as_ref().err().map(|reject| reject.reason.as_str())));
        let expected = [
            ("http://fails.example/", Some("internal-error")),
            ("http://sea.example/pdf", Some("not-a-page")),
            ("http://sea.example/", None),
        ];
        assert_eq!(reasons.collect::<Vec<_>>(), expected);
        let reject = results[0].1.as_ref().unwrap_err();
        assert_eq!(reject.detail, "the page it fails on");
        assert_eq!(
            (reject.warc_file.as_str(), reject.stage.as_str()),
            ("a.warc", "extract")
        );
    }
}
