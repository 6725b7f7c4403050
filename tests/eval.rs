//! `gleaner eval`, on the bundled crawl, and the models that are compared with the built-in one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{assert_printed, gleaner, refusal, run, said, sample};

/// A quick training on the bundled crawl.
const JOB: &str = "
[features]
modules = ['container', 'split', 'token', 'sentence', 'bullet']
[training]
l2 = 1.0
max_iterations = 20
";

/// A folder with the job file.
fn folder() -> TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(folder.path().join("job.toml"), JOB).unwrap();
    folder
}

fn gold() -> PathBuf {
    sample().with_file_name("sample.gold.jsonl")
}

/// `gleaner eval` in the folder, on the bundled crawl.
fn eval(folder: &TempDir, options: &[&str]) -> Output {
    let mut command = gleaner();
    command
        .current_dir(folder.path())
        .arg("eval")
        .arg(gold())
        .args(options);
    command.output().unwrap()
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_blog_without_a_post_to_score_is_refused_with_what_it_needs() {
    let folder = folder();
    let gold = folder.path().join("blog.gold.jsonl");
    fs::copy(sample(), folder.path().join("blog.warc.gz")).unwrap();
    let line = r#"{"url":"http://a.example/","page_kind":"listing","posts":[]}"#;
    fs::write(&gold, line).unwrap();
    let message = refusal(&run([Path::new("eval"), &gold]));
    assert_printed(
        "eval-a-blog-without-a-post-to-score-is-refused-with-what-it-needs",
        &message,
    );
}

#[test]
fn the_tables_tell_the_same_as_the_json() {
    let folder = folder();
    let results = json(&eval(&folder, &["--json"]));
    let set = &results["sets"][0];
    let text = String::from_utf8(eval(&folder, &[]).stdout).unwrap();
    let labels = format!("labels (1) {:.4}", number(&set["measures"]["label_accuracy"]));
    let f1 = format!("F1 {:.4}", number(&set["all"]["words"]["f1"]));
    assert!(
        text.contains(&labels) && text.contains(&f1),
        "{labels}, {f1}: {text}"
    );
    let titles = &set["metadata"]["title"];
    let share = number(&titles["right"]) / number(&titles["gold"]);
    assert!(
        share > 0.9 && text.contains(&format!("R {share:.4}  and of 0 pages")),
        "{titles}: {text}"
    );
    let pages = results["pages"].as_array().unwrap();
    assert_eq!(Some(pages.len() as u64), set["all"]["pages"].as_u64());
    let mean = pages
        .iter()
        .map(|page| number(&page["measures"]["words"]))
        .sum::<f64>()
        / pages.len() as f64;
    assert!((mean - number(&set["all"]["words"]["f1"])).abs() < 1e-9, "{mean}");
}

#[test]
fn the_counts_are_of_the_same_blocks() {
    let results = json(&eval(&folder(), &["--json"]));
    let set = &results["sets"][0];
    let cells = |value: &Value| -> u64 {
        let rows = value.as_array().unwrap().iter();
        rows.flat_map(|row| row.as_array().unwrap())
            .map(|cell| cell.as_u64().unwrap())
            .sum()
    };
    let bins = |name: &str| -> u64 {
        let bins = set["calibration"][name]["bins"].as_array().unwrap().iter();
        bins.map(|bin| bin["claims"].as_u64().unwrap()).sum()
    };
    let pages = results["pages"].as_array().unwrap().iter();
    let blocks: u64 = pages.map(|page| page["blocks"].as_u64().unwrap()).sum();
    assert!(blocks > 0);
    assert_eq!(cells(&set["confusion"]["gold_by_given"]), blocks);
    assert_eq!((bins("content"), bins("label")), (blocks, blocks));
    let pages = results["pages"].as_array().unwrap().iter();
    let with_confidence = pages.filter(|page| page["confidence"].is_number());
    assert_eq!(bins("page"), with_confidence.count() as u64);
}

#[test]
fn what_is_favored_gains_at_the_cost_of_the_other() {
    let folder = folder();
    let words = |options: &[&str]| {
        let results = json(&eval(&folder, &[options, &["--json"]].concat()));
        let words = &results["sets"][0]["all"]["words"];
        (number(&words["precision"]), number(&words["recall"]))
    };
    let (precise, balanced) = (words(&["--favor", "precision"]), words(&["--favor", "balanced"]));
    let complete = words(&["--favor", "recall"]);
    assert!(
        precise.0 > balanced.0 && precise.1 < balanced.1,
        "{precise:?}, {balanced:?}"
    );
    assert!(
        complete.0 < balanced.0 && complete.1 > balanced.1,
        "{complete:?}, {balanced:?}"
    );
    assert_eq!(balanced, words(&[]));
    let trained = |side| words(&["--cross-validate", "job.toml", "--folds", "2", "--favor", side]);
    assert!(trained("precision").1 < trained("recall").1);
}

#[test]
fn leaving_out_features_changes_what_depends_on_them() {
    let options = [
        "--cross-validate",
        "job.toml",
        "--folds",
        "2",
        "--ablate",
        "modules",
        "--json",
    ];
    let results = json(&eval(&folder(), &options));
    let ablation = &results["ablation"];
    let names: Vec<_> = ablation["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["without"].clone())
        .collect();
    assert_eq!(names, ["container", "split", "token", "sentence", "bullet"]);
    let baseline = &ablation["baseline"];
    assert_eq!(*baseline, results["sets"][0]["measures"]);
    assert!(
        ablation["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["measures"] != *baseline)
    );
}

/// Two sets of the bundled crawl's pages: of the one's pages the gold is all there is, of the other's the first words.
fn two_minds() -> TempDir {
    let folder = folder();
    let (mut all, mut first) = (String::new(), String::new());
    for line in fs::read_to_string(gold()).unwrap().lines() {
        let mut page: Value = serde_json::from_str(line).unwrap();
        if page["url"].as_str().unwrap().len().is_multiple_of(2) {
            all += &format!("{line}\n");
            continue;
        }
        let text = page["text"].as_str().unwrap();
        page["text"] = text
            .split_whitespace()
            .take(12)
            .collect::<Vec<_>>()
            .join(" ")
            .into();
        first += &format!("{page}\n");
    }
    for (set, gold) in [("all", all), ("first", first)] {
        assert!(gold.lines().count() > 5, "{set}");
        fs::write(folder.path().join(format!("{set}.gold.jsonl")), gold).unwrap();
        fs::copy(sample(), folder.path().join(format!("{set}.warc.gz"))).unwrap();
    }
    let job = format!(
        "{JOB}decoder = {{ kind = \"marginal\", threshold = 0.5 }}\n[content]\nl2 = 1.0\nl2_kind = 1.0\n[kinds]\n\
         all = \"all\"\nfirst = \"first\"\n[conventions]\nall = \"whole\"\nfirst = \"short\"\n"
    );
    fs::write(folder.path().join("job.toml"), job).unwrap();
    folder
}

#[test]
fn a_cross_validation_judges_by_the_convention_asked_for() {
    let folder = two_minds();
    let recall = |options: &[&str]| {
        let mut command = gleaner();
        let command = command
            .current_dir(folder.path())
            .args(["eval", "all.gold.jsonl", "first.gold.jsonl"]);
        let options = [
            &["--cross-validate", "job.toml", "--folds", "2", "--json"],
            options,
        ]
        .concat();
        let results = json(&command.args(options).output().unwrap());
        [0, 1].map(|set| number(&results["sets"][set]["all"]["words"]["recall"]))
    };
    let by = |name| recall(&["--convention", name]);
    let (whole, short, own) = (by("whole"), by("short"), by("gold"));
    assert!(
        whole[0] != short[0] && whole[1] != short[1],
        "{whole:?} {short:?}"
    );
    assert_eq!(own, [whole[0], short[1]]);
    assert_eq!(by("auto"), recall(&[]));
}

#[test]
fn conventions_must_be_those_of_the_job() {
    let folder = two_minds();
    let refused = |options: &[&str]| {
        refusal(&eval(
            &folder,
            &[&["--cross-validate", "job.toml"], options].concat(),
        ))
    };
    let sentence = refusal(&eval(&folder, &["--convention", "gold"]));
    assert_printed("eval-conventions-must-be-those-of-the-job", &sentence);
    let sentence = refused(&["--convention", "long"]);
    assert_printed("eval-conventions-must-be-those-of-the-job-2", &sentence);
    let change = |from: &str, to: &str| {
        let path = folder.path().join("job.toml");
        let job = fs::read_to_string(&path).unwrap();
        assert!(job.contains(from), "{job}");
        fs::write(path, job.replace(from, to)).unwrap();
    };
    for name in ["auto", "gold", " "] {
        change("\"short\"", &format!("\"{name}\""));
        let sentence = refused(&[]);
        assert!(sentence.contains("conventions.first"), "{sentence}");
        change(&format!("\"{name}\""), "\"short\"");
    }
    fs::write(folder.path().join("job.toml"), JOB).unwrap();
    let sentence = refused(&["--convention", "gold"]);
    assert_printed("eval-conventions-must-be-those-of-the-job-3", &sentence);
    fs::write(
        folder.path().join("job.toml"),
        format!("{JOB}[conventions]\nsample = \"own\"\n"),
    )
    .unwrap();
    let sentence = refused(&[]);
    assert_printed("eval-conventions-must-be-those-of-the-job-4", &sentence);
}

#[test]
fn an_ablation_needs_a_training() {
    let sentence = said(&eval(&folder(), &["--ablate", "columns"]));
    assert!(sentence.contains("--cross-validate"), "{sentence}");
}

#[test]
fn the_report_has_the_worst_pages_and_nothing_that_runs_or_loads() {
    let folder = folder();
    let output = eval(&folder, &["--report", "report.html", "--worst", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert_eq!(report.matches("<details>").count(), 3);
    for tag in ["<script", "<link", "<img", "src=", "href="] {
        assert!(!report.contains(tag), "{tag}");
    }
    for tag in ["table", "details", "html"] {
        let (open, closed) = (format!("<{tag}"), format!("</{tag}>"));
        assert_eq!(
            report.matches(&open).count(),
            report.matches(&closed).count(),
            "{tag}"
        );
    }
}

#[test]
fn a_report_that_cannot_be_written_is_said() {
    let sentence = said(&eval(&folder(), &["--report", "no/such/folder/report.html"]));
    assert!(
        sentence.contains("no/such/folder/report.html: no folder no/such/folder: create it first"),
        "{sentence}"
    );
}

#[test]
fn a_job_without_features_to_leave_out_is_refused() {
    let folder = folder();
    fs::write(
        folder.path().join("one.toml"),
        "[features]\nmodules = ['position']",
    )
    .unwrap();
    let options = [
        "--cross-validate",
        "one.toml",
        "--folds",
        "2",
        "--ablate",
        "columns",
    ];
    let output = eval(&folder, &options);
    assert!(
        said(&output).contains("nothing can be left out"),
        "{}",
        said(&output)
    );
}

#[test]
fn the_model_of_the_thesis_cleans_pages() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/victor46.gcrf");
    let folder = folder();
    let page = folder.path().join("page.html");
    let sentence = "The ferry leaves the harbour at nine, and the last one comes back after dark.";
    fs::write(
        &page,
        format!(
            "<title>t</title><ul><li><a>Home</a></ul><p>{}</p>",
            sentence.repeat(9)
        ),
    )
    .unwrap();
    let output = run([Path::new("clean"), Path::new("--model"), &model, &page]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(String::from_utf8(output.stdout).unwrap().contains(sentence));
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn the_model_of_the_thesis_is_what_its_job_makes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let gold = gleaner_testing::data("pages/cleaneval-dev.gold.jsonl");
    let folder = folder();
    let made = folder.path().join("made.gcrf");
    let job = root.join("jobs/train-victor46.toml");
    let output = run([Path::new("train"), &job, &gold, Path::new("--out"), &made]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let kept = fs::read(root.join("models/victor46.gcrf")).unwrap();
    assert!(
        fs::read(&made).unwrap() == kept,
        "models/victor46.gcrf is not what `gleaner train jobs/train-victor46.toml` makes: keep what it makes, and its scores in the card"
    );
}

#[test]
fn a_gold_file_without_its_pages_is_said() {
    let folder = folder();
    let lonely = folder.path().join("lonely.gold.jsonl");
    fs::copy(gold(), &lonely).unwrap();
    let sentence = refusal(&run([Path::new("eval"), &lonely]));
    assert_printed("eval-a-gold-file-without-its-pages-is-said", &sentence);
}
