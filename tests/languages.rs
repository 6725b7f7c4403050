//! Languages of documents and of blocks: by the built-in tables, and by a model that a user brings.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::warc::{Archive, article};
use tempfile::TempDir;

use crate::living::Living;
use crate::support::{build, refusal, rows, run};

/// A model of fastText without n-grams, whose labels are those of one word each. The vector of the word has `weight` at the place
/// of its label: where a text has no other known word, the softmax gives e^weight / (e^weight + others).
fn model(labels: &[(&str, &str)], weight: f32) -> Vec<u8> {
    let size = labels.len();
    let mut bytes = Vec::new();
    let ints = |bytes: &mut Vec<u8>, ints: &[i32]| {
        bytes.extend(ints.iter().flat_map(|number| number.to_le_bytes()));
    };
    let longs = |bytes: &mut Vec<u8>, longs: &[i64]| {
        bytes.extend(longs.iter().flat_map(|number| number.to_le_bytes()));
    };
    ints(&mut bytes, &[793_712_314, 12]);
    // Dimensions, window, epochs, least count, negatives, n-grams of words, softmax, supervised, no buckets, no n-grams, rate.
    ints(&mut bytes, &[size as i32, 5, 5, 1, 5, 1, 3, 3, 0, 0, 0, 100]);
    bytes.extend(1e-4_f64.to_le_bytes());
    ints(&mut bytes, &[2 * size as i32, size as i32, size as i32]);
    longs(&mut bytes, &[1000, -1]);
    let words = labels.iter().map(|(word, _)| (*word, 0));
    for (entry, kind) in words.chain(labels.iter().map(|(_, label)| (*label, 1))) {
        bytes.extend(entry.as_bytes());
        bytes.push(0);
        longs(&mut bytes, &[10]);
        bytes.push(kind);
    }
    // Two square matrices, neither of which is quantised.
    for diagonal in [weight, 1.0] {
        bytes.push(0);
        longs(&mut bytes, &[size as i64, size as i64]);
        let cells = (0..size * size).map(|cell| if cell % (size + 1) == 0 { diagonal } else { 0.0 });
        bytes.extend(cells.flat_map(f32::to_le_bytes));
    }
    bytes
}

const LABELS: [(&str, &str); 4] = [
    ("harbour", "__label__eng_Latn"),
    ("Hafen", "__label__de"),
    ("quux", "__label__made-up"),
    ("zzz", "__label__und_Latn"),
];

/// The model in a file, and the probability that it gives to its first label.
fn written(folder: &Path, name: &str, weight: f32) -> (PathBuf, f32) {
    let path = folder.join(name);
    fs::write(&path, model(&LABELS, weight)).unwrap();
    let first = weight.exp() / (weight.exp() + (LABELS.len() - 1) as f32);
    (path, (first * 100.0).round() / 100.0)
}

/// A page for each known word.
fn crawl(folder: &Path) -> PathBuf {
    let words = ["harbour", "Hafen", "quux", "zzz", "lighthouse"];
    let pages = words.iter().fold(Archive::new(), |archive, word| {
        archive.page(
            &format!("http://sea.example/{word}"),
            article().replace("harbour", word),
        )
    });
    pages.write(folder, "pages.warc.gz")
}

/// Columns of each document, by the last part of its URL.
fn languages(corpus: &Path) -> BTreeMap<String, [String; 3]> {
    let rows = rows(&corpus.join("documents")).into_iter();
    let of_row = |row: BTreeMap<String, String>| {
        let word = row["url"].rsplit('/').next().unwrap().to_owned();
        (
            word,
            ["language", "language_probability", "script"].map(|column| row[column].clone()),
        )
    };
    rows.map(of_row).collect()
}

#[test]
fn a_model_decides_the_languages() {
    let folder = TempDir::new().unwrap();
    let (file, probability) = written(folder.path(), "own.bin", 2.0);
    let option = format!("--language-model={}", file.display());
    let corpus = build(&[&crawl(folder.path())], &[&option]);
    let found = languages(&corpus.path());
    for (word, language) in [("harbour", "eng"), ("Hafen", "deu"), ("quux", "made-up")] {
        assert_eq!(
            found[word],
            [language, &probability.to_string(), "Latn"].map(str::to_owned),
            "{word}"
        );
    }
    // A label for what is no language, and a text with no word of the model.
    for word in ["zzz", "lighthouse"] {
        assert_eq!(found[word][0], "und", "{word}");
        assert_eq!(found[word][1].parse(), Ok(0.0), "{word}");
    }
    let signals = rows(&corpus.path().join("signals"));
    let row = signals.iter().find(|row| row["url"].ends_with("/Hafen")).unwrap();
    assert!(
        row["languages"].starts_with("[\"deu_Latn\", "),
        "{}",
        row["languages"]
    );
    let built_in = build(&[&crawl(folder.path())], &[]);
    assert!(
        languages(&built_in.path())
            .values()
            .all(|columns| columns[0] == "eng")
    );
}

