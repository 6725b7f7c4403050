//! Kinds of pages: told by cues of the whole page, and learned from pages whose kind is known.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{assert_printed, refusal, run, said};

const WORDS: &str = "The ferry leaves the harbour at six, when the light comes over the islands and the gulls are still asleep. ";

/// A folder with goods and articles, a page of each kind and site, and a job.
fn job(kinds: &str) -> TempDir {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut files = [String::new(), String::new()];
    for number in 0..6 {
        let text = WORDS.repeat(number + 2);
        let goods =
            format!("<h1>Lamp {number}</h1><p>Price: ${number}9.50<p>In stock<p>Add to cart<p>{text}");
        let article =
            format!("<h1>Harbour {number}</h1><p>By Ann Lee, reporter<p>{text}<p>{text}<p>Politics");
        for (of, page) in [goods, article].iter().enumerate() {
            let path = folder.path().join(format!("{of}-{number}.html"));
            fs::write(&path, format!("<html><body>{page}</body></html>")).unwrap();
            files[of] += &format!("{path:?}, ");
        }
    }
    let [goods, articles] = files;
    let text = format!(
        "[page_kinds]\nkinds = {kinds}\nbalance = 0.5\nl2 = 0.1\nmax_iterations = 50\nmost = 60\nfolds = 3\n\
         [page_kinds.trees]\ncount = 30\nleaves = 3\nl2 = 1.0\ncolumns = 1.0\nblocks = 1.0\n\
         [[pages]]\nfiles = [{goods}]\nkinds = ['product']\n[[pages]]\nfiles = [{articles}]\nkinds = ['article']\n"
    );
    fs::write(folder.path().join("job.toml"), text).unwrap();
    folder
}

fn train(folder: &Path) -> std::process::Output {
    let (job, out) = (folder.join("job.toml"), folder.join("kinds.tsv"));
    run([Path::new("train"), &job, Path::new("--out"), &out])
}

#[test]
fn kinds_are_learned_and_told_by_the_pages_of_other_sites() {
    let folder = job("['article', 'product']");
    let trained = train(folder.path());
    assert!(trained.status.success(), "{}", said(&trained));
    let scores = String::from_utf8(trained.stdout).unwrap();
    let lines: Vec<&str> = scores.lines().skip(1).collect();
    assert_eq!(lines.len(), 12, "{scores}");
    assert!(
        lines
            .iter()
            .all(|line| line.trim_start().starts_with("1  1.000  1.000")),
        "{scores}"
    );
    let table = fs::read_to_string(folder.path().join("kinds.tsv")).unwrap();
    assert!(
        table.starts_with("kinds\tarticle\tproduct\nweights\t\t"),
        "{table}"
    );
    let again = train(folder.path());
    assert!(again.status.success());
    assert_eq!(
        fs::read_to_string(folder.path().join("kinds.tsv")).unwrap(),
        table
    );
}

#[test]
fn a_kind_that_the_job_does_not_name_is_refused() {
    let folder = job("['article', 'shop']");
    let said = refusal(&train(folder.path()));
    assert_printed("page-kinds-a-kind-that-the-job-does-not-name-is-refused", &said);
    assert!(!folder.path().join("kinds.tsv").exists());
}
