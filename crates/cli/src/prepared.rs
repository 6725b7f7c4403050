//! Pages with gold text, read and aligned: what models are trained on and scored on.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gleaner_content::Label;
use gleaner_document::{Decision, Origin, PageReader, Piece, ReadPage, StructuredLines};
use gleaner_features::{Extractor, Module};
use gleaner_metadata::Metadata;
use gleaner_metadata::StructuredText;
use gleaner_metadata::date::Day;
use gleaner_page::Parser;
use gleaner_results::SiteTerms;

use crate::annotated_pages;
use crate::gold_pages::{Body, Sample, load_bodies};
use crate::result_pages::{gather_terms, query_of_gold};

/// Title, author and date of a page, kept for scoring.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<Day>,
}

impl Said {
    pub(crate) fn of(found: Metadata<'_>) -> Said {
        Said {
            title: found.title.map(Into::into),
            author: Some(found.authors.join(", ")).filter(|names| !names.is_empty()),
            published: found.published.map(|published| published.day),
        }
    }
}

/// A page with gold, ready for training and scoring.
pub(crate) struct Prepared {
    /// Its layout and features.
    pub(crate) page: ReadPage,
    /// The labels of its blocks by the gold.
    pub(crate) labels: Vec<Label>,
    /// The text of its structured data, which is taken where nearly nothing else is kept.
    pub(crate) structured: Option<StructuredLines>,
    /// Title, author and date.
    pub(crate) said: Said,
    /// What the gold calls the kind of page: its type, else the name of the gold file.
    pub(crate) kind: String,
    /// The name of the gold file.
    pub(crate) set: String,
    /// Whether its text is scored without the main heading.
    pub(crate) without_title: bool,
}

impl Prepared {
    /// A page that was read, and the labels of its blocks by the gold.
    pub(crate) fn new(page: ReadPage, labels: Vec<Label>) -> Prepared {
        Prepared {
            page,
            labels,
            structured: None,
            said: Said::default(),
            kind: String::new(),
            set: String::new(),
            without_title: false,
        }
    }

    /// Keeps the main heading, or leaves it out, where the text is that of the page.
    pub(crate) fn decide_heading(&self, decision: &mut Decision) {
        if self.structured_text(&decision.labels).is_some() {
            return;
        }
        match self.without_title {
            true => self.page.layout.drop_heading(decision),
            false => self.page.layout.keep_heading(decision),
        }
    }

    /// The text that labels give: of the blocks that they keep, or of the structured data.
    pub(crate) fn text(&self, labels: &[Label]) -> String {
        match self.structured_text(labels) {
            Some(lines) => lines.text(),
            None => self.page.layout.kept_text(labels),
        }
    }

    /// The structured data that is the text, where labels keep nearly nothing of the page.
    pub(crate) fn structured_text(&self, labels: &[Label]) -> Option<&StructuredLines> {
        let kept = self.page.layout.kept_size(labels);
        let structured = self.structured.as_ref();
        structured.filter(|_| StructuredText::replaces(kept))
    }

    /// The blocks with these labels in the order of the page, each without the empty lines behind it.
    pub(crate) fn pieces(&self, labels: &[Label]) -> impl Iterator<Item = Piece<'_>> {
        self.page.layout.pieces(labels).map(Piece::without_empty_lines)
    }
}

/// Reads and aligns all pages.
pub(crate) fn prepare(
    files: &[PathBuf],
    extractor: &Extractor,
    workers: usize,
) -> Result<Vec<Sample<Prepared>>> {
    prepare_with_terms(files, extractor, workers, SiteTerms::default())
}

/// The same where it is known what was searched for. The terms of the pages' own forms are added.
pub(crate) fn prepare_with_terms(
    files: &[PathBuf],
    extractor: &Extractor,
    workers: usize,
    mut terms: SiteTerms,
) -> Result<Vec<Sample<Prepared>>> {
    if extractor.config().has(Module::Query) {
        gather_terms(&mut terms, files, workers)?;
    }
    let (config, terms) = (&extractor.config().page, &terms);
    let mut samples = load_bodies(files, workers, || {
        let mut reader = PageReader::new(config.clone(), extractor.clone());
        let mut parser = Parser::new(config.clone());
        move |body: &Body| {
            let mut prepared = read(&mut reader, body, Some(terms));
            let structured = prepared.page.structured.as_ref();
            prepared.structured = structured.map(|text| StructuredLines::read(text, &mut parser));
            prepared
        }
    })?;
    name_kinds(samples.iter_mut(), files);
    Ok(samples)
}

/// Reads a page and aligns it with its gold. A body that is no page is an empty one.
pub(crate) fn read(reader: &mut PageReader, body: &Body, terms: Option<&SiteTerms>) -> Prepared {
    let query = terms.map(|terms| query_of_gold(terms, &body.gold));
    let origin = Origin {
        url: &body.gold.url,
        content_type: body.content_type.as_deref(),
        query: query.as_ref(),
        ..Origin::default()
    };
    match reader.read(&body.bytes, &origin) {
        Ok(mut page) => {
            annotated_pages::tell_what_is_lost(&body.gold, reader.page());
            let said = Said::of(std::mem::take(&mut page.facts.metadata));
            Prepared {
                said,
                ..Prepared::new(page, body.gold.labels(reader.page()))
            }
        }
        Err(_) => Prepared::new(ReadPage::default(), Vec::new()),
    }
}

/// Notes of each page what its gold calls its kind, and where that gold is.
pub(crate) fn name_kinds<'s>(samples: impl Iterator<Item = &'s mut Sample<Prepared>>, files: &[PathBuf]) {
    for sample in samples {
        let set = set_name(&files[sample.set]);
        let by_type = sample.gold.page_type.clone();
        sample.value.kind = by_type.unwrap_or_else(|| set.clone());
        sample.value.set = set;
    }
}

/// What a gold file or folder is called in tables: its name without the ending.
pub(crate) fn set_name(path: &Path) -> String {
    let own = || path.display().to_string();
    path.file_name()
        .map_or_else(own, |name| name.to_string_lossy().replace(".gold.jsonl", ""))
}

/// As many threads as asked for, else one a core.
pub(crate) fn threads(given: Option<u16>) -> usize {
    given.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    )
}
