//! The passages of benchmarks.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3Default;

use super::runs;
use crate::words::Words;

/// The passages of benchmarks that have thirteen words or more.
#[derive(Clone, Debug, Default)]
pub struct Benchmarks {
    tasks: Vec<Task>,
    passages: Vec<Passage>,
    /// The different runs of each passage, by their hashes, with the numbers of the passages.
    runs: Vec<(u64, u32)>,
    /// For each value of the first bits of a hash, whether a run has it.
    map: Vec<u64>,
    shift: u32,
}

#[derive(Clone, Debug)]
struct Task {
    name: String,
    /// Its passages that are long enough.
    passages: usize,
}

#[derive(Clone, Copy, Debug)]
struct Passage {
    task: u32,
    line: u32,
    /// Its different runs.
    runs: u32,
}

/// Why benchmarks cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadBenchmark {
    /// A file or folder cannot be read.
    #[error("could not read {}", path.display())]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is no JSON.
    #[error("line {line} of {} is no JSON", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// What is given for a folder is none.
    #[error("{} is no folder: benchmarks are a folder with files NAME.jsonl or NAME.txt", .0.display())]
    NoFolder(PathBuf),
    /// A folder has no file of a benchmark.
    #[error("the folder {} has no file with the ending .jsonl or .txt", .0.display())]
    Empty(PathBuf),
    /// Two files have one name before their endings.
    #[error("{} and {} are of one task: rename one, because the task of a file is its name", .0.display(), .1.display())]
    SameTask(PathBuf, PathBuf),
    /// No passage is long enough.
    #[error("no passage of the files in {} has 13 words, so none can be found in documents", .0.display())]
    Short(PathBuf),
}

/// Bits of the map for each run.
const BITS: usize = 16;

