//! Plain texts: WET records, which have a labeller of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gleaner_testing::warc::record;
use tempfile::TempDir;

use crate::sample::{gold, lines_of, word_f1};
use crate::support::{Corpus, assert_printed, build, files, gleaner, refusal, rows, run, said, sample};

/// A WET file.
pub(crate) struct Wet {
    folder: TempDir,
}

impl Wet {
    fn of(texts: impl IntoIterator<Item = (String, String)>) -> Wet {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut file = Vec::new();
        for (url, text) in texts {
            let fields = format!(
                "WARC-Date: 2024-05-14T06:30:00Z\r\nWARC-Record-ID: <{url}>\r\nContent-Type: text/plain\r\n"
            );
            file.extend(record("conversion", &url, &fields, text));
        }
        fs::write(folder.path().join("a.warc.wet"), file).unwrap();
        Wet { folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("a.warc.wet")
    }
}

/// The pages of the bundled crawl, as their lines.
pub(crate) static TEXTS: LazyLock<Wet> =
    LazyLock::new(|| Wet::of(gold().into_iter().map(|(url, _)| (url.clone(), lines_of(&url)))));

static CORPUS: LazyLock<Corpus> = LazyLock::new(|| build(&[&TEXTS.path()], &[]));

fn model(name: &str) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    models.join(name).to_str().unwrap().to_owned()
}

fn mean_f1(text: impl Fn(&str) -> String) -> f64 {
    let gold = gold();
    let scores = gold.iter().map(|(url, gold)| word_f1(&text(url), gold));
    scores.sum::<f64>() / gold.len() as f64
}

#[test]
fn noise_is_dropped_without_a_tag_to_go_by() {
    let found = mean_f1(|url| CORPUS.text(url));
    let everything = mean_f1(lines_of);
    assert!(
        found > everything + 0.05,
        "{found:.3}, and {everything:.3} by keeping everything"
    );
}

#[test]
fn each_line_is_judged_by_itself() {
    let mixed = CORPUS.documents().into_values().filter(|document| {
        let number = |name: &str| document[name].parse::<u32>().unwrap();
        (1..number("block_count")).contains(&number("kept_blocks"))
    });
    assert!(mixed.count() > gold().len() / 2);
}

