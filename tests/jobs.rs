//! Job files of builds: those in jobs/, the schema, what is shown, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{assert_printed, files, gleaner, refusal, rows, run, said, sample};

/// A file of the repository.
fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The job files in jobs/ that are for `gleaner run`.
fn bundled() -> Vec<PathBuf> {
    let is_build = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_recipe = path.parent() == Some(&repository("jobs/recipes"));
        name.ends_with(".toml")
            && !name.starts_with("train-")
            && !["agents.toml", "crawl.toml"].contains(&name)
            && !is_recipe
    };
    let jobs: Vec<PathBuf> = files(&repository("jobs")).into_iter().filter(is_build).collect();
    assert_eq!(jobs.len(), 4, "{jobs:?}");
    jobs
}

/// A folder with a job file of this text, and a copy of the bundled crawl.
struct Folder(TempDir);

impl Folder {
    fn new(job: &str) -> Folder {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(folder.path().join("job.toml"), job).unwrap();
        fs::copy(sample(), folder.path().join("crawl.warc.gz")).unwrap();
        Folder(folder)
    }

    /// Runs the command in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = gleaner();
        command.current_dir(self.0.path()).args(arguments);
        command.output().unwrap()
    }

    /// What a command prints that ends well.
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The Parquet files of a corpus in the folder, by name below it.
    fn tables(&self, out: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let out = self.0.path().join(out);
        let is_table = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
        let named = |path: PathBuf| {
            (
                path.strip_prefix(&out).unwrap().to_owned(),
                fs::read(&path).unwrap(),
            )
        };
        let tables: Vec<_> = files(&out).into_iter().filter(is_table).map(named).collect();
        assert!(tables.len() > 3, "{tables:?}");
        tables
    }
}

/// The error of a job file with this text.
fn refused(job: &str) -> String {
    refusal(&Folder::new(job).run(&["run", "job.toml"]))
}

#[test]
fn the_job_files_of_the_repository_run() {
    for job in bundled() {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let out = folder.path().join("corpus");
        let arguments = [Path::new("run"), &job, &sample(), Path::new("--out"), &out];
        let output = run(arguments.into_iter().chain([Path::new("--json")]));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}: {}",
            job.display(),
            said(&output)
        );
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["documents"], 37, "{}", job.display());
        let written = |table: &str| !rows(&out.join(table)).is_empty();
        let set: toml::Table = toml::from_str(&fs::read_to_string(&job).unwrap()).unwrap();
        let says = |table: &str, key: &str| set.get(table).and_then(|table| table[key].as_bool());
        let blocks = set.get("tables").is_some() && says("tables", "blocks") == Some(true);
        assert_eq!(written("blocks"), blocks, "{}", job.display());
        assert!(written("documents"), "{}", job.display());
    }
}

#[test]
fn a_list_is_read_as_that_of_a_release_is() {
    let folder = Folder::new("");
    fs::write(folder.0.path().join("warc.paths"), "crawl-data/crawl.warc.gz\n").unwrap();
    let release = folder.0.path().join("release/crawl-data");
    fs::create_dir_all(&release).unwrap();
    fs::copy(sample(), release.join("crawl.warc.gz")).unwrap();
    let job = repository("jobs/common-crawl.toml");
    let job = job.to_str().unwrap();
    folder.prints(&[
        "run",
        job,
        "@warc.paths",
        "--base-url",
        "release/",
        "--out",
        "corpus",
    ]);
    assert_eq!(rows(&folder.0.path().join("corpus/documents")).len(), 37);
}

