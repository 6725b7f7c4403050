//! Exports of the bundled crawl and of made pages: what is selected, written, counted and refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use gleaner_testing::Random;
use gleaner_testing::process::wait_for;
use gleaner_testing::warc::Archive;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::answers::{assert_has, documented};
use crate::readers::python;
use crate::support::{Corpus, assert_printed, build, files, gleaner, refusal, run, said, sample};

/// The names of the built-in recipes.
const RECIPES: [&str; 7] = [
    "gopher",
    "c4",
    "fineweb",
    "fineweb2",
    "dclm-rules",
    "rights-respecting",
    "everything",
];

/// The bundled crawl in several chunks.
static SAMPLE: LazyLock<Corpus> = LazyLock::new(|| {
    build(
        &[&sample()],
        &["--chunk-size", "16", "--markdown", "--posts", "--repeats", "2"],
    )
});

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A recipe in a file.
fn recipe(folder: &TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("recipe.toml");
    fs::write(&path, text).unwrap();
    path
}

/// An export of a corpus, with these options.
fn export(corpus: &Path, recipe: &Path, options: &[&str]) -> Command {
    let mut command = gleaner();
    command
        .arg("export")
        .arg(corpus)
        .arg("--recipe")
        .arg(recipe)
        .args(options);
    command
}

#[track_caller]
fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    output
}

/// The funnel of an export, as JSON.
#[track_caller]
fn answer(command: &mut Command) -> Value {
    serde_json::from_slice(&done(command.arg("--json")).stdout).unwrap()
}

/// All files of a folder with their bytes.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let named = files(folder).into_iter().map(|path| {
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        (name, fs::read(&path).unwrap())
    });
    named.collect()
}

/// The objects in the lines of all files, in order.
fn objects(folder: &Path) -> Vec<Value> {
    let lines = contents(folder)
        .into_iter()
        .filter(|(name, _)| name.ends_with(".jsonl"));
    let values = lines.flat_map(|(_, bytes)| {
        let lines: Vec<Value> = serde_json::Deserializer::from_slice(&bytes)
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap();
        lines
    });
    values.collect()
}

fn texts_of(objects: &[Value], key: &str) -> Vec<String> {
    let text = |object: &Value| object[key].as_str().unwrap().to_owned();
    objects.iter().map(text).collect()
}

fn count(count: &Value) -> [u64; 2] {
    ["documents", "words"].map(|key| count[key].as_u64().unwrap_or_default())
}

/// What the steps of a funnel leave out, and what is written, is all that was read.
#[track_caller]
fn assert_adds_up(funnel: &Value) {
    let mut sums = count(&funnel["written"]);
    for step in funnel["steps"].as_array().unwrap() {
        let removed = count(&step["removed"]);
        let mut languages = [0, 0];
        for of_language in step["by_language"].as_object().unwrap().values() {
            let [documents, words] = count(of_language);
            languages = [languages[0] + documents, languages[1] + words];
        }
        assert_eq!(removed, languages, "{step}");
        let examples = step["examples"].as_array().unwrap().len() as u64;
        assert_eq!(examples, removed[0].min(10), "{step}");
        sums = [sums[0] + removed[0], sums[1] + removed[1]];
    }
    assert_eq!(sums, count(&funnel["read"]), "{funnel}");
}

#[test]
fn built_in_recipes_count_what_they_write() {
    for recipe in RECIPES {
        let folder = folder();
        let out = folder.path().join(recipe);
        let corpus = SAMPLE.path();
        let options = ["--format", "jsonl", "--out", out.to_str().unwrap()];
        let written = answer(&mut export(&corpus, Path::new(recipe), &options));
        // Beside a folder with the name of the recipe.
        let mut dry = export(&corpus, Path::new(recipe), &["--dry-run"]);
        let dry = answer(dry.current_dir(folder.path()));
        assert_has(&written, &documented("Pages as training data: `export`"));
        assert_eq!(dry["funnel"], written["funnel"], "{recipe}");
        assert_adds_up(&written["funnel"]);
        let objects = objects(&out);
        assert_eq!(
            objects.len() as u64,
            count(&written["funnel"]["written"])[0],
            "{recipe}"
        );
        let manifest: Value = serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
        assert_eq!(
            [&manifest["funnel"], &manifest["files"]],
            [&written["funnel"], &written["files"]]
        );
        for file in manifest["files"].as_array().unwrap() {
            let bytes = fs::read(out.join(file["name"].as_str().unwrap())).unwrap();
            assert_eq!(file["blake3"], blake3::hash(&bytes).to_string());
        }
        assert!(!out.join("export.json").exists());
    }
}

