//! Messages about inputs that a build could not read.

use gleaner_corpus::Unread;
use gleaner_dataflow::Summary;

use super::answer::Answer;
use super::summary::{Read, Report, Run};
use crate::terminal::{console, plain};

/// The answer where the corpus stays incomplete: the inputs that could not be read, and what to do.
pub(crate) fn answer(run: &Run<'_>, missing: &[Unread], written: Summary, read: Read) -> Answer {
    let out = &run.arguments.out;
    let note = format!("the corpus in '{out}' is not complete: {}", next(missing));
    negative(run, missing, &note, written, read)
}

/// The answer where nothing is built, because the parts follow from the sizes of all inputs, and some are unknown.
pub(crate) fn unlisted(run: &Run<'_>, unlisted: &[Unread]) -> Answer {
    let note = match run.arguments.allow_missing {
        true => "nothing was built, because there is no other input: run the same command again",
        false => {
            "nothing was built, because a build looks at all inputs first: run the same command again, or with \
             --allow-missing to build without these inputs"
        }
    };
    negative(run, unlisted, note, Summary::default(), Read::default())
}

fn negative(run: &Run<'_>, missing: &[Unread], note: &str, written: Summary, read: Read) -> Answer {
    let summary = Summary {
        missing: missing.iter().cloned().collect(),
        ..written
    };
    Answer {
        report: Report::new(run, summary, read),
        is_new: false,
        notes: vec![list(missing), plain::line(note).into_owned()],
        is_negative: true,
    }
}

/// Lists inputs that could not be read, each with its cause.
pub(crate) fn list(missing: &[Unread]) -> String {
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
    format!("could not read {inputs}:\n{}", lines.join("\n"))
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
