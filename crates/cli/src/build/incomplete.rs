//! Messages about inputs that a build could not read.

use anyhow::Result;
use gleaner_corpus::Unread;
use gleaner_dataflow::Summary;

use super::summary::{Read, Report, Run};
use crate::terminal::{Outcome, console, plain};

/// Reports that the corpus stays incomplete, the inputs that could not be read, and what to do.
pub(crate) fn report(run: &Run<'_>, missing: &[Unread], written: Summary, read: Read) -> Result<Outcome> {
    say(missing);
    console::say(&format!(
        "the corpus in '{}' is not complete: {}",
        run.arguments.out,
        next(missing)
    ));
    answer(run, missing, written, read)
}

/// Reports that nothing is built, because the parts follow from the sizes of all inputs, and some are unknown.
pub(crate) fn report_unlisted(run: &Run<'_>, unlisted: &[Unread]) -> Result<Outcome> {
    say(unlisted);
    console::say(match run.arguments.allow_missing {
        true => "nothing was built, because there is no other input: run the same command again",
        false => {
            "nothing was built, because a build needs the sizes of all inputs: run the same command again, or with \
             --allow-missing to build without these inputs"
        }
    });
    answer(run, unlisted, Summary::default(), Read::default())
}

fn answer(run: &Run<'_>, missing: &[Unread], written: Summary, read: Read) -> Result<Outcome> {
    let summary = Summary {
        missing: missing.iter().cloned().collect(),
        ..written
    };
    Report::new(run, summary, read).print(run.arguments)?;
    Ok(Outcome::Negative)
}

/// Lists inputs that could not be read, each with its cause.
pub(crate) fn say(missing: &[Unread]) {
    let inputs = match missing.len() {
        1 => "1 input".to_owned(),
        more => format!("{} inputs", console::grouped(more as u64)),
    };
    let lines: Vec<String> = missing
        .iter()
        .map(|unread| match unread.cause.contains(&unread.input) {
            true => format!("  {}", plain::line(&unread.cause)),
            false => format!(
                "  {}",
                plain::line(&format!("{}: {}", unread.input, unread.cause))
            ),
        })
        .collect();
    console::say_lines(&format!("could not read {inputs}:\n{}", lines.join("\n")));
}

fn next(missing: &[Unread]) -> &'static str {
    match missing.iter().any(|unread| unread.changed) {
        true => {
            "inputs have changed, which makes another corpus: run the same command with --force to start again, or with \
             --allow-missing to complete it without these inputs"
        }
        false => {
            "run the same command again to read only what is missing, or with --allow-missing to complete it \
             without these inputs"
        }
    }
}
