//! The interface between the screen and its pages, which are opened and saved one at a time.

use gleaner_gold::annotation::Decision;

use crate::{Block, Error};

/// Pages to be labelled, in the order in which they are offered.
pub trait Pages {
    /// The number of pages.
    fn count(&self) -> usize;

    /// What is known of a page without opening it.
    fn about(&self, page: usize) -> About<'_>;

    /// Reads a page, and the decisions about its blocks.
    ///
    /// # Errors
    /// The page does not exist any more, or cannot be parsed.
    fn open(&mut self, page: usize) -> Result<Opened, Error>;

    /// Saves the decisions about the page that was opened last, so that nothing is lost if the program is killed. A file that
    /// another program has changed since it was read is overwritten only with `force`.
    ///
    /// # Errors
    /// The page cannot be saved; the file is unchanged.
    fn save(&mut self, decisions: &[Option<Decision>], force: bool) -> Result<(), Error>;
}

/// What is known of a page without opening it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About<'a> {
    /// Its URL, or the name of its file.
    pub name: &'a str,
    /// The number of labelled blocks, and of all blocks; `None` before the first is labelled.
    pub progress: Option<(usize, usize)>,
}

impl About<'_> {
    /// Whether all blocks are labelled.
    pub fn is_complete(&self) -> bool {
        self.progress.is_some_and(|(done, all)| done == all)
    }
}

/// A page that was opened.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// The decision about each block.
    pub decisions: Vec<Option<Decision>>,
    /// A message for the annotator.
    pub notice: Option<String>,
}
