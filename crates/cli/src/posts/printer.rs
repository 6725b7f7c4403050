//! Prints posts as text, JSON and XML.

use anyhow::Result;
use gleaner_posts::{Posted, XML_BEGIN, XML_END};

use crate::args::PostsFormat;
use crate::terminal::{console, plain};

/// Prints pages one after the other.
pub(super) struct Printer {
    format: PostsFormat,
    /// Whether anything is printed yet.
    has_begun: bool,
}

impl Printer {
    pub(super) fn new(format: PostsFormat) -> Printer {
        Printer {
            format,
            has_begun: false,
        }
    }

    /// Prints a page, which is called by a name in text: its address, or its file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn print(&mut self, name: &str, page: &Posted<'_>) -> Result<()> {
        self.begin()?;
        Ok(console::out(&match self.format {
            PostsFormat::Text => page.text(&plain::line(name)),
            PostsFormat::Json => serde_json::to_string(page)? + "\n",
            PostsFormat::Xml => page.xml(),
        })?)
    }

    /// Ends what is printed.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn end(mut self) -> Result<()> {
        self.begin()?;
        if self.format == PostsFormat::Xml {
            console::out(XML_END)?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) && self.format == PostsFormat::Xml {
            console::out(XML_BEGIN)?;
        }
        Ok(())
    }
}
