//! A labelling session: the pages of input files, and their annotation files.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gleaner_content::Model;
use gleaner_gold::Annotation;
use gleaner_gold::annotation::{AnnotatedBlock, Decision, Header, source_name};
use gleaner_warc::Format;

use crate::annotation_store::{self, AnnotationStore, digest, progress};
use crate::date::today;
use crate::labeller::Labeller;
use crate::source::{self, Spot};
use crate::{About, Block, Error, Opened, Pages};

mod by_number;

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct SessionConfig {
    /// WARC, ARC and HTML files.
    pub files: Vec<PathBuf>,
    /// A folder for annotation files, or one file, named `NAME.anno`, for one page.
    pub out: PathBuf,
    /// Only the page with this URL, record id or file name.
    pub page: Option<String>,
    /// Whether the most uncertain pages come first.
    pub uncertain_first: bool,
    /// Whether suggestions are hidden.
    pub blind: bool,
    /// Name and checksum of the model, for the headers of annotation files.
    pub model_name: String,
    /// The name of the annotator.
    pub annotator: String,
}

/// The pages of input files, with their annotation files.
pub struct Session {
    config: SessionConfig,
    labeller: Labeller,
    /// The format of each file.
    formats: Vec<Option<Format>>,
    entries: Vec<PageEntry>,
    /// None if nothing is saved.
    store: Option<AnnotationStore>,
    skipped: usize,
    open: Option<OpenPage>,
}

/// A page of a file.
struct PageEntry {
    file: usize,
    spot: Spot,
    /// Its URL, or the name of its file.
    name: String,
    url: String,
    record_id: String,
    /// The digest of its body; empty if it has a record id.
    digest: String,
    uncertainty: f32,
    /// Its annotation file, which may not exist yet.
    annotations: PathBuf,
    progress: Option<(usize, usize)>,
}

/// Time of the last change and length of a file.
type Stamp = (SystemTime, u64);

/// The page that was opened last.
struct OpenPage {
    entry: usize,
    annotation: Annotation,
    /// The stamp of the annotation file when it was last read or written.
    seen: Option<Stamp>,
}

impl Session {
    /// Finds the pages of the files, and their annotation files. `on_page` is called after each page with the number of
    /// pages so far.
    ///
    /// # Errors
    /// A file cannot be read, an annotation file is damaged, or there is no page.
    pub fn new(
        config: SessionConfig,
        model: &Model,
        on_page: &mut dyn FnMut(usize),
    ) -> Result<Session, Error> {
        let store = AnnotationStore::open(&config.out)?;
        Session::with(config, Some(store), model, on_page)
    }

    /// The same without annotation files: there are no decisions, and none are saved. `out` is not looked at.
    ///
    /// # Errors
    /// A file cannot be read, or there is no page.
    pub fn read_only(
        config: SessionConfig,
        model: &Model,
        on_page: &mut dyn FnMut(usize),
    ) -> Result<Session, Error> {
        Session::with(config, None, model, on_page)
    }

    fn with(
        config: SessionConfig,
        store: Option<AnnotationStore>,
        model: &Model,
        on_page: &mut dyn FnMut(usize),
    ) -> Result<Session, Error> {
        let mut session = Session {
            labeller: Labeller::new(model)?,
            formats: Vec::new(),
            entries: Vec::new(),
            store,
            skipped: 0,
            open: None,
            config,
        };
        for file in 0..session.config.files.len() {
            session.find_pages(file, on_page)?;
        }
        session.choose()?;
        session.find_annotations()?;
        session.sort();
        Ok(session)
    }

