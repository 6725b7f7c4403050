//! The passages of benchmarks.

use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::runs;
use crate::words::Words;

/// The passages of benchmarks that have thirteen words or more.
#[derive(Clone, Debug)]
pub struct Benchmarks {
    tasks: Vec<String>,
    passages: Vec<Passage>,
    /// The different runs of each passage, by their hashes, with the numbers of the passages.
    runs: Vec<(u64, u32)>,
    /// For each value of the first bits of a hash, whether a run has it.
    map: Vec<u64>,
    shift: u32,
    short: usize,
}

#[derive(Clone, Copy, Debug)]
struct Passage {
    task: u32,
    number: u32,
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
    /// A folder has no file of a benchmark.
    #[error("the folder {} has no file with the ending .jsonl or .txt", .0.display())]
    Empty(PathBuf),
}

/// Bits of the map for each run.
const BITS: usize = 16;

impl Benchmarks {
    /// The passages of tasks.
    pub fn new<'a>(passages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Benchmarks {
        let mut benchmarks = Benchmarks {
            tasks: Vec::new(),
            passages: Vec::new(),
            runs: Vec::new(),
            map: Vec::new(),
            shift: 0,
            short: 0,
        };
        let mut words = Words::default();
        for (task, passage) in passages {
            benchmarks.add(task, passage, &mut words);
        }
        benchmarks.index();
        benchmarks
    }

    /// The passages of a folder: of each file NAME.jsonl all texts in the objects of its lines, and of each file NAME.txt its
    /// paragraphs, which empty lines separate. The task is NAME.
    pub fn read(folder: &Path) -> Result<Benchmarks, BadBenchmark> {
        let mut passages = Vec::new();
        for path in files(folder)? {
            let task = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(&path).map_err(|source| BadBenchmark::Open {
                path: path.clone(),
                source,
            })?;
            let texts = match path.extension().is_some_and(|ending| ending == "jsonl") {
                true => texts_of_lines(&text, &path)?,
                false => text.split("\n\n").map(str::to_owned).collect(),
            };
            passages.extend(texts.into_iter().map(|text| (task.clone(), text)));
        }
        if passages.is_empty() {
            return Err(BadBenchmark::Empty(folder.to_owned()));
        }
        Ok(Benchmarks::new(
            passages.iter().map(|(task, text)| (task.as_str(), text.as_str())),
        ))
    }

    fn add(&mut self, task: &str, passage: &str, words: &mut Words) {
        words.read(passage);
        let runs: FxHashSet<u64> = runs(words.hashes()).collect();
        if runs.is_empty() {
            self.short += 1;
            return;
        }
        let known = self.tasks.iter().rposition(|other| other == task);
        let task = known.unwrap_or_else(|| {
            self.tasks.push(task.to_owned());
            self.tasks.len() - 1
        }) as u32;
        let number = self.passages.len() as u32;
        let in_task = self.passages.iter().rev().find(|other| other.task == task);
        self.passages.push(Passage {
            task,
            number: in_task.map_or(0, |other| other.number + 1),
            runs: runs.len() as u32,
        });
        self.runs.extend(runs.into_iter().map(|run| (run, number)));
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

    /// The task of a passage, its number in the task, and its different runs.
    pub(super) fn passage(&self, passage: u32) -> (&str, u32, u32) {
        let passage = &self.passages[passage as usize];
        (&self.tasks[passage.task as usize], passage.number, passage.runs)
    }

    /// The names of the tasks that have a passage that is long enough.
    pub fn tasks(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().map(String::as_str)
    }

    /// The number of passages that are searched for.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Whether there are no passages to search for.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// The number of passages that are left out because they have fewer than thirteen words.
    pub fn short(&self) -> usize {
        self.short
    }
}

/// The files of benchmarks in a folder, by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, BadBenchmark> {
    let open = |source| BadBenchmark::Open {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(open)? {
        let path = entry.map_err(open)?.path();
        let is_benchmark = path
            .extension()
            .is_some_and(|ending| ending == "jsonl" || ending == "txt");
        files.extend(is_benchmark.then_some(path));
    }
    files.sort();
    if files.is_empty() {
        Err(BadBenchmark::Empty(folder.to_owned()))
    } else {
        Ok(files)
    }
}

/// The texts in the values of JSON lines.
fn texts_of_lines(lines: &str, path: &Path) -> Result<Vec<String>, BadBenchmark> {
    let mut texts = Vec::new();
    for (line, text) in lines
        .lines()
        .enumerate()
        .filter(|(_, text)| !text.trim().is_empty())
    {
        let value = serde_json::from_str(text).map_err(|source| BadBenchmark::Json {
            path: path.to_owned(),
            line: line + 1,
            source,
        })?;
        add_texts(value, &mut texts);
    }
    Ok(texts)
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
        std::fs::write(file("stories.txt"), format!("Short.\n\n{story}\n")).expect("written");
        std::fs::write(file("readme.md"), QUESTION).expect("written");
        let benchmarks = Benchmarks::read(folder.path()).expect("benchmarks");
        assert_eq!(benchmarks.tasks().collect::<Vec<_>>(), ["boats", "stories"]);
        assert_eq!((benchmarks.len(), benchmarks.short()), (3, 3));
        let found =
            ContaminationSearch::new(&benchmarks).find(&format!("See: {QUESTION} And {}", &story[4..80]));
        let tasks: Vec<(&str, u32, usize)> = found
            .iter()
            .map(|place| (place.task, place.passage, place.words))
            .collect();
        assert_eq!(tasks, [("boats", 0, 18), ("boats", 1, 18), ("stories", 0, 15)]);
        std::fs::write(file("boats.jsonl"), "{}\nno json\n").expect("written");
        assert!(matches!(
            Benchmarks::read(folder.path()),
            Err(BadBenchmark::Json { line: 2, .. })
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
        assert!(ContaminationSearch::new(&benchmarks).find(QUESTION).is_empty());
    }
}
