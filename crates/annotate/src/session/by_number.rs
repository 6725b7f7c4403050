//! Pages by their numbers, for programs that open and save several pages at a time. The state of an
//! annotation file is described by a *stamp*: the time of its last change and its length, as text.

use std::time::{Duration, SystemTime};

use gleaner_gold::annotation::Decision;
use gleaner_html::{HtmlParser, TreeLimits};

use super::{Session, Stamp, stamp};
use crate::source::read_at;
use crate::{Error, Opened, Pages};

/// The stamp of a page without an annotation file.
const NEW: &str = "new";

impl Session {
    /// Opens a page, and gives the stamp of its annotation file.
    ///
    /// # Errors
    /// As [`Pages::open`].
    pub fn open_page(&mut self, page: usize) -> Result<(Opened, String), Error> {
        let opened = self.open(page)?;
        Ok((opened, self.open_stamp()))
    }

    /// Saves the decisions about a page, as [`Pages::save`] does, if its annotation file still has the stamp that it had when the
    /// decisions were made, or with `force`, which also overwrites a damaged file. Gives the new stamp.
    ///
    /// # Errors
    /// The file has another stamp ([`Error::Changed`]) or is damaged ([`Error::Damaged`]), there are not as many decisions as blocks, nothing is saved
    /// ([`Error::ReadOnly`]), or the file cannot be written. The file is unchanged then.
    pub fn save_page(
        &mut self,
        page: usize,
        decisions: &[Option<Decision>],
        seen: &str,
        force: bool,
    ) -> Result<String, Error> {
        let blocks = match self.open_again(page) {
            Err(Error::Damaged(_)) if force => self.open_afresh(page)?,
            opened => opened?,
        };
        if self.open_stamp() != seen && !force {
            return Err(Error::Changed(self.entries[page].annotations.clone()));
        }
        if decisions.len() != blocks {
            return Err(Error::OtherBlocks(blocks, decisions.len()));
        }
        self.save(decisions, force)?;
        Ok(self.open_stamp())
    }

    /// The decisions in the annotation file of a page, for the blocks that it has now.
    ///
    /// # Errors
    /// As [`Pages::open`].
    pub fn decisions(&mut self, page: usize) -> Result<Vec<Option<Decision>>, Error> {
        self.open_again(page)?;
        let blocks = self.open.iter().flat_map(|open| &open.annotation.blocks);
        Ok(blocks.map(|block| block.decision).collect())
    }

    /// The URL of a page; empty if it is not known.
    pub fn url(&self, page: usize) -> &str {
        &self.entries[page].url
    }

    /// The HTML of a page, decoded, as far as it is read.
    ///
    /// # Errors
    /// The page does not exist any more, or is no text.
    pub fn html(&self, page: usize) -> Result<String, Error> {
        let entry = &self.entries[page];
        let format = self.formats[entry.file];
        let (content_type, body) = read_at(&self.config.files[entry.file], format, entry.spot)?;
        let mut parser = HtmlParser::new(TreeLimits::default());
        let parsed = parser.parse(&body, content_type.as_deref())?;
        Ok(parsed.source().to_owned())
    }

    /// Opens a page, unless it is open and its file is as it was then. Gives the number of its blocks.
    fn open_again(&mut self, page: usize) -> Result<usize, Error> {
        let is_open = self
            .open
            .as_ref()
            .is_some_and(|open| open.entry == page && stamp(&self.entries[page].annotations) == open.seen);
        if !is_open {
            self.open(page)?;
        }
        Ok(self.open.as_ref().map_or(0, |open| open.annotation.blocks.len()))
    }

    /// Opens a page as if it had no annotation file. Gives the number of its blocks.
    fn open_afresh(&mut self, page: usize) -> Result<usize, Error> {
        let seen = stamp(&self.entries[page].annotations);
        Ok(self.open_as(page, None, seen)?.blocks.len())
    }

    /// The stamp of the file of the page that is open.
    fn open_stamp(&self) -> String {
        let seen = self.open.as_ref().and_then(|open| open.seen);
        seen.map_or_else(|| NEW.to_owned(), words)
    }
}

/// A stamp as text.
fn words((time, length): Stamp) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or(Duration::ZERO);
    format!("{}.{:09}-{length}", since.as_secs(), since.subsec_nanos())
}
