//! `gleaner features`, and trees of what it measures: trained, scored and applied.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use gleaner_testing::warc::response;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{assert_printed, gleaner, refusal, rows, run, said, sample};

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn gold() -> PathBuf {
    sample().with_file_name("sample.gold.jsonl")
}

/// What a command prints that ends well.
fn printed(arguments: &[&Path]) -> String {
    let output = gleaner().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn paths<'a>(arguments: &[&'a str]) -> Vec<&'a Path> {
    arguments.iter().copied().map(Path::new).collect()
}

/// A tree of the bundled crawl in a folder.
fn tree(folder: &TempDir, options: &[&str]) -> (PathBuf, String) {
    let (gold, out) = (gold(), folder.path().join("tree.toml"));
    let mut arguments = paths(&["train", "--tree"]);
    arguments.extend([gold.as_path(), Path::new("--out"), &out]);
    arguments.extend(paths(options));
    let text = printed(&arguments);
    (out, text)
}

#[test]
fn columns_are_the_same_in_both_formats() {
    let folder = folder();
    let (gold, out) = (gold(), folder.path().join("t.parquet"));
    let mut arguments = paths(&["features", "--set", "hidden-web"]);
    arguments.push(&gold);
    let arff = printed(&arguments);
    let (head, rows) = arff.split_once("@data\n").unwrap();
    assert!(head.contains("@attribute class {content,noise}\n"), "{head}");
    arguments.extend([
        Path::new("--format"),
        Path::new("parquet"),
        Path::new("--out"),
        &out,
    ]);
    printed(&arguments);
    let reader = SerializedFileReader::new(File::open(&out).unwrap()).unwrap();
    assert_eq!(
        reader.metadata().file_metadata().num_rows(),
        rows.lines().count() as i64
    );
    let noise = |row: &parquet::record::Row| row.to_string().contains("noise: true");
    let noisy = reader
        .get_row_iter(None)
        .unwrap()
        .filter(|row| noise(row.as_ref().unwrap()));
    assert_eq!(
        noisy.count(),
        rows.lines().filter(|row| row.ends_with("noise")).count()
    );
}

#[test]
fn pages_without_gold_have_no_class() {
    let mut arguments = paths(&["features", "--set", "hidden-web"]);
    let sample = sample();
    arguments.push(&sample);
    let arff = printed(&arguments);
    let (_, rows) = arff.split_once("@data\n").unwrap();
    assert!(rows.lines().count() > 100 && rows.lines().all(|row| row.ends_with(",?")));
}

#[test]
fn a_trained_tree_is_printed_scored_and_applied() {
    let folder = folder();
    let (tree, text) = tree(&folder, &[]);
    assert!(
        text.contains("composite_density") && text.contains("weighted"),
        "{text}"
    );
    let mut arguments = paths(&["eval", "--method", "tree", "--measure", "lcs", "--model"]);
    let gold = gold();
    arguments.extend([tree.as_path(), &gold]);
    let scores = printed(&arguments);
    assert!(
        scores.contains("sample") && scores.contains("LCS P 0."),
        "{scores}"
    );
    let page = folder.path().join("page.html");
    let line = "A sentence of a good length that tells something, and then tells a little more of it. ";
    let menu = "<li><a href=a>One</a><li><a href=b>Two</a><li><a href=c>Three</a>".repeat(4);
    let html = format!("<ul>{menu}</ul><div>{}</div>", format!("<p>{line}</p>").repeat(8));
    fs::write(&page, html).unwrap();
    let mut arguments = paths(&["clean", "--method", "tree", "--model"]);
    arguments.extend([tree.as_path(), &page]);
    let kept = printed(&arguments);
    assert!(
        kept.contains("tells something") && !kept.contains("Three"),
        "{kept}"
    );
}

#[test]
fn a_tree_without_the_query_asks_for_none_of_its_columns() {
    let folder = folder();
    let (tree, _) = tree(&folder, &["--no-query"]);
    let text = fs::read_to_string(tree).unwrap();
    assert!(
        text.contains("density_sum") && !text.contains("query_score"),
        "{text}"
    );
}

#[test]
fn terms_that_a_tree_does_not_look_for_are_refused() {
    let folder = folder();
    let (tree, _) = tree(&folder, &["--no-query"]);
    let gold = gold();
    for command in ["clean", "eval"] {
        let output = gleaner()
            .args([command, "--method", "tree", "--query", "terms.txt", "--model"])
            .args([&tree, &gold])
            .output();
        let sentence = refusal(&output.unwrap());
        assert!(
            sentence.starts_with("--query has no effect: the tree "),
            "{sentence}"
        );
    }
}

