//! Content judged by the kind of the page.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

use std::ops::ControlFlow;

use gleaner_columns::{Caption, ColumnInfo, Columns};
use gleaner_content::{
    Alone, BlockSize, ContentColumns, ContentConfig, ContentPage, Decoder, Error, FeatureSpace, Label, Model,
    Tagger, TrainConfig, train, train_content,
};
use gleaner_crf::TemplateConfig;
use gleaner_gbdt::TreesConfig;

/// Two columns: what a block is (0 text, 1 comment, 2 menu), and the cues of its page.
fn space() -> FeatureSpace {
    let column = |name: &str, cardinality| ColumnInfo {
        name: name.to_owned(),
        cardinality,
    };
    FeatureSpace {
        columns: vec![column("block", 3), column("page", 2)],
        ..FeatureSpace::default()
    }
}

struct Page {
    columns: Columns,
    labels: Vec<Label>,
    words: Vec<u32>,
    kind: &'static str,
    convention: Option<&'static str>,
}

/// A page of four blocks. Comments are content in a forum, and noise elsewhere.
fn page(is_forum: bool) -> Page {
    let mut columns = Columns::default();
    columns.reset(4, 2);
    columns.column_mut(0).copy_from_slice(&[2, 0, 1, 1]);
    columns.column_mut(1).fill(u8::from(is_forum));
    let comment = if is_forum { Label::Paragraph } else { Label::Other };
    Page {
        columns,
        labels: vec![Label::Other, Label::Paragraph, comment, comment],
        words: vec![3, 30, 20, 25],
        kind: if is_forum { "forum" } else { "article" },
        convention: None,
    }
}

fn config() -> ContentConfig {
    ContentConfig {
        l2: 0.01,
        l2_kind: 0.01,
        l2_gate: 0.01,
        ..ContentConfig::default()
    }
}

/// Trees that decide alone.
fn with_trees() -> ContentConfig {
    ContentConfig {
        trees: Some(TreesConfig {
            count: 40,
            leaves: 4,
            l2: 1.0,
            columns: 1.0,
            share: 1.0,
            ..TreesConfig::default()
        }),
        ..config()
    }
}

fn learnt(config: &ContentConfig, threads: usize) -> Model {
    let training = TrainConfig {
        max_iterations: 5,
        ..TrainConfig::default()
    };
    try_learning(&training, config, threads).unwrap()
}

fn try_learning(training: &TrainConfig, config: &ContentConfig, threads: usize) -> Result<Model, Error> {
    let pages: Vec<Page> = (0..40).map(|page_number| page(page_number % 3 == 0)).collect();
    learn_from(&pages, training, config, threads)
}

fn learn_from(
    pages: &[Page],
    training: &TrainConfig,
    config: &ContentConfig,
    threads: usize,
) -> Result<Model, Error> {
    let labelled: Vec<_> = pages
        .iter()
        .map(|page| (page.columns.clone(), page.labels.clone()))
        .collect();
    let model = train(&space(), &labelled, training, &mut |_| ControlFlow::Continue(()))?;
    let pages: Vec<_> = pages.iter().enumerate().map(content_page).collect();
    train_content(model, &pages, config, threads, &mut |_| ControlFlow::Continue(()))
}

fn content_page((number, page): (usize, &Page)) -> ContentPage<'_> {
    ContentPage {
        columns: &page.columns,
        labels: &page.labels,
        words: &page.words,
        kind: page.kind,
        convention: page.convention,
        group: number as u64,
    }
}

fn sizes(page: &Page) -> impl Iterator<Item = BlockSize> {
    page.words.iter().map(|&words| BlockSize {
        words,
        with_before: false,
    })
}

#[test]
fn comments_are_content_in_a_forum_and_noise_under_an_article() {
    recognises_comments(learnt(&config(), 2));
    recognises_comments(learnt(&with_trees(), 2));
}

