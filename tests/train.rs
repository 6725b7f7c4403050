//! Training from a job file, on the bundled crawl.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{assert_printed, gleaner, refusal, run, said, sample};

/// A folder with a job file for the bundled crawl. `settings` is TOML that follows the gold files.
struct Job(TempDir);

impl Job {
    fn new(settings: &str) -> Job {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let gold = sample().with_file_name("sample.gold.jsonl");
        let job = format!("gold = [{gold:?}]\n{settings}");
        fs::write(folder.path().join("job.toml"), job).unwrap();
        Job(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn train(&self, model: &str, workers: &str) -> Output {
        let (job, out) = (self.path("job.toml"), self.path(model));
        run([
            Path::new("train"),
            &job,
            Path::new("--out"),
            &out,
            Path::new("--workers"),
            Path::new(workers),
        ])
    }

    /// The bytes of the model that is trained, and what was said.
    fn trained(&self, model: &str, workers: &str) -> (Vec<u8>, String) {
        let output = self.train(model, workers);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        (fs::read(self.path(model)).unwrap(), said)
    }
}

const EARLY: &str = "
[dev]
share = 0.3
[training]
l2 = 0.01
page_weight = { exponent = 0.5 }
";

#[test]
fn the_same_job_gives_the_same_bytes_on_any_number_of_workers() {
    let job = Job::new(EARLY);
    let (one, said) = job.trained("one.gcrf", "1");
    assert!(said.contains(" blocks held out"), "{said}");
    assert!(said.contains("the best on held-out pages"), "{said}");
    assert!(one == job.trained("two.gcrf", "2").0, "the models differ");
}

#[test]
fn the_confidence_is_calibrated_by_pages_that_models_have_not_seen() {
    let settings = "[training]\nl2 = 1.0\nmax_iterations = 20\n";
    let job = Job::new(&format!("[confidence]\nfolds = 2\n{settings}"));
    let (one, said) = job.trained("one.gcrf", "1");
    assert!(said.contains("confidence: fold 2 of 2 is done"), "{said}");
    assert!(one == job.trained("two.gcrf", "2").0, "the models differ");
    let points = |path: PathBuf| {
        let shown: Value = serde_json::from_str(&model(&["show", "--json"], &[&path])).unwrap();
        shown["settings"]["confidence"].as_str().unwrap().to_owned()
    };
    assert!(points(job.path("one.gcrf")).starts_with("[[0."));
    let raw = Job::new(settings);
    raw.trained("raw.gcrf", "1");
    assert_eq!(points(raw.path("raw.gcrf")), "[]");
    let message = refusal(&Job::new("[confidence]\nfolds = 1\n").train("m", "1"));
    assert_printed(
        "train-the-confidence-is-calibrated-by-pages-that-models-have-not-seen",
        &message,
    );
}

#[test]
fn a_share_that_holds_nothing_out_is_refused() {
    let message = refusal(&Job::new("[dev]\nshare = 1.5\n").train("m", "1"));
    assert_printed("train-a-share-that-holds-nothing-out-is-refused", &message);
    let output = Job::new("[dev]\nshare = 1e-9\n").train("m", "1");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("no page is held out for early stopping"),
        "{}",
        said(&output)
    );
}

/// Gold of another page, and none at all.
#[test]
fn pages_whose_gold_is_not_on_them_are_left_out_where_asked_for() {
    let lines = fs::read_to_string(sample().with_file_name("sample.gold.jsonl")).unwrap();
    let (mut right, mut wrong) = (String::new(), String::new());
    for (number, line) in lines.lines().enumerate() {
        let mut gold: Value = serde_json::from_str(line).unwrap();
        match number {
            3 => gold["text"] = "".into(),
            5 => {
                gold["text"] = "All of this was written of another page, and is not found on this one.".into()
            }
            _ => right += &format!("{line}\n"),
        }
        wrong += &format!("{gold}\n");
    }
    let trained = |name: &str, gold: &str, least_found: &str| {
        let job = Job::new("");
        fs::copy(sample(), job.path(&format!("{name}.warc.gz"))).unwrap();
        let file = job.path(&format!("{name}.gold.jsonl"));
        fs::write(&file, gold).unwrap();
        let settings = format!("gold = [{file:?}]\n{least_found}[training]\nmax_iterations = 5\n");
        fs::write(job.path("job.toml"), settings).unwrap();
        job.trained("m.gcrf", "2")
    };
    let told = "left out 2 more, on which less than 0.6 of their gold's words are found";
    let (without, said) = trained("right", &right, "least_found = 0.6\n");
    assert!(!said.contains("left out"), "{said}");
    let (left_out, said) = trained("wrong", &wrong, "least_found = 0.6\n");
    assert!(said.contains(told), "{said}");
    assert!(left_out == without, "they are learned from");
    let (all, said) = trained("wrong", &wrong, "");
    assert!(!said.contains("left out"), "{said}");
    assert!(all != without, "they are left out unasked");
    let message = refusal(&Job::new("least_found = 1.5\n").train("m", "1"));
    assert_printed(
        "train-pages-whose-gold-is-not-on-them-are-left-out-where-asked-for",
        &message,
    );
}

/// A training that would go on for hours.
#[test]
#[cfg(unix)]
fn ctrl_c_leaves_no_model_and_says_so() {
    let job = Job::new("[training]\nmax_iterations = 1000000000\nepsilon = 0.0\nperiod = 0\nl2 = 1e-9\n");
    let mut command = gleaner();
    command
        .arg("train")
        .arg(job.path("job.toml"))
        .arg("--out")
        .arg(job.path("m.gcrf"));
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(
        lines.any(|line| line.starts_with("labels: iteration   10 ")),
        "it ended"
    );
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let last = lines.last().unwrap_or_default();
    assert_eq!(last, "error: interrupted: no model was written");
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(fs::read_dir(job.0.path()).unwrap().count(), 1);
}

/// What `gleaner model` prints, with these arguments.
fn model(arguments: &[&str], files: &[&Path]) -> String {
    let files = files.iter().map(|path| path.to_str().unwrap());
    let output = run(["model"]
        .into_iter()
        .chain(arguments.iter().copied())
        .chain(files));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_model_is_shown_in_words() {
    let text = model(&["show"], &[]);
    for part in [
        "model       default\n",
        "\nCard\n\n",
        "\nSettings\n\n",
        "\nColumns\n\nmodule ",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    for (name, value) in [
        ("page.unit", "\"line\""),
        ("page.alt", "false"),
        ("conventions.dragnet", "[\"blog\"]"),
    ] {
        let mut lines = text.lines().map(|line| line.split_once(' ').unwrap_or_default());
        assert!(
            lines.any(|(left, right)| left == name && right.trim() == value),
            "no {name} in:\n{text}"
        );
    }
    let shown: Value = serde_json::from_str(&model(&["show", "--json"], &[])).unwrap();
    let list = |name: &str| shown[name].as_array().unwrap().as_slice();
    assert_eq!(shown["name"], "default");
    assert_eq!(shown["settings"]["page.unit"], "\"line\"");
    let labels = list("labels").len();
    assert_eq!(list("transitions").len(), labels);
    let nonzero = |of: &str| {
        let rows = list(of).iter().flat_map(|row| row["weights"].as_array().unwrap());
        rows.filter(|weight| weight.as_f64() != Some(0.0)).count()
    };
    let transitions = list("transitions").iter().flat_map(|row| row.as_array().unwrap());
    let transitions = transitions.filter(|weight| weight.as_f64() != Some(0.0)).count();
    let all = ["label_weights", "kind_weights", "content_weights"].map(nonzero);
    assert_eq!(
        all.iter().sum::<usize>() + transitions,
        shown["nonzero"].as_u64().unwrap() as usize
    );
    let heading = list("label_weights").iter();
    let mut heading = heading.filter(|row| row["feature"] == "container.class-header");
    assert_eq!(
        heading.next().unwrap()["definition"],
        "an ancestor is `<h1>` to `<h6>`"
    );
}

#[test]
fn of_a_model_of_trees_what_they_ask_is_shown() {
    let job = Job::new("[training.trees]\ncount = 4\nleaves = 4\nshare = 1.0\n");
    let (_, said) = job.trained("trees.gcrf", "2");
    assert!(said.trim_end().ends_with("trees.gcrf: 20 trees"), "{said}");
    let shown: Value = serde_json::from_str(&model(&["show", "--json"], &[&job.path("trees.gcrf")])).unwrap();
    assert_eq!(shown["settings"]["label_trees.count"], "20");
    let questions = shown["label_questions"].as_object().unwrap().values();
    let all: u64 = questions.map(|count| count.as_u64().unwrap()).sum();
    assert!((1..=20 * 3).contains(&all), "{all}");
}

#[test]
fn the_job_for_own_pages_tells_headings_of_few() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let gold = sample().with_file_name("sample.gold.jsonl");
    let notes = folder.path().join("notes");
    let aligned = run([
        "align".as_ref(),
        gold.as_os_str(),
        "--annotations".as_ref(),
        notes.as_os_str(),
    ]);
    assert_eq!(aligned.status.code(), Some(0), "{}", said(&aligned));
    // Of sites that are known, pages of which are learned from: so few pages are of four sites.
    let hosts = r#"["haldenfrost.example", "www.marrowbaycourier.example", "www.lanterna-walks.example", "slowsalt.example"]"#;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/train-own.toml");
    let own = fs::read_to_string(own).unwrap();
    let job = folder.path().join("own.toml");
    fs::write(&job, format!("unknown_hosts = {hosts}\n{own}")).unwrap();
    let scored = run([
        "eval".as_ref(),
        notes.as_os_str(),
        "--cross-validate".as_ref(),
        job.as_os_str(),
        "--folds".as_ref(),
        "2".as_ref(),
        "--json".as_ref(),
    ]);
    assert_eq!(scored.status.code(), Some(0), "{}", said(&scored));
    let scores: Value = serde_json::from_slice(&scored.stdout).unwrap();
    let set = &scores["sets"][0];
    let recall = set["labels"]["header"]["recall"].as_f64().unwrap();
    assert!(recall > 0.9, "{recall}");
    let words = set["all"]["words"]["f1"].as_f64().unwrap();
    assert!(words > 0.9, "{words}");
}

#[test]
fn two_models_differ_in_what_they_were_trained_with() {
    let (loose, strict) = (Job::new(EARLY), Job::new(&EARLY.replace("0.01", "5.0")));
    loose.trained("a.gcrf", "2");
    strict.trained("b.gcrf", "2");
    let (a, b) = (loose.path("a.gcrf"), strict.path("b.gcrf"));
    let difference: Value = serde_json::from_str(&model(&["diff", "--json", "--"], &[&a, &b])).unwrap();
    assert_eq!(
        difference["settings"],
        serde_json::json!({"card.training.l2": {"a": "0.01", "b": "5.0"}})
    );
    assert_eq!(difference["columns"], serde_json::json!({}));

    let text = model(&["diff"], &[&a, &a]);
    assert_eq!(text.matches("no difference").count(), 2, "{text}");
    let text = model(&["diff"], &[&a]);
    assert!(text.contains("\nB  the built-in model: "), "{text}");
    assert!(text.contains("\nkinds "), "{text}");
}
