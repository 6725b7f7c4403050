//! Pages with gold text, measured and aligned: what is learned from and what is scored.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gleaner_columns::Columns;
use gleaner_content::{BlockSize, Label, Piece, assemble};
use gleaner_dataflow::StructuredLines;
use gleaner_features::{Extractor, Module, unspaced_words, words};
use gleaner_gold::GoldPage;
use gleaner_page::{Joint, Page, Parser, StructuredText, metadata};

use crate::eval::Said;
use crate::gold_pages::{Sample, load};
use crate::result_pages::Terms;

/// A page ready to be learned from and to be scored.
pub(crate) struct Prepared {
    pub(crate) columns: Columns,
    pub(crate) labels: Vec<Label>,
    pub(crate) texts: Vec<String>,
    /// How the blocks hang together.
    joints: Vec<Joint>,
    /// What the tagger asks of each block.
    pub(crate) sizes: Vec<BlockSize>,
    /// The text of its structured data, which is taken where nearly nothing else is kept.
    pub(crate) structured: Option<StructuredLines>,
    /// What the page says of itself.
    pub(crate) said: Said,
    /// What the gold calls the kind of page: its type, else the name of the gold file.
    pub(crate) kind: String,
    /// The name of the gold file.
    pub(crate) set: String,
}

impl Prepared {
    pub(crate) fn new(page: &Page, columns: Columns, labels: Vec<Label>) -> Prepared {
        let texts = page
            .blocks
            .iter()
            .map(|block| page.text(block).to_owned())
            .collect();
        let sizes: Vec<BlockSize> = (0..page.blocks.len()).map(|block| size(page, block)).collect();
        Prepared {
            columns,
            labels,
            texts,
            joints: page.joints(),
            sizes,
            structured: None,
            said: Said::default(),
            kind: String::new(),
            set: String::new(),
        }
    }

    /// The text that labels give: of the blocks that they keep, or of the structured data.
    pub(crate) fn given_text(&self, labels: &[Label]) -> String {
        match self.stand_in(labels) {
            Some(lines) => lines.text(),
            None => self.kept(labels),
        }
    }

    /// The lines that stand in for the page's, where labels keep nearly nothing of it.
    pub(crate) fn stand_in(&self, labels: &[Label]) -> Option<&StructuredLines> {
        let sizes = self.sizes.iter().zip(labels);
        let kept = sizes.filter(|(_, label)| label.is_content());
        let words: u32 = kept.map(|(size, _)| size.words).sum();
        let structured = self.structured.as_ref();
        structured.filter(|_| StructuredText::replaces(words))
    }

    /// The text of the blocks that labels keep.
    pub(crate) fn kept(&self, labels: &[Label]) -> String {
        assemble(self.pieces(labels))
    }

    /// The blocks with these labels.
    pub(crate) fn pieces(&self, labels: &[Label]) -> impl Iterator<Item = Piece<'_>> {
        let blocks = self.texts.iter().zip(labels).zip(&self.joints);
        blocks.map(|((text, &label), &joint)| Piece { text, label, joint })
    }
}

/// What the tagger asks of a block.
pub(crate) fn size(page: &Page, block: usize) -> BlockSize {
    let text = page.text(&page.blocks[block]);
    BlockSize {
        words: words(text).count() as u32 + unspaced_words(text),
        same_pre: page.is_same_pre(block),
    }
}

/// Reads, measures and aligns all pages.
pub(crate) fn prepare(
    files: &[PathBuf],
    extractor: &Extractor,
    workers: usize,
) -> Result<Vec<Sample<Prepared>>> {
    prepare_asking(files, extractor, workers, Terms::default())
}

/// The same where it is known what was searched for. The terms of the pages' own forms are added.
pub(crate) fn prepare_asking(
    files: &[PathBuf],
    extractor: &Extractor,
    workers: usize,
    mut terms: Terms,
) -> Result<Vec<Sample<Prepared>>> {
    if extractor.config().has(Module::Query) {
        terms.gather(files, workers)?;
    }
    let terms = &terms;
    let mut samples = load(files, &extractor.config().page, workers, || {
        let mut extractor = extractor.clone();
        let mut parser = Parser::new(extractor.config().page.clone());
        move |page: &Page, gold: &GoldPage| {
            let mut columns = Columns::default();
            extractor.extract_asking(page, &gold.url, &terms.of_gold(gold), &mut columns);
            let labels = gold.labels(page);
            let mut prepared = Prepared::new(page, columns, labels);
            let found = metadata(page, &gold.url);
            let structured = found.structured.as_ref();
            prepared.structured = structured.map(|text| StructuredLines::read(text, &mut parser));
            prepared.said = Said::of(found);
            prepared
        }
    })?;
    name_kinds(samples.iter_mut(), files);
    Ok(samples)
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