#[test]
fn pruning_and_the_size_of_leaves_are_chosen() {
    let report = |options: &[&str]| -> Value {
        let folder = folder();
        let (_, text) = tree(&folder, &[options, &["--json"]].concat());
        serde_json::from_str(&text).unwrap()
    };
    let nodes = |options: &[&str]| report(options)["nodes"].as_u64().unwrap();
    let default = nodes(&[]);
    assert_eq!(nodes(&["--confidence", "0.25", "--min-leaf", "2"]), default);
    assert!(nodes(&["--min-leaf", "60"]) < default);
    assert!(nodes(&["--confidence", "0.000001"]) <= default);
    let (strict, free) = (
        nodes(&["--confidence", "0.01"]),
        nodes(&["--confidence", "0.5", "--min-leaf", "1"]),
    );
    assert!(strict < free, "{strict} {free}");
    for (option, value) in [
        ("--confidence", "0"),
        ("--confidence", "0.6"),
        ("--confidence", "nan"),
        ("--min-leaf", "0"),
    ] {
        let output = run(["train", "--tree", "a.arff", option, value]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(option), "{}", said(&output));
    }
}

#[test]
fn the_confusion_matrix_adds_up() {
    let of = |report: &Value| {
        let rows = report["rows"].as_u64().unwrap();
        let matrix: Vec<Vec<u64>> = serde_json::from_value(report["confusion"].clone()).unwrap();
        assert_eq!(matrix.iter().flatten().sum::<u64>(), rows);
        for (class, counts) in report["classes"].as_array().unwrap().iter().zip(&matrix) {
            assert_eq!(class["rows"].as_u64().unwrap(), counts.iter().sum::<u64>());
        }
        let right = (matrix[0][0] + matrix[1][1]) as f64 / rows as f64;
        assert!((report["accuracy"].as_f64().unwrap() - right).abs() < 1e-12);
        (rows, matrix)
    };
    let folder = folder();
    let (tree, json) = tree(&folder, &["--json"]);
    let trained: Value = serde_json::from_str(&json).unwrap();
    let (rows, _) = of(&trained);
    assert_eq!(trained["tested_on"].as_u64(), Some(rows));

    // On pages, an element is a row of the table.
    let gold = gold();
    let mut arguments = paths(&["eval", "--method", "tree", "--model"]);
    arguments.extend([tree.as_path(), &gold]);
    let text = printed(&arguments);
    arguments.push(Path::new("--json"));
    let (all, matrix) = of(&serde_json::from_str::<Value>(&printed(&arguments)).unwrap()["elements"]);
    let arff = printed(&[
        Path::new("features"),
        Path::new("--set"),
        Path::new("hidden-web"),
        &gold,
    ]);
    let classes: Vec<&str> = arff.split("@data\n").nth(1).unwrap().lines().collect();
    let of_class = |name: &str| classes.iter().filter(|row| row.ends_with(name)).count() as u64;
    assert_eq!(all, classes.len() as u64);
    assert_eq!(matrix[0].iter().sum::<u64>(), of_class(",content"));
    assert_eq!(matrix[1].iter().sum::<u64>(), of_class(",noise"));
    let line = format!("{} | b = noise", matrix[1][1]);
    assert!(
        text.contains("<-- classified as\n") && text.contains(&line),
        "{text}"
    );
}

#[test]
fn pages_of_a_host_share_its_forms_whatever_its_domain() {
    let form = "<form action=/s><label>Colour <input name=c value=crimson></label></form><p>The ferry sails again</p>";
    let found = "<ul><li>Colour crimson<li>Colour blue</ul><p>The tower opens</p>";
    let evidence = |hosts: [&str; 2]| {
        let folder = folder();
        let file = folder.path().join("two.warc");
        let record = |host: &str, page: &str| {
            let length = page.len();
            let fields = format!("WARC-Record-ID: <urn:x:{length}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n");
            response(
                &format!("https://{host}/{length}"),
                &fields,
                format!("<title>A</title>{page}"),
            )
        };
        fs::write(&file, [record(hosts[0], form), record(hosts[1], found)].concat()).unwrap();
        let arff = printed(&[
            Path::new("features"),
            Path::new("--set"),
            Path::new("hidden-web"),
            &file,
        ]);
        arff.split("@data\n").nth(1).unwrap().to_owned()
    };
    let shared = evidence(["boats.test", "boats.test"]);
    assert_eq!(evidence(["boats.example", "boats.example"]), shared);
    assert_ne!(evidence(["boats.example", "tower.example"]), shared);
}

