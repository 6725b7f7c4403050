//! Which units are taken, and how far their rows are written: shared by the workers of a process.
//!
//! Workers take units as they become free, so a slow page or a slow store holds up one worker and
//! no other. A unit is offered only while fewer than a window of them are taken and not written, in all
//! parts together. Units and parts are taken in order, so that those that others wait for are always among them.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::epoch::Epoch;

/// A unit for a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) epoch: Epoch,
    pub(crate) unit: u32,
    /// How often the unit was begun before.
    pub(crate) attempt: u32,
    /// Where its first record begins, if the neighbour's end has shown it.
    pub(crate) start: Option<u64>,
}

/// What there is to do for a worker that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Take(Assignment),
    /// Nothing right now; more may come.
    Wait,
    /// All rows are written.
    Done,
}

/// The units of a plan, from taken to written.
#[derive(Debug)]
pub(crate) struct Ledger {
    parts: Mutex<Vec<Progress>>,
    window: u32,
    /// The number of each part among those in which there was something to do.
    turns: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Progress {
    /// Whether there was something to do at the start.
    is_open: bool,
    /// Units that were to be done at the start.
    units: u32,
    taken: u32,
    written: u32,
    /// The next unit, unless it is one of `done`.
    next: u32,
    /// Units that were done at the start, where that was not all or none.
    done: BTreeSet<u32>,
    again: Vec<Assignment>,
}

impl Ledger {
    /// A ledger of parts with these numbers of units. `is_done` returns which units are done, by part and number.
    pub(crate) fn new(
        units: impl Iterator<Item = u32>,
        window: u32,
        is_done: impl Fn(Epoch, u32) -> bool,
    ) -> Ledger {
        let progress = |(epoch, all): (Epoch, u32)| {
            let done: BTreeSet<u32> = (0..all).filter(|&unit| is_done(epoch, unit)).collect();
            let units = all - done.len() as u32;
            Progress {
                is_open: units > 0,
                units,
                // Of a part that is all done nothing is asked for.
                done: if units > 0 { done } else { BTreeSet::new() },
                ..Progress::default()
            }
        };
        let parts: Vec<Progress> = (0..).zip(units).map(progress).collect();
        let turns = parts.iter().scan(0, |next, part| {
            let turn = *next;
            *next += u64::from(part.is_open);
            Some(turn)
        });
        Ledger {
            turns: turns.collect(),
            parts: Mutex::new(parts),
            window: window.max(1),
        }
    }

    /// The number of a part among those in which there was something to do: by it parts are dealt to workers. By
    /// their own numbers those of a process that has every second part would all be one worker's.
    pub(crate) fn turn(&self, epoch: Epoch) -> u64 {
        self.turns.get(epoch as usize).copied().unwrap_or(epoch)
    }

    /// The end of the next `parts` parts from `first` that have work left.
    pub(crate) fn limit(&self, first: Epoch, parts: Epoch) -> Epoch {
        let all = self.parts.lock();
        let open = (0..).zip(all.iter()).filter(|(_, part)| part.is_open);
        let mut open = open.filter(|(epoch, _)| *epoch >= first);
        open.nth(parts as usize).map_or(Epoch::MAX, |(epoch, _)| epoch)
    }

    /// The next unit of the parts before `limit`. Where memory is short, a new one is given out only when no
    /// other is in flight: there is always something to do.
    pub(crate) fn take(&self, limit: Epoch, is_short: bool) -> Offer {
        let mut parts = self.parts.lock();
        if parts.iter().all(|part| part.written == part.units) {
            return Offer::Done;
        }
        let open = parts.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
        let in_flight = in_flight(&parts);
        let is_full = in_flight >= self.window || (is_short && in_flight > 0);
        let mut parts = (0..).zip(&mut parts[..open]);
        let part = parts.find(|(_, part)| part.has_next(is_full));
        part.map_or(Offer::Wait, |(epoch, part)| Offer::Take(part.next(epoch)))
    }

    /// The first part that is not written to its end; none if all are.
    pub(crate) fn frontier(&self) -> Option<Epoch> {
        self.parts
            .lock()
            .iter()
            .position(|part| part.written < part.units)
            .map(|epoch| epoch as Epoch)
    }

    /// All rows of the next unit of a part are written. Returns whether the part is complete.
    pub(crate) fn wrote(&self, epoch: Epoch) -> bool {
        let part = &mut self.parts.lock()[epoch as usize];
        part.written += 1;
        part.written == part.units
    }

    /// Has a unit read again.
    pub(crate) fn again(&self, assignment: Assignment) {
        self.parts.lock()[assignment.epoch as usize]
            .again
            .push(assignment);
    }
}

fn in_flight(parts: &[Progress]) -> u32 {
    parts.iter().map(Progress::in_flight).sum()
}

impl Progress {
    fn in_flight(&self) -> u32 {
        self.taken - self.written
    }

    fn has_next(&self, is_full: bool) -> bool {
        !self.again.is_empty() || (self.taken < self.units && !is_full)
    }

