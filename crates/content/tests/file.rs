//! The model file: what is written is read back, and nothing else is.

#![expect(clippy::unwrap_used, reason = "an error fails the test")]

mod synthetic;

use std::ops::ControlFlow;
use std::sync::LazyLock;

use gleaner_content::{Decoder, FeatureSpace, Labels, Model, Tagger, TrainConfig, train};
use gleaner_crf::TemplateConfig;
use gleaner_features::FeatureConfig;
use proptest::prelude::*;
use synthetic::Shape;

const SHAPE: Shape = Shape {
    pages: 20,
    blocks: 20,
    columns: 4,
    cardinality: 5,
    run: 10,
};

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let config = TrainConfig {
        max_iterations: 10,
        ..TrainConfig::default()
    };
    let (space, pages) = (synthetic::space(&SHAPE), synthetic::pages(&SHAPE, 1));
    let mut model = train(&space, &pages, &config, &mut |_| ControlFlow::Continue(())).unwrap();
    model.set_card("licence = \"CC0\"\n".into());
    model.set_training_pages(Some([3 << 60, 1 << 60, 3 << 60].into_iter().collect()));
    model
});

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| MODEL.to_bytes().unwrap());

fn refused(bytes: &[u8]) -> String {
    Model::from_bytes(bytes).unwrap_err().to_string()
}

/// Bytes with the length and checksum that belong to them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len() as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let end = bytes.len() - 8;
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn a_model_read_back_is_the_same_and_tags_the_same() {
    let again = Model::from_bytes(&BYTES).unwrap();
    assert_eq!(*MODEL, again);
    assert_eq!(*BYTES, again.to_bytes().unwrap());
    assert_eq!(again.card(), "licence = \"CC0\"\n");
    let pages = again.training_pages().unwrap();
    assert_eq!(pages.len(), 2);
    assert!(pages.contains(1 << 60) && !pages.contains(2 << 60));
    let (mut before, mut after) = (Tagger::new(&MODEL), Tagger::new(&again));
    for (page, _) in &synthetic::pages(&SHAPE, 2) {
        let (a, b) = (before.tag(page), after.tag(page));
        assert_eq!((a.labels, a.confidence), (b.labels, b.confidence));
    }
}

#[test]
fn pages_are_recorded_at_the_end_and_change_nothing_else() {
    let mut without = MODEL.clone();
    without.set_training_pages(None);
    let bytes = without.to_bytes().unwrap();
    assert_eq!(Model::from_bytes(&bytes).unwrap().training_pages(), None);
    let line = b"training_pages = 2\n";
    assert_eq!(BYTES.len(), bytes.len() + line.len() + 10);
    let at = 24 + line.len();
    assert_eq!(BYTES[24..at], *line);
    assert_eq!(BYTES[at..BYTES.len() - 18], bytes[24..bytes.len() - 8]);
    let unsorted = [
        &BYTES[..BYTES.len() - 18],
        &BYTES[BYTES.len() - 13..BYTES.len() - 8],
        &[0; 13],
    ]
    .concat();
    let message = refused(&sealed(unsorted));
    assert!(message.contains("do not ascend"), "{message}");
}

#[test]
fn a_saved_model_is_loaded_and_a_missing_one_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gcrf");
    MODEL.save(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), *MODEL);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::write(&path, &BYTES[..100]).unwrap();
    let message = Model::load(&path).unwrap_err().to_string();
    assert!(message.contains("m.gcrf: model is truncated"), "{message}");
    let message = Model::load(&folder.path().join("none")).unwrap_err().to_string();
    assert!(message.starts_with("could not access model "), "{message}");
}

