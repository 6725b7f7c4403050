//! The files of the CleanEval shared task: pages in envelopes, gold texts, and both in folders.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{assert_printed, build, refusal, run, said, sample};

/// A quick training.
const JOB: &str = "
[features]
modules = ['container', 'split', 'token', 'sentence', 'char']
[training]
l2 = 0.1
max_iterations = 20
";

const SENTENCES: [&str; 4] = [
    "The mill by the weir has stood empty since the flood, and nobody has asked for the key in all that time.",
    "A clockmaker from the next valley wants to rent it for his workshop, if the roof can be mended before winter.",
    "The council will hear him on Thursday, when the drawings of the new wheel are shown to all who care to come.",
    "Those who remember the old wheel say that it could be heard at night from the other side of the hill.",
];

/// A page with a heading, a list and paragraphs, one of them in two lines.
fn html(number: usize) -> String {
    let [one, two, three, four] = SENTENCES;
    format!(
        "<html><head><title>Mill {number}</title></head><body><ul id=menu><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
         <h1>The mill of village {number}</h1><p>{one}</p><p>{two}<br>{three}</p><ul><li>{four}</ul>\
         <div class=footer>Imprint and <a href=/c>contact</a></div></body></html>"
    )
}

fn gold(number: usize) -> String {
    let [one, two, three, four] = SENTENCES;
    format!(
        "URL: http://mill{number}.example/\n\n<h>The mill of village {number}\n\n<p>{one}\n\n  <p>{two}\n{three}</p>\n<l> {four}\n"
    )
}

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

/// Writes pages into `pages` and their gold texts into `texts`, which may be the same folder of `folder`.
fn write_set(folder: &TempDir, pages: &str, texts: &str, ending: &str) {
    for number in 1..=6 {
        let page = format!(
            "<text id=\"http://mill{number}.example/\" title='1 > 0'>{}</text>",
            html(number)
        );
        write(folder, &format!("{pages}/{number}.html"), page);
        write(folder, &format!("{texts}/{number}{ending}"), gold(number));
    }
}

/// What a command prints, which has to succeed.
fn printed(arguments: &[&OsStr]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn names<'a>(arguments: &[&'a str]) -> Vec<&'a OsStr> {
    arguments.iter().map(|name| OsStr::new(*name)).collect()
}

/// What a command prints of a file or folder.
fn of(arguments: &[&str], path: &Path) -> String {
    let mut all = names(arguments);
    all.push(path.as_os_str());
    printed(&all)
}

fn scores(path: &Path, options: &[&OsStr]) -> Value {
    let fixed = [OsStr::new("eval"), OsStr::new("--json"), path.as_os_str()];
    serde_json::from_str(&printed(&[&fixed, options].concat())).unwrap()
}

