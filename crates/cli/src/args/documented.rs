//! Every command that the documentation, the job files and infra/ show is one that the program understands.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use regex::Regex;

use crate::args::Command;

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder of the repository, or the file itself.
fn files(path: &Path) -> Vec<PathBuf> {
    match fs::read_dir(path) {
        Ok(entries) => entries.flat_map(|entry| files(&entry.unwrap().path())).collect(),
        Err(_) => vec![path.to_owned()],
    }
}

/// Lines of a file that are commands of ours, in one piece each.
fn commands(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap().replace("\\\n", " ");
    let is_markdown = path.extension().is_some_and(|extension| extension == "md");
    let names: Vec<String> = Command::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let (comment, code) = match line.strip_prefix('#') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        // In prose, a line may begin so by chance.
        let is_code = fenced || code.starts_with("    ") || !(comment || is_markdown);
        let code = code.trim_start();
        let code = code.strip_prefix("$ ").unwrap_or(code);
        let code = code.strip_prefix("exec ").unwrap_or(code);
        let name = code
            .strip_prefix("gleaner ")
            .and_then(|rest| rest.split(' ').next());
        if is_code && name.is_some_and(|name| names.iter().any(|known| known == name)) {
            found.push(code.to_owned());
        }
    }
    found
}

/// The words of a command as a shell has them, up to what is for the shell alone. Variables are 1.
fn words(command: &str) -> Vec<String> {
    let words = shell_words::split(command).unwrap_or_default().into_iter();
    let ends = |word: &String| word.starts_with(['|', '>', '&', ';']) || word.starts_with("2>");
    let of_command = words.take_while(|word| !ends(word));
    let variable = Regex::new(r"\$+[A-Za-z0-9_]*").unwrap();
    let filled = of_command.map(|word| variable.replace_all(&word, "1").into_owned());
    filled.filter(|word| word != "--" && word != "1@").collect()
}

#[test]
fn commands_that_are_shown_are_understood() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for place in ["README.md", "CONTRIBUTING.md", "docs", "jobs", "infra"] {
        let is_text = |file: &PathBuf| file.extension().is_none_or(|extension| extension != "png");
        for file in files(&root().join(place)).into_iter().filter(is_text) {
            for command in commands(&file) {
                count += 1;
                if let Err(error) = Command::try_parse_from(words(&command)) {
                    let line = error.to_string().lines().next().unwrap_or_default().to_owned();
                    wrong.push(format!("{}: {command}\n    {line}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 30, "only {count} commands are found");
}

#[test]
fn words_are_those_of_a_shell() {
    assert_eq!(
        words("gleaner run 'a b' --process \"$$PROCESS\" \"$@\" --out=$OUT/x 2>/dev/null | head"),
        ["gleaner", "run", "a b", "--process", "1", "--out=1/x"]
    );
}