#[test]
fn a_job_is_the_build_that_its_options_typed_would_be() {
    let folder = Folder::new(
        "inputs = [\"crawl.warc.gz\"]\nout = \"job\"\nfavor = \"recall\"\n[tables]\nblocks = true\ncrawl = \"c\"\n\
         [sites]\nsite = \"domain\"\nsite_sample = 5\n[limits]\nmax_page = 1\n",
    );
    folder.prints(&["run", "job.toml"]);
    let typed = "build crawl.warc.gz --out typed --favor recall --blocks --crawl c --site domain --site-sample 5 --max-page 1";
    folder.prints(&typed.split(' ').collect::<Vec<_>>());
    assert!(
        folder.tables("job") == folder.tables("typed"),
        "the tables differ"
    );
    // It is the same corpus, too: nothing to do for either.
    let again = folder.run(&["run", "job.toml", "--out", "typed"]);
    assert!(said(&again).contains("nothing to do"), "{}", said(&again));
    let forced = folder.run(&["run", "job.toml", "--out", "typed", "--force"]);
    assert!(said(&forced).contains("written to typed"), "{}", said(&forced));
}

/// A job in a folder of its own names files as a command line does.
#[test]
fn names_are_relative_to_where_the_command_runs() {
    let folder = Folder::new("");
    fs::create_dir(folder.0.path().join("jobs")).unwrap();
    let job = "inputs = [\"crawl.warc.gz\"]\nout = \"corpus\"\n";
    fs::write(folder.0.path().join("jobs/job.toml"), job).unwrap();
    folder.prints(&["run", "jobs/job.toml"]);
    assert_eq!(rows(&folder.0.path().join("corpus/documents")).len(), 37);
    assert!(!folder.0.path().join("jobs/corpus").exists());
}

#[test]
fn what_is_typed_goes_before_what_the_file_says() {
    let folder = Folder::new(
        "inputs = [\"a.warc.gz\", \"b.warc.gz\"]\nout = \"corpus\"\nworkers = 2\nstrict = true\n\
         [tables]\nblocks = true\n[limits]\nmax_record = 128\n",
    );
    let typed = "run job.toml --show other.warc.gz --out other -w 3 --blocks=false --posts --max-page 8";
    let shown = folder.prints(&typed.split(' ').collect::<Vec<_>>());
    assert_printed("jobs-what-is-typed-goes-before-what-the-file-says", &shown);
}

#[test]
fn what_is_shown_is_the_same_job() {
    let folder = Folder::new(
        "inputs = 'cr\\awl \"1\".warc.gz'\nout = \"corpus\"\npart_size = 1048576\n[sites]\nsite = \"domain\"\n",
    );
    let shown = folder.prints(&[
        "run", "job.toml", "--show", "--favor", "recall", "--model", "m.gcrf",
    ]);
    fs::write(folder.0.path().join("shown.toml"), &shown).unwrap();
    let again = folder.prints(&["run", "shown.toml", "--show"]);
    let set = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
    assert_eq!(set(&shown), set(&again));
    fs::write(folder.0.path().join("again.toml"), &again).unwrap();
    assert_eq!(folder.prints(&["run", "again.toml", "--show"]), again);
    assert_eq!(set(&again)["inputs"][0].as_str(), Some("cr\\awl \"1\".warc.gz"));
    assert_eq!(set(&again)["part_size"].as_str(), Some("1048576"));
}

/// The options of `gleaner build`, as its help has them.
fn build_options() -> Vec<String> {
    let help = String::from_utf8(run(["build", "--help"]).stdout).unwrap();
    let option = |line: &str| -> Option<String> {
        let line = line.trim_start();
        let (_, name) = line.starts_with('-').then(|| line.split_once("--"))??;
        Some(name.split([' ', '=', '[']).next()?.to_owned())
    };
    let options: Vec<String> = help.lines().filter_map(option).collect();
    assert!(options.len() > 15, "{options:?}");
    options
}

#[test]
fn every_option_of_a_build_is_shown_and_in_the_schema() {
    let folder = Folder::new("inputs = [\"crawl.warc.gz\"]\nout = \"corpus\"\n");
    let shown = folder.prints(&["run", "job.toml", "--show"]);
    let schema = folder.prints(&["run", "--schema"]);
    for option in build_options() {
        if ["help", "force", "dry-run"].contains(&option.as_str()) {
            continue;
        }
        let key = option.replace('-', "_");
        let begins = |line: &str| line.trim_start_matches("# ").starts_with(&format!("{key} = "));
        assert!(shown.lines().any(begins), "--show has no {key}:\n{shown}");
        assert!(
            schema.contains(&format!("\"{key}\": {{")),
            "the schema has no {key}"
        );
    }
}

