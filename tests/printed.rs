//! What the program prints, as snapshots: help of all commands, the summary of a build, a dry run.
//!
//! After a change of a text, `INSTA_UPDATE=always cargo nextest run` writes the snapshots again: read their difference.

use crate::support::{assert_printed, gleaner, run, said, sample};

/// The help of a command and of those below it, by name.
fn help(command: &str) -> Vec<(String, String)> {
    let words = command.split_whitespace();
    let output = run(words.chain(["--help"]));
    assert!(output.status.success(), "{command}: {}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let commands = text.split_once("\nCommands:\n").map_or("", |(_, list)| list);
    let names = commands
        .lines()
        .take_while(|line| !line.is_empty())
        // (What an entry continues is indented further.)
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !["", "help"].contains(name));
    let below = names
        .flat_map(|name| help(&format!("{command} {name}")))
        .collect::<Vec<_>>();
    [vec![(command.trim().replace(' ', "-"), text)], below].concat()
}

#[test]
fn help_of_all_commands() {
    let commands = help("");
    assert!(commands.len() > 20, "{}", commands.len());
    for (name, text) in commands {
        let name = if name.is_empty() {
            "gleaner".to_owned()
        } else {
            name
        };
        assert_printed(&format!("help-{name}"), &text);
    }
}

#[test]
fn the_summary_of_a_build_and_its_dry_run() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in [
        ("dry-run", &["--dry-run"][..]),
        ("summary", &[]),
        ("summary-when-done", &[]),
    ] {
        let mut command = gleaner();
        command.arg("build").arg(sample()).arg("--out").arg(folder.path());
        let output = command.args(["--workers", "2"]).args(options).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let printed = String::from_utf8(output.stdout.clone()).unwrap() + &said(&output);
        assert_printed(name, &printed);
    }
}
