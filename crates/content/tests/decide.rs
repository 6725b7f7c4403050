//! Labels decided once more, by other probabilities of content.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use std::ops::ControlFlow;

use gleaner_columns::{ColumnInfo, Columns};
use gleaner_content::{Alone, BlockSize, Decoder, FeatureSpace, Label, Model, Tagger, TrainConfig, train};

const LABELS: [Label; 4] = [Label::Other, Label::Header, Label::Paragraph, Label::Other];
const WORDS: [u32; 4] = [2, 4, 30, 3];

fn page() -> Columns {
    let mut page = Columns::default();
    page.reset(4, 1);
    page.column_mut(0).copy_from_slice(&[0, 1, 2, 0]);
    page
}

fn model(decoder: Decoder) -> Model {
    let column = ColumnInfo {
        name: "block".to_owned(),
        cardinality: 3,
    };
    let space = FeatureSpace {
        columns: vec![column],
        ..FeatureSpace::default()
    };
    let config = TrainConfig {
        l2: 0.01,
        ..TrainConfig::default()
    };
    let pages = [(page(), LABELS.to_vec())];
    let mut model = train(&space, &pages, &config, &mut |_| ControlFlow::Continue(())).unwrap();
    model.set_decoder(decoder).unwrap();
    model
}

fn sizes() -> impl Iterator<Item = BlockSize> {
    WORDS.into_iter().map(|words| BlockSize {
        words,
        with_before: false,
    })
}

fn by_words(least_words: f32) -> Decoder {
    Decoder::ExpectedF {
        beta: 1.0,
        least_words,
    }
}

#[test]
fn labels_are_the_same_until_content_changes() {
    for decoder in [Decoder::Marginal { threshold: 0.5 }, by_words(5.0)] {
        let model = model(decoder);
        let mut tagger = Tagger::new(&model);
        let tagged = tagger.tag_blocks(&page(), sizes());
        assert_eq!(tagged.labels, LABELS);
        let confidence = tagged.confidence.to_vec();
        let before = tagged.content.to_vec();
        let labels: Vec<(Label, f32)> = tagged.content_labels(model.labels()).collect();
        assert_eq!((labels[1].0, labels[2].0), (Label::Header, Label::Paragraph));

        let alone = Alone {
            content: &before,
            labels: &labels,
            copies: &[],
        };
        let again = tagger.decide_blocks(alone, &before, sizes());
        assert_eq!(again.labels, LABELS, "{decoder:?}");
        for (again, before) in again.confidence.iter().zip(confidence) {
            assert!((again - before).abs() < 1e-6);
        }
        let content = [0.99, 0.01, before[2], before[3]];
        let again = tagger.decide_blocks(alone, &content, sizes());
        assert_eq!(again.labels[0], labels[0].0, "{decoder:?}");
        assert_eq!(again.labels[1..], [Label::Other, Label::Paragraph, Label::Other]);
        assert!((again.confidence[1] - 0.99).abs() < 1e-6);
    }
}

#[test]
fn a_page_that_was_kept_is_not_emptied_for_having_few_words() {
    let model = model(by_words(20.0));
    let mut tagger = Tagger::new(&model);
    let labels = [(Label::Paragraph, 1.0); 4];
    let much = [0.1, 0.9, 0.9, 0.1];
    let little = [0.01, 0.01, 0.4, 0.01];
    let mut kept = |before: &[f32], content: &[f32]| {
        let alone = Alone {
            content: before,
            labels: &labels,
            copies: &[],
        };
        let tagged = tagger.decide_blocks(alone, content, sizes());
        tagged.labels.iter().filter(|label| label.is_content()).count()
    };
    assert_eq!(kept(&much, &little), 1);
    assert_eq!(kept(&little, &little), 0);
    assert_eq!(kept(&little, &much), 2);
}
