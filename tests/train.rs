//! Training from a job file, on the bundled crawl.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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
l2_names = 1.0
page_weight = { exponent = 0.5 }
";

#[test]
fn the_same_job_gives_the_same_bytes_on_any_number_of_workers() {
    let job = Job::new(EARLY);
    let (one, said) = job.trained("one.gcrf", "1");
    assert!(said.contains(" pages held out, "), "{said}");
    assert!(said.contains("the best on the pages held out"), "{said}");
    assert!(one == job.trained("two.gcrf", "2").0, "the models differ");
}

#[test]
fn a_share_that_holds_nothing_out_is_refused() {
    let message = refusal(&Job::new("[dev]\nshare = 1.5\n").train("m", "1"));
    assert!(
        message.ends_with("job.toml is not sound: dev.share must be from 0 to 0.9, not 1.5"),
        "{message}"
    );
    let output = Job::new("[dev]\nshare = 1e-9\n").train("m", "1");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("no page is held out to stop early on"),
        "{}",
        said(&output)
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
    assert!(lines.any(|line| line.starts_with("iteration   10 ")), "it ended");
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
