//! Running the command, and reading what it wrote.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use gleaner_dataflow::{Captures, Found};
use gleaner_store::{Options, Store};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::Value;
use tempfile::TempDir;

/// The command under test, away from the terminal and the user's environment.
pub(crate) fn gleaner() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// Runs the command with these arguments to its end.
pub(crate) fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    gleaner().args(arguments).output().unwrap()
}

/// The bundled crawl.
pub(crate) fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sample.warc.gz")
}

/// Whether the long form of a test is wanted, which takes minutes: with `GLEANER_LONG=1`.
pub(crate) fn is_long() -> bool {
    std::env::var_os("GLEANER_LONG").is_some_and(|value| value == "1")
}

/// What was said on standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a script that has a disk of this size in the folder `disk`: a file system of its own, in a name space
/// that ends with it. Status 77 is that of a script that may not mount. Nothing where the system does not allow it.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn on_disk_of(size: &str, disk: &Path, script: &str) -> Option<Output> {
    fs::create_dir(disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size={size} tmpfs {} || exit 77; {script}",
        disk.display()
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .output();
    let is_allowed =
        |output: &Output| output.status.code() != Some(77) && !said(output).starts_with("unshare:");
    let output = output.ok().filter(is_allowed);
    if output.is_none() {
        eprintln!("skipped: a file system of its own needs `unshare` and the right to mount");
    }
    output
}

/// The one sentence of a request that can't be carried out: status 2, and nothing on standard output.
pub(crate) fn refusal(output: &Output) -> String {
    let said = said(output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty(), "results of a refused request");
    let sentence = said
        .strip_prefix("error: ")
        .unwrap_or_else(|| panic!("no error: {said}"));
    assert_eq!(
        sentence.trim_end().lines().count(),
        1,
        "more than a sentence: {said}"
    );
    sentence.trim_end().to_owned()
}

/// Compares what was printed with the snapshot of this name. What varies is replaced: temporary folders, the repository, speed
/// and memory.
pub(crate) fn assert_printed(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"(/[^/'\s]+)*/\.tmp\w+", "FOLDER");
    settings.add_filter(&regex::escape(env!("CARGO_MANIFEST_DIR")), "REPOSITORY");
    settings.add_filter(r"in [\d.]+ \S+: [\d,]+ pages/s, .*", "in SECONDS");
    settings.add_filter(r"files? of \d+ bytes", "files of N bytes");
    settings.add_filter(r"at line \d+ column \d+", "at line N column N");
    settings.add_filter(r"model     default \w+", "model     default DIGEST");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A corpus that was built, what was said of it, and the summary of the build.
pub(crate) struct Corpus {
    folder: TempDir,
    said: String,
    pub(crate) status: Option<i32>,
    pub(crate) summary: Value,
}

/// Builds a corpus of these files, and checks what holds for all: it ends, and the sums add up.
pub(crate) fn build(inputs: &[&Path], options: &[&str]) -> Corpus {
    // Corpora of static items are never dropped: they stay below target/.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut command = gleaner();
    command
        .arg("build")
        .args(inputs)
        .arg("--out")
        .arg(folder.path().join("corpus"))
        .arg("--json")
        .args(options);
    let output = command.output().unwrap();
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{:?}: {}",
        output.status,
        said(&output)
    );
    let summary = serde_json::from_slice(&output.stdout).unwrap();
    let corpus = Corpus {
        folder,
        said: said(&output),
        status: output.status.code(),
        summary,
    };
    corpus.check();
    // Options may leave captures out.
    if options.iter().all(|option| !OF_READING.contains(option)) {
        corpus.check_reading(inputs);
    }
    corpus
}

/// Options that change what is read of inputs.
const OF_READING: [&str; 3] = ["--limit", "--max-record", "--allow-missing"];