#[test]
fn the_summary_of_an_export() {
    let folder = folder();
    let out = folder.path().join("out");
    let options = ["--format", "jsonl", "--out", out.to_str().unwrap()];
    let output = done(&mut export(&SAMPLE.path(), Path::new("fineweb2"), &options));
    assert_printed("export-fineweb2", &String::from_utf8(output.stdout).unwrap());
}

/// A recipe that has all kinds of rules.
const ALL_RULES: &str = r#"
[[filter]]
column = "word_count"
min = { default = 5, deu = 8 }

[[filter]]
column = "duplicates.survivor"
not_in = [false]

[sample]
fraction = 0.9
seed = 3
most_per_language = { default = 9, eng = 12 }

[lines]
rules = "fineweb"
repeated_on_sites = 2
min_words = 3

[personal]
action = "mask"
kinds = ["email", "ip_address", "phone"]

[output]
columns = ["row_id", "language", "authors", "signals.languages", "signals.language_shares", "signals.words", "crawl_date", "published", "captures.changed", "text"]
"#;

#[test]
fn files_do_not_depend_on_the_workers() {
    for order in ["", "[shuffle]\nseed = 7\n"] {
        let folder = folder();
        let recipe = recipe(&folder, &format!("{ALL_RULES}{order}"));
        for format in [
            "jsonl",
            "jsonl.gz",
            "jsonl.zst",
            "parquet",
            "dolma.gz",
            "datatrove.zst",
        ] {
            let written = |workers: &str| {
                let out = folder.path().join(format!("{format}-{workers}"));
                let size = [
                    "--shard-size",
                    "3kB",
                    "--workers",
                    workers,
                    "--format",
                    format,
                    "--out",
                ];
                done(export(&SAMPLE.path(), &recipe, &size).arg(&out));
                contents(&out)
            };
            let one = written("1");
            assert!(one.len() > 3, "{format}: {:?}", one.keys());
            assert!(one == written("3"), "{format}");
        }
    }
}

#[test]
fn pages_are_shuffled_by_a_seed() {
    let folder = folder();
    let ids = |order: &str, name: &str| {
        let recipe = recipe(&folder, order);
        let out = folder.path().join(name);
        done(export(&SAMPLE.path(), &recipe, &["--format", "jsonl", "--out"]).arg(&out));
        texts_of(&objects(&out), "row_id")
    };
    let (plain, seven, eight) = (
        ids("", "plain"),
        ids("[shuffle]\nseed = 7\n", "seven"),
        ids("[shuffle]\nseed = 8\n", "eight"),
    );
    assert!(plain != seven && seven != eight);
    let sorted = |ids: Vec<String>| ids.into_iter().collect::<BTreeSet<_>>();
    let plain = sorted(plain);
    assert!(plain == sorted(seven) && plain == sorted(eight));
}

#[test]
fn markdown_and_text_are_folders_of_files() {
    let folder = folder();
    let ids: BTreeSet<String> = {
        let out = folder.path().join("lines");
        done(
            export(
                &SAMPLE.path(),
                Path::new("everything"),
                &["--format", "jsonl", "--out"],
            )
            .arg(&out),
        );
        texts_of(&objects(&out), "row_id").into_iter().collect()
    };
    for (format, end) in [("markdown", ".md"), ("text", ".txt")] {
        let out = folder.path().join(format);
        let size = ["--shard-size", "10kB", "--format", format, "--out"];
        let answer = answer(export(&SAMPLE.path(), Path::new("everything"), &size).arg(&out));
        let shards = answer["files"].as_array().unwrap();
        assert!(shards.len() > 1);
        let written = contents(&out);
        let names = written
            .keys()
            .filter_map(|name| name.strip_suffix(end)?.split('/').nth(1));
        assert!(names.map(str::to_owned).collect::<BTreeSet<_>>() == ids);
        for shard in shards {
            let folder = format!("{}/", shard["name"].as_str().unwrap());
            let own = written.iter().filter(|(name, _)| name.starts_with(&folder));
            let bytes: usize = own.map(|(_, bytes)| bytes.len()).sum();
            assert_eq!(shard["bytes"], bytes);
        }
    }
}