    /// Where there is one.
    fn next(&mut self, epoch: Epoch) -> Assignment {
        if let Some(assignment) = self.again.pop() {
            return assignment;
        }
        while self.done.contains(&self.next) {
            self.next += 1;
        }
        let unit = self.next;
        self.next += 1;
        self.taken += 1;
        Assignment {
            epoch,
            unit,
            attempt: 0,
            start: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parts of three units.
    fn of(window: u32, is_done: impl Fn(Epoch, u32) -> bool) -> Ledger {
        Ledger::new([3, 3].into_iter(), window, is_done)
    }

    fn ledger(window: u32) -> Ledger {
        of(window, |_, _| false)
    }

    fn taken(offer: Offer) -> (Epoch, u32) {
        match offer {
            Offer::Take(assignment) => (assignment.epoch, assignment.unit),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_window_and_the_limit_bound_what_is_in_flight() {
        let ledger = ledger(2);
        assert_eq!(taken(ledger.take(1, false)), (0, 0));
        assert_eq!(taken(ledger.take(1, false)), (0, 1));
        assert_eq!(ledger.take(2, false), Offer::Wait);
        assert!(!ledger.wrote(0));
        assert_eq!(taken(ledger.take(1, false)), (0, 2));
        assert!(!ledger.wrote(0));
        assert_eq!(ledger.take(1, false), Offer::Wait);
        assert_eq!(taken(ledger.take(2, false)), (1, 0));
        assert_eq!(ledger.frontier(), Some(0));
    }

    #[test]
    fn where_memory_is_short_there_is_one_unit_at_a_time() {
        let ledger = ledger(6);
        assert_eq!(taken(ledger.take(2, true)), (0, 0));
        assert_eq!(ledger.take(2, true), Offer::Wait);
        let again = Assignment {
            epoch: 0,
            unit: 0,
            attempt: 1,
            start: Some(7),
        };
        ledger.again(again);
        assert_eq!(ledger.take(2, true), Offer::Take(again), "others wait for it");
        ledger.wrote(0);
        assert_eq!(taken(ledger.take(2, true)), (0, 1));
    }

    #[test]
    fn parts_are_dealt_by_their_number_among_those_that_are_not_done() {
        let turns = |ledger: Ledger| [ledger.turn(0), ledger.turn(1)];
        assert_eq!(turns(of(3, |_, _| false)), [0, 1]);
        let second = of(3, |epoch, _| epoch == 0);
        assert_eq!(taken(second.take(2, false)), (1, 0));
        assert_eq!(turns(second), [0, 0]);
    }

    #[test]
    fn done_comes_when_all_is_written() {
        let ledger = ledger(6);
        for _ in 0..6 {
            taken(ledger.take(2, false));
        }
        assert_eq!(
            (0..3).map(|_| ledger.wrote(0)).collect::<Vec<_>>(),
            [false, false, true]
        );
        assert_eq!(ledger.frontier(), Some(1));
        assert_eq!(ledger.take(2, false), Offer::Wait);
        (0..3).for_each(|_| _ = ledger.wrote(1));
        assert_eq!((ledger.take(2, false), ledger.frontier()), (Offer::Done, None));
    }

    #[test]
    fn what_is_done_is_skipped() {
        let ledger = of(3, |epoch, _| epoch == 0);
        assert_eq!(taken(ledger.take(2, false)), (1, 0));
        assert_eq!((ledger.take(1, false), ledger.frontier()), (Offer::Wait, Some(1)));
        assert_eq!(of(3, |_, _| true).take(2, false), Offer::Done);
    }

    #[test]
    fn of_a_part_that_is_half_done_the_rest_is_given_out() {
        let ledger = of(6, |epoch, unit| epoch == 0 && unit != 1);
        assert_eq!(taken(ledger.take(1, false)), (0, 1));
        assert_eq!(ledger.take(1, false), Offer::Wait);
        assert!(ledger.wrote(0));
        assert_eq!(taken(ledger.take(2, false)), (1, 0));
        assert_eq!(ledger.frontier(), Some(1));
    }

    #[test]
    fn parts_that_are_done_do_not_count_as_open() {
        let limits =
            |ledger: Ledger| [(0, 1), (0, 2), (1, 1)].map(|(first, parts)| ledger.limit(first, parts));
        let all = of(3, |_, _| false);
        assert_eq!(limits(all), [1, Epoch::MAX, Epoch::MAX]);
        let second = of(3, |epoch, _| epoch == 0);
        assert_eq!(limits(second), [Epoch::MAX; 3]);
    }

    #[test]
    fn a_unit_can_be_read_again() {
        let ledger = ledger(3);
        taken(ledger.take(1, false));
        ledger.again(Assignment {
            epoch: 0,
            unit: 0,
            attempt: 1,
            start: Some(7),
        });
        assert_eq!(
            ledger.take(1, false),
            Offer::Take(Assignment {
                epoch: 0,
                unit: 0,
                attempt: 1,
                start: Some(7)
            })
        );
        assert_eq!(taken(ledger.take(1, false)), (0, 1));
    }
}
