//! What is labelled, as the screen sees it: pages in an order, opened and saved one at a time.

use gleaner_gold::annotation::Decision;

use crate::{Block, Error};

/// Pages to be labelled, in the order in which they are offered.
pub trait Pages {
    /// How many there are.
    fn count(&self) -> usize;

    /// What is known of a page without opening it.
    fn about(&self, page: usize) -> About<'_>;

    /// Reads a page, and what has been decided of it.
    ///
    /// # Errors
    /// When it is not there any more, or no page after all.
    fn open(&mut self, page: usize) -> Result<Opened, Error>;

    /// Saves what is decided of the page that was opened last, so that nothing is lost if the
    /// program is killed. What another program wrote to the file since it was read is
    /// overwritten only with `force`.
    ///
    /// # Errors
    /// When it cannot be saved; the file is what it was before.
    fn save(&mut self, decisions: &[Option<Decision>], force: bool) -> Result<(), Error>;
}

/// What is known of a page without opening it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About<'a> {
    /// Its address, or the name of its file.
    pub name: &'a str,
    /// How many of its blocks are done, and how many it has; `None` before the first is.
    pub progress: Option<(usize, usize)>,
}

impl About<'_> {
    /// Whether all blocks are done.
    pub fn is_complete(&self) -> bool {
        self.progress.is_some_and(|(done, all)| done == all)
    }
}

/// A page that was opened.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// What is decided, a decision a block.
    pub decisions: Vec<Option<Decision>>,
    /// What the person at the screen should know, if anything.
    pub notice: Option<String>,
}