#[test]
fn the_schema_in_the_repository_is_up_to_date() {
    let printed: Value = serde_json::from_slice(&run(["run", "--schema"]).stdout).unwrap();
    let file = fs::read_to_string(repository("schemas/job.schema.json")).unwrap_or_default();
    assert!(
        serde_json::from_str(&file).is_ok_and(|file: Value| file == printed),
        "schemas/job.schema.json differs from the code: if the change is meant, run `cargo run -- run --schema > schemas/job.schema.json`"
    );
}

/// The schema in the repository, to hold jobs against.
fn schema() -> (Schemas, SchemaIndex) {
    let text = fs::read_to_string(repository("schemas/job.schema.json")).unwrap();
    let mut compiler = Compiler::new();
    let mut schemas = Schemas::new();
    compiler
        .add_resource("job.json", serde_json::from_str(&text).unwrap())
        .unwrap();
    let index = compiler.compile("job.json", &mut schemas).unwrap();
    (schemas, index)
}

#[test]
fn the_job_files_of_the_repository_are_valid() {
    let (schemas, index) = schema();
    for path in bundled() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("#:schema ../schemas/job.schema.json\n"),
            "{}",
            path.display()
        );
        let job: toml::Table = toml::from_str(&text).unwrap();
        let job = serde_json::to_value(job).unwrap();
        if let Err(error) = schemas.validate(&job, index) {
            panic!("{}: {error}", path.display());
        }
    }
}

/// What the schema forbids, a run refuses, and the other way round.
#[test]
fn schema_and_program_agree_on_what_a_job_is() {
    let (schemas, index) = schema();
    for (job, valid) in [
        (json!({ "inputs": ["crawl.warc.gz"] }), true),
        (
            json!({ "inputs": "crawl.warc.gz", "workers": 512, "part_size": "64MiB" }),
            true,
        ),
        (
            json!({ "part_size": 1048576, "limits": { "max_steps": 100_000 } }),
            true,
        ),
        (json!({ "sites": { "site": "domain", "site_sample": 1 } }), true),
        (json!({ "workers": 513 }), false),
        (json!({ "workers": 0 }), false),
        (json!({ "workers": "4" }), false),
        (json!({ "inputs": [4] }), false),
        (json!({ "part-size": "64MiB" }), false),
        (json!({ "blocks": true }), false),
        (json!({ "tables": { "blocks": "yes" } }), false),
        (json!({ "tables": true }), false),
        (json!({ "sites": { "site": "page" } }), false),
        (json!({ "limits": { "max_steps": 100_001 } }), false),
        (json!({ "force": true }), false),
    ] {
        assert_eq!(schemas.validate(&job, index).is_ok(), valid, "{job}");
        let folder = Folder::new(&toml::to_string(&job).unwrap());
        let output = folder.run(&["run", "job.toml", "--show", "in.warc.gz", "--out", "o"]);
        assert_eq!(output.status.success(), valid, "{job}: {}", said(&output));
    }
}

