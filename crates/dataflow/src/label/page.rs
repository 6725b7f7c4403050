//! The last step with a page: with the evidence of its site, its labels, text and rows.

use std::sync::Arc;

use gleaner_corpus::{BlockRow, DocumentRow, MeasuredText, Share, SignalRow};
use gleaner_curate::{ContaminationSearch, LanguageIdentifier, Languages, Measurer, UrlLists};
use gleaner_document::{Cleaner, Content, built_in};
use gleaner_site::page_class;
use xxhash_rust::xxh3::xxh3_128;

use crate::data::contamination_row::contamination_rows;
use crate::data::message::{Labelled, Parts, Scored};
use crate::data::rights_row::own_rights_row;
use crate::data::signal_row::signal_row;
use crate::label::evidence::SiteAnswer;
use crate::label::measured_before::MeasuredBefore;
use crate::settings::Settings;

/// Labels pages, one after the other. Its memory is kept from one page to the next.
pub(crate) struct PageLabeller {
    cleaner: Cleaner,
    languages: LanguageIdentifier,
    /// None unless the table of signals is written.
    measurer: Option<Measurer>,
    /// Whether rows of blocks have their languages.
    block_languages: bool,
    url_lists: Arc<UrlLists>,
    pii_spans: bool,
    /// None unless the table of contamination is written.
    contamination: Option<ContaminationSearch>,
}

impl PageLabeller {
    pub(crate) fn new(settings: &Settings) -> PageLabeller {
        PageLabeller {
            cleaner: settings.cleaner.clone(),
            languages: LanguageIdentifier::new(settings.language_model.clone()),
            measurer: settings.signals.then(Measurer::default),
            block_languages: settings.block_languages,
            url_lists: Arc::clone(&settings.url_lists),
            pii_spans: settings.pii_spans,
            contamination: settings.benchmarks.clone().map(ContaminationSearch::new),
        }
    }

    /// Labels a page's blocks and completes its rows. Without an answer of its site the labels are those of the page by
    /// itself. A text that the version before has too is not measured again.
    pub(crate) fn label(
        &mut self,
        page: Scored,
        answer: Option<&SiteAnswer>,
        before: &mut MeasuredBefore,
    ) -> Labelled {
        let Scored {
            mut document,
            blocks,
            mut parts,
        } = page;
        let logits = answer.map(|answer| answer.logits.as_slice());
        let content = self
            .cleaner
            .decide(blocks, logits.filter(|logits| !logits.is_empty()));
        describe(&content, &mut document);
        let mut signals = match before.take(&document) {
            Some(text) if self.has_same_columns(&text) => copy(text, &mut document),
            _ => self.measure(&mut document),
        };
        // These follow from the URL, not from the text.
        if let Some(signals) = &mut signals {
            signals.url_lists = names_of(&self.url_lists, &document.url);
        }
        if let Some(shares) = answer.and_then(|answer| answer.kinds) {
            let (kind, probability) = built_in::page_kinds().likeliest(&shares);
            document.page_kind = Some(kind.to_owned());
            document.page_kind_probability = Some(Share::in_hundredths(probability));
        }
        let stated = std::mem::take(&mut parts.rights).into_iter();
        let rights = stated.map(|stated| own_rights_row(&document, stated)).collect();
        let mut blocks = block_rows(&document, &content, &parts, answer);
        if self.block_languages {
            self.identify_blocks(&mut blocks, &content, &document);
        }
        let search = self.contamination.as_mut();
        let contamination = search.map(|search| contamination_rows(&document, search));
        Labelled {
            signals,
            blocks,
            document,
            template_words: template_words(content.layout.words(), answer),
            posts: parts.posts,
            rights,
            contamination: contamination.unwrap_or_default(),
        }
    }

    /// Whether a text was measured as this labeller does.
    fn has_same_columns(&self, text: &MeasuredText) -> bool {
        let spans = text.signals.as_ref().map(|signals| signals.pii_spans.is_some());
        spans == self.measurer.as_ref().map(|_| self.pii_spans)
    }