/// Made pages of two languages, some of them twice, with personal data in some.
fn archive(folder: &Path, pages: usize) -> PathBuf {
    let mut archive = Archive::new();
    for number in 0..pages {
        let mut random = Random::from_page(number % (pages - pages / 10));
        let paragraphs = (0..6).map(|_| format!("<p>The boat {} in the harbour.</p>", random.words(30)));
        let paragraphs = paragraphs.collect::<String>();
        let contact = match number % 3 {
            0 => "<p>Please write to anna@example.org about the old boat.</p>",
            _ => "",
        };
        let url = format!("https://site{}.example/page-{number}", number % 7);
        archive = archive.page(
            &url,
            format!("<html lang=en><title>Boats {number}</title><body><article>{paragraphs}{contact}</article></body></html>"),
        );
    }
    archive.write(folder, "made.warc.gz")
}

#[test]
fn personal_data_is_masked_dropped_or_kept() {
    let folder = folder();
    let corpus = build(&[&archive(folder.path(), 30)], &[]);
    let recipe = recipe(&folder, "[personal]\naction = 'mask'\nkinds = ['email']\n");
    let written = |options: &[&str], name: &str| {
        let out = folder.path().join(name);
        let mut command = export(&corpus.path(), &recipe, &["--format", "jsonl"]);
        let answer = answer(command.args(options).arg("--out").arg(&out));
        assert_adds_up(&answer["funnel"]);
        let texts = texts_of(&objects(&out), "text");
        let with = |words: &str| texts.iter().filter(|text| text.contains(words)).count();
        (texts.len(), with("anna@example.org"), with("<email>"), answer)
    };
    let (all, addresses, masks, answer) = written(&[], "mask");
    assert_eq!((all, addresses, masks), (30, 0, 10));
    assert_eq!(answer["funnel"]["masked"], json!({ "email": 10 }));
    let (all, addresses, masks, _) = written(&["--pii", "keep"], "keep");
    assert_eq!((all, addresses, masks), (30, 10, 0));
    let (all, addresses, masks, answer) = written(&["--pii", "drop"], "drop");
    assert_eq!((all, addresses, masks), (20, 0, 0));
    assert_eq!(answer["funnel"]["steps"][0]["name"], "no personal data");
}

