//! Options without effect, unknown options, completions of shells and manual pages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::support::{assert_printed, files, gleaner, refusal, run, said};

fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Runs a command in a folder that holds a page, terms and a job file.
fn in_folder(arguments: &[&str]) -> Output {
    let folder = folder();
    let path = folder.path();
    let page = "<title>Ferry</title><p>The ferry sails again after nine days of storm, and the shops have bread.</p>";
    fs::write(path.join("a.html"), page).unwrap();
    fs::write(path.join("terms.txt"), "Colour\ncrimson\n").unwrap();
    fs::write(
        path.join("job.toml"),
        "inputs = [\"a.html\"]\nout = \"corpus\"\n[sites]\nno_templates = true\nsite_sample = 9\n",
    )
    .unwrap();
    gleaner().current_dir(path).args(arguments).output().unwrap()
}

#[test]
fn what_a_model_does_not_look_at_is_refused() {
    let sentences =
        ["--query=terms.txt", "--no-query"].map(|option| refusal(&in_folder(&["clean", "a.html", option])));
    assert_printed("options-what-a-model-does-not-look-at", &sentences.join("\n"));
}

#[test]
fn an_option_without_effect_is_refused_before_anything_is_read() {
    let sentence = refusal(&in_folder(&[
        "clean",
        "nosuch.html",
        "--method",
        "density",
        "--model",
        "nosuch",
    ]));
    assert_printed(
        "options-an-option-without-effect-is-refused-before-anything-is-read",
        &sentence,
    );
}

#[test]
fn options_of_a_job_that_exclude_each_other_are_named() {
    for arguments in [&["run", "job.toml"][..], &["run", "job.toml", "--site-sample=7"]] {
        assert_eq!(
            refusal(&in_folder(arguments)),
            "job.toml: the argument '--no-site-evidence' cannot be used with '--site-sample <N>'"
        );
    }
    let taken = in_folder(&["run", "job.toml", "--no-templates=false"]);
    assert_eq!(taken.status.code(), Some(0), "{}", said(&taken));
}

#[test]
fn a_misspelt_option_is_mended_in_a_sentence() {
    assert_printed(
        "options-a-misspelt-option-is-mended-in-a-sentence",
        &refusal(&run(["build", "a", "--ouput", "b"])),
    );
    // What is typed never steers the terminal, and a password is not repeated.
    let message = said(&run(["clean", "--x\u{1b}[31m\ny"]));
    assert!(
        message.starts_with("error: unexpected argument '--x\u{fffd}[31m\u{fffd}y' found"),
        "{message}"
    );
    let sentence = refusal(&run(["https://me:secret@a.example/"]));
    assert!(!sentence.contains("secret"), "{sentence}");
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a program on a file; nothing where it is not installed.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn checked(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let Ok(output) = Command::new(program).args(arguments).arg(file).output() else {
        eprintln!("skipped: {program} is not installed");
        return None;
    };
    assert!(output.status.success(), "{program}: {}", said(&output));
    assert_eq!(said(&output), "", "{program} warns");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn bash_completes_commands_options_and_values() {
    let folder = folder();
    let script = folder.path().join("gleaner.bash");
    fs::write(&script, printed(&["completions", "bash"])).unwrap();
    if checked("bash", &["-n"], &script).is_none() {
        return;
    }
    let offered = |words: &[&str]| {
        let list: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let (current, before) = (words[words.len() - 1], words[words.len() - 2]);
        let ask = format!(
            "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; _gleaner gleaner '{current}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display(),
            list.join(" "),
            words.len() - 1
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &ask])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(offered(&["gleaner", "bui"]).trim(), "build");
    assert_eq!(offered(&["gleaner", "templates", "ap"]).trim(), "apply");
    assert_eq!(offered(&["gleaner", "build", "--site-s"]).trim(), "--site-sample");
    assert_eq!(offered(&["gleaner", "man", "bu"]).trim(), "build");
    let formats = offered(&["gleaner", "posts", "--format", ""]);
    assert_eq!(
        formats.split_whitespace().collect::<Vec<_>>(),
        ["text", "json", "xml"]
    );
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        for part in ["templates", "no-templates", "annotate"] {
            assert!(script.contains(part), "{shell}: no {part}");
        }
    }
}

#[test]
fn manual_pages_are_printed_by_name_or_written_into_a_folder() {
    let whole = printed(&["man"]);
    assert!(
        whole.contains(".TH gleaner 1") && whole.contains("gleaner\\-build(1)"),
        "{whole}"
    );
    let page = printed(&["man", "templates", "mine"]);
    assert!(page.contains(".TH gleaner-templates-mine 1"), "{page}");
    assert!(page.contains("\\-\\-site\\-sample"), "{page}");
    assert_printed(
        "options-manual-pages-are-printed-by-name-or-written-into-a-folder",
        &refusal(&run(["man", "templates", "min"])),
    );

    let folder = folder();
    let out = folder.path().join("man1");
    let output = run([Path::new("man"), Path::new("--out"), &out]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let pages = files(&out);
    let names: Vec<_> = pages
        .iter()
        .map(|page| page.file_name().unwrap().to_str().unwrap())
        .collect();
    for name in [
        "gleaner.1",
        "gleaner-build.1",
        "gleaner-templates-mine.1",
        "gleaner-eval-posts.1",
        "gleaner-man.1",
    ] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
    assert_eq!(
        fs::read_to_string(out.join("gleaner-templates-mine.1")).unwrap(),
        page
    );
    for page in &pages {
        let Some(text) = checked("man", &["--warnings", "-l"], page) else {
            return;
        };
        assert!(text.contains("SYNOPSIS"), "{text}");
    }
}