/// Pages with forms and without, with their addresses.
const PAGES: [(&str, &str); 4] = [
    (
        "https://boats.test/",
        "<title>Search</title><form action=/s><label>Colour <input name=c value=crimson></label></form>\
         <ul><li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a></ul>\
         <div><p>Crimson boats sail twice a day, and nobody who has seen them from the quay forgets it.</p></div>",
    ),
    (
        "https://boats.test/found?q=harbour+crimson",
        "<title>Found</title><ul><li>Colour crimson, harbour Quillmere, and a long line about the boat and its crew</li>\
         <li>Colour blue, harbour Tarn Head, and a long line about the boat and its crew</li></ul><p><a href=/x>Next</a></p>",
    ),
    (
        "https://tower.test/a",
        "<title>Tower</title><div class=menu><a href=/>Home</a> <a href=/n>News</a></div><h1>The tower opens</h1>\
         <p>The tower is open again after nine days of storm, said the mayor, and the shops have bread.</p><pre>a  b\n c</pre>",
    ),
    ("https://empty.test/", "<title>Empty</title>"),
];

/// What a build makes of these pages with some options, by address.
fn built(folder: &TempDir, options: &[&str]) -> Vec<std::collections::BTreeMap<String, String>> {
    let record = |(at, (url, page)): (usize, &(&str, &str))| {
        let fields = format!("WARC-Record-ID: <urn:x:{at}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n");
        response(url, &fields, page)
    };
    let crawl = folder.path().join("crawl.warc");
    let records: Vec<u8> = PAGES.iter().enumerate().flat_map(record).collect();
    fs::write(&crawl, records).unwrap();
    let out = folder.path().join("corpus");
    let mut arguments = vec![
        Path::new("build"),
        &crawl,
        Path::new("--force"),
        Path::new("--out"),
        &out,
    ];
    arguments.extend(options.iter().map(Path::new));
    printed(&arguments);
    let rows = rows(&out.join("documents"));
    assert_eq!(rows.len(), PAGES.len());
    rows
}

#[test]
fn a_build_by_a_method_keeps_what_clean_keeps() {
    let folder = folder();
    // A tree that uses the terms alone.
    let (arff, tree) = (folder.path().join("t.arff"), folder.path().join("t.toml"));
    let rows = "2,content\n1,content\n0,noise\n0,noise\n".repeat(5);
    let head = "@relation r\n@attribute query_score numeric\n@attribute class {content,noise}\n@data\n";
    fs::write(&arff, head.to_owned() + &rows).unwrap();
    printed(&[
        Path::new("train"),
        Path::new("--tree"),
        &arff,
        Path::new("--out"),
        &tree,
    ]);
    let terms = folder.path().join("terms.txt");
    fs::write(&terms, "harbour\n").unwrap();
    let (tree, terms) = (tree.to_str().unwrap(), terms.to_str().unwrap());
    let mut kept = Vec::new();
    for options in [
        &["--method", "density"][..],
        &["--method", "tree", "--model", tree],
        &["--method", "tree", "--model", tree, "--query", terms],
        &["--method", "tree", "--model", tree, "--no-query"],
    ] {
        for row in built(&folder, options) {
            let (url, html) = PAGES.iter().find(|(url, _)| *url == row["url"]).unwrap();
            let page = folder.path().join("page.html");
            fs::write(&page, html).unwrap();
            let mut arguments = paths(&["clean", "--url", url]);
            arguments.extend(options.iter().map(Path::new));
            arguments.push(&page);
            assert_eq!(
                row["text"].trim_end(),
                printed(&arguments).trim_end(),
                "{options:?} {url}"
            );
            kept.push((*url, row["text"].clone()));
        }
    }
    // The terms of the address and of the page's form are looked for; or none.
    let of = |method: usize, page: usize| {
        let texts = &kept[PAGES.len() * method..];
        let found = texts.iter().find(|(url, _)| *url == PAGES[page].0);
        found.map(|(_, text)| text.as_str()).unwrap()
    };
    assert!(
        of(1, 0).contains("Crimson boats sail") && !of(1, 0).contains("Three"),
        "{kept:#?}"
    );
    assert!(of(1, 1).contains("Quillmere"), "{kept:#?}");
    assert_eq!((of(3, 0), of(3, 1)), ("", ""));
}

