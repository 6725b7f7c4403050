//! Units of work that are read step by step, so that the other stages of a worker get their turn.

use crate::data::message::EntryPlace;
use crate::epoch::Epoch;

/// How far a step came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is more to do.
    More,
    /// Nothing can be done before more bytes arrive.
    Pending,
    /// The unit is read.
    End,
}

/// A unit that is read little by little.
pub(crate) trait UnitSteps {
    /// What comes out of it.
    type Item;

    /// Its part.
    fn epoch(&self) -> Epoch;

    /// Its number in that.
    fn unit(&self) -> u32;

    /// Reads on for a little while, and gives entries, each at its place.
    fn step(&mut self, give: &mut dyn FnMut(EntryPlace, Self::Item)) -> Step;
}
