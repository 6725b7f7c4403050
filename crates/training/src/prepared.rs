//! Pages with gold text, read and aligned: what models are trained on and scored on.

use std::path::{Path, PathBuf};

use gleaner_content::Label;
use gleaner_document::{Decision, Origin, PageReader, Piece, ReadPage, StructuredLines};
use gleaner_features::{Extractor, Module};
use gleaner_metadata::date::Day;
use gleaner_metadata::{Metadata, StructuredText};
use gleaner_page::Parser;
use gleaner_results::SiteTerms;

use crate::gold_pages::{Body, GoldReader, Sample};
use crate::query_terms::query_of_gold;
use crate::{Error, annotated_pages};

/// Title, author and date of a page.
#[derive(Clone, Debug, Default)]
pub struct PageMetadata {
    /// The title.
    pub title: Option<String>,
    /// The authors with commas.
    pub author: Option<String>,
    /// The day of publication.
    pub published: Option<Day>,
}

impl From<Metadata<'_>> for PageMetadata {
    fn from(found: Metadata<'_>) -> PageMetadata {
        PageMetadata {
            title: found.title.map(Into::into),
            author: Some(found.authors.join(", ")).filter(|names| !names.is_empty()),
            published: found.published.map(|published| published.day),
        }
    }
}

/// A page with gold, ready for training and scoring.
#[derive(Default)]
pub struct Prepared {
    /// Its layout and features.
    pub page: ReadPage,
    /// The labels of its blocks by the gold.
    pub labels: Vec<Label>,
    /// The text of its structured data, which is taken where nearly nothing else is kept.
    pub structured: Option<StructuredLines>,
    /// Title, author and date.
    pub metadata: PageMetadata,
    /// What the gold calls the kind of page: its type, else the name of the gold file.
    pub kind: String,
    /// The name of the gold file.
    pub set: String,
    /// Whether its text is scored without the main heading.
    pub without_title: bool,
}

impl Prepared {
    /// Keeps the main heading, or leaves it out, where the text is that of the page.
    pub fn decide_heading(&self, decision: &mut Decision) {
        if self.structured_text(&decision.labels).is_some() {
            return;
        }
        match self.without_title {
            true => self.page.layout.drop_heading(decision),
            false => self.page.layout.keep_heading(decision),
        }
    }

    /// The text that labels give: of the blocks that they keep, or of the structured data.
    pub fn text(&self, labels: &[Label]) -> String {
        match self.structured_text(labels) {
            Some(lines) => lines.text(),
            None => self.page.layout.kept_text(labels),
        }
    }

    /// The structured data that is the text, where labels keep nearly nothing of the page.
    pub fn structured_text(&self, labels: &[Label]) -> Option<&StructuredLines> {
        let kept = self.page.layout.kept_size(labels);
        let structured = self.structured.as_ref();
        structured.filter(|_| StructuredText::replaces(kept))
    }

    /// The blocks with these labels in the order of the page, each without the empty lines behind it.
    pub fn pieces(&self, labels: &[Label]) -> impl Iterator<Item = Piece<'_>> {
        self.page.layout.pieces(labels).map(Piece::without_empty_lines)
    }
}

impl GoldReader<'_> {
    /// Reads and aligns all pages.
    ///
    /// # Errors
    /// See [`load_bodies`](Self::load_bodies).
    pub fn prepare(self, files: &[PathBuf], extractor: &Extractor) -> Result<Vec<Sample<Prepared>>, Error> {
        self.prepare_with_terms(files, extractor, SiteTerms::default())
    }

    /// Reads and aligns all pages, with the terms of their search. The terms of the pages' own forms are added.
    ///
    /// # Errors
    /// See [`load_bodies`](Self::load_bodies).
    pub fn prepare_with_terms(
        self,
        files: &[PathBuf],
        extractor: &Extractor,
        mut terms: SiteTerms,
    ) -> Result<Vec<Sample<Prepared>>, Error> {
        if extractor.config().has(Module::Query) {
            self.gather_terms(&mut terms, files)?;
        }
        let (config, terms) = (&extractor.config().page, &terms);
        let mut samples = self.load_bodies(files, || {
            let mut reader = PageReader::new(config.clone(), extractor.clone());
            let mut parser = Parser::new(config.clone());
            move |body: &Body| {
                let mut prepared = self.align(&mut reader, body, Some(terms));
                let structured = prepared.page.structured.as_ref();
                prepared.structured = structured.map(|text| StructuredLines::read(text, &mut parser));
                prepared
            }
        })?;
        name_kinds(samples.iter_mut(), files);
        Ok(samples)
    }

    /// Reads a page and aligns it with its gold. A body that is not a page is an empty page.
    pub fn align(self, reader: &mut PageReader, body: &Body, terms: Option<&SiteTerms>) -> Prepared {
        let query = terms.map(|terms| query_of_gold(terms, &body.gold));
        let origin = Origin {
            url: &body.gold.url,
            content_type: body.content_type.as_deref(),
            query: query.as_ref(),
            ..Origin::default()
        };
        match reader.read(&body.bytes, &origin) {
            Ok(mut page) => {
                annotated_pages::warn_of_lost_blocks(&body.gold, reader.page(), self.warn);
                Prepared {
                    metadata: std::mem::take(&mut page.facts.metadata).into(),
                    page,
                    labels: body.gold.labels(reader.page()),
                    ..Prepared::default()
                }
            }
            Err(_) => Prepared::default(),
        }
    }
}

/// Sets for each page the name of its gold file, and the kind that its gold gives it.
pub fn name_kinds<'s>(samples: impl Iterator<Item = &'s mut Sample<Prepared>>, files: &[PathBuf]) {
    for sample in samples {
        let set = set_name(&files[sample.set]);
        let by_type = sample.gold.page_type.clone();
        sample.value.kind = by_type.unwrap_or_else(|| set.clone());
        sample.value.set = set;
    }
}

/// The name of a gold file or folder in tables: without the ending.
pub fn set_name(path: &Path) -> String {
    let own = || path.display().to_string();
    path.file_name()
        .map_or_else(own, |name| name.to_string_lossy().replace(".gold.jsonl", ""))
}
