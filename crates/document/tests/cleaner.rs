//! The pipeline as those who call it see it.

use std::sync::{Arc, LazyLock};

use gleaner_content::{Label, Model};
use gleaner_document::{Cleaner, Content, Options, Origin, PageMethod, ScoredBlocks, built_in};
use gleaner_page::{Page, PageConfig};
use proptest::prelude::*;

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(built_in::pages);

const ARTICLE: &str = "<html lang=en><title>The tide mill</title><body>\
    <nav><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul></nav>\
    <article><h1>The tide mill</h1><p>The mill at the mouth of the river has ground corn for three hundred years, \
    twice a day, whenever the pond behind its dam was full.<p>Its wheel is of oak and was last renewed in the year \
    of the great storm, when the sea took half of the quay.<pre>sluice {\n    open\n\n    wait\n}</pre></article>\
    <footer><a href=/terms>Terms of use</a> <a href=/privacy>Privacy</a></footer>";

fn cleaner(options: Options) -> Cleaner {
    Cleaner::new(&MODEL, options).expect("the built-in model fits the program")
}

fn scored(cleaner: &mut Cleaner, html: &str) -> ScoredBlocks {
    let read = cleaner.read(html.as_bytes(), &Origin::default()).expect("a page");
    cleaner.score(read).blocks
}

fn label_of(content: &Content, text: &str) -> Label {
    let block = content.layout.texts().position(|block| block.contains(text));
    content.decision.labels[block.expect("the page has this block")]
}

#[test]
fn an_article_is_cleaned() {
    let document = cleaner(Options::default())
        .clean(ARTICLE.as_bytes(), &Origin::default())
        .unwrap();
    assert_eq!(document.facts.metadata.title.as_deref(), Some("The tide mill"));
    assert_eq!(document.facts.metadata.language.as_deref(), Some("en"));
    let content = document.content;
    assert!(content.text.starts_with("The tide mill\n\nThe mill at the mouth"));
    assert!(content.text.contains("sluice {\n    open\n\n    wait\n}"));
    assert!(!content.text.contains("Privacy") && !content.text.contains("News"));
    assert_eq!(
        (content.source(), label_of(&content, "Privacy")),
        ("page", Label::Other)
    );
    let words: u32 = content.layout.words().iter().sum();
    assert_eq!(content.word_count() + content.dropped_words(), words);
}

#[test]
fn evidence_changes_what_it_names_and_nothing_else() {
    let mut cleaner = cleaner(Options::default());
    let blocks = scored(&mut cleaner, ARTICLE);
    let alone = cleaner.decide(blocks.clone(), None);
    for unchanged in [blocks.logits(), vec![f32::NAN; blocks.layout.len()]] {
        assert_eq!(cleaner.decide(blocks.clone(), Some(&unchanged)), alone);
    }
    let mut logits = vec![f32::NAN; blocks.layout.len()];
    let wheel = blocks
        .layout
        .texts()
        .position(|text| text.contains("oak"))
        .unwrap();
    logits[wheel] = -9.0;
    let content = cleaner.decide(blocks, Some(&logits));
    assert_eq!(label_of(&content, "oak"), Label::Other);
    assert_eq!(label_of(&content, "corn"), label_of(&alone, "corn"));
    assert!(alone.text.contains("oak") && !content.text.contains("oak"));
}

#[test]
fn scored_pages_may_be_stored() {
    let mut cleaner = cleaner(Options::default());
    let blocks = scored(&mut cleaner, ARTICLE);
    let stored = bincode::serialize(&blocks).unwrap();
    let read: ScoredBlocks = bincode::deserialize(&stored).unwrap();
    assert_eq!(read, blocks);
    assert_eq!(cleaner.decide(read, None), cleaner.decide(blocks, None));
}

#[test]
fn structured_data_is_the_text_of_an_empty_page_if_that_is_wanted() {
    let story = "The ferry leaves the northern pier at six in the morning and comes back with the mail and the \
        newspapers before the shops of the island open their doors to the first guests of the day.";
    let html = format!(
        r#"<script type="application/ld+json">{{"@type":"Article","headline":"The ferry","articleBody":"{story}"}}</script>
        <p>Please wait"#
    );
    for structured_data in [false, true] {
        let options = Options {
            structured_data,
            ..Options::default()
        };
        let document = cleaner(options)
            .clean(html.as_bytes(), &Origin::default())
            .unwrap();
        let content = document.content;
        assert!(document.facts.structured_data.is_some());
        assert_eq!(content.text.contains(story), structured_data);
        assert_eq!(content.source(), if structured_data { "json-ld" } else { "page" });
        if structured_data {
            assert_eq!(content.kept_blocks(), 0);
            assert_eq!(
                content.word_count() as usize,
                content.text.split_whitespace().count()
            );
        }
    }
}

#[test]
fn plain_texts_have_a_model_of_their_own() {
    let text = "Home\nNews\nThe mill at the mouth of the river has ground corn for three hundred years.\nTerms of use\n";
    let of_text = |options| {
        let origin = Origin {
            is_text: true,
            ..Origin::default()
        };
        let mut cleaner = cleaner(options);
        let read = cleaner.read(text.as_bytes(), &origin).unwrap();
        assert!(cleaner.page().plain);
        cleaner.score(read).blocks.decision
    };
    let texts = built_in::texts();
    let own = of_text(Options {
        text_model: Some(Arc::clone(&texts)),
        ..Options::default()
    });
    assert_ne!(own.content, of_text(Options::default()).content);
    let mut of_texts = Cleaner::new(&texts, Options::default()).unwrap();
    let origin = Origin {
        is_text: true,
        ..Origin::default()
    };
    let read = of_texts.read(text.as_bytes(), &origin).unwrap();
    assert_eq!(of_texts.score(read).blocks.decision, own);
}

