//! Trees beside those of Weka's J48 on the same files.
//!
//! Weka is Debian's package `weka`: its jar is looked for where that puts it, or at `$WEKA_JAR`, and its
//! example files likewise or at `$WEKA_EXAMPLES`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which print what they compare"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner_results::{Config, Scores, Table, Tree, arff, train};

struct Weka {
    jar: PathBuf,
    examples: PathBuf,
}

/// Weka, or a line that says why there is none.
fn weka() -> Option<Weka> {
    let place = |name: &str, usual: &str| std::env::var_os(name).map_or_else(|| usual.into(), PathBuf::from);
    let weka = Weka {
        jar: place("WEKA_JAR", "/usr/share/java/weka.jar"),
        examples: place("WEKA_EXAMPLES", "/usr/share/doc/weka/examples"),
    };
    let has_java = Command::new("java").arg("-version").output().is_ok();
    if !weka.jar.exists() || !has_java {
        println!(
            "skipped: no Weka at {} (package weka), or no java",
            weka.jar.display()
        );
        return None;
    }
    Some(weka)
}

/// What J48 prints of a file.
fn j48(weka: &Weka, file: &Path, options: &[&str]) -> String {
    let output = Command::new("java")
        .args(["-Xmx1g", "-Djava.awt.headless=true", "-cp"])
        .arg(&weka.jar)
        .args(["weka.classifiers.trees.J48", "-no-cv", "-t"])
        .arg(file)
        .args(options)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("J48"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// The lines of the tree itself.
fn printed_tree(text: &str) -> String {
    let (_, rest) = text.split_once("------------------\n").unwrap();
    let (tree, _) = rest.split_once("\nNumber of Leaves").unwrap();
    let lines = tree.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The accuracy on the rows that were trained on, in percent.
fn printed_accuracy(text: &str) -> f64 {
    let line = text
        .lines()
        .find(|line| line.starts_with("Correctly Classified Instances"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    words[words.len() - 2].parse().unwrap()
}

fn trained(table: &Table, config: &Config) -> Tree {
    train(table, table.attributes().len() - 1, config).unwrap()
}

/// The trees are the same, or are right as often within half a percent.
fn compare(weka: &Weka, file: &Path, options: &[&str], config: &Config) -> bool {
    let table = arff::read(&std::fs::read_to_string(file).unwrap()).unwrap();
    let tree = trained(&table, config);
    let text = j48(weka, file, options);
    let (theirs, ours) = (printed_tree(&text), tree.to_string());
    let (right, accuracy) = (
        printed_accuracy(&text),
        100.0 * Scores::of(&tree, &table).accuracy(),
    );
    let is_same = theirs.trim() == ours.trim();
    println!(
        "{} {options:?}: {} ({} nodes), right {accuracy:.3}%, theirs {right:.3}%",
        file.file_name().unwrap().to_string_lossy(),
        if is_same { "the same tree" } else { "another tree" },
        tree.size(),
    );
    assert!(
        (right - accuracy).abs() <= 0.5,
        "{}\nours\n{ours}\ntheirs\n{theirs}",
        file.display()
    );
    is_same
}

fn own_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    ["garden.arff", "noise.arff"]
        .map(|name| folder.join(name))
        .to_vec()
}

#[test]
fn trees_are_those_of_j48_on_our_files() {
    let Some(weka) = weka() else { return };
    let variants: [(&[&str], Config); 4] = [
        (&[], Config::default()),
        (
            &["-U"],
            Config {
                confidence: None,
                ..Config::default()
            },
        ),
        (
            &["-S"],
            Config {
                raise: false,
                ..Config::default()
            },
        ),
        (
            &["-C", "0.1", "-M", "5"],
            Config {
                confidence: Some(0.1),
                min_leaf: 5.0,
                ..Config::default()
            },
        ),
    ];
    for file in own_files() {
        for (options, config) in &variants {
            assert!(
                compare(&weka, &file, options, config),
                "{} {options:?}",
                file.display()
            );
        }
    }
}

#[test]
fn trees_are_those_of_j48_on_its_examples() {
    let Some(weka) = weka() else { return };
    let names = [
        "iris",
        "iris.2D",
        "glass",
        "diabetes",
        "vote",
        "breast-cancer",
        "contact-lenses",
        "credit-g",
        "ionosphere",
        "labor",
        "segment-challenge",
        "soybean",
        "unbalanced",
        "weather.nominal",
        "weather.numeric",
        "supermarket",
    ];
    let mut same = 0;
    for name in names {
        let file = weka.examples.join(format!("{name}.arff"));
        if !file.exists() {
            println!("skipped: no {}", file.display());
            continue;
        }
        same += u32::from(compare(&weka, &file, &[], &Config::default()));
    }
    println!("{same} of {} trees are the same", names.len());
}