#[test]
fn a_mistake_is_told_with_its_line_and_its_mend() {
    const HEAD: &str = "inputs = [\"crawl.warc.gz\"]\nout = \"corpus\"\n";
    for (job, sentence) in [
        (
            "part-size = 1",
            "job.toml:3: unknown key `part-size`: did you mean `part_size`?",
        ),
        (
            "max_recrod = 1",
            "job.toml:3: unknown key `max_recrod`: did you mean `limits.max_record`?",
        ),
        (
            "[limts]\nmax_page = 1",
            "job.toml:3: unknown key `limts`: did you mean `[limits]`?",
        ),
        ("max_page = 1", "job.toml:3: `max_page` stands in [limits]"),
        (
            "[limits]\nworkers = 1",
            "job.toml:4: `workers` stands above all tables",
        ),
        (
            "[limits]\nhue = 1",
            "job.toml:4: unknown key `hue`: known here: max_record, max_page, max_steps",
        ),
        (
            "[limits]\nmax_seconds = 10",
            "job.toml:4: unknown key `max_seconds`: did you mean `limits.max_record`?",
        ),
        ("limits = 4", "job.toml:3: `limits` is a table: write [limits]"),
        (
            "\n# four\nworkers = \"4\"",
            "job.toml:5: `workers` takes a whole number, not a value of type string",
        ),
        (
            "workers = 4.5",
            "job.toml:3: `workers` takes a whole number, not a value of type float",
        ),
        (
            "strict = \"yes\"",
            "job.toml:3: `strict` takes true or false, not a value of type string",
        ),
        (
            "model = [\"a\", \"b\"]",
            "job.toml:3: `model` takes a string, not a value of type array",
        ),
        (
            "workers = 1000",
            "job.toml:3: `workers` cannot be 1000: use a whole number from 1 to 512",
        ),
        (
            "limit = -3",
            "job.toml:3: `limit` cannot be -3: use a whole number of 1 or more",
        ),
        (
            "strict = true\nstrict = false",
            "job.toml:4: `strict` is set twice: leave one of the two out",
        ),
        (
            "part_size = \"5 parsecs\"",
            "job.toml:3: `part_size` cannot be 5 parsecs: use a unit of B, K, M, G, T, such as 64MiB",
        ),
        (
            "favor = \"prescision\"",
            "job.toml:3: `favor` is one of precision, balanced, recall, not \"prescision\": did you mean \"precision\"?",
        ),
        ("force = true", "job.toml:3: `force` is for the command line only"),
        (
            "out = \"twice\"",
            "job.toml:3: `out` is set twice: leave one of the two out",
        ),
        ("workers = ", "job.toml:3: "),
        (
            "[sites]\nsite_sample = 9\nno_site_evidence = true",
            "job.toml: the argument '--no-site-evidence' cannot be used with '--site-sample <N>'",
        ),
    ] {
        let refused = refused(&format!("{HEAD}{job}\n"));
        assert!(
            refused.starts_with(sentence),
            "{job}\n  is: {refused}\n not: {sentence}"
        );
    }
    assert_eq!(
        refused("inputs = [\"crawl.warc.gz\"]\n"),
        "job.toml has no `out`: add it, or give --out on the command line"
    );
    assert_eq!(
        refused("out = \"corpus\"\ninputs = []\n"),
        "job.toml has no `inputs`: add it, or give INPUT on the command line"
    );
    let nowhere = refusal(&run(["run", "nowhere.toml"]));
    assert_printed("jobs-a-mistake-is-told-with-its-line-and-its-mend", &nowhere);
}

#[test]
fn each_command_names_the_other_for_the_other_kind_of_job() {
    let job = "gold = [\"pages.gold.jsonl\"]\nout = \"m.gcrf\"\n";
    assert_eq!(
        refused(job),
        "job.toml is a training job: use gleaner train job.toml"
    );
    assert_eq!(
        refused("seeds = [\"https://a.example/\"]\n"),
        "job.toml is a job of a crawl: use gleaner crawl --job job.toml"
    );
    let folder = Folder::new("inputs = [\"crawl.warc.gz\"]\nout = \"corpus\"\n");
    assert_printed(
        "jobs-each-command-names-the-other-for-the-other-kind-of-job",
        &refusal(&folder.run(&["train", "job.toml"])),
    );
    assert_eq!(
        refusal(&folder.run(&["crawl", "--job", "job.toml"])),
        "job.toml is a job of a build: use gleaner run job.toml"
    );
    let slip = Folder::new("gold = [\"a\"]\n[training]\nl3 = 1.0\n");
    assert_printed(
        "jobs-each-command-names-the-other-for-the-other-kind-of-job-2",
        &refusal(&slip.run(&["train", "job.toml"])),
    );
}