    /// Number of skipped captures: no pages, and damaged places.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    fn find_pages(&mut self, file: usize, on_page: &mut dyn FnMut(usize)) -> Result<(), Error> {
        let path = self.config.files[file].clone();
        let path_name = source_name(&path);
        let (labeller, entries) = (&mut self.labeller, &mut self.entries);
        let uncertain_first = self.config.uncertain_first;
        let mut no_pages = 0;
        let seen = source::each(&path, &mut |page| {
            // A page that cannot be parsed has no uncertainty; opening it gives the error.
            let uncertainty = match uncertain_first {
                true => labeller.uncertainty(page.body, page.content_type.as_deref(), page.url),
                false => Ok(0.0),
            };
            let Ok(uncertainty) = uncertainty else {
                no_pages += 1;
                return ControlFlow::Continue(());
            };
            let name = if page.url.is_empty() { &path_name } else { page.url };
            entries.push(PageEntry {
                file,
                spot: page.spot,
                name: name.to_owned(),
                url: page.url.to_owned(),
                digest: match page.record_id {
                    "" => digest(page.body),
                    _ => String::new(),
                },
                record_id: page.record_id.to_owned(),
                uncertainty,
                annotations: PathBuf::new(),
                progress: None,
            });
            on_page(entries.len());
            ControlFlow::Continue(())
        })?;
        self.skipped += seen.skipped + no_pages;
        self.formats.push(seen.format);
        Ok(())
    }

    /// Keeps only the page that was requested.
    fn choose(&mut self) -> Result<(), Error> {
        let pages = self.entries.len();
        if let Some(wanted) = &self.config.page {
            let id = gleaner_warc::record_id(wanted);
            self.entries
                .retain(|entry| entry.name == *wanted || entry.record_id == id);
        }
        match (pages, self.entries.len()) {
            (0, _) => Err(Error::NoPages),
            (_, 0) => Err(Error::NoSuchPage(
                self.config.page.clone().unwrap_or_default(),
                pages,
            )),
            (_, pages) if pages > 1 && self.store.as_ref().is_some_and(AnnotationStore::is_file) => {
                Err(Error::ManyPages(self.config.out.clone(), pages))
            }
            _ => Ok(()),
        }
    }

    /// Finds the annotation file of each page.
    fn find_annotations(&mut self) -> Result<(), Error> {
        let Some(store) = &mut self.store else {
            return Ok(());
        };
        for entry in &mut self.entries {
            let file = &self.config.files[entry.file];
            let page = identity(entry, store.relative(file));
            let annotations = store.file(&page)?;
            (entry.annotations, entry.progress) = (annotations.path, annotations.progress);
        }
        Ok(())
    }

    fn sort(&mut self) {
        if self.config.uncertain_first {
            self.entries
                .sort_by(|a, b| b.uncertainty.total_cmp(&a.uncertainty));
        }
    }

    /// The blocks of a page, and the digest of its body.
    fn read(&mut self, page: usize) -> Result<(Vec<Block>, String), Error> {
        let entry = &self.entries[page];
        let (content_type, body) = source::read_at(
            &self.config.files[entry.file],
            self.formats[entry.file],
            entry.spot,
        )?;
        let mut blocks = self.labeller.blocks(&body, content_type.as_deref(), &entry.url)?;
        if self.config.blind {
            blocks.iter_mut().for_each(|block| block.suggestion = None);
        }
        Ok((blocks, digest(&body)))
    }

    fn header(&self, page: usize, digest: String, before: Header) -> Header {
        let entry = &self.entries[page];
        let file = &self.config.files[entry.file];
        let relative = |store: &AnnotationStore| store.relative(file);
        let source = self.store.as_ref().map(relative).unwrap_or_default();
        let suggestions = if self.config.blind {
            "none"
        } else {
            &self.config.model_name
        };
        Header {
            digest,
            annotator: match self.config.annotator.as_str() {
                "" => before.annotator,
                name => name.to_owned(),
            },
            date: today(),
            suggestions: suggestions.to_owned(),
            more: before.more,
            comments: before.comments,
            ..identity(entry, source)
        }
    }

    /// Opens a page with the annotation that it has, none if it is new or starts afresh. `seen` is the stamp of its file.
    fn open_as(
        &mut self,
        page: usize,
        before: Option<Annotation>,
        seen: Option<Stamp>,
    ) -> Result<Opened, Error> {
        let (blocks, digest) = self.read(page)?;
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let header = self.header(page, digest, before.header.clone());
        let (annotation, notice) = merge(before, header, &blocks, is_new);
        let decisions: Vec<_> = annotation.blocks.iter().map(|block| block.decision).collect();
        self.entries[page].progress = Some(progress(&decisions)).filter(|_| !is_new);
        self.open = Some(OpenPage {
            entry: page,
            annotation,
            seen,
        });
        Ok(Opened {
            blocks,
            decisions,
            notice,
        })
    }
}

/// The fields of a header that identify a page.
fn identity(entry: &PageEntry, source: String) -> Header {
    Header {
        url: entry.url.clone(),
        record_id: entry.record_id.clone(),
        digest: entry.digest.clone(),
        source,
        offset: Some(entry.spot.offset).filter(|_| !entry.url.is_empty()),
        ..Header::default()
    }
}

impl Pages for Session {
    fn count(&self) -> usize {
        self.entries.len()
    }

    fn about(&self, page: usize) -> About<'_> {
        let entry = &self.entries[page];
        About {
            name: &entry.name,
            progress: entry.progress,
        }
    }

    fn open(&mut self, page: usize) -> Result<Opened, Error> {
        self.open = None;
        let path = &self.entries[page].annotations;
        let seen = stamp(path);
        let before = seen.map(|_| annotation_store::read(path)).transpose();
        self.open_as(page, before?, seen)
    }

    fn save(&mut self, decisions: &[Option<Decision>], force: bool) -> Result<(), Error> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if self.store.is_none() {
            return Err(Error::ReadOnly);
        }
        let entry = &mut self.entries[open.entry];
        annotation_store::check_file(&entry.annotations)?;
        if stamp(&entry.annotations) != open.seen && !force {
            return Err(Error::Changed(entry.annotations.clone()));
        }
        for (block, &decision) in open.annotation.blocks.iter_mut().zip(decisions) {
            block.decision = decision;
        }
        open.annotation.header.date = today();
        open.annotation.save(&entry.annotations)?;
        open.seen = stamp(&entry.annotations);
        entry.progress = Some(progress(decisions));
        Ok(())
    }
}

