//! `gleaner templates`: mine, show, apply, on a site of our own.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{refusal, run, said};

/// A folder of HTML files, which is a site: a menu, a line with a date, a paragraph of its own each.
fn site(pages: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for page in 0..pages {
        fs::write(folder.path().join(format!("{page:03}.html")), html(page)).unwrap();
    }
    folder
}

fn html(page: usize) -> String {
    let words: Vec<String> = (0..30)
        .map(|word| format!("w{}", (page + 1) * (word + 7) % 997))
        .collect();
    format!(
        "<html><body><ul><li>Home<li>About us<li>Contact</ul><p>Posted on May {}, 2007 at {}:30</p>\
         <p>{}</p><div>Copyright the pages' makers</div></body></html>",
        page % 28 + 1,
        page % 24,
        words.join(" ")
    )
}

fn mine(inputs: &Path, out: &Path, more: &[&str]) -> String {
    let mut arguments = vec![
        "templates",
        "mine",
        inputs.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ];
    arguments.extend(more);
    let output = run(arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// All files below a folder, with what is in them.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_site_repeats_is_mined_shown_and_taken_away() {
    let site = site(40);
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("t");
    let summary = mine(site.path(), &out, &[]);
    assert!(summary.contains("1 sites, "), "{summary}");

    let out = out.to_str().unwrap();
    let name = site.path().to_str().unwrap();
    let shown = printed(&["templates", "show", name, "--templates", out]);
    assert!(shown.contains("40 pages, 40 mined"), "{shown}");
    assert!(shown.contains("▲ cut-off") && !shown.contains('\x1b'), "{shown}");
    assert!(shown.contains(r"100%      40 times"), "{shown}");
    assert!(
        shown.contains(r"Home\s+About\s+us\s+Contact\s+Posted\s+on\s+"),
        "{shown}"
    );

    // A page that was not mined, with a date and a time that no other has.
    let page = work.path().join("new.html");
    let html = html(7).replace("2007 at 7:30", "2031 at 23:59");
    fs::write(&page, &html).unwrap();
    let text = printed(&["templates", "apply", out, page.to_str().unwrap()]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("w56 w64"), "{text}");

    let json = printed(&["templates", "apply", out, page.to_str().unwrap(), "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let source = json["source"].as_str().unwrap();
    let first = &json["removed"][0];
    let range = first["start"].as_u64().unwrap() as usize..first["end"].as_u64().unwrap() as usize;
    assert_eq!(
        &source[range],
        "Home\nAbout us\nContact\nPosted on May 8, 2031 at 23:59"
    );
    assert_eq!(json["over"], "text");
}

#[test]
fn html_is_mined_as_it_is() {
    let site = site(40);
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("t");
    mine(site.path(), &out, &["--over", "html"]);
    let page = site.path().join("003.html");
    let text = printed(&[
        "templates",
        "apply",
        out.to_str().unwrap(),
        page.to_str().unwrap(),
    ]);
    assert!(
        text.contains("w28 w32") && !text.contains("<li>About us<li>"),
        "{text}"
    );
}

#[test]
fn neither_threads_nor_the_order_of_files_change_a_byte() {
    let site = site(60);
    let work = tempfile::tempdir().unwrap();
    let made: Vec<_> = ["1", "2", "4"]
        .iter()
        .map(|workers| {
            let out = work.path().join(workers);
            mine(
                site.path(),
                &out,
                &["--workers", workers, "--template-sample", "25"],
            );
            files(&out)
                .into_iter()
                .map(|(_, bytes)| bytes)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(made[0].len(), 5, "two tables, their logs, and the marker");
    assert!(made[0] == made[1] && made[1] == made[2]);
}

#[test]
fn a_job_file_adds_patterns() {
    let site = site(10);
    let work = tempfile::tempdir().unwrap();
    let job = work.path().join("job.toml");
    fs::write(&job, "min_pages = 4\n[tokens]\npatterns = ['w[0-9]+']\n").unwrap();
    let out = work.path().join("t");
    mine(site.path(), &out, &["--job", job.to_str().unwrap()]);
    let page = site.path().join("001.html");
    let text = printed(&[
        "templates",
        "apply",
        out.to_str().unwrap(),
        page.to_str().unwrap(),
    ]);
    assert_eq!(text, "", "every word is mutable now");
}

#[test]
fn refusals_say_the_mend() {
    let work = tempfile::tempdir().unwrap();
    let out = work.path().join("t");
    let (out, here) = (out.to_str().unwrap(), work.path().to_str().unwrap());
    let say = |arguments: &[&str]| refusal(&run(arguments));
    let sentence = say(&["templates", "mine", here]);
    assert!(sentence.contains("no HTML file in folder"), "{sentence}");
    let sentence = say(&["templates", "mine", "nowhere.warc", "--token", "a"]);
    assert!(
        sentence.contains("the token expression 'a' cannot be inverted: write one class"),
        "{sentence}"
    );
    let sentence = say(&["templates", "mine", "nowhere.warc", "--pattern", "a b"]);
    assert!(
        sentence.contains("matches what lies between tokens"),
        "{sentence}"
    );
    let sentence = say(&["templates", "apply", out, "a.html"]);
    assert!(
        sentence.contains("holds no templates: make them with gleaner templates mine --out"),
        "{sentence}"
    );

    let site = site(3);
    mine(site.path(), Path::new(out), &[]);
    let sentence = say(&["templates", "show", "other.example", "--templates", out]);
    assert!(
        sentence.contains("holds no templates of other.example"),
        "{sentence}"
    );
    let sentence = say(&["templates", "apply", out, "missing.html"]);
    assert!(sentence.contains("could not read missing.html"), "{sentence}");
}
