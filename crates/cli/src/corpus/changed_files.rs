//! Files of a complete corpus that are not as they were written.

use anyhow::Result;
use gleaner_corpus::{Corpus, Fault};
use gleaner_store::Output;

use crate::terminal::{console, plain};

const NAMED: usize = 10;

/// Refuses a corpus that is complete but not as it was written.
pub(crate) fn refuse(output: &Output, out: &str) -> Result<()> {
    let faults = Corpus::check(output)?;
    if faults.is_empty() {
        return Ok(());
    }
    Err(console::Lines(text(&faults, out)).into())
}

/// Names the files of a corpus that are missing, cut or foreign.
pub(crate) fn text(faults: &[Fault], out: &str) -> String {
    let files = match faults.len() {
        1 => "1 file differs from what the build wrote".to_owned(),
        count => format!(
            "{} files differ from what the build wrote",
            console::grouped(count as u64)
        ),
    };
    let out = plain::line(out);
    let mut text = format!("'{out}' holds this corpus, but {files}: use --force to build it again");
    for fault in faults.iter().take(NAMED) {
        text += &format!("\n  {}", plain::line(&fault.to_string()));
    }
    if let Some(more @ 1..) = faults.len().checked_sub(NAMED) {
        text += &format!("\n  and {more} more");
    }
    text
}