/// The stamp of a file; `None` if it does not exist.
fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len()))
}

/// The annotation of a page with its current blocks, from the annotation of its earlier blocks.
fn merge(before: Annotation, header: Header, blocks: &[Block], is_new: bool) -> (Annotation, Option<String>) {
    let texts: Vec<&str> = blocks.iter().map(Block::text).collect();
    let transfer = before.transfer_to(&texts);
    let mut after: Vec<AnnotatedBlock> = blocks
        .iter()
        .zip(&transfer.decisions)
        .map(|(block, &decision)| AnnotatedBlock {
            decision,
            path: block.path.clone(),
            text: block.text().to_owned(),
            comments: Vec::new(),
        })
        .collect();
    let mut comments_of: Vec<Option<Vec<String>>> = before
        .blocks
        .iter()
        .map(|block| Some(block.comments.clone()))
        .collect();
    for (block, origin) in after.iter_mut().zip(&transfer.origins) {
        if let Some(comments) = origin.and_then(|origin| comments_of[origin].take()) {
            block.comments = comments;
        }
    }
    let (back, mut unmatched) = restore(before.unmatched, &mut after, &transfer.origins);
    let lost = transfer.lost.iter().map(|&block| before.blocks[block].clone());
    let lost: Vec<_> = lost.filter(|block| block.decision.is_some()).collect();
    let notice = notice(is_new, transfer.new_blocks() - back, lost.len(), back);
    unmatched.extend(lost);
    let annotation = Annotation {
        header,
        blocks: after,
        unmatched,
        comments: before.comments,
    };
    (annotation, notice)
}

/// Restores the labels of blocks that were missing and are on the page again. Returns how many, and the blocks that are
/// still missing.
fn restore(
    unmatched: Vec<AnnotatedBlock>,
    blocks: &mut [AnnotatedBlock],
    origins: &[Option<usize>],
) -> (usize, Vec<AnnotatedBlock>) {
    let mut back = 0;
    let mut taken = vec![false; blocks.len()];
    let still_gone = unmatched.into_iter().filter(|gone| {
        let is_again = |&at: &usize| origins[at].is_none() && !taken[at] && blocks[at].text == gone.text;
        let Some(at) = (0..blocks.len()).find(is_again) else {
            return true;
        };
        blocks[at].decision = gone.decision;
        blocks[at].comments.clone_from(&gone.comments);
        taken[at] = true;
        back += 1;
        false
    });
    let still_gone = still_gone.collect();
    (back, still_gone)
}

fn notice(is_new: bool, new: usize, lost: usize, back: usize) -> Option<String> {
    if is_new || new + lost + back == 0 {
        return None;
    }
    let mut parts = Vec::new();
    if new > 0 {
        parts.push(format!("{new} blocks are new"));
    }
    if lost > 0 {
        parts.push(format!("{lost} labelled blocks are gone (kept as unmatched)"));
    }
    if back > 0 {
        parts.push(format!("{back} are back"));
    }
    Some(format!("the page has changed: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use gleaner_content::Label;
    use gleaner_gold::annotation::By;

    use super::*;

    fn blocks(texts: &[&str]) -> Vec<Block> {
        texts
            .iter()
            .map(|text| Block::new(text, "html/body/p".into()))
            .collect()
    }

    fn merged(before: Annotation, texts: &[&str]) -> (Annotation, Option<String>) {
        merge(before, Header::default(), &blocks(texts), false)
    }

    fn labels(annotation: &Annotation) -> Vec<Option<Label>> {
        let label = |block: &AnnotatedBlock| block.decision.map(|decision| decision.label);
        annotation.blocks.iter().map(label).collect()
    }

    #[test]
    fn labels_of_missing_blocks_are_kept_and_restored() {
        let (mut first, _) = merge(
            Annotation::default(),
            Header::default(),
            &blocks(&["Tides", "Home"]),
            true,
        );
        for (block, label) in first.blocks.iter_mut().zip([Label::Header, Label::Other]) {
            let by = By::Hand;
            block.decision = Some(Decision { label, by });
        }
        first.blocks[0].comments.push(" a remark".into());
        let (without, notice) = merged(first.clone(), &["Home", "Imprint"]);
        assert_eq!(
            notice.as_deref(),
            Some("the page has changed: 1 blocks are new, 1 labelled blocks are gone (kept as unmatched)")
        );
        assert_eq!(labels(&without), [Some(Label::Other), None]);
        assert_eq!(without.unmatched[0].comments, [" a remark"]);
        let (again, notice) = merged(without, &["Tides", "Home"]);
        assert_eq!(notice.as_deref(), Some("the page has changed: 1 are back"));
        assert_eq!((&again.blocks, again.unmatched.len()), (&first.blocks, 0));
    }

    #[test]
    fn an_unchanged_page_keeps_its_annotation() {
        let (first, notice) = merge(
            Annotation::default(),
            Header::default(),
            &blocks(&["Tides", "Home"]),
            true,
        );
        assert_eq!(notice, None);
        assert_eq!(merged(first.clone(), &["Tides", "Home"]), (first, None));
    }
}