/// Keeps the blocks that end with a full stop; fails on pages that say so.
struct Sentences;

impl PageMethod for Sentences {
    fn page_config(&self) -> PageConfig {
        PageConfig::default()
    }

    fn labels(&self, page: &Page, _: &[u8], origin: &Origin<'_>) -> Vec<Label> {
        assert_ne!(
            origin.url, "http://fails.example/",
            "a page that this method fails on"
        );
        let label = |text: &str| match text.ends_with('.') {
            true => Label::Paragraph,
            false => Label::Other,
        };
        page.blocks.iter().map(|block| label(page.text(block))).collect()
    }
}

#[test]
fn a_method_labels_pages_in_place_of_the_model() {
    let options = Options {
        method: Some(Arc::new(Sentences)),
        ..Options::default()
    };
    let mut cleaner = cleaner(options);
    let document = cleaner.clean(b"<p>Menu<p>It rains.", &Origin::default()).unwrap();
    assert_eq!(document.content.text, "It rains.\n");
    assert_eq!((document.facts.kind(), document.content.confidence), (None, None));
}

#[test]
fn a_cleaner_that_failed_on_a_page_can_be_used_after_a_reset() {
    let options = Options {
        method: Some(Arc::new(Sentences)),
        ..Options::default()
    };
    let mut cleaner = cleaner(options);
    let fails = Origin {
        url: "http://fails.example/",
        ..Origin::default()
    };
    let work = std::panic::AssertUnwindSafe(|| cleaner.clean(b"<p>It rains.", &fails).is_ok());
    assert!(std::panic::catch_unwind(work).is_err());
    cleaner.reset();
    let document = cleaner.clean(b"<p>It rains.", &Origin::default()).unwrap();
    assert_eq!(document.content.text, "It rains.\n");
}

#[test]
fn what_is_no_page_is_an_error() {
    let mut cleaner = cleaner(Options::default());
    let error = cleaner.clean(b"%PDF-1.7\n", &Origin::default()).unwrap_err();
    assert!(error.to_string().contains("PDF"), "{error}");
}

const PIECES: [&str; 14] = [
    "<p>",
    "<div>",
    "</div>",
    "<pre>",
    "</pre>",
    "<table><tr><td>",
    "<td>",
    "<br>",
    "<h1>",
    "<li>",
    "word ",
    "The mill has ground corn for three hundred years, twice a day. ",
    "\n",
    "<a href=/x>more</a>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_do_not_depend_on_those_before(
        pages in prop::collection::vec(prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30), 1..4),
    ) {
        let mut used = cleaner(Options::default());
        for page in pages {
            let html = page.concat();
            let document = used.clean(html.as_bytes(), &Origin::default()).unwrap();
            let fresh = cleaner(Options::default()).clean(html.as_bytes(), &Origin::default()).unwrap();
            prop_assert_eq!(&document.content, &fresh.content);
            let content = document.content;
            prop_assert_eq!(content.decision.labels.len(), content.layout.len());
            prop_assert_eq!(&content.layout.kept_text(&content.decision.labels), &content.text);
        }
    }
}

#[test]
fn kinds_are_left_out_on_request_and_the_text_is_the_same() {
    let html = b"<title>Oak lamp</title><h1>Oak lamp</h1><p>$49<button>Add to cart</button><p>A lamp of solid oak with a shade.";
    let origin = Origin::default();
    let with = cleaner(Options::default()).clean(html, &origin).unwrap();
    let options = Options {
        without_kinds: true,
        ..Options::default()
    };
    let without = cleaner(options).clean(html, &origin).unwrap();
    assert!(with.facts.kind().is_some());
    assert_eq!(without.facts.kind(), None);
    assert_eq!(without.content.text, with.content.text);
}

/// The least distance of log odds that are distinguished.
const NEAR: f64 = 0.01;

#[test]
fn reasons_and_threshold_are_those_of_the_labels() {
    let mut cleaner = cleaner(Options::default());
    let read = cleaner.read(ARTICLE.as_bytes(), &Origin::default()).unwrap();
    let reasons = cleaner.explain(&read).unwrap();
    let blocks = cleaner.score(read).blocks;
    let before = blocks.logits();
    let lowered: Vec<f32> = before.iter().map(|logit| logit - 3.0).collect();
    for logits in [None, Some(&*lowered)] {
        let threshold = cleaner.threshold(&blocks, logits).unwrap();
        let heading = blocks.layout.title_blocks();
        let content = cleaner.decide(blocks.clone(), logits);
        let decided = content.decision.content.iter().zip(&content.decision.labels);
        for (block, (&probability, label)) in
            decided.enumerate().filter(|(block, _)| !heading.contains(block))
        {
            assert_eq!(label.is_content(), probability > threshold, "{block}");
        }
    }
    for (block, (reasons, &probability)) in reasons.iter().zip(&blocks.decision.content).enumerate() {
        let expected = f64::from(probability / (1.0 - probability)).ln();
        assert!(
            (reasons.logit() - expected).abs() < NEAR,
            "{block}: {reasons:?} {expected}"
        );
        // No text stands there twice.
        assert!(
            (reasons.logit() - f64::from(before[block])).abs() < NEAR,
            "{block}"
        );
    }
}