#[test]
fn damage_is_named() {
    let magic = "not a gleaner model (it does not begin with the magic bytes)";
    assert_eq!(refused(b""), magic);
    assert_eq!(refused(b"<!DOCTYPE html><title>no model</title>"), magic);
    let mut version = BYTES.clone();
    version[8] = 9;
    assert_eq!(
        refused(&version),
        "model format version 9, but this program reads version 3: train the model again"
    );
    let (whole, half) = (BYTES.len(), BYTES.len() / 2);
    let truncated = format!("model is truncated: model needs {whole} bytes at offset 0, {half} are left");
    assert_eq!(refused(&BYTES[..half]), truncated);
    let longer = [BYTES.as_slice(), b"!"].concat();
    assert!(refused(&longer).contains(&format!("length {whole}, but the file has {}", whole + 1)));
    let mut flipped = BYTES.clone();
    flipped[half] ^= 1;
    assert!(refused(&flipped).starts_with("model is damaged: checksum "));
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    for place in 0..BYTES.len() {
        let mut flipped = BYTES.clone();
        flipped[place] ^= 1 << (place % 8);
        assert!(Model::from_bytes(&flipped).is_err(), "byte {place}");
        assert!(Model::from_bytes(&BYTES[..place]).is_err(), "cut at {place}");
    }
}

#[test]
fn a_description_of_more_weights_than_there_are_is_refused_before_they_are_made() {
    let message = refused(&described(&[("cardinality = 5", "cardinality = 256")]));
    assert!(message.contains("25600 weights are described"), "{message}");
}

#[test]
fn unknown_decoders_are_refused() {
    let message = refused(&described(&[
        ("kind = \"marginal\"", "kind = \"viterbi\""),
        ("threshold = 0.3\n", ""),
    ]));
    assert!(message.starts_with("model description: "), "{message}");
}

/// The model's bytes with something else in the description.
fn described(changes: &[(&str, &str)]) -> Vec<u8> {
    let length = u32::from_le_bytes(BYTES[20..24].try_into().unwrap()) as usize;
    let mut text = String::from_utf8(BYTES[24..24 + length].to_vec()).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} in {text}");
        text = text.replace(from, to);
    }
    let mut bytes = BYTES[..20].to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(&BYTES[24 + length..]);
    sealed(bytes)
}

#[test]
fn a_model_builds_the_extractor_of_its_own_features_only() {
    let config = FeatureConfig::victor();
    let model = |space| {
        Model::zero(
            space,
            Labels::default(),
            TemplateConfig::default(),
            Decoder::default(),
        )
        .unwrap()
    };
    let space = FeatureSpace::of(&config);
    let read = Model::from_bytes(&model(space.clone()).to_bytes().unwrap()).unwrap();
    assert_eq!(read.extractor().unwrap().config(), &config);
    // The second is a copy of the first, and the model is the same whether or not one was made.
    assert_eq!(read.extractor().unwrap().config(), &config);
    assert_eq!(read, model(space.clone()));

    let other = FeatureSpace {
        fingerprint: space.fingerprint ^ 1,
        ..space.clone()
    };
    let message = model(other).extractor().err().unwrap().to_string();
    assert!(
        message.starts_with("features differ: the model was trained with fingerprint "),
        "{message}"
    );
    let mut columns = space.clone();
    columns.columns.pop();
    let message = model(columns).extractor().err().unwrap().to_string();
    assert!(
        message.contains("its columns are not those of its feature configuration"),
        "{message}"
    );
    let unknown = FeatureSpace {
        config: "modules = ['tarot']".into(),
        ..space
    };
    let message = model(unknown).extractor().err().unwrap().to_string();
    assert!(message.starts_with("features of the model: "), "{message}");
}

proptest! {
    #[test]
    fn bytes_of_any_kind_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Model::from_bytes(&bytes).is_err());
        let after_magic = [&BYTES[..12], &bytes].concat();
        prop_assert!(Model::from_bytes(&after_magic).is_err());
        if after_magic.len() >= 28 {
            prop_assert!(Model::from_bytes(&sealed(after_magic)).is_err());
        }
    }

    /// With a right checksum damage may go unnoticed, but what is read is a model that works.
    #[test]
    fn damage_under_a_right_checksum_does_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = BYTES.clone();
        for (place, byte) in changes {
            let place = 20 + place.index(bytes.len() - 28);
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(28 + cut.index(bytes.len() - 28));
        }
        if let Ok(model) = Model::from_bytes(&sealed(bytes)) {
            let columns = model.space().columns.len();
            prop_assert_eq!(columns, SHAPE.columns);
            let (page, _) = &synthetic::pages(&SHAPE, 3)[0];
            prop_assert_eq!(Tagger::new(&model).tag(page).labels.len(), page.rows());
        }
    }
}
