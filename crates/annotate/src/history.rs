//! What was decided, to be undone and done again.

use gleaner_gold::annotation::Decision;

/// What one command changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) blocks: Vec<ChangedBlock>,
}

/// A block, with what was decided before and after.
pub(crate) type ChangedBlock = (usize, Option<Decision>, Option<Decision>);

/// Changes in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    done: Vec<Change>,
    undone: Vec<Change>,
}

impl History {
    /// Adds a change. What was undone before it cannot be done again.
    pub(crate) fn push(&mut self, change: Change) {
        self.undone.clear();
        self.done.push(change);
    }

    /// The last change, to be taken back.
    pub(crate) fn undo(&mut self) -> Option<&Change> {
        self.undone.push(self.done.pop()?);
        self.undone.last()
    }

    /// The last change that was taken back, to be made again.
    pub(crate) fn redo(&mut self) -> Option<&Change> {
        self.done.push(self.undone.pop()?);
        self.done.last()
    }
}