/// Killed at some moments, an export ends in the same files.
#[test]
fn a_killed_export_continues() {
    let folder = folder();
    let corpus = build(&[&archive(folder.path(), 400)], &["--chunk-size", "64"]);
    for order in ["", "[shuffle]\nseed = 7\n"] {
        let recipe = recipe(&folder, &format!("[personal]\naction = 'mask'\n{order}"));
        let options = ["--shard-size", "5kB", "--format", "jsonl.gz", "--out"];
        let [whole, killed] =
            ["whole", "killed"].map(|name| folder.path().join(format!("{name}{}", order.len())));
        done(export(&corpus.path(), &recipe, &options).arg(&whole));
        let progress = killed.join("export.json");
        let shards = || {
            let read = fs::read(&progress).ok();
            let read = read.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            read.and_then(|progress| Some(progress["files"].as_array()?.len()))
                .unwrap_or(0)
        };
        for _ in 0..3 {
            let before = shards();
            let mut running = export(&corpus.path(), &recipe, &options)
                .arg(&killed)
                .spawn()
                .unwrap();
            wait_for("a shard", || {
                shards() > before + 2 || running.try_wait().unwrap().is_some()
            });
            running.kill().unwrap();
            running.wait().unwrap();
            assert!(shards() > before, "the export ended before it was killed");
        }
        let other = refusal(
            &export(&corpus.path(), &recipe, &["--out"])
                .arg(&killed)
                .output()
                .unwrap(),
        );
        assert!(
            other.contains("holds another export (--format: jsonl.gz there, jsonl.zst in this command"),
            "{other}"
        );
        done(export(&corpus.path(), &recipe, &options).arg(&killed));
        assert!(contents(&whole) == contents(&killed));
        let again = refusal(
            &export(&corpus.path(), &recipe, &options)
                .arg(&killed)
                .output()
                .unwrap(),
        );
        assert!(
            again.ends_with("holds this export already, complete: there is nothing to do"),
            "{again}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_export_says_how_to_continue() {
    let folder = folder();
    let corpus = build(&[&archive(folder.path(), 400)], &["--chunk-size", "64"]);
    let out = folder.path().join("out");
    let options = ["--shard-size", "2kB", "--out"];
    let mut command = export(&corpus.path(), Path::new("everything"), &options);
    let running = command.arg(&out).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("a shard", || out.join("00001.jsonl.zst").exists());
    let kill = Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let said = refusal(&running.wait_with_output().unwrap());
    assert_eq!(said, "interrupted: run the same command again to continue");
    assert!(out.join("export.json").exists() && !out.join("manifest.json").exists());
}

/// Runs a query in DuckDB, and compares its rows with those of an export.
const COMPARE: &str = r#"
import json, sys
try:
    import duckdb
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
duckdb.execute("set timezone = 'UTC'")
found = duckdb.execute(open(sys.argv[1]).read())
names = [column[0] for column in found.description]
rows = [dict(zip(names, row)) for row in found.fetchall()]
lines = [json.loads(line) for line in open(sys.argv[2])]
ids = lambda objects: [row["row_id"] for row in objects]
if sys.argv[3] != "ordered":
    rows, lines = (sorted(objects, key=lambda row: row["row_id"]) for objects in (rows, lines))
assert ids(rows) == ids(lines), (ids(rows), ids(lines))
assert not lines or names == list(lines[0]), names
for row, line in zip(rows, lines):
    for name in ["language", "word_count", "signals.words", "authors"]:
        assert row.get(name) == line.get(name), (name, row, line)
print(len(rows))
"#;

/// Compares a recipe's query with its export. Gives the number of rows; nothing where there is no DuckDB.
fn compared(corpus: &Path, recipe_text: &str, options: &[&str]) -> Option<u64> {
    let folder = folder();
    let recipe = recipe(&folder, recipe_text);
    let [query, out, lines] = ["query.sql", "out", "lines"].map(|name| folder.path().join(name));
    let sql = done(export(corpus, &recipe, options).arg("--sql")).stdout;
    fs::write(&query, sql).unwrap();
    done(
        export(corpus, &recipe, options)
            .args(["--format", "jsonl", "--out"])
            .arg(&out),
    );
    let all: Vec<u8> = contents(&out)
        .into_iter()
        .filter(|(name, _)| name.ends_with(".jsonl"))
        .flat_map(|(_, bytes)| bytes)
        .collect();
    fs::write(&lines, all).unwrap();
    let order = if recipe_text.contains("[shuffle]") {
        "ordered"
    } else {
        "any"
    };
    let output = Command::new(python())
        .args(["-c", COMPARE])
        .args([&query, &lines])
        .arg(order)
        .output()
        .ok()?;
    let said = said(&output);
    if said.starts_with("skipped:") {
        return None;
    }
    assert!(output.status.success(), "{recipe_text}\n{said}");
    String::from_utf8(output.stdout).unwrap().trim().parse().ok()
}

const QUERIES: &[&str] = &[
    "[[filter]]\ncolumn = 'language'\nin = ['eng', 'deu']",
    "[[filter]]\ncolumn = 'language'\nnot_in = ['eng']\n[output]\ncolumns = ['row_id', 'language', 'authors', 'signals.words', 'captures.is_latest']",
    "[[filter]]\ncolumn = 'language_probability'\nmin = { default = 0.9, deu = 0.99, por = 0.5 }\nmax = 0.98",
    "[[filter]]\ncolumn = 'published'\nmin = 2000-01-01\n[[filter]]\ncolumn = 'crawl_date'\nmax = 2030-01-01T00:00:00Z",
    "[[filter]]\ncolumn = 'declared_language'\nnot_in = ['en', \"it's\"]\n[[filter]]\ncolumn = 'title'\nis_null = false",
    "[[filter]]\ncolumn = 'signals.gopher'\nis_null = true\n[[filter]]\ncolumn = 'duplicates.survivor'\nnot_in = [false]",
    "[[filter]]\ncolumn = 'duplicates.cluster_size'\nmin = 2\n[[filter]]\ncolumn = 'captures.is_latest'\nin = [true]",
    "[[filter]]\ncolumn = 'duplicates.similarity'\nis_null = true\n[[filter]]\ncolumn = 'signals.mean_word_length'\nmax = { default = 5.5, eng = 5 }",
    "[[filter]]\nany_row = 'posts'\nwhere = [{ column = 'published', is_null = false }, { column = 'post', max = 3 }]",
    "[[filter]]\nno_row = 'posts'\nwhere = [{ column = 'posts.comments', min = 1 }]\n[shuffle]\nseed = 1",
    "[sample]\nfraction = 0.3",
    "[sample]\nfraction = 0.5\nseed = 11\n[shuffle]\nseed = 12",
    "[sample]\nmost_per_language = { default = 2, eng = 5, deu = 0 }",
    "[sample]\nfraction = 0.9\nseed = 5\nmost_per_language = 3\n[shuffle]\nseed = 4\n[output]\ncolumns = ['row_id', 'language', 'signals.words']",
    "[personal]\naction = 'drop'\nkinds = ['email', 'phone']",
    "[[filter]]\ncolumn = 'signals.languages'\nin = ['deu_Latn', 'por_Latn']",
    "[[filter]]\ncolumn = 'signals.languages'\nnot_in = ['eng_Latn']",
    "[[filter]]\ncolumn = 'signals.languages'\nis_null = false\n[[filter]]\ncolumn = 'signals.url_lists'\nis_null = true",
];

#[test]
fn queries_select_what_exports_write() {
    let corpus = SAMPLE.path();
    let mut rows = Vec::new();
    for recipe in QUERIES {
        match compared(&corpus, recipe, &[]) {
            Some(count) => rows.push(count),
            None => {
                return eprintln!("skipped: no python3 with duckdb; tests/servers/install.sh installs it");
            }
        }
    }
    let (some, all) = (rows.iter().filter(|rows| **rows > 0).count(), rows.len());
    assert!(some + 2 >= all, "{rows:?}");
}

#[test]
fn pages_with_texts_of_benchmarks_can_be_left_out() {
    let folder = folder();
    let benchmarks = folder.path().join("benchmarks");
    fs::create_dir(&benchmarks).unwrap();
    let passage = "Her brother, who worked in the harbour office, said that hardly anything came past the point any more; she said that he \
        never looked up from his papers. They agreed on another end of this story, which no page has.";
    fs::write(benchmarks.join("lighthouse.txt"), passage).unwrap();
    let corpus = build(&[&sample()], &["--benchmarks", benchmarks.to_str().unwrap()]);
    let filters = [
        ("no_row = 'contamination'", 36),
        ("any_row = 'contamination'", 1),
        (
            "no_row = 'contamination'\nwhere = [{ column = 'share', min = 0.9 }]",
            37,
        ),
        (
            "any_row = 'contamination'\nwhere = [{ column = 'task', in = ['lighthouse'] }, { column = 'words', min = 20 }]",
            1,
        ),
    ];
    for (filter, pages) in filters {
        let filter = format!("[[filter]]\n{filter}");
        let funnel = answer(&mut export(
            &corpus.path(),
            &recipe(&folder, &filter),
            &["--dry-run"],
        ));
        assert_eq!(count(&funnel["funnel"]["written"])[0], pages, "{filter}");
        match compared(&corpus.path(), &filter, &[]) {
            Some(rows) => assert_eq!(rows, pages, "{filter}"),
            None => eprintln!("skipped: no python3 with duckdb; tests/servers/install.sh installs it"),
        }
    }
    let none = export(
        &SAMPLE.path(),
        &recipe(&folder, "[[filter]]\nno_row = 'contamination'"),
        &["--dry-run"],
    );
    let none = refusal(&{ none }.output().unwrap());
    assert!(
        none.ends_with("has no table contamination, which the recipe needs: build it with --benchmarks"),
        "{none}"
    );
}

#[test]
fn queries_read_the_files_of_their_version() {
    let folder = folder();
    let corpus = build(&[&archive(folder.path(), 60)], &["--chunk-size", "16"]);
    let corpus = corpus.path();
    let remove = [
        "--site",
        "site3.example",
        "--keep-versions",
        "2",
        "--reason",
        "a test",
    ];
    done(gleaner().arg("remove").arg(&corpus).args(remove));
    let rows = |options: &[&str]| {
        let filter = "[[filter]]\ncolumn = 'signals.words'\nmin = 1\n[[filter]]\ncolumn = 'duplicates.survivor'\nnot_in = [false]\n";
        compared(&corpus, filter, options)
    };
    let versions = [
        rows(&[]),
        rows(&["--corpus-version", "2"]),
        rows(&["--corpus-version", "1"]),
    ];
    let [Some(current), Some(second), Some(first)] = versions else {
        return eprintln!("skipped: no python3 with duckdb; tests/servers/install.sh installs it");
    };
    assert!(current == second && current < first, "{versions:?}");
    let out = folder.path().join("out");
    let none = export(
        &corpus,
        Path::new("everything"),
        &["--corpus-version", "3", "--out"],
    )
    .arg(&out)
    .output();
    let said = refusal(&none.unwrap());
    assert!(
        said.starts_with("no files of version 3 in ") && said.ends_with(": there are those of 1, 2"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = folder();
    let corpus = SAMPLE.path();
    let out = folder.path().join("out");
    let said = |corpus: &Path, recipe: &str, options: &[&str]| {
        let mut command = export(corpus, Path::new(recipe), options);
        let said = refusal(&command.arg("--out").arg(&out).output().unwrap());
        assert!(!out.exists(), "{said}");
        said
    };
    let without = build(&[&sample()], &["--no-signals"]);
    let lacks = said(&without.path(), "gopher", &[]);
    assert!(
        lacks.contains("has no table signals, which the recipe needs: build it without --no-signals"),
        "{lacks}"
    );
    let lacks = said(&without.path(), "everything", &["--format", "markdown"]);
    assert!(
        lacks.ends_with("has no Markdown: build the corpus with --markdown, or use --format text"),
        "{lacks}"
    );
    let lines = said(&corpus, "c4", &["--format", "markdown"]);
    assert!(
        lines.ends_with("the format markdown writes no texts: use --format text"),
        "{lines}"
    );
    let nothing = said(folder.path(), "c4", &[]);
    assert!(nothing.contains("it has no gleaner.json"), "{nothing}");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let full = export(&corpus, Path::new("c4"), &["--out"])
        .arg(&out)
        .output()
        .unwrap();
    let full = refusal(&full);
    assert!(
        full.ends_with("holds other files, such as 'notes.txt': choose an empty folder"),
        "{full}"
    );
    assert_eq!(contents(&out).len(), 1);
    let format = export(&corpus, Path::new("c4"), &["--format", "json", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(
        self::said(&format).contains("unknown format: did you mean jsonl?"),
        "{}",
        self::said(&format)
    );
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn schema() -> (Schemas, SchemaIndex) {
    let printed: Value = serde_json::from_slice(&run(["export", "--schema"]).stdout).unwrap();
    let file = fs::read_to_string(repository("schemas/recipe.schema.json")).unwrap_or_default();
    assert!(
        serde_json::from_str(&file).is_ok_and(|file: Value| file == printed),
        "schemas/recipe.schema.json differs from the code: if the change is meant, run `cargo run -- export --schema > schemas/recipe.schema.json`"
    );
    let mut compiler = Compiler::new();
    let mut schemas = Schemas::new();
    compiler.add_resource("recipe.json", printed).unwrap();
    let index = compiler.compile("recipe.json", &mut schemas).unwrap();
    (schemas, index)
}

/// Dates are texts in the form of JSON that the schema is for.
fn with_dates(text: &str) -> String {
    text.replace("2000-01-01", "'d'")
        .replace("2030-01-01T00:00:00Z", "'t'")
}

#[test]
fn recipes_are_as_their_schema_says() {
    let (schemas, index) = schema();
    let check = |text: &str| {
        let recipe: toml::Table = toml::from_str(&with_dates(text)).unwrap();
        let recipe = serde_json::to_value(recipe).unwrap();
        schemas
            .validate(&recipe, index)
            .map_err(|error| error.to_string())
    };
    for name in RECIPES {
        let text = fs::read_to_string(repository(&format!("jobs/recipes/{name}.toml"))).unwrap();
        assert!(
            text.starts_with("#:schema ../../schemas/recipe.schema.json\n"),
            "{name}"
        );
        assert_eq!(check(&text), Ok(()), "{name}");
    }
    let there = fs::read_dir(repository("jobs/recipes")).unwrap();
    assert_eq!(there.count(), RECIPES.len(), "all recipes are built in");
    for text in QUERIES.iter().chain([&ALL_RULES]) {
        assert_eq!(check(text), Ok(()), "{text}");
    }
    for wrong in [
        "[[filter]]\ncolumn = 'signals.gofer'\nis_null = true",
        "[[filter]]\nis_null = true",
        "[[filter]]\ncolumn = 'language'\nin = []",
        "[sample]\nfraction = 2",
        "[lines]\nrules = 'c5'",
        "[personal]\nkinds = ['email']",
        "shuffle = true",
    ] {
        assert!(check(wrong).is_err(), "{wrong}");
        let folder = folder();
        let refused = export(&SAMPLE.path(), &recipe(&folder, wrong), &["--dry-run"])
            .output()
            .unwrap();
        refusal(&refused);
    }
}
