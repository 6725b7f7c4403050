//! Training from a job file, on the bundled crawl.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{gleaner, refusal, run, said, sample};

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
    let shown = |path: PathBuf| model(&["show"], &[&path]);
    assert!(shown(job.path("one.gcrf")).contains("confidence"));
    let raw = Job::new(settings);
    raw.trained("raw.gcrf", "1");
    assert!(!shown(raw.path("raw.gcrf")).contains("confidence"));
    let message = refusal(&Job::new("[confidence]\nfolds = 1\n").train("m", "1"));
    assert!(
        message.ends_with("confidence.folds must be 0, or 2 or more, not 1"),
        "{message}"
    );
}

#[test]
fn a_share_that_holds_nothing_out_is_refused() {
    let message = refusal(&Job::new("[dev]\nshare = 1.5\n").train("m", "1"));
    assert!(
        message.ends_with("job.toml has an error: dev.share must be from 0 to 0.9, not 1.5"),
        "{message}"
    );
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
    assert!(
        message.ends_with("job.toml has an error: least_found must be from 0 to 1, not 1.5"),
        "{message}"
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
    let text = model(&["show", "--top", "3"], &[]);
    for part in [
        "\nlabels      header, paragraph, ",
        "\nunit        line: a block is a line of the page as it is shown\n",
        "\npage        alt = false\n",
        "\nTransitions",
        "\nconventions cleaneval (mixed); dragnet (blog); wcxb (article, ",
        "\nFor header\n",
        "\nAgainst other\n",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    let heading = text
        .lines()
        .find(|line| line.contains("container.class-header  yes"))
        .unwrap();
    assert!(
        heading.starts_with('+') && heading.ends_with("an ancestor is `<h1>` to `<h6>`"),
        "{heading}"
    );

    let shown: Value = serde_json::from_str(&model(&["show", "--json", "--top", "5"], &[])).unwrap();
    assert_eq!(shown["name"], "default");
    assert_eq!(
        (&shown["page"]["unit"], &shown["page"]["alt"]),
        (&"line".into(), &false.into())
    );
    let labels = shown["labels"].as_array().unwrap().len();
    assert_eq!(shown["transitions"].as_array().unwrap().len(), labels);
    let shares = shown["modules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|module| module["share"].as_f64().unwrap());
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9);
    for label in shown["strongest"].as_array().unwrap() {
        let weights = |side: &str| -> Vec<f64> {
            label[side]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["weight"].as_f64().unwrap())
                .collect()
        };
        assert!(weights("for_it").is_sorted_by(|a, b| a >= b && *b > 0.0));
        assert!(weights("against_it").is_sorted_by(|a, b| a <= b && *b < 0.0));
        assert_eq!(weights("for_it").len(), 5);
    }
}

#[test]
fn of_a_model_of_trees_what_they_ask_is_shown() {
    let job = Job::new("[training.trees]\ncount = 4\nleaves = 4\nshare = 1.0\n");
    let (_, said) = job.trained("trees.gcrf", "2");
    assert!(said.trim_end().ends_with("trees.gcrf: 20 trees"), "{said}");
    let file = job.path("trees.gcrf");
    let text = model(&["show"], &[&file]);
    assert!(
        text.contains("\ntrees       20 of 4 leaves, 1 of the mean with the weights of labels\n"),
        "{text}"
    );
    assert!(
        text.contains("\nTrees of labels: most frequent questions\n"),
        "{text}"
    );
    for of_weights in ["\nTransitions", "\nFor ", "\nAgainst "] {
        assert!(!text.contains(of_weights), "{text}");
    }
    let shown: Value = serde_json::from_str(&model(&["show", "--json"], &[&file])).unwrap();
    let questions = shown["modules"].as_array().unwrap().iter();
    let questions = questions.map(|module| module["questions"].as_u64().unwrap());
    let all = questions.sum::<u64>();
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
fn all_weights_of_a_feature_are_shown_value_by_value() {
    let text = model(&["show", "--feature", "split.hr"], &[]);
    let values: Vec<&str> = text
        .lines()
        .skip(4)
        .map(|line| line.split("  ").next().unwrap())
        .collect();
    assert!(
        text.starts_with("\nsplit.hr: `<hr>` and `</hr>`") || text.starts_with("\nsplit.hr: `<hr>`"),
        "{text}"
    );
    assert_eq!(values, ["below 1", "1 to 2", "from 2"], "{text}");
    let unknown = refusal(&run(["model", "show", "--feature", "tarot"]));
    assert_eq!(
        unknown,
        "the built-in model: no column that has weights begins with \"tarot\""
    );
}

#[test]
fn two_models_differ_in_what_they_were_trained_with() {
    let (loose, strict) = (Job::new(EARLY), Job::new(&EARLY.replace("0.01", "5.0")));
    loose.trained("a.gcrf", "2");
    strict.trained("b.gcrf", "2");
    let gold = sample().with_file_name("sample.gold.jsonl");
    let (a, b) = (loose.path("a.gcrf"), strict.path("b.gcrf"));
    let arguments = [
        "diff",
        "--json",
        "--top",
        "4",
        "--gold",
        gold.to_str().unwrap(),
        "--",
    ];
    let difference: Value = serde_json::from_str(&model(&arguments, &[&a, &b])).unwrap();
    assert_eq!(
        difference["settings"],
        serde_json::json!([{"name": "card.training.l2", "a": "0.01", "b": "5.0"}])
    );
    assert_eq!(difference["columns"], serde_json::json!([]));
    let changes = difference["changes"].as_array().unwrap();
    let change = |row: &Value| (row["b"].as_f64().unwrap() - row["a"].as_f64().unwrap()).abs();
    assert_eq!(changes.len(), 4);
    assert!(changes.iter().map(change).is_sorted_by(|a, b| a >= b && *b > 0.0));
    assert!(difference["pages"]["count"].as_u64().unwrap() > 10);
    assert!(difference["pages"]["mean"][0].as_f64().unwrap() > 0.5);

    let text = model(&["diff"], &[&a, &a]);
    assert_eq!(text.matches("no difference").count(), 3, "{text}");
    let text = model(&["diff"], &[&a]);
    assert!(text.contains("\nB  the built-in model: "), "{text}");
    assert!(text.contains("\nContent on pages of the kind forum\n"), "{text}");
}

#[test]
fn two_models_differ_in_what_they_take_for_content() {
    let job = |l2: &str| Job::new(&format!("{EARLY}\n[content]\nl2 = {l2}\n"));
    let (loose, strict) = (job("0.01"), job("50.0"));
    loose.trained("a.gcrf", "2");
    strict.trained("b.gcrf", "2");
    let (a, b) = (loose.path("a.gcrf"), strict.path("b.gcrf"));
    let arguments = ["diff", "--json", "--top", "8", "--"];
    let difference: Value = serde_json::from_str(&model(&arguments, &[&a, &b])).unwrap();
    assert_eq!(
        difference["changes"],
        serde_json::json!([]),
        "the labels are told alike"
    );
    let [kind] = difference["content_changes"].as_array().unwrap().as_slice() else {
        panic!("not one kind: {difference}")
    };
    assert_eq!(kind["kind"], "sample");
    assert!(kind["count"].as_u64().unwrap() > 2 && kind["mean"].as_f64().unwrap() > 0.0);
    assert_eq!(kind["most"].as_array().unwrap().len(), 2);
    let size = |change: &Value, of: &str| change[of].as_f64().unwrap().abs();
    for change in kind["most"].as_array().unwrap() {
        assert!(
            size(change, "a") > size(change, "b"),
            "a stricter training has smaller weights: {change}"
        );
    }
    let text = model(&["diff"], &[&a, &b]);
    assert!(text.contains("\nContent on pages of the kind sample\n"), "{text}");
}