/// A small model of texts, and the folder that it is in.
pub(crate) static OTHER: LazyLock<(TempDir, String)> = LazyLock::new(|| {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let gold = sample().with_file_name("sample.gold.jsonl");
    let job = format!(
        "gold = [{gold:?}]\n[features.page]\nunit = \"text\"\n[training]\nlabels = [\"paragraph\", \"other\"]\n\
         max_iterations = 3\n"
    );
    let (path, out) = (folder.path().join("job.toml"), folder.path().join("other.gcrf"));
    fs::write(&path, job).unwrap();
    let output = run([
        "train".as_ref(),
        path.as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let out = out.to_str().unwrap().to_owned();
    (folder, out)
});

#[test]
fn another_model_of_texts_makes_another_corpus() {
    let pages = build(&[&sample()], &["--text-model", &OTHER.1]);
    let texts = build(&[&TEXTS.path()], &["--text-model", &OTHER.1]);
    let usual = build(&[&sample()], &[]);
    let texts_of = |corpus: &Corpus| -> Vec<String> {
        corpus
            .documents()
            .into_values()
            .map(|mut document| document.remove("text").unwrap())
            .collect()
    };
    assert_eq!(texts_of(&pages), texts_of(&usual), "pages have another labeller");
    assert_ne!(texts_of(&texts), texts_of(&CORPUS));

    let out = texts.path();
    let again = run([
        "build",
        TEXTS.path().to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(again.status.code(), Some(2));
    assert!(refusal(&again).contains("text-model"), "{}", said(&again));
}

#[test]
fn a_model_that_cannot_be_used_is_refused() {
    let output = run([
        "build",
        TEXTS.path().to_str().unwrap(),
        "--out",
        "nowhere",
        "--text-model",
        "README.md",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(refusal(&output).contains("README.md"), "{}", said(&output));
}

#[test]
fn a_model_of_pages_is_refused_for_texts() {
    let texts = TEXTS.path();
    let texts = texts.to_str().unwrap();
    let sentence = refusal(&run([
        "build",
        texts,
        "--out",
        "nowhere",
        "--text-model",
        "default",
    ]));
    assert_printed("texts-a-model-of-pages-is-refused-for-texts", &sentence);
    let victor = model("victor46.gcrf");
    let sentence = refusal(&run([
        "clean",
        "README.md",
        "--content-type",
        "text/plain",
        "--model",
        &victor,
    ]));
    assert_printed("texts-a-model-of-pages-is-refused-for-texts-2", &sentence);
}

/// The text of each page of the WET file, as `clean` prints it with these options, and what it says.
fn cleaned(options: &[&str]) -> (Vec<String>, String) {
    let output = gleaner()
        .arg("clean")
        .arg(TEXTS.path())
        .args(["-f", "json"])
        .args(options)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let text = |line: &str| {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        page["text"].as_str().unwrap().to_owned()
    };
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    (printed.lines().map(text).collect(), said(&output))
}

#[test]
fn a_model_of_texts_labels_texts_and_no_other_does() {
    let (usual, told) = cleaned(&[]);
    assert!(!told.contains("plain texts are labelled"), "{told}");
    for options in [["--model", "default"], ["--method", "density"]] {
        let (texts, told) = cleaned(&options);
        assert_eq!(texts, usual, "{options:?}");
        let note = "labels pages; plain texts are labelled by the model 'text'";
        assert_eq!(told.matches(note).count(), 1, "{told}");
    }
    let (others, told) = cleaned(&["--model", &OTHER.1]);
    assert_ne!(others, usual);
    assert!(!told.contains("plain texts are labelled"), "{told}");
}

#[test]
fn one_text_is_cleaned_as_it_is_in_a_build() {
    let (url, _) = &gold()[0];
    let file = TEXTS.folder.path().join("one.txt");
    fs::write(&file, lines_of(url)).unwrap();
    let alone = build(&[&TEXTS.path()], &["--no-templates"]);
    let cleaned = |options: &[&str]| {
        let output = gleaner()
            .arg("clean")
            .arg(&file)
            .args(["--url", url])
            .args(options)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = cleaned(&["--content-type", "text/plain; charset=utf-8"]);
    assert_eq!(text.trim_end(), alone.text(url).trim_end());
    assert_eq!(
        cleaned(&["--content-type", "text/plain", "--model", "text"]),
        text
    );
}

#[test]
fn texts_and_pages_of_a_site_make_one_corpus_whatever_the_workers() {
    let texts = Wet::of(
        gold()
            .into_iter()
            .map(|(url, _)| (format!("{url}?text"), lines_of(&url))),
    );
    let inputs = [sample(), texts.path()];
    let built = |workers| {
        build(
            &[&inputs[0], &inputs[1]],
            &["--workers", workers, "--posts", "--part-size", "64KiB"],
        )
    };
    let (one, three) = (built("1"), built("3"));
    for table in ["documents", "posts", "sites"] {
        let bytes = |corpus: &Corpus| -> Vec<Vec<u8>> {
            let files = files(&corpus.path().join(table)).into_iter();
            files.map(|file| fs::read(file).unwrap()).collect()
        };
        assert_eq!(bytes(&one), bytes(&three), "{table}");
    }
    let posts = rows(&one.path().join("posts"));
    assert!(!posts.is_empty());
    let texts: Vec<_> = one
        .documents()
        .into_iter()
        .filter(|(url, _)| url.ends_with("?text"))
        .collect();
    assert_eq!(texts.len(), gold().len());
    for (url, document) in texts {
        assert!(
            posts
                .iter()
                .all(|post| post["record_id"] != document["record_id"]),
            "{url}"
        );
    }
}