/// A model of a quick training on a gold set.
fn trained(folder: &TempDir, gold: &Path) -> PathBuf {
    let (job, model) = (write(folder, "job.toml", JOB), folder.path().join("own.gcrf"));
    let output = run([
        "train".as_ref(),
        job.as_os_str(),
        gold.as_os_str(),
        "--out".as_ref(),
        model.as_os_str(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    model
}

#[test]
fn a_build_takes_the_envelope_off() {
    let folder = folder();
    let sentences: Vec<String> = SENTENCES
        .iter()
        .map(|text| format!("<p>{}</p>", text.replace("mill", "moul\u{e9}")))
        .collect();
    let page = format!(
        "<TEXT\nencoding=iso-8859-1 title='a > \"b\"'\n ID=\"http://Mill.Example/?a=1&amp;b=2\">\n<html><title>Mill</title>{}</html>\n</TEXT>\n",
        sentences.concat()
    );
    let latin_1: Vec<u8> = page.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    let path = write(&folder, "1.html", latin_1);
    let corpus = build(&[&path], &[]);
    let documents = corpus.documents();
    let document = &documents["http://Mill.Example/?a=1&b=2"];
    assert_eq!(
        (&*document["host"], &*document["site"]),
        ("mill.example", "mill.example")
    );
    let text = &document["text"];
    assert!(
        text.contains("The moul\u{e9} by the weir") && !text.contains("encoding"),
        "{text}"
    );

    let cleaned = of(&["clean", "--format", "cleaneval"], &path);
    assert!(
        cleaned.starts_with("URL: http://Mill.Example/?a=1&b=2\n\n<"),
        "{cleaned}"
    );
    assert!(
        cleaned.contains("The moul\u{e9} by the weir") && !cleaned.contains("encoding"),
        "{cleaned}"
    );
}

#[test]
fn folders_of_pages_and_gold_texts_are_gold_sets() {
    let folder = folder();
    write_set(&folder, "one", "one", ".txt");
    write_set(&folder, "two/en_original", "two/en_cleaned", "-cleaned.txt");
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let model = trained(&folder, &one);
    for set in [&one, &two] {
        let results = scores(set, &["--model".as_ref(), model.as_os_str()]);
        let found = &results["sets"][0];
        assert_eq!(found["all"]["pages"], 6);
        assert!(found["measures"]["words"].as_f64().unwrap() > 0.99, "{found}");
        assert_eq!(results["pages"][0]["url"], "http://mill1.example/");
        assert_eq!(results["training_pages"], 6);
    }
    let validated = run([
        "eval".as_ref(),
        two.as_os_str(),
        "--cross-validate".as_ref(),
        folder.path().join("job.toml").as_os_str(),
        "--folds".as_ref(),
        "2".as_ref(),
    ]);
    assert_eq!(validated.status.code(), Some(0), "{}", said(&validated));
    assert!(
        !String::from_utf8(validated.stdout)
            .unwrap()
            .contains("training pages")
    );
    let listed = of(&["align", "--page", "http://mill2.example/"], &two);
    let labels: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(label, _)| label)
        .collect();
    assert_eq!(
        labels,
        [
            "other",
            "other",
            "header",
            "paragraph",
            "paragraph",
            "continuation",
            "list",
            "other"
        ],
        "{listed}"
    );
    let table = of(&["features", "--set", "hidden-web"], &one);
    assert!(
        table.contains("@attribute noise") || table.contains("{"),
        "{table}"
    );
}

#[test]
fn files_without_a_partner_are_told() {
    let folder = folder();
    write_set(&folder, "set", "set", ".txt");
    let page = write(&folder, "set/7.html", html(7));
    let set = folder.path().join("set");
    // Where forms are looked at, pages are read twice.
    let output = run([
        "features".as_ref(),
        "--set".as_ref(),
        "hidden-web".as_ref(),
        set.as_os_str(),
    ]);
    assert_eq!(output.status.code(), Some(0));
    let warning = said(&output);
    assert!(
        warning.matches("warning: left out, because").count() == 1
            && warning.contains(&page.display().to_string()),
        "{warning}"
    );
    fs::remove_dir_all(&set).unwrap();
    write(&folder, "set/7.html", html(7));
    let sentence = refusal(&run(["eval".as_ref(), set.as_os_str()]));
    assert_printed("cleaneval-files-without-a-partner-are-told", &sentence);
    write(&folder, "set/7.txt", gold(7));
    write(&folder, "set/7-cleaned.txt", gold(7));
    let sentence = refusal(&run(["eval".as_ref(), set.as_os_str()]));
    assert_printed("cleaneval-files-without-a-partner-are-told-2", &sentence);
}

#[test]
fn what_clean_prints_is_gold() {
    let folder = folder();
    write_set(&folder, "set", "unused", ".txt");
    let set = folder.path().join("set");
    for number in 1..=6 {
        let page = set.join(format!("{number}.html"));
        let text = of(&["clean", "--format", "cleaneval"], &page);
        fs::write(set.join(format!("{number}.txt")), text).unwrap();
    }
    let results = scores(&set, &[]);
    assert_eq!(results["sets"][0]["measures"]["words"], 1.0);
    assert_eq!(results["sets"][0]["measures"]["label_accuracy"], 1.0);
}

#[test]
fn annotations_become_gold_texts_with_the_same_labels() {
    let folder = folder();
    write_set(&folder, "set", "set", ".txt");
    let [set, notes, again] = ["set", "notes", "again"].map(|name| folder.path().join(name));
    let align = |path: &Path| of(&["align"], path);
    printed(&[
        "align".as_ref(),
        set.as_os_str(),
        "--annotations".as_ref(),
        notes.as_os_str(),
    ]);
    let export = |out: &Path| {
        let fixed = ["align", "--format", "cleaneval", "--out"];
        run(names(&fixed)
            .into_iter()
            .chain([out.as_os_str(), notes.as_os_str()]))
    };
    assert_eq!(export(&again).status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(again.join("3.txt")).unwrap().lines().next(),
        Some("URL: http://mill3.example/")
    );
    // A text that is there already may be the only one.
    let sentence = refusal(&export(&again));
    assert_printed(
        "cleaneval-annotations-become-gold-texts-with-the-same-labels",
        &sentence,
    );
    for number in 1..=6 {
        let name = format!("{number}.html");
        fs::copy(set.join(&name), again.join(&name)).unwrap();
    }
    assert_eq!(align(&notes), align(&set));
    assert_eq!(align(&again), align(&set));

    let text = of(
        &[
            "align",
            "--format",
            "cleaneval",
            "--page",
            "http://mill3.example/",
        ],
        &set,
    );
    assert_eq!(text, fs::read_to_string(again.join("3.txt")).unwrap());
    let sentence = refusal(&run([
        "align".as_ref(),
        "-f".as_ref(),
        "cleaneval".as_ref(),
        set.as_os_str(),
    ]));
    assert_printed(
        "cleaneval-annotations-become-gold-texts-with-the-same-labels-2",
        &sentence,
    );
}

/// A page of the bundled crawl as a file is the page that the model learned from.
#[test]
fn training_pages_are_known_in_whatever_file_they_are() {
    let folder = folder();
    let archive = sample().with_file_name("sample.gold.jsonl");
    let model = trained(&folder, &archive);
    let of_archive = scores(&archive, &["--model".as_ref(), model.as_os_str()]);
    let pages = of_archive["sets"][0]["all"]["pages"].as_u64().unwrap();
    assert_eq!(of_archive["training_pages"].as_u64(), Some(pages));

    write_set(&folder, "set", "set", ".txt");
    let set = folder.path().join("set");
    let text = printed(&[
        "eval".as_ref(),
        set.as_os_str(),
        "--model".as_ref(),
        model.as_os_str(),
    ]);
    assert!(
        text.ends_with("\ntraining pages: none of the 6 pages\n"),
        "{text}"
    );
    let model = trained(&folder, &set);
    // Three without envelopes and with other line ends, three that are other pages now.
    for number in 1..=6 {
        let page = match number {
            1..=3 => html(number).replace("><", ">\r\n<"),
            _ => html(number).replace("weir", "lock"),
        };
        write(&folder, &format!("set/{number}.html"), page);
    }
    let text = printed(&[
        "eval".as_ref(),
        set.as_os_str(),
        "--model".as_ref(),
        model.as_os_str(),
    ]);
    assert!(text.contains("\ntraining pages: 3 of the 6 pages: "), "{text}");
}

#[test]
fn training_pages_can_be_recorded_later() {
    let folder = folder();
    write_set(&folder, "set", "set", ".txt");
    let set = folder.path().join("set");
    let model = trained(&folder, &set);
    let bytes = fs::read(&model).unwrap();
    let record = |set: &Path| {
        let job = folder.path().join("job.toml");
        let fixed = ["train".as_ref(), job.as_os_str(), set.as_os_str()];
        run(fixed
            .into_iter()
            .chain(["--record-pages".as_ref(), model.as_os_str()]))
    };
    assert_eq!(record(&set).status.code(), Some(0));
    assert!(fs::read(&model).unwrap() == bytes, "the model is another one");
    fs::remove_file(set.join("6.txt")).unwrap();
    let sentence = refusal_after_warning(&record(&set));
    assert!(
        sentence.contains("its card has 6 pages, but")
            && sentence.contains("has 5: the model was trained on other pages"),
        "{sentence}"
    );
}

/// The error of a command that has warned before.
fn refusal_after_warning(output: &std::process::Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", said(output));
    said(output).lines().last().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn the_built_in_model_knows_its_training_pages() {
    let results = scores(&gleaner_testing::data("pages/cleaneval-dev.gold.jsonl"), &[]);
    assert!(
        results["training_pages"].as_u64() > Some(50),
        "{}",
        results["training_pages"]
    );
}