    /// Measures the text of a page, and writes its language into its row.
    fn measure(&mut self, document: &mut DocumentRow) -> Option<SignalRow> {
        let languages = identify(&mut self.languages, document);
        let measurer = self.measurer.as_mut();
        measurer.map(|measurer| signal_row(document, &languages, measurer, self.pii_spans))
    }

    /// Writes the languages of kept blocks into their rows.
    fn identify_blocks(&mut self, blocks: &mut [BlockRow], content: &Content, document: &DocumentRow) {
        let declared = document.declared_language.as_deref();
        let kept = blocks.iter_mut().zip(&content.decision.labels);
        for (block, _) in kept.filter(|(_, label)| label.is_content()) {
            let language = self.languages.identify(&block.text, declared).reliable_language();
            block.language = Some(language.iso().to_owned());
        }
    }
}

/// The names of the lists that a URL is on.
fn names_of(lists: &UrlLists, url: &str) -> Vec<String> {
    lists.names_of(url).into_iter().map(str::to_owned).collect()
}

/// Writes the measures of the same text into the row of a page.
fn copy(text: MeasuredText, document: &mut DocumentRow) -> Option<SignalRow> {
    document.language = text.language;
    document.language_probability = text.language_probability;
    document.script = text.script;
    text.signals
}

/// Writes the text and what is counted of it into the row of a page.
fn describe(content: &Content, document: &mut DocumentRow) {
    document.text.clone_from(&content.text);
    document.markdown = content.markdown();
    document.text_source = content.source().to_owned();
    document.word_count = content.word_count();
    document.char_count = content.text.chars().count() as u32;
    document.dropped_words = content.dropped_words();
    document.content_digest = format!("{:032x}", xxh3_128(document.text.as_bytes()));
    document.block_count = content.layout.len() as u32;
    document.kept_blocks = content.kept_blocks() as u32;
    document.confidence = content.confidence.map(Share::in_hundredths);
}

/// Writes the language of the text into the row of a page.
fn identify(identifier: &mut LanguageIdentifier, document: &mut DocumentRow) -> Languages {
    let found = identifier.identify(&document.text, document.declared_language.as_deref());
    document.language = found.language().iso().to_owned();
    document.language_probability = Share::in_hundredths(found.probability);
    document.script = found.script.to_owned();
    found
}

/// The words of blocks whose text is on a fifth of the site's pages or more, on three at least: nearly
/// nothing of that is content.
fn template_words(words: &[u32], answer: Option<&SiteAnswer>) -> u32 {
    let Some(answer) = answer else { return 0 };
    let least = (answer.site_pages.div_ceil(5)).max(3);
    let blocks = words.iter().zip(&answer.pages);
    blocks
        .filter(|(_, pages)| **pages >= least)
        .map(|(words, _)| words)
        .sum()
}

/// Rows of the blocks table, where the page came with its tag paths.
fn block_rows(
    document: &DocumentRow,
    content: &Content,
    parts: &Parts,
    answer: Option<&SiteAnswer>,
) -> Vec<BlockRow> {
    let labels = content.decision.labels.iter().zip(&content.decision.confidence);
    let rows = parts.paths.iter().zip(labels).enumerate();
    let coverage = |block: usize| answer.and_then(|answer| answer.coverage.get(block).copied());
    rows.map(|(block, (path, (&label, &confidence)))| BlockRow {
        row_id: document.row_id.clone(),
        record_id: document.record_id.clone(),
        url: document.url.clone(),
        block: block as u32,
        label: label.name().into(),
        confidence: Share::in_hundredths(confidence),
        text: content.layout.text(block).to_owned(),
        path: path.clone(),
        template_pages: answer.map_or(0, |answer| page_class(answer.pages[block])),
        template_coverage: Share(coverage(block).unwrap_or_default()),
        language: None,
    })
    .collect()
}

#[cfg(test)]
mod tests {

    use gleaner_content::Label;
    use gleaner_corpus::enumerations::LABELS;
    use gleaner_document::{Options, Origin, built_in};

    use super::*;