impl Corpus {
    /// The folder of the tables.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("corpus")
    }

    /// Promise 1: nothing is lost silently, and the tables hold what the summary says.
    fn check(&self) {
        let (documents, rejects) = (self.number("documents"), self.sum("rejects"));
        assert_eq!(
            self.number("captures") + self.number("damage"),
            documents + rejects,
            "{}",
            self.summary
        );
        assert_eq!(self.summary["adds_up"], true, "{}", self.summary);
        assert_eq!(
            self.documents().len() as u64,
            documents,
            "documents have URLs of their own"
        );
        assert_eq!(self.rejects().len() as u64, rejects);
    }

    /// Whoever reads the inputs without a build finds the same captures, and the same rejects but those of parsing and of labelling.
    fn check_reading(&self, inputs: &[&Path]) {
        let store = Store::new(Options::default()).unwrap();
        let inputs: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
        let shards = store.expand(&inputs, None).unwrap().shards;
        let (mut captures, mut rejects) = (Vec::new(), Vec::new());
        let mut reading = Captures::new(store, shards, Arc::new(|| {}));
        loop {
            match reading.step().unwrap() {
                Found::Capture(capture) => captures.push(capture.document.row_id),
                Found::Reject(reject) => rejects.push(row_text(&[
                    &reject.warc_file,
                    &reject.warc_offset.to_string(),
                    reject.url.as_deref().unwrap_or_default(),
                    &reject.reason,
                    &reject.detail,
                ])),
                Found::Pending => std::thread::yield_now(),
                Found::End => break,
            }
        }
        let (parsed, read): (Vec<_>, Vec<_>) = self
            .rejects()
            .into_iter()
            .partition(|reject| ["extract", "label"].contains(&&*reject["stage"]));
        let columns = ["warc_file", "warc_offset", "url", "reason", "detail"];
        let read = read
            .iter()
            .map(|reject| row_text(&columns.map(|column| reject[column].as_str())));
        let documents = self.documents();
        let tried = documents.values().chain(&parsed).map(|row| row["row_id"].clone());
        assert_eq!(sorted(captures), sorted(tried));
        assert_eq!(sorted(rejects), sorted(read));
    }

    /// A number of the summary.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.summary[name]
            .as_u64()
            .unwrap_or_else(|| panic!("no {name} in {}", self.summary))
    }

    /// The sum of a table of the summary, such as `rejects`.
    pub(crate) fn sum(&self, name: &str) -> u64 {
        let counts = self.summary[name]
            .as_object()
            .unwrap_or_else(|| panic!("no {name} in {}", self.summary));
        counts.values().map(|count| count.as_u64().unwrap()).sum()
    }

    /// Rows of the documents table by URL.
    pub(crate) fn documents(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let rows = rows(&self.path().join("documents"));
        rows.into_iter().map(|row| (row["url"].clone(), row)).collect()
    }

    /// The text of the document with this URL.
    pub(crate) fn text(&self, url: &str) -> String {
        let documents = self.documents();
        let document = documents
            .get(url)
            .unwrap_or_else(|| panic!("no {url} among {:?}", documents.keys()));
        document["text"].clone()
    }

    /// Rows of the rejects table.
    pub(crate) fn rejects(&self) -> Vec<BTreeMap<String, String>> {
        rows(&self.path().join("rejects"))
    }

    /// The only reject there is: its reason, and the phrase that the table has of it and that the
    /// person at the terminal reads.
    pub(crate) fn only_reject(&self) -> (String, String) {
        let rejects = self.rejects();
        let [reject] = &rejects[..] else {
            panic!("not one reject: {rejects:?}")
        };
        let (reason, detail) = (reject["reason"].clone(), reject["detail"].clone());
        let line = self.line(&format!("  {reason}"));
        let begin: String = detail.chars().take(100).collect();
        assert!(line.contains(&begin), "{detail} is not in {line}");
        (reason, detail)
    }

    /// The only line on standard error that begins like this.
    pub(crate) fn line(&self, begin: &str) -> &str {
        let lines: Vec<&str> = self.said.lines().filter(|line| line.starts_with(begin)).collect();
        let [line] = lines[..] else {
            panic!("not one line begins with {begin:?}: {}", self.said)
        };
        line
    }

    /// What is missing of the only document that something is missing of.
    pub(crate) fn only_truncated(&self, url: &str) -> String {
        let line = self.line("  truncated");
        assert_eq!(line.split_ascii_whitespace().nth(1), Some("1"), "{line}");
        self.documents()[url]["truncated"].clone()
    }
}

fn row_text(columns: &[&str]) -> String {
    columns.join("\t")
}

fn sorted(rows: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut rows: Vec<String> = rows.into_iter().collect();
    rows.sort();
    rows
}

/// All rows of a table's files, as text by column. What is missing is the empty string.
pub(crate) fn rows(table: &Path) -> Vec<BTreeMap<String, String>> {
    let mut rows = Vec::new();
    let (corpus, table) = (
        table.parent().unwrap(),
        table.file_name().unwrap().to_str().unwrap(),
    );
    for path in table_files(corpus, table) {
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        rows.extend(
            reader
                .get_row_iter(None)
                .unwrap()
                .map(|row| columns(&row.unwrap())),
        );
    }
    rows
}

/// The files of a table of a corpus.
pub(crate) fn table_files(out: &Path, table: &str) -> Vec<PathBuf> {
    let is_parquet = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "parquet");
    let in_table = files(&out.join(table)).into_iter().filter(is_parquet);
    in_table
        .filter(|path| !path.to_str().unwrap().contains("_delta_log"))
        .collect()
}

/// The name of the first file of a table, within its corpus.
pub(crate) fn first_file(out: &Path, table: &str) -> String {
    let file = &table_files(out, table)[0];
    file.strip_prefix(out).unwrap().to_str().unwrap().to_owned()
}

fn columns(row: &Row) -> BTreeMap<String, String> {
    let text = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    };
    row.get_column_iter()
        .map(|(name, field)| (name.clone(), text(field)))
        .collect()
}

/// All files under a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map(|entries| entries.map(|entry| entry.unwrap().path()).collect());
    for path in entries.unwrap_or_else(|_| Vec::new()) {
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push(path)
        }
    }
    found.sort();
    found
}

/// How far a build is by the files of its journals: the parts and the chunks that are done. An entry is its length, in 8 bytes, and a
/// value that begins with the number of its kind; behind the last is a checksum.
pub(crate) fn journaled(journals: impl IntoIterator<Item = Vec<u8>>) -> [usize; 2] {
    const SUM: usize = 8;
    let mut done = [0, 0];
    for journal in journals {
        let mut rest = &journal[..journal.len().saturating_sub(SUM)];
        while let Some((length, entry)) = rest.split_first_chunk() {
            match entry.first() {
                Some(0) => done[0] += 1,
                Some(2) => done[1] += 1,
                _ => {}
            }
            let length = usize::try_from(u64::from_le_bytes(*length)).unwrap();
            rest = entry.get(length..).unwrap_or_default();
        }
    }
    done
}

/// The same of the build in a folder.
pub(crate) fn done_in(out: &Path) -> [usize; 2] {
    let files = files(&out.join(".staging")).into_iter();
    let is_journal = |path: &PathBuf| path.to_string_lossy().contains("/journal-");
    // Meanwhile the build may remove a file.
    let journals = files.filter(is_journal).filter_map(|path| fs::read(path).ok());
    journaled(journals)
}