fn recognises_comments(mut model: Model) {
    model.set_decoder(Decoder::Marginal { threshold: 0.5 }).unwrap();
    assert_eq!(model.kinds(), ["article", "forum"]);
    let mut tagger = Tagger::new(&model);
    for is_forum in [false, true] {
        let page = page(is_forum);
        let tagged = tagger.tag_blocks(&page.columns, sizes(&page));
        let kept: Vec<bool> = tagged.labels.iter().map(|label| label.is_content()).collect();
        assert_eq!(kept, [false, true, is_forum, is_forum], "{:?}", tagged.content);
        assert!(tagged.kinds[usize::from(is_forum)] > 0.9, "{:?}", tagged.kinds);
        for ((marginals, content), confidence) in
            tagged.marginals.iter().zip(tagged.content).zip(tagged.confidence)
        {
            assert!((marginals.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            assert!((1.0 - marginals[4] - f64::from(*content)).abs() < 1e-6);
            assert!((0.0..=1.0).contains(confidence));
        }
    }
}

/// Forums of a set that keeps comments, articles of one that does not, and a third set that has both.
fn pages_of_sets() -> Vec<Page> {
    let page = |number: usize| {
        let is_forum = number.is_multiple_of(3);
        let own = if is_forum { "talk" } else { "bare" };
        let mut page = page(is_forum);
        page.convention = Some(if number < 6 { "both" } else { own });
        page
    };
    (0..40).map(page).collect()
}

#[test]
fn a_convention_decides_against_the_predicted_kind() {
    let mut model = learn_from(&pages_of_sets(), &TrainConfig::default(), &config(), 2).unwrap();
    let named = |kinds: &[&str]| kinds.iter().map(|&kind| kind.to_owned()).collect();
    let known: [(&str, &[&str]); 3] = [
        ("bare", &["article"]),
        ("both", &["article", "forum"]),
        ("talk", &["forum"]),
    ];
    let known = known.map(|(name, kinds)| (name.to_owned(), named(kinds)));
    assert_eq!(model.conventions(), known.into());
    let judged = |model: &Model| {
        let mut tagger = Tagger::new(model);
        [false, true].map(|is_forum| {
            let page = page(is_forum);
            let tagged = tagger.tag_blocks(&page.columns, sizes(&page));
            // What kind of page it is is no matter of convention.
            assert!(tagged.kinds[usize::from(is_forum)] > 0.9, "{:?}", tagged.kinds);
            tagged.content.to_vec()
        })
    };
    let keeps_comments = |model: &Model| judged(model).map(|content| content[2] > 0.5);
    let by_none = judged(&model);
    assert_eq!(keeps_comments(&model), [false, true]);
    model.set_convention(Some("talk")).unwrap();
    assert_eq!(keeps_comments(&model), [true, true]);
    // A file has the conventions, and none of them chosen.
    let mut again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(judged(&again), by_none);
    again.set_convention(Some("bare")).unwrap();
    assert_eq!(keeps_comments(&again), [false, false]);
    again.set_convention(Some("both")).unwrap();
    for (by_both, by_none) in judged(&again).iter().flatten().zip(by_none.iter().flatten()) {
        assert!((by_both - by_none).abs() < 1e-6);
    }
    again.set_convention(None).unwrap();
    assert_eq!(judged(&again), by_none);
    assert!(again.set_convention(Some("none")).is_err());
    assert_eq!(judged(&again), by_none, "nothing is chosen by halves");
}

#[test]
fn conventions_of_no_kinds_are_refused() {
    let model = learn_from(&pages_of_sets(), &TrainConfig::default(), &config(), 1).unwrap();
    let bytes = model.to_bytes().unwrap();
    for (from, to, message) in [
        (r#"talk = ["forum"]"#, r#"talk = ["forms"]"#, "'forms'"),
        (r#"talk = ["forum"]"#, "talk = []#      ", "no kinds of pages"),
    ] {
        let found = Model::from_bytes(&edited(&bytes, from, to))
            .unwrap_err()
            .to_string();
        assert!(
            found.contains("convention 'talk'") && found.contains(message),
            "{found}"
        );
    }
    let mut plain = {
        let page = page(true);
        let labelled = [(page.columns, page.labels)];
        train(&space(), &labelled, &TrainConfig::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    plain.set_convention(None).unwrap();
    let found = plain.set_convention(Some("talk")).unwrap_err().to_string();
    assert!(found.contains("trained without"), "{found}");
}

#[test]
fn the_model_is_the_same_on_any_number_of_threads_and_when_read_back() {
    for config in [
        config(),
        with_trees(),
        with_alike(),
        with_repeated(),
        with_preformatted(),
        with_captions(),
    ] {
        let model = learnt(&config, 1);
        let bytes = model.to_bytes().unwrap();
        assert_eq!(bytes, learnt(&config, 3).to_bytes().unwrap());
        let again = Model::from_bytes(&bytes).unwrap();
        assert_eq!(again.kinds(), ["article", "forum"]);
        assert_eq!(model, again);
        assert_eq!(bytes, again.to_bytes().unwrap());
    }
}

#[test]
fn content_may_go_by_columns_that_the_labels_do_without() {
    let learnt_by = |columns: Option<(&str, bool)>| {
        let columns = columns.map(|(name, is_one)| ContentColumns::from([(name.to_owned(), is_one)]));
        let training = TrainConfig {
            max_iterations: 5,
            template: TemplateConfig {
                offsets: [("block".to_owned(), vec![0]), (String::new(), vec![])].into(),
                ..TemplateConfig::default()
            },
            ..TrainConfig::default()
        };
        let config = ContentConfig { columns, ..config() };
        try_learning(&training, &config, 1)
    };
    let comments_kept = |model: &Model| {
        let mut tagger = Tagger::new(model);
        [true, false].map(|is_forum| tagger.tag(&page(is_forum).columns).content[2] > 0.5)
    };
    // A forum is recognised by the column that the labels leave out.
    let with_all = learnt_by(Some(("", true))).unwrap();
    assert_eq!(comments_kept(&with_all), [true, false]);
    assert!(with_all.content_columns().unwrap()[""]);
    let read = Model::from_bytes(&with_all.to_bytes().unwrap()).unwrap();
    assert_eq!(read, with_all);
    let with_few = learnt_by(None).unwrap();
    let [in_forum, elsewhere] = comments_kept(&with_few);
    assert_eq!(in_forum, elsewhere);

    let error = learnt_by(Some(("blok", true))).unwrap_err().to_string();
    assert!(error.contains("blok"), "{error}");
    let error = learnt_by(Some(("", false))).unwrap_err().to_string();
    assert!(error.contains("columns"), "{error}");
}

/// Blocks go three quarters of the way to the mean of those that look alike.
fn with_alike() -> ContentConfig {
    ContentConfig {
        group_smoothing: 0.75,
        ..config()
    }
}

#[test]
fn blocks_that_look_alike_are_judged_together() {
    let (alone, together) = (learnt(&config(), 1), learnt(&with_alike(), 1));
    assert_eq!((alone.group_smoothing(), together.group_smoothing()), (0.0, 0.75));
    let mut page = page(false);
    let content = |model: &Model, page: &Page| {
        let mut tagger = Tagger::new(model);
        tagger.tag_blocks(&page.columns, sizes(page)).content.to_vec()
    };
    let own = content(&alone, &page);
    assert_eq!(own, content(&together, &page), "there are no groups");
    // The text and the menu look alike, and so do the comments.
    page.columns.set_groups([0, 0, 1, 1]);
    assert_eq!(own, content(&alone, &page));
    let log_odds = |p: f32| f64::from(p).ln() - (1.0 - f64::from(p)).ln();
    let own: Vec<f64> = own.into_iter().map(log_odds).collect();
    let mean = |a: usize, b: usize| {
        let votes = [a, b].map(|block| f64::from(page.words[block]) + 1.0);
        (votes[0] * own[a] + votes[1] * own[b]) / (votes[0] + votes[1])
    };
    let means = [mean(0, 1), mean(0, 1), mean(2, 3), mean(2, 3)];
    for ((own, mean), found) in own.iter().zip(means).zip(content(&together, &page)) {
        let expected = 0.25 * own + 0.75 * mean;
        assert!((log_odds(found) - expected).abs() < 1e-3, "{found} {expected}");
    }
}

#[test]
fn how_much_alike_counts_is_read_back_and_its_damage_is_named() {
    let bytes = learnt(&with_alike(), 1).to_bytes().unwrap();
    let damaged = edited(&bytes, "group_smoothing = 0.75", "group_smoothing = 7.75");
    let found = Model::from_bytes(&damaged).unwrap_err().to_string();
    assert!(found.contains("blocks that look alike count 7.75"), "{found}");
    let found = say(&ContentConfig {
        group_smoothing: 1.5,
        ..config()
    });
    assert!(found.contains("alike must be from 0 to 1"), "{found}");
}

/// Texts lose two of their log odds where the page has them elsewhere, too.
fn with_repeated() -> ContentConfig {
    ContentConfig {
        repeated: 2.0,
        ..config()
    }
}

#[test]
fn a_text_that_the_page_has_twice_is_needed_once() {
    let (blind, model) = (learnt(&config(), 1), learnt(&with_repeated(), 1));
    assert_eq!((blind.repeated(), model.repeated()), (0.0, 2.0));
    let content = |page: &Page, words: [u32; 4]| {
        let size = |words| BlockSize {
            words,
            with_before: false,
        };
        let mut tagger = Tagger::new(&model);
        tagger.tag_blocks(&page.columns, words.map(size)).content.to_vec()
    };
    let mut page = page(true);
    let own = content(&page, [9; 4]);
    assert!(
        own[1] > own[0] && own[1] > own[2],
        "the text is the best: {own:?}"
    );
    page.columns.set_groups([0, 1, 1, 1]);
    page.columns.set_texts([0, 0, 0, 3]);
    let log_odds = |p: f32| f64::from(p).ln() - (1.0 - f64::from(p)).ln();
    let check_lost = |words, expected: [f64; 4]| {
        for ((&own, found), expected) in own.iter().zip(content(&page, words)).zip(expected) {
            let lost = log_odds(own) - log_odds(found);
            assert!((lost - expected).abs() < 1e-3, "{lost} {expected}");
        }
    };
    check_lost([9; 4], [2.0, 0.0, 1.0, 0.0]);
    // What is short is left alone.
    check_lost([3; 4], [0.0; 4]);
}

#[test]
fn repetition_takes_its_part_of_what_else_is_known_of_a_page() {
    let model = learnt(&with_repeated(), 1);
    let mut page = page(true);
    let size = |words| BlockSize {
        words,
        with_before: false,
    };
    let sizes = || [9; 4].map(size);
    let mut tagger = Tagger::new(&model);
    let own = tagger.tag_blocks(&page.columns, sizes()).content.to_vec();
    page.columns.set_texts([0, 0, 2, 3]);
    let tagged = tagger.tag_blocks(&page.columns, sizes());
    let (content, copies) = (tagged.content.to_vec(), tagged.copies.to_vec());
    let labels: Vec<(Label, f32)> = tagged.content_labels(model.labels()).collect();
    let chosen = tagged.labels.to_vec();
    assert!(content[0] < own[0] && content[1..] == own[1..]);
    let alone = Alone {
        content: &content,
        labels: &labels,
        copies: &copies,
    };
    assert_eq!(alone.unrepeated(), own);
    let again = tagger.decide_blocks(alone, &own, sizes());
    assert_eq!((again.content, again.labels), (&*content, &*chosen));
    // Another one of the two is now the best.
    let moved = [0.9, 0.5, own[2], own[3]];
    let again = tagger.decide_blocks(alone, &moved, sizes()).content.to_vec();
    let odds = (-2f32).exp();
    assert!((again[1] - odds / (odds + 1.0)).abs() < 1e-6, "{again:?}");
    assert_eq!(again[0], 0.9);
    // Nothing of that is left for the next page.
    page.columns.set_texts([0, 1, 2, 3]);
    assert!(tagger.tag_blocks(&page.columns, sizes()).copies.is_empty());
}

#[test]
fn what_repeated_texts_lose_is_read_back_and_its_damage_is_named() {
    let bytes = learnt(&with_repeated(), 1).to_bytes().unwrap();
    let damaged = edited(&bytes, "repeated = 2.0", "repeated = nan");
    let found = Model::from_bytes(&damaged).unwrap_err().to_string();
    assert!(found.contains("repeated texts lose NaN"), "{found}");
    for repeated in [-1.0, 21.0, f64::NAN] {
        let found = say(&ContentConfig { repeated, ..config() });
        assert!(found.contains("repeated must be from 0 to 20"), "{found}");
    }
}

/// Preformatted texts between blocks of content gain 1.5 in log odds.
fn with_preformatted() -> ContentConfig {
    ContentConfig {
        preformatted: 1.5,
        ..config()
    }
}

#[test]
fn a_preformatted_text_between_blocks_of_content_gains() {
    let (blind, model) = (learnt(&config(), 1), learnt(&with_preformatted(), 1));
    assert_eq!((blind.preformatted(), model.preformatted()), (0.0, 1.5));
    let content = |page: &Page| {
        let size = |words| BlockSize {
            words,
            with_before: false,
        };
        let mut tagger = Tagger::new(&model);
        tagger
            .tag_blocks(&page.columns, [9; 4].map(size))
            .content
            .to_vec()
    };
    let mut page = page(true);
    let own = content(&page);
    page.columns.set_preformatted(std::iter::once(1..2));
    let log_odds = |p: f32| f64::from(p).ln() - (1.0 - f64::from(p)).ln();
    let gains = [0.0, 1.5 * f64::from(own[0]) * f64::from(own[2]), 0.0, 0.0];
    for ((own, found), gain) in own.into_iter().zip(content(&page)).zip(gains) {
        let gained = log_odds(found) - log_odds(own);
        assert!((gained - gain).abs() < 1e-3, "{gained} {gain}");
    }
}

#[test]
fn what_preformatted_texts_gain_is_read_back_and_its_damage_is_named() {
    let bytes = learnt(&with_preformatted(), 1).to_bytes().unwrap();
    let damaged = edited(&bytes, "preformatted = 1.5", "preformatted = inf");
    let found = Model::from_bytes(&damaged).unwrap_err().to_string();
    assert!(found.contains("preformatted texts gain inf"), "{found}");
    for preformatted in [-1.0, 21.0, f64::NAN] {
        let found = say(&ContentConfig {
            preformatted,
            ..config()
        });
        assert!(found.contains("preformatted must be from 0 to 20"), "{found}");
    }
}

/// Captions are at least as probable as what they are about.
fn with_captions() -> ContentConfig {
    ContentConfig {
        captions: true,
        ..config()
    }
}

#[test]
fn a_caption_is_as_probable_as_what_it_is_about() {
    let (blind, model) = (learnt(&config(), 1), learnt(&with_captions(), 1));
    assert_eq!((blind.captions(), model.captions()), (false, true));
    let content = |model: &Model, page: &Page| {
        let size = |words| BlockSize {
            words,
            with_before: false,
        };
        let mut tagger = Tagger::new(model);
        tagger
            .tag_blocks(&page.columns, [9; 4].map(size))
            .content
            .to_vec()
    };
    let mut page = page(true);
    let own = content(&model, &page);
    let least = (0..4)
        .min_by(|&one, &other| own[one].total_cmp(&own[other]))
        .unwrap();
    page.columns.set_captions([Caption {
        blocks: least as u32..least as u32 + 1,
        whole: 0..4,
    }]);
    assert_eq!(content(&blind, &page), own);
    let mut expected = own.clone();
    expected[least] = (own.iter().sum::<f32>() - own[least]) / 3.0;
    assert!(expected[least] > own[least], "{own:?}");
    for (found, expected) in content(&model, &page).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}

#[test]
fn captions_are_used_by_models_that_know_kinds() {
    let bytes = learnt(&with_captions(), 1).to_bytes().unwrap();
    let damaged = edited(&bytes, r#"["article", "forum"]"#, "[]                  ");
    let found = Model::from_bytes(&damaged).unwrap_err().to_string();
    assert!(found.contains("captions"), "{found}");
    assert!(found.contains("there are no kinds of pages"), "{found}");
}

/// The error of a training with such settings.
fn say(config: &ContentConfig) -> String {
    let model = Model::zero(
        space(),
        Default::default(),
        Default::default(),
        Decoder::default(),
    )
    .unwrap();
    let found = train_content(model, &[], config, 1, &mut |_| ControlFlow::Continue(()));
    found.unwrap_err().to_string()
}

#[test]
fn trees_are_described_and_their_damage_is_named() {
    let model = learnt(&with_trees(), 2);
    let trees = model.trees().unwrap();
    assert_eq!((trees.count, trees.leaves, trees.share), (40, 4, 1.0));
    let asked: usize = trees.asked.iter().map(|(_, count)| count).sum();
    assert_eq!(asked, 40 * 3, "{:?}", trees.asked);
    let bytes = model.to_bytes().unwrap();
    for (from, to, message) in [
        (
            "count = 40",
            "count = 90",
            "trees of 2520 bytes are described, but ",
        ),
        ("leaves = 4", "leaves = 1", "40 trees of 1 leaves"),
        ("share = 1.0", "share = 7.0", "trees that count 7"),
    ] {
        let found = Model::from_bytes(&edited(&bytes, from, to))
            .unwrap_err()
            .to_string();
        assert!(found.contains(message), "{found}");
    }
    // The first split: the higher byte of its input, then its leaf.
    let first = bytes.len() - 8 - 40 * (4 * 4) - 40 * (3 * 4);
    for (place, message) in [(first + 1, "of 4"), (first + 3, "a split of leaf 1 of 1")] {
        let mut bytes = bytes.clone();
        bytes[place] = 1;
        let found = Model::from_bytes(&sealed(bytes)).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
}

/// With another text of the same length in the description.
fn edited(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes
        .windows(from.len())
        .position(|window| window == from.as_bytes());
    let mut bytes = bytes.to_vec();
    bytes[at.unwrap()..][..to.len()].copy_from_slice(to.as_bytes());
    sealed(bytes)
}

/// With the checksum that belongs to it.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn settings_of_trees_out_of_range_are_refused() {
    for trees in [
        TreesConfig {
            leaves: 65,
            ..TreesConfig::default()
        },
        TreesConfig {
            l2: 0.0,
            ..TreesConfig::default()
        },
        TreesConfig {
            share: 1.5,
            ..TreesConfig::default()
        },
    ] {
        let config = ContentConfig {
            trees: Some(trees),
            ..config()
        };
        let found = say(&config);
        assert!(found.contains("content.trees"), "{found}");
    }
}

#[test]
fn columns_that_are_kept_from_the_gate_do_not_predict_the_kind() {
    let without = ContentConfig {
        gate_without: vec!["page".to_owned()],
        ..config()
    };
    let model = learnt(&without, 1);
    let mut tagger = Tagger::new(&model);
    let (article, forum) = (page(false), page(true));
    let before = tagger
        .tag_blocks(&article.columns, sizes(&article))
        .kinds
        .to_vec();
    assert_eq!(before, tagger.tag_blocks(&forum.columns, sizes(&forum)).kinds);
}

#[test]
fn what_cannot_be_learnt_is_said() {
    let model = || {
        let page = page(true);
        let labelled = [(page.columns, page.labels)];
        train(&space(), &labelled, &TrainConfig::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    let refusal = |model: Model, page: ContentPage<'_>, config: &ContentConfig| {
        train_content(model, &[page], config, 1, &mut |_| ControlFlow::Continue(()))
            .unwrap_err()
            .to_string()
    };
    let page = page(true);
    let short = ContentPage {
        words: &page.words[1..],
        ..content_page((0, &page))
    };
    assert!(refusal(model(), short, &config()).contains("not as many word counts as blocks"));
    let negative = ContentConfig { l2: -1.0, ..config() };
    assert!(refusal(model(), content_page((0, &page)), &negative).contains("not below zero"));
}
