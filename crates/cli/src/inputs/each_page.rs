//! The pages of several inputs: an unreadable input does not stop the others.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gleaner_html::PageError;

use gleaner_training::{FoundPage, PageSearch, Texts, input_name};

use super::pages::search;
use crate::terminal::{Outcome, console};

/// The inputs of a command; standard input where none is named.
pub(crate) fn or_standard_input(inputs: &[PathBuf]) -> Vec<PathBuf> {
    match inputs {
        [] => vec![PathBuf::from("-")],
        named => named.to_vec(),
    }
}

pub(crate) fn warn_of_unused_url() {
    console::say("warning: --url has no effect: every page has its own URL");
}

/// Shows the pages of inputs, one after the other. Pages that cannot be parsed, where they were not named, are counted in
/// a warning. An input that cannot be read is printed as an error, and the outcome is negative, as it is where no input
/// held a page.
///
/// Plain texts are only counted unless `texts` is [`Texts::All`]. `doing` is what the command does with pages, as in "a.html cannot be cleaned", `out` the folder that it writes to.
///
/// # Errors
/// An input cannot be read, and no page of any was shown; or `visit` fails for another reason than the page
/// ([`PageError`]).
pub(crate) fn each(
    inputs: &[PathBuf],
    texts: Texts,
    doing: &str,
    out: Option<&Path>,
    visit: &mut dyn FnMut(&FoundPage<'_>) -> Result<()>,
) -> Result<Outcome> {
    let mut failures = Vec::new();
    let mut shown = 0;
    for input in inputs {
        let mut reading = Reading::new(input);
        let mut show = |page: FoundPage<'_>| reading.show(&page, texts, doing, visit);
        let search = PageSearch { out, ..search(texts) };
        let read = search.each(input, &mut show);
        if reading.is_over {
            read?;
        } else if let Err(failure) = read {
            failures.push(failure);
        } else {
            reading.warn();
        }
        shown += reading.shown;
    }
    let Some(last) = failures.pop() else {
        return Ok(if shown == 0 {
            Outcome::Negative
        } else {
            Outcome::Done
        });
    };
    failures.iter().for_each(console::error);
    if shown == 0 {
        return Err(last);
    }
    console::error(&last);
    Ok(Outcome::Negative)
}

struct Reading {
    input: String,
    is_folder: bool,
    shown: u64,
    texts: u64,
    /// Pages that cannot be parsed, and what is wrong with the first.
    skipped: u64,
    first_skipped: String,
    /// Whether the command cannot continue.
    is_over: bool,
}

impl Reading {
    fn new(input: &Path) -> Reading {
        Reading {
            input: input_name(input),
            is_folder: input.is_dir() || input.as_os_str().as_encoded_bytes().ends_with(b"/"),
            shown: 0,
            texts: 0,
            skipped: 0,
            first_skipped: String::new(),
            is_over: false,
        }
    }

    fn show(
        &mut self,
        page: &FoundPage<'_>,
        texts: Texts,
        doing: &str,
        visit: &mut dyn FnMut(&FoundPage<'_>) -> Result<()>,
    ) -> Result<()> {
        if texts != Texts::All && page.is_record && page.is_text {
            self.texts += 1;
            return Ok(());
        }
        // Texts in folders are often gold texts of the pages beside them.
        if self.is_folder && page.is_text && !page.is_record {
            self.texts += 1;
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

    fn instead(&self) -> &'static str {
        match (self.texts, self.is_folder) {
            (0, _) => "",
            (_, true) => ": .txt files in a folder are skipped; name them",
            (_, false) => ": it holds plain texts only",
        }
    }

    fn warn(&self) {
        let (input, first) = (&self.input, &self.first_skipped);
        match (self.shown, self.skipped) {
            (0, 0) => console::say(&format!("warning: {input} holds no page{}", self.instead())),
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