#[test]
fn a_corpus_by_another_method_is_another_corpus() {
    let folder = folder();
    built(&folder, &["--method", "density"]);
    let marker = fs::read_to_string(folder.path().join("corpus/gleaner.json")).unwrap();
    assert!(marker.contains("\"model\": \"density\""), "{marker}");
    let (crawl, out) = (folder.path().join("crawl.warc"), folder.path().join("corpus"));
    let again = |options: &[&str]| {
        let mut command = gleaner();
        command
            .arg("build")
            .arg(&crawl)
            .arg("--out")
            .arg(&out)
            .args(options);
        command.output().unwrap()
    };
    let same = again(&["--method", "density"]);
    assert!(said(&same).contains("nothing to do"), "{}", said(&same));
    refusal(&again(&["--no-templates"]));
    let job = folder.path().join("job.toml");
    fs::write(&job, "method = \"density\"\nmodel = \"nosuch\"\n").unwrap();
    let output = gleaner()
        .arg("run")
        .arg(&job)
        .arg(&crawl)
        .arg("--out")
        .arg(&out)
        .output();
    let sentence = refusal(&output.unwrap());
    assert!(
        sentence.contains("job.toml: `model` has no effect with --method density, "),
        "{sentence}"
    );
}

#[test]
fn a_tree_of_a_table_is_that_of_the_pages() {
    let folder = folder();
    let (of_pages, _) = tree(&folder, &[]);
    let arff = folder.path().join("t.arff");
    let mut arguments = paths(&["features", "--set", "hidden-web", "--out"]);
    let gold = gold();
    arguments.extend([arff.as_path(), &gold]);
    printed(&arguments);
    let out = folder.path().join("other.toml");
    let mut arguments = paths(&["train", "--tree"]);
    arguments.extend([arff.as_path(), Path::new("--out"), &out]);
    printed(&arguments);
    // A table does not say which pages its rows are of.
    let of_pages = fs::read_to_string(of_pages).unwrap();
    let (tree, notes) = of_pages.split_once("\n[notes]\n").unwrap();
    assert!(notes.starts_with("training_pages = \""), "{notes}");
    assert_eq!(fs::read_to_string(out).unwrap(), tree);
}

#[test]
fn a_tree_knows_its_training_pages() {
    let folder = folder();
    let (tree, _) = tree(&folder, &[]);
    let (gold, page) = (gold(), folder.path().join("other"));
    fs::create_dir(&page).unwrap();
    fs::write(
        page.join("1.html"),
        "<p>A page of its own, with a sentence on it.</p>",
    )
    .unwrap();
    fs::write(page.join("1.txt"), "<p>A page of its own, with a sentence on it.").unwrap();
    let scores = |inputs: &[&Path]| {
        let mut arguments = paths(&["eval", "--method", "tree", "--model"]);
        arguments.push(&tree);
        arguments.extend(inputs);
        let text = printed(&arguments);
        arguments.push(Path::new("--json"));
        let json: Value = serde_json::from_str(&printed(&arguments)).unwrap();
        (text, json)
    };
    let (text, json) = scores(&[&gold, &page]);
    let pages = json["pages"].as_array().unwrap().len();
    assert_eq!(json["training_pages"], pages - 1);
    let line = format!(
        "\ntraining pages: {} of the {pages} pages: the tree was trained on them",
        pages - 1
    );
    assert!(text.contains(&line), "{text}");
    assert!(scores(&[&page]).0.contains("training pages: none of the 1 pages"));

    let saved = fs::read_to_string(&tree).unwrap();
    fs::write(&tree, saved.split("\n[notes]").next().unwrap()).unwrap();
    let (text, json) = scores(&[&gold]);
    assert!(
        text.contains("\ntraining pages: not recorded in this tree") && json["training_pages"].is_null(),
        "{text}"
    );
    fs::write(
        &tree,
        saved.replace("training_pages = \"", "training_pages = \"x"),
    )
    .unwrap();
    let output = gleaner()
        .args(["eval", "--method", "tree", "--model"])
        .args([&tree, &gold])
        .output();
    let sentence = refusal(&output.unwrap());
    assert_printed("result-pages-a-tree-knows-its-training-pages", &sentence);
}

