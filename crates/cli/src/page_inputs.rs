//! The pages of several inputs: what cannot be read of one keeps nobody from the others.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gleaner_page::PageError;

use crate::pages::{self, Found};
use crate::{Outcome, console};

/// The inputs of a command; standard input where none is named.
pub(crate) fn or_standard_input(inputs: &[PathBuf]) -> Vec<PathBuf> {
    match inputs {
        [] => vec![PathBuf::from("-")],
        named => named.to_vec(),
    }
}

/// What is shown of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    /// Pages alone.
    Pages,
    /// Plain texts, too, but for files in folders.
    Texts,
}

/// Shows the pages of inputs, one after the other. Pages that cannot be parsed, where they were not named, are counted in
/// a warning. An input that cannot be read is told as an error, and the outcome says so.
///
/// `doing` is what the command does with pages, as in "a.html cannot be cleaned".
///
/// # Errors
/// An input cannot be read, and no page of any was shown; or `visit` fails for another reason than the page
/// ([`PageError`]).
pub(crate) fn each(
    inputs: &[PathBuf],
    with: With,
    doing: &str,
    visit: &mut dyn FnMut(&Found<'_>) -> Result<()>,
) -> Result<Outcome> {
    let mut failures = Vec::new();
    let mut shown = 0;
    for input in inputs {
        let mut reading = Reading::new(input);
        let mut show = |page: Found<'_>| reading.show(&page, doing, visit);
        let read = match with {
            With::Pages => pages::each(input, &mut show),
            With::Texts => pages::each_or_text(input, &mut show),
        };
        if reading.is_over {
            read?;
        } else if let Err(failure) = read {
            failures.push(failure);
        } else {
            reading.tell();
        }
        shown += reading.shown;
    }
    let Some(last) = failures.pop() else {
        return Ok(Outcome::Done);
    };
    failures.iter().for_each(console::error);
    if shown == 0 {
        return Err(last);
    }
    console::error(&last);
    Ok(Outcome::Negative)
}

/// What happens while an input is read.
struct Reading {
    input: String,
    is_folder: bool,
    shown: u64,
    /// Pages that cannot be parsed, and what is wrong with the first.
    skipped: u64,
    first_skipped: String,
    /// Whether the command cannot go on.
    is_over: bool,
}

impl Reading {
    fn new(input: &Path) -> Reading {
        Reading {
            input: pages::name_of(input),
            is_folder: input.is_dir() || input.as_os_str().as_encoded_bytes().ends_with(b"/"),
            shown: 0,
            skipped: 0,
            first_skipped: String::new(),
            is_over: false,
        }
    }

    fn show(
        &mut self,
        page: &Found<'_>,
        doing: &str,
        visit: &mut dyn FnMut(&Found<'_>) -> Result<()>,
    ) -> Result<()> {
        // Texts in folders are often gold texts of the pages beside them.
        if self.is_folder && page.is_text && !page.is_record {
            return Ok(());
        }
        let Err(error) = visit(page) else {
            self.shown += 1;
            return Ok(());
        };
        if error.downcast_ref::<PageError>().is_none() {
            self.is_over = true;
            return Err(error);
        }
        let is_named = !page.is_record && page.file == self.input;
        if is_named {
            return Err(error).with_context(|| format!("{} cannot be {doing}", page.file));
        }
        if self.skipped == 0 {
            self.first_skipped = format!("{}: {error}", page.name());
        }
        self.skipped += 1;
        Ok(())
    }

    /// Warns of what is missing in the output.
    fn tell(&self) {
        let (input, first) = (&self.input, &self.first_skipped);
        match (self.shown, self.skipped) {
            (0, 0) => console::say(&format!("warning: {input} holds no page")),
            (_, 0) => {}
            (_, 1) => console::say(&format!("warning: {input}: skipped 1 page: {first}")),
            (_, skipped) => {
                let skipped = console::grouped(skipped);
                console::say(&format!(
                    "warning: {input}: skipped {skipped} pages, the first of them {first}"
                ));
            }
        }
    }
}
