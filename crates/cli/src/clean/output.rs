//! Where cleaned pages go: to standard output, with separators if they are several, or to a file each.

use anyhow::Result;
use gleaner_document::html;

use super::folder::Folder;
use super::printed::{Printed, head, whole};
use crate::args::{Clean, CleanFormat};
use crate::terminal::{console, plain};
use gleaner_training::FoundPage;

/// Where pages go.
pub(super) enum Output {
    Standard(Standard),
    Folder(Folder),
}

pub(super) struct Standard {
    format: CleanFormat,
    title: String,
    /// Whether a line with its name stands before each page.
    are_several: bool,
    /// The first page of a single input, until there is another.
    held: Option<Printed>,
    printed: u64,
}

impl Output {
    pub(super) fn of(arguments: &Clean) -> Output {
        match &arguments.out {
            Some(folder) => Output::Folder(Folder::new(folder, arguments)),
            None => Output::Standard(Standard {
                format: arguments.format,
                title: title(arguments),
                are_several: arguments.files.len() > 1,
                held: None,
                printed: 0,
            }),
        }
    }

    /// Takes a page.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn add(&mut self, page: Printed, found: &FoundPage<'_>) -> Result<()> {
        match self {
            Output::Standard(standard) => standard.add(page),
            Output::Folder(folder) => folder.add(&page, found),
        }
    }

    /// Ends the output.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn end(self) -> Result<()> {
        match self {
            Output::Standard(standard) => standard.end(),
            Output::Folder(folder) => {
                folder.print_count();
                Ok(())
            }
        }
    }
}

/// The title of a document that has the pages of all inputs: the first of these, and how many there are.
fn title(arguments: &Clean) -> String {
    let first = arguments.files.first().map(|file| file.display().to_string());
    let first = first
        .filter(|first| first != "-")
        .unwrap_or_else(|| "standard input".to_owned());
    match arguments.files.len() {
        0 | 1 => first,
        count => format!("{first} and {} more", count - 1),
    }
}

impl Standard {
    fn add(&mut self, page: Printed) -> Result<()> {
        if self.are_several {
            return self.print_one_of_several(&page);
        }
        let Some(first) = self.held.take() else {
            self.held = Some(page);
            return Ok(());
        };
        self.are_several = true;
        self.print_one_of_several(&first)?;
        self.print_one_of_several(&page)
    }

    fn print_one_of_several(&mut self, page: &Printed) -> Result<()> {
        let is_first = self.printed == 0;
        self.printed += 1;
        if is_first && is_html(self.format) {
            console::out(&html::begin(&self.title, head(self.format), None))?;
        }
        let apart = if is_first { "" } else { "\n" };
        let (name, text) = (plain::line(&page.name), &page.text);
        console::out(&match self.format {
            CleanFormat::Text | CleanFormat::Markdown => format!("{apart}==> {name} <==\n{text}"),
            CleanFormat::Cleaneval => format!("{apart}URL: {name}\n{text}"),
            CleanFormat::Json => text.clone(),
            CleanFormat::Html | CleanFormat::View => html::article(&page.name, &page.about, text),
        })?;
        Ok(())
    }

    fn end(self) -> Result<()> {
        if let Some(only) = &self.held {
            console::out(&whole(self.format, only))?;
        }
        if self.printed > 0 && is_html(self.format) {
            console::out(html::END)?;
        }
        Ok(())
    }
}

fn is_html(format: CleanFormat) -> bool {
    matches!(format, CleanFormat::Html | CleanFormat::View)
}