#[test]
fn a_tree_and_a_model_are_told_apart() {
    let folder = folder();
    let (tree, _) = tree(&folder, &[]);
    let model = folder.path().join("model.gcrf");
    fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/crates/document/models/text.gcrf"),
        &model,
    )
    .unwrap();
    let gold = gold();
    let said =
        |command: &[&str], inputs: &[&Path]| refusal(&gleaner().args(command).args(inputs).output().unwrap());
    for sentence in [
        said(&["model", "show"], &[&tree]),
        said(&["eval", "--model"], &[&tree, &gold]),
        said(&["clean", "--model"], &[&tree, &gold]),
    ] {
        assert!(
            sentence.contains("tree.toml is a saved tree, not a model: ")
                && sentence.contains("--method tree --model "),
            "{sentence}"
        );
    }
    for command in ["clean", "eval"] {
        let sentence = said(&[command, "--method", "tree", "--model"], &[&model, &gold]);
        assert!(
            sentence.contains("model.gcrf is a model, not a tree: leave --method tree out"),
            "{sentence}"
        );
    }
    fs::write(&model, b"\xff\xfe").unwrap();
    let sentence = said(&["clean", "--method", "tree", "--model"], &[&model, &gold]);
    assert!(sentence.contains("model.gcrf is not a saved tree"), "{sentence}");
}

#[test]
fn terms_of_a_file_or_a_folder_are_looked_for() {
    let folder = folder();
    let page = folder.path().join("page.html");
    fs::write(&page, "<body><p>Quinces are in season</p><p>Nothing</p></body>").unwrap();
    let scores = |query: &Path| {
        let mut arguments = paths(&["features", "--set", "hidden-web", "--query"]);
        arguments.extend([query, &page]);
        let arff = printed(&arguments);
        let (_, rows) = arff.split_once("@data\n").unwrap();
        let score = |row: &str| row.split(',').nth(2).unwrap().to_owned();
        rows.lines().map(score).collect::<Vec<_>>()
    };
    let terms = folder.path().join("terms.txt");
    fs::write(&terms, "Kind of fruit\nquinces\n").unwrap();
    assert_eq!(scores(&terms), ["1", "0"]);
    let sites = folder.path().join("sites");
    fs::create_dir(&sites).unwrap();
    fs::write(sites.join("other.example.txt"), "quinces\n").unwrap();
    assert_eq!(scores(&sites), ["0", "0"]);
}

#[test]
fn terms_of_a_folder_are_those_of_the_host() {
    let matches = |host: &str| {
        let folder = folder();
        fs::write(folder.path().join(format!("{host}.txt")), "the\n").unwrap();
        let mut arguments = paths(&["features", "--set", "hidden-web", "--query"]);
        let sample = sample();
        arguments.extend([folder.path(), &sample]);
        let arff = printed(&arguments);
        let (_, rows) = arff.split_once("@data\n").unwrap();
        let of = |row: &str| row.split(',').nth(3).unwrap().parse::<u32>().unwrap();
        rows.lines().map(of).sum::<u32>()
    };
    assert!(matches("haldenfrost.example") > matches("nowhere.example") + 20);
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let folder = folder();
    let missing = refusal(&run(["clean", "--method", "tree", "x.html"]));
    assert_printed("result-pages-what-cannot-be-done-is-said-in-a-sentence", &missing);
    let arff = folder.path().join("bad.arff");
    fs::write(&arff, "@relation r\n@attribute n numeric\n@data\nx\n").unwrap();
    let mut command = gleaner();
    let output = command.args(["train", "--tree"]).arg(&arff).output().unwrap();
    let sentence = refusal(&output);
    assert_printed(
        "result-pages-what-cannot-be-done-is-said-in-a-sentence-2",
        &sentence,
    );
    let other = folder.path().join("other.toml");
    fs::write(&other, "form = 'x'").unwrap();
    let mut command = gleaner();
    let output = command
        .args(["clean", "--method", "tree", "x.html", "--model"])
        .arg(&other)
        .output();
    assert!(refusal(&output.unwrap()).contains("not a saved tree"));
}

#[test]
fn trees_are_cross_validated_without_a_model() {
    let gold = gold();
    let mut arguments = paths(&["eval", "--method", "tree", "--folds", "3", "--json"]);
    arguments.push(&gold);
    let results: serde_json::Value = serde_json::from_str(&printed(&arguments)).unwrap();
    assert_eq!(results["scored"], "decision trees, 3-fold cross-validation");
    let pages = results["pages"].as_array().unwrap();
    let folds: std::collections::BTreeSet<_> = pages.iter().map(|page| page["fold"].as_u64()).collect();
    assert!(folds.len() > 1, "{folds:?}");
    let f1 = &results["sets"][0]["all"]["words"]["f1"];
    assert!(f1.as_f64().is_some_and(|f1| (0.5..1.0).contains(&f1)), "{f1}");
}