impl Benchmarks {
    /// The passages of tasks. Those of a task are counted from 1, as if each were a line.
    pub fn new<'a>(passages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Benchmarks {
        let mut by_task: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (task, passage) in passages {
            by_task.entry(task).or_default().push(passage);
        }
        let mut benchmarks = Benchmarks::default();
        for (task, passages) in by_task {
            benchmarks.add(task, (1..).zip(passages));
        }
        benchmarks.index();
        benchmarks
    }

    /// The passages of a folder: of each file NAME.jsonl all texts in the objects of its lines, and of each file NAME.txt its
    /// paragraphs, which empty lines separate. The task is NAME.
    ///
    /// # Errors
    /// There are no such files, one cannot be read or has other lines, two have one NAME, or no passage has thirteen words.
    pub fn read(folder: &Path) -> Result<Benchmarks, BadBenchmark> {
        let mut benchmarks = Benchmarks::default();
        for (task, path) in files(folder)? {
            let text = std::fs::read_to_string(&path).map_err(|source| BadBenchmark::Open {
                path: path.clone(),
                source,
            })?;
            match is_jsonl(&path) {
                true => benchmarks.add(&task, texts_of_lines(&text, &path)?),
                false => benchmarks.add(&task, paragraphs(&text)),
            }
        }
        if benchmarks.is_empty() {
            return Err(BadBenchmark::Short(folder.to_owned()));
        }
        benchmarks.index();
        Ok(benchmarks)
    }

    /// Adds a task: its passages with the lines on which they begin.
    fn add<T: AsRef<str>>(&mut self, task: &str, passages: impl IntoIterator<Item = (u32, T)>) {
        let number = self.tasks.len() as u32;
        let before = self.passages.len();
        let mut words = Words::default();
        for (line, text) in passages {
            words.read(text.as_ref());
            let runs: FxHashSet<u64> = runs(words.hashes()).collect();
            if runs.is_empty() {
                continue;
            }
            let passage = self.passages.len() as u32;
            self.passages.push(Passage {
                task: number,
                line,
                runs: runs.len() as u32,
            });
            self.runs.extend(runs.into_iter().map(|run| (run, passage)));
        }
        self.tasks.push(Task {
            name: task.to_owned(),
            passages: self.passages.len() - before,
        });
    }

    fn index(&mut self) {
        self.runs.sort_unstable();
        let words = (self.runs.len() * BITS / 64).next_power_of_two();
        self.shift = 64 - (words * 64).trailing_zeros();
        self.map = vec![0; words];
        for (run, _) in &self.runs {
            let bit = run >> self.shift;
            self.map[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    /// The passages that have a run.
    #[inline]
    pub(super) fn passages_with(&self, run: u64) -> impl Iterator<Item = u32> {
        let bit = run >> self.shift;
        let is_in_map = self.map[(bit / 64) as usize] >> (bit % 64) & 1 == 1;
        let runs = if is_in_map { self.equal(run) } else { &[] };
        runs.iter().map(|(_, passage)| *passage)
    }

    fn equal(&self, run: u64) -> &[(u64, u32)] {
        let start = self.runs.partition_point(|other| other.0 < run);
        let equal = self.runs[start..]
            .iter()
            .take_while(|other| other.0 == run)
            .count();
        &self.runs[start..start + equal]
    }

    /// The task of a passage, the line on which it begins, and its different runs.
    pub(super) fn passage(&self, passage: u32) -> (&str, u32, u32) {
        let passage = &self.passages[passage as usize];
        (
            &self.tasks[passage.task as usize].name,
            passage.line,
            passage.runs,
        )
    }

    /// The names of the tasks that have a passage that is long enough.
    pub fn tasks(&self) -> impl Iterator<Item = &str> {
        let found = self.tasks.iter().filter(|task| task.passages > 0);
        found.map(|task| &*task.name)
    }

    /// The names of the tasks without a passage that is long enough: nothing of them can be found.
    pub fn short_tasks(&self) -> impl Iterator<Item = &str> {
        let short = self.tasks.iter().filter(|task| task.passages == 0);
        short.map(|task| &*task.name)
    }

    /// The number of passages that are searched for.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Whether there are no passages to search for.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// A digest of all that is searched for, and of its names: the same for benchmarks that give the same places.
    pub fn digest(&self) -> u128 {
        let mut digest = Xxh3Default::new();
        for task in self.tasks.iter().filter(|task| task.passages > 0) {
            digest.update(&(task.name.len() as u64).to_le_bytes());
            digest.update(task.name.as_bytes());
            digest.update(&(task.passages as u64).to_le_bytes());
        }
        for passage in &self.passages {
            digest.update(&passage.line.to_le_bytes());
        }
        for (run, passage) in &self.runs {
            digest.update(&run.to_le_bytes());
            digest.update(&passage.to_le_bytes());
        }
        digest.digest128()
    }
}

/// The files of benchmarks in a folder, by their tasks.
fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, BadBenchmark> {
    let open = |source| BadBenchmark::Open {
        path: folder.to_owned(),
        source,
    };
    if folder.is_file() {
        return Err(BadBenchmark::NoFolder(folder.to_owned()));
    }
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(open)? {
        let path = entry.map_err(open)?.path();
        if !is_jsonl(&path) && !has_ending(&path, "txt") {
            continue;
        }
        let task = path.file_stem().unwrap_or_default().to_string_lossy();
        if let Some(other) = files.insert(task.into_owned(), path.clone()) {
            let [one, other] = if other < path {
                [other, path]
            } else {
                [path, other]
            };
            return Err(BadBenchmark::SameTask(one, other));
        }
    }
    match files.is_empty() {
        true => Err(BadBenchmark::Empty(folder.to_owned())),
        false => Ok(files),
    }
}

fn is_jsonl(path: &Path) -> bool {
    has_ending(path, "jsonl")
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|other| other == ending)
}

/// The texts between empty lines, with the numbers of their first lines.
fn paragraphs(text: &str) -> Vec<(u32, String)> {
    let mut paragraphs: Vec<(u32, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let has_text = !line.trim().is_empty();
        match paragraphs.last_mut().filter(|_| is_open && has_text) {
            Some((_, paragraph)) => {
                paragraph.push('\n');
                paragraph.push_str(line);
            }
            None if has_text => paragraphs.push((number, line.to_owned())),
            None => {}
        }
        is_open = has_text;
    }
    paragraphs
}

/// The texts in the values of JSON lines, with the numbers of the lines.
fn texts_of_lines(lines: &str, path: &Path) -> Result<Vec<(u32, String)>, BadBenchmark> {
    let mut all = Vec::new();
    for (line, text) in (1..).zip(lines.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(text).map_err(|source| BadBenchmark::Json {
            path: path.to_owned(),
            line: line as usize,
            source,
        })?;
        let mut texts = Vec::new();
        add_texts(value, &mut texts);
        all.extend(texts.into_iter().map(|text| (line, text)));
    }
    Ok(all)
}

fn add_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.into_iter().for_each(|value| add_texts(value, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| add_texts(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contamination::ContaminationSearch;

    const QUESTION: &str =
        "Which boat left the harbour at seven in the morning with nine people and a dog on board?";

    #[test]
    fn folders_have_tasks() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        assert!(matches!(
            Benchmarks::read(folder.path()),
            Err(BadBenchmark::Empty(_))
        ));
        let line = serde_json::json!({"question": QUESTION, "choices": [{"text": "the ferry"}], "answer": 3, "x": null});
        std::fs::write(file("boats.jsonl"), format!("{line}\n\n{line}\n")).expect("written");
        let story = "The old lighthouse at the harbour was lit again last night for the first time in two long years.";
        std::fs::write(
            file("stories.txt"),
            format!("Short.\r\n\r\n\n{}\r\n{}\n\n", &story[..41], &story[42..]),
        )
        .expect("written");
        std::fs::write(file("readme.md"), QUESTION).expect("written");
        std::fs::write(file("words.txt"), "Too short.").expect("written");
        let read = || Benchmarks::read(folder.path());
        let benchmarks = read().expect("benchmarks");
        assert_eq!(benchmarks.tasks().collect::<Vec<_>>(), ["boats", "stories"]);
        assert_eq!(benchmarks.short_tasks().collect::<Vec<_>>(), ["words"]);
        assert_eq!(benchmarks.len(), 3);
        let digest = benchmarks.digest();
        let text = format!("See: {QUESTION} And {}", &story[4..80]);
        let mut search = ContaminationSearch::new(Arc::new(benchmarks));
        let found = search.find(&text).into_iter();
        let tasks: Vec<(&str, u32, usize)> =
            found.map(|place| (place.task, place.line, place.words)).collect();
        assert_eq!(tasks, [("boats", 1, 18), ("boats", 3, 18), ("stories", 4, 15)]);
        assert_eq!(read().expect("the same").digest(), digest);
        std::fs::rename(file("stories.txt"), file("tales.txt")).expect("renamed");
        assert_ne!(read().expect("another name").digest(), digest);
        std::fs::write(file("tales.jsonl"), "{}").expect("written");
        assert!(matches!(read(), Err(BadBenchmark::SameTask(one, other)) if one < other));
        std::fs::write(file("boats.jsonl"), "{}\nno json\n").expect("written");
        std::fs::remove_file(file("tales.jsonl")).expect("removed");
        assert!(matches!(read(), Err(BadBenchmark::Json { line: 2, .. })));
        std::fs::remove_file(file("boats.jsonl")).expect("removed");
        std::fs::remove_file(file("tales.txt")).expect("removed");
        assert!(matches!(read(), Err(BadBenchmark::Short(_))));
        assert!(matches!(
            Benchmarks::read(&file("words.txt")),
            Err(BadBenchmark::NoFolder(_))
        ));
        assert!(matches!(
            Benchmarks::read(&file("none")),
            Err(BadBenchmark::Open { .. })
        ));
    }

    #[test]
    fn no_passages_are_found_nowhere() {
        let benchmarks = Benchmarks::new([("a", "too short")]);
        assert!(benchmarks.is_empty());
        assert!(
            ContaminationSearch::new(Arc::new(benchmarks))
                .find(QUESTION)
                .is_empty()
        );
    }
}
