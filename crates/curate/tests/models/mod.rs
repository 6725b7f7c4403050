//! Models of fastText: what we predict by them is what the Python package predicts.

use std::path::Path;
use std::process::Command;

use gleaner_curate::{FastText, FastTextError};

type Prediction = (String, Vec<(String, f32)>);

/// The variable that names a Python with the package `fasttext`.
const PYTHON: &str = "GLEANER_FASTTEXT_PYTHON";

/// A model of our own with 60 words, trained on made-up texts by `train.py`, and what the Python package predicts by it.
const TINY: &[u8] = include_bytes!("tiny.bin");
const TINY_PREDICTIONS: &str = include_str!("tiny.json");

#[test]
fn a_model_predicts_as_in_python() {
    let model = FastText::read(TINY).expect("the model is one");
    check(&model, TINY_PREDICTIONS, "tiny");
    let mut labels: Vec<&str> = model.labels().collect();
    labels.sort_unstable();
    assert_eq!(labels.len(), 5);
    assert_eq!(labels[0], "__label__deu_Latn");
    let languages = model.languages("ченийсийский ченийсийский про про про");
    assert_eq!(languages.script, "Cyrl");
    assert_eq!(languages.languages.len(), 3);
    assert!(model.languages("the").languages.is_empty());
}

#[test]
fn models_of_every_kind_predict_as_in_python() {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned());
    let has_package = Command::new(&python).args(["-c", "import fasttext"]).output();
    if !has_package.is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} has no package fasttext ({PYTHON} names another)");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/train.py");
    let status = Command::new(&python).arg(script).arg(folder.path()).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "train.py trains models"
    );
    for file in [
        "words.bin",
        "letters.bin",
        "tree.bin",
        "each.bin",
        "negative.bin",
        "small.ftz",
        "pruned.ftz",
        "output.ftz",
    ] {
        let path = folder.path().join(file);
        let model = FastText::open(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let predictions = std::fs::read_to_string(path.with_extension("json")).expect("predictions");
        check(&model, &predictions, file);
    }
}

/// The Python package adds up to 0.00001 to a probability for each node of a tree, and rounds otherwise.
fn check(model: &FastText, predictions: &str, name: &str) {
    let predictions: Vec<Prediction> = serde_json::from_str(predictions).expect("predictions");
    assert!(predictions.len() > 10);
    for (text, expected) in predictions {
        let found = model.predict(&text, expected.len());
        assert_eq!(found.len(), expected.len(), "{name}: {text:?}");
        for ((label, probability), (expected_label, expected)) in found.iter().zip(&expected) {
            assert!(
                (probability - expected).abs() < 1e-4,
                "{name}: {text:?}: {probability} for {expected}"
            );
            // Labels that are about as probable may change places.
            let of_label = model
                .predict(&text, usize::MAX)
                .into_iter()
                .find(|one| one.0 == expected_label);
            let of_label = of_label.map_or(0.0, |one| one.1);
            assert!(
                (of_label - expected).abs() < 1e-4,
                "{name}: {text:?}: {label} for {expected_label}"
            );
        }
    }
}

#[test]
fn what_is_no_model_is_refused() {
    let refused = |bytes: &[u8]| FastText::read(bytes).expect_err("it is no model");
    for bytes in [&b""[..], b"PK\x03\x04", b"{\"language\": \"de\"}"] {
        assert!(matches!(refused(bytes), FastTextError::NotAModel));
    }
    let changed = |at: usize, byte: u8| {
        let mut bytes = TINY.to_vec();
        bytes[at] = byte;
        refused(&bytes)
    };
    assert!(matches!(changed(4, 9), FastTextError::Version(9)));
    // The kind of model: skip-gram.
    assert!(matches!(changed(36, 2), FastTextError::NoLabels));
    // The loss.
    assert!(matches!(changed(32, 7), FastTextError::Damaged(_)));
    for length in 4..TINY.len() {
        assert!(
            matches!(refused(&TINY[..length]), FastTextError::Damaged(_)),
            "{length} bytes"
        );
    }
    let missing = FastText::open(Path::new("no-such.bin")).expect_err("no file");
    assert_eq!(
        missing.to_string(),
        "could not read the language model no-such.bin"
    );
}

/// Whatever the bytes are, reading and predicting end without a panic.
#[test]
fn damaged_models_do_no_harm() {
    for at in 8..TINY.len() {
        for bit in [0, 3, 7] {
            let mut bytes = TINY.to_vec();
            bytes[at] ^= 1 << bit;
            if let Ok(model) = FastText::read(bytes.as_slice()) {
                model.predict("the ingough über про", 3);
            }
        }
    }
}