#[test]
fn only_pages_of_a_type_are_scored() {
    let folder = folder();
    let gold = folder.path().join("typed.gold.jsonl");
    fs::copy(sample(), folder.path().join("typed.warc.gz")).unwrap();
    let typed = fs::read_to_string(self::gold())
        .unwrap()
        .replacen('{', "{\"page_type\":\"listing\",", 1);
    fs::write(&gold, typed).unwrap();
    let mut arguments = paths(&[
        "eval",
        "--method",
        "density",
        "--page-type",
        "listing,product",
        "--json",
    ]);
    arguments.push(&gold);
    let results: serde_json::Value = serde_json::from_str(&printed(&arguments)).unwrap();
    let pages = results["pages"].as_array().unwrap();
    assert_eq!((pages.len(), &pages[0]["page_type"]), (1, &"listing".into()));
}

/// The table of Victor's features of some pages.
fn victor(input: &Path, options: &[&str]) -> String {
    let mut arguments = paths(&["features", "--set", "victor"]);
    arguments.push(input);
    arguments.extend(paths(options));
    printed(&arguments)
}

#[test]
fn features_of_the_thesis_are_the_same_in_all_formats() {
    let folder = folder();
    let (gold, out) = (gold(), folder.path().join("v.parquet"));
    let crf = victor(&gold, &["--format", "crf"]);
    let blocks: Vec<Vec<&str>> = crf
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(blocks.len() > 100 && blocks.iter().all(|tokens| tokens.len() == 47));
    let arff = victor(&gold, &[]);
    let (head, rows) = arff.split_once("@data\n").unwrap();
    assert!(head.contains("@attribute container.p numeric\n"), "{head}");
    let codes = |tokens: &Vec<&str>| {
        let codes = tokens.iter().map(|token| token.rsplit('=').next().unwrap());
        codes.collect::<Vec<_>>().join(",")
    };
    assert_eq!(
        rows.lines().collect::<Vec<_>>(),
        blocks.iter().map(codes).collect::<Vec<_>>()
    );
    victor(&gold, &["--format", "parquet", "--out", out.to_str().unwrap()]);
    let reader = SerializedFileReader::new(File::open(&out).unwrap()).unwrap();
    let rows: Vec<String> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().to_string())
        .collect();
    assert_eq!(rows.len(), blocks.len());
    for (row, tokens) in rows.iter().zip(&blocks) {
        let [name, code] = tokens[11].split('=').collect::<Vec<_>>()[..] else {
            panic!("{tokens:?}")
        };
        assert!(
            row.contains(&format!("{}: {code},", name.replace('.', "_"))),
            "{row}"
        );
        assert!(row.contains(&format!("label: \"{}\"", tokens[46])), "{row}");
    }
}

#[test]
fn features_of_the_thesis_are_those_of_a_model_or_a_job() {
    let sample = sample();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |option: &str, file: &str| {
        victor(
            &sample,
            &["--format", "crf", option, root.join(file).to_str().unwrap()],
        )
    };
    let own = victor(&sample, &["--format", "crf"]);
    assert_eq!(own, of("--model", "models/victor46.gcrf"));
    assert_eq!(own, of("--job", "jobs/train-victor46.toml"));
    assert!(
        own.lines()
            .all(|line| line.is_empty() || line.split('\t').count() == 46)
    );
    assert_ne!(own, of("--model", "crates/document/models/default.gcrf"));
}

#[test]
fn options_of_the_other_set_are_refused() {
    let gold = gold();
    for (set, options, refused) in [
        (
            "victor",
            &["--no-query"][..],
            "--no-query has no effect with this --set",
        ),
        (
            "victor",
            &["--query", "t.txt"],
            "--query has no effect with this --set",
        ),
        (
            "hidden-web",
            &["--format", "crf"],
            "--format has no effect as crf with --set hidden-web",
        ),
        (
            "hidden-web",
            &["--job", "j.toml"],
            "--job has no effect with --set hidden-web",
        ),
        (
            "hidden-web",
            &["-m", "m.gcrf"],
            "--model has no effect with --set hidden-web",
        ),
    ] {
        let mut arguments = vec!["features", "--set", set, gold.to_str().unwrap()];
        arguments.extend(options);
        let said = refusal(&run(&arguments));
        assert!(said.contains(refused), "{said}");
    }
}