    const HTML: &str = "<title>Tides</title><ul><li><a href=/>Home</a></ul><h1>Tides</h1><p>The sea rises and falls twice \
        a day, because the moon and the sun pull at it, and the land gets in its way.";

    fn scored(cleaner: &mut Cleaner) -> Scored {
        let read = cleaner.read(HTML.as_bytes(), &Origin::default()).unwrap();
        let paths = vec!["html/body".to_owned(); read.layout.len()];
        Scored {
            document: DocumentRow {
                url: "http://sea.example/".to_owned(),
                record_id: "<1>".to_owned(),
                ..DocumentRow::default()
            },
            blocks: cleaner.score(read).blocks,
            parts: Parts {
                paths,
                ..Parts::default()
            },
        }
    }

    fn labeller() -> PageLabeller {
        PageLabeller {
            cleaner: Cleaner::new(&built_in::pages(), Options::default()).unwrap(),
            languages: LanguageIdentifier::default(),
            measurer: Some(Measurer::default()),
            block_languages: true,
            url_lists: Arc::default(),
            pii_spans: false,
            contamination: None,
        }
    }

    #[test]
    fn the_labels_of_the_table_are_those_of_the_labeller() {
        assert_eq!(LABELS.len(), Label::COUNT);
        for (label, value) in Label::ALL.iter().zip(LABELS) {
            assert_eq!(label.name(), value.name);
            assert_eq!(label.is_content(), value.meaning.ends_with("; kept."));
        }
    }

    #[test]
    fn rows_add_up() {
        let mut labeller = labeller();
        let page = scored(&mut labeller.cleaner);
        let Labelled {
            document,
            signals,
            blocks,
            ..
        } = labeller.label(page, None, &mut MeasuredBefore::default());
        assert!(document.text.contains("The sea rises") && document.text_source == "page");
        assert_eq!((&*document.language, &*document.script), ("eng", "Latn"));
        assert_eq!(signals.map(|signals| signals.words), Some(document.word_count));
        assert_eq!(document.block_count as usize, blocks.len());
        let language = |block: &BlockRow| block.language.clone().unwrap_or_default();
        let languages: Vec<String> = blocks.iter().map(language).collect();
        assert_eq!(
            languages,
            ["", "und", "eng"],
            "of a link, a heading and a paragraph"
        );
        let kept = blocks.iter().filter(|block| block.label != "other");
        assert_eq!(document.kept_blocks as usize, kept.count());
        let words: usize = blocks.iter().map(|block| block.text.split(' ').count()).sum();
        assert_eq!((document.word_count + document.dropped_words) as usize, words);
        assert!(
            blocks
                .iter()
                .all(|block| block.url == document.url && block.record_id == "<1>")
        );
    }

    #[test]
    fn measures_of_the_same_text_are_copied() {
        let mut labeller = labeller();
        let mut label = |digest: &str| {
            let mut page = scored(&mut labeller.cleaner);
            page.document.row_id = "a".to_owned();
            let text = MeasuredText {
                content_digest: digest.to_owned(),
                language: "fra".to_owned(),
                language_probability: Share(0.5),
                script: "Latn".to_owned(),
                signals: Some(SignalRow {
                    words: 9000,
                    ..SignalRow::default()
                }),
            };
            let before = [("a".to_owned(), text)];
            labeller.label(page, None, &mut before.into_iter().collect())
        };
        let other = label("another text");
        assert_eq!(&*other.document.language, "eng");
        assert!(other.signals.is_some_and(|signals| signals.words < 9000));
        let same = label(&other.document.content_digest);
        assert_eq!(
            (&*same.document.language, same.document.language_probability),
            ("fra", Share(0.5))
        );
        assert!(same.signals.is_some_and(|signals| signals.words == 9000));
        // A corpus with places of personal data measures a text again that has none.
        let before = MeasuredText {
            signals: Some(SignalRow::default()),
            content_digest: same.document.content_digest,
            language: String::new(),
            language_probability: Share(0.0),
            script: String::new(),
        };
        assert!(labeller.has_same_columns(&before));
        labeller.pii_spans = true;
        assert!(!labeller.has_same_columns(&before));
    }
}
