//! The blocks of a page, with their labels and why they have them.

use gleaner_columns::logit;
use gleaner_content::{Because, BlockReasons, FeatureNames, rounded};
use gleaner_corpus::{BlockRow, DocumentRow};
use gleaner_dataflow::{KeptPage, SiteView};
use gleaner_document::{Content, ScoredBlocks};
use gleaner_site::KindShares;

use super::answer::{Block, BlockSite, LogOdds};
use super::archive::ReadAgain;
use super::setup::Setup;

/// What there is of a page.
pub(super) struct PageParts {
    /// Its state.
    pub(super) kept: Option<KeptPage>,
    pub(super) again: Option<ReadAgain>,
    /// Its rows in the table of blocks.
    pub(super) table: Vec<BlockRow>,
    /// Whether a method labelled it, and no model.
    pub(super) is_by_method: bool,
}

/// The blocks of a page as they were decided.
pub(super) struct Judged {
    pub(super) content: Content,
    is_by_model: bool,
    pub(super) threshold: Option<f32>,
    /// Log odds without and with the evidence of the site.
    before: Vec<f32>,
    after: Vec<f32>,
}

impl PageParts {
    pub(super) fn from(&self) -> Option<&'static str> {
        match (&self.kept, self.scored()) {
            (Some(_), _) => Some("state"),
            (None, Some(_)) => Some("archive"),
            (None, None) => (!self.table.is_empty()).then_some("tables"),
        }
    }

    pub(super) fn site(&self) -> Option<&SiteView> {
        self.kept.as_ref()?.site.as_ref()
    }

    pub(super) fn kinds(&self) -> Option<KindShares> {
        let of_site = self.site().and_then(|site| site.kinds);
        of_site.or_else(|| self.again.as_ref()?.facts.kinds)
    }

    fn scored(&self) -> Option<&ScoredBlocks> {
        let kept = self.kept.as_ref().map(|kept| &kept.blocks);
        // (The labels of a method are not found again.)
        let again = self.again.as_ref().filter(|_| !self.is_by_method);
        kept.or_else(|| Some(&again?.blocks))
    }

    /// Decides the blocks as the build did, as far as that can be repeated.
    pub(super) fn judge(&self, document: &DocumentRow, setup: &mut Setup) -> Option<Judged> {
        let blocks = self.scored()?;
        let site = self.site().filter(|site| !site.logits.is_empty());
        let logits = site.map(|site| site.logits.as_slice());
        let before = blocks.logits();
        let after = |(&before, block): (&f32, usize)| {
            let adjusted = logits.map(|logits| logits[block]);
            adjusted.filter(|adjusted| !adjusted.is_nan()).unwrap_or(before)
        };
        let content = setup.cleaner.decide(blocks.clone(), logits);
        // (Where structured data is the text, its reader may have other versions; the table has what was written.)
        let is_of_page = document.text_source == "page" && content.structured.is_none();
        Some(Judged {
            is_by_model: blocks.is_by_model(),
            threshold: setup.cleaner.threshold(blocks, logits).filter(|_| is_of_page),
            after: before.iter().zip(0..).map(after).collect(),
            before,
            content,
        })
    }

    /// The reasons of the blocks, if they are of the blocks that were decided.
    fn reasons(&self) -> Option<&[BlockReasons]> {
        let reasons = self.again.as_ref()?.reasons.as_deref();
        reasons.filter(|_| self.is_as_built())
    }

    /// Whether the archive gives the blocks that were decided.
    pub(super) fn is_as_built(&self) -> bool {
        let (Some(again), Some(scored)) = (&self.again, self.scored()) else {
            return false;
        };
        scored.layout.texts().eq(again.blocks.layout.texts())
    }

    /// The features of the model that labelled the page.
    pub(super) fn names<'m>(&self, setup: &'m Setup) -> FeatureNames<'m> {
        FeatureNames::of(match self.scored().is_some_and(|blocks| blocks.is_text) {
            true => &setup.models.texts.model,
            false => &setup.models.pages.model,
        })
    }

    pub(super) fn blocks(
        &self,
        judged: Option<&Judged>,
        document: &DocumentRow,
        names: &FeatureNames<'_>,
    ) -> Vec<Block> {
        let Some(judged) = judged else {
            return self.table.iter().map(of_row).collect();
        };
        let reasons = self.reasons();
        let kept_paths = self.kept.iter().flat_map(|kept| &kept.paths);
        let read_paths = self.again.iter().flat_map(|again| &again.paths);
        let paths: Vec<&String> = match self.again.is_some() {
            true => read_paths.collect(),
            false => kept_paths.collect(),
        };
        let mut blocks: Vec<Block> = (0..judged.content.layout.len())
            .map(|block| Block {
                path: paths.get(block).map_or(String::new(), |path| (*path).clone()),
                reasons: reasons.map(|reasons| names.reasons(&reasons[block])),
                site: self.site().map(|site| of_site(site, block)),
                ..judged.block(block, document)
            })
            .collect();
        if self.kept.is_none() && self.table.len() == blocks.len() {
            blocks.iter_mut().zip(&self.table).for_each(overlay);
        }
        blocks
    }
}

fn of_site(site: &SiteView, block: usize) -> BlockSite {
    let coverage = site.coverage.get(block).copied().unwrap_or_default();
    BlockSite {
        template_pages: site.pages.get(block).copied().unwrap_or_default(),
        template_coverage: rounded(f64::from(coverage)),
    }
}

/// A block of which only the table is known.
fn of_row(row: &BlockRow) -> Block {
    Block {
        block: row.block as usize,
        kept: row.label != "other",
        label: row.label.to_string(),
        because: Because::Unknown,
        confidence: rounded(f64::from(row.confidence.0)),
        probability: None,
        text: row.text.clone(),
        path: row.path.clone(),
        log_odds: None,
        reasons: None,
        site: Some(BlockSite {
            template_pages: row.template_pages,
            template_coverage: rounded(f64::from(row.template_coverage.0)),
        }),
    }
}

/// Writes what the table has over what follows from the page alone.
fn overlay((block, row): (&mut Block, &BlockRow)) {
    let of_table = of_row(row);
    if block.text != of_table.text {
        return;
    }
    if block.label != of_table.label {
        (block.because, block.probability) = (Because::Site, None);
        (block.label, block.kept, block.confidence) = (of_table.label, of_table.kept, of_table.confidence);
    }
    block.site = of_table.site;
}

impl Judged {
    fn block(&self, block: usize, document: &DocumentRow) -> Block {
        let decision = &self.content.decision;
        let (label, content) = (decision.labels[block], decision.content[block]);
        let number = |odds: f32| rounded(f64::from(odds));
        Block {
            block,
            label: label.name().to_owned(),
            kept: label.is_content(),
            because: self.because(block, document),
            confidence: number(decision.confidence[block]),
            probability: self.is_by_model.then(|| number(content)),
            text: self.content.layout.text(block).to_owned(),
            path: String::new(),
            log_odds: self.is_by_model.then(|| LogOdds {
                page: number(self.before[block]),
                with_site: number(self.after[block]),
                decided: number(logit(content)),
            }),
            reasons: None,
            site: None,
        }
    }

    fn because(&self, block: usize, document: &DocumentRow) -> Because {
        let decision = &self.content.decision;
        let is_kept = decision.labels[block].is_content();
        match self.threshold {
            _ if document.text_source != "page" => Because::StructuredData,
            _ if !self.is_by_model => Because::Method,
            threshold => Because::of(is_kept, decision.content[block], threshold),
        }
    }
}