#[test]
fn a_corpus_keeps_its_language_model() {
    let folder = TempDir::new().unwrap();
    let (file, _) = written(folder.path(), "own.bin", 2.0);
    let (other, probability) = written(folder.path(), "other.bin", 1.0);
    let [own, other] = [file, other].map(|file| format!("--language-model={}", file.display()));
    let living = Living::new(&["--chunk-size", "16", &own]);
    let c = living.file("c");
    let refused = |options: &[&str]| refusal(&run([&["add", &living.corpus(), &c], options].concat()));
    let none = refused(&[]);
    assert!(
        none.contains("with the language model 'own ")
            && none.contains(
                "and this build has no language model: give the file of that model with --language-model"
            ),
        "{none}"
    );
    let said = refused(&[&other]);
    assert!(said.contains("and this build has 'other "), "{said}");
    // A copy with another name is the same model.
    let copy = folder.path().join("copy.bin");
    fs::copy(folder.path().join("own.bin"), &copy).unwrap();
    living.change("add", &[&c, &format!("--language-model={}", copy.display())]);
    let built = living.path("from-scratch");
    let built = built.to_str().unwrap();
    let [a, b] = ["a", "b"].map(|name| living.file(name));
    living.done(&["build", "--out", built, "--chunk-size", "16", &own, &a, &b, &c]);
    assert_eq!(living.digest(&living.corpus()), living.digest(built));
    living.done(&["verify", &living.corpus(), &own, "--against", &a, &b, &c]);
    // Another model needs no archives.
    living.change("relabel", &[&other]);
    living.done(&[
        "build",
        "--force",
        "--out",
        built,
        "--chunk-size",
        "16",
        &other,
        &a,
        &b,
        &c,
    ]);
    assert_eq!(living.digest(&living.corpus()), living.digest(built));
    let found = languages(&living.path("corpus"));
    assert!(
        found
            .values()
            .all(|columns| columns[0] == "eng" && columns[1] == probability.to_string())
    );
}

#[test]
fn what_is_no_language_model_is_refused() {
    let folder = TempDir::new().unwrap();
    let refused = |file: &str| {
        let out = folder.path().join("out");
        let out = out.to_str().unwrap();
        let said = refusal(&run([
            "build",
            "README.md",
            "--out",
            out,
            "--language-model",
            file,
        ]));
        assert!(!Path::new(out).exists());
        said
    };
    let text = refused("README.md");
    assert!(
        text.contains(
            "the language model README.md cannot be used: not a fastText model: give a .bin or .ftz file"
        ),
        "{text}"
    );
    let missing = refused("no-such.bin");
    assert!(
        missing.contains("could not read the language model no-such.bin"),
        "{missing}"
    );
    let damaged = folder.path().join("damaged.bin");
    fs::write(&damaged, &model(&LABELS, 1.0)[..200]).unwrap();
    let damaged = refused(damaged.to_str().unwrap());
    assert!(damaged.contains("the fastText model is damaged: "), "{damaged}");
}

#[test]
fn kept_blocks_have_their_languages() {
    let german = "<p>Das Boot kam am Abend mit vielen Heringen zurück, und die Leute am Ufer freuten sich sehr über den Fang.</p>";
    let page = article().replace("</main>", &format!("{german}</main>"));
    let folder = TempDir::new().unwrap();
    let crawl = Archive::new()
        .page("http://sea.example/", page)
        .write(folder.path(), "pages.warc.gz");
    let of_blocks = |options: &[&str]| {
        let corpus = build(&[&crawl], options);
        let rows = rows(&corpus.path().join("blocks")).into_iter();
        let blocks = rows.map(|row| (row["text"].clone(), row["label"].clone(), row["language"].clone()));
        blocks.collect::<Vec<_>>()
    };
    let blocks = of_blocks(&["--blocks", "--block-languages"]);
    assert!(blocks.iter().any(|(_, label, _)| label == "other"));
    for (text, label, language) in blocks {
        let expected = match (&*label, &*text) {
            ("other", _) => "",
            (_, text) if text.starts_with("Das Boot") => "deu",
            _ => "eng",
        };
        assert_eq!(language, expected, "{label}: {text}");
    }
    let without = of_blocks(&["--blocks"]);
    assert!(without.iter().all(|(_, _, language)| language.is_empty()));
}

#[test]
fn languages_of_blocks_come_and_go() {
    let living = Living::new(&["--chunk-size", "16", "--blocks", "--block-languages"]);
    living.change("add", &[&living.file("c")]);
    living.check(&["a", "b", "c"]);
    living.change("remove", &["--input", "b.warc.gz", "--reason", "old"]);
    living.check(&["a", "c"]);
    let blocks = rows(&living.path("corpus/blocks"));
    assert!(blocks.iter().any(|row| row["language"] == "eng"));
}
