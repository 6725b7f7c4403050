//! Puts the entries of a part back into the order of the crawl.
//!
//! Units are read by whichever worker is free, and their rows arrive in any order. The writer of
//! a part takes them out of here in one order only, so the files are the same whatever the number
//! of workers. Where two units read one shard, their seam is checked: the first must end at the
//! very record where the second begins; if it doesn't (a stored archive inside of a record can
//! look like the beginning of one), the second is read again from the right place.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::mpsc::Sender;

use parking_lot::Mutex;

use crate::data::message::Notice;
use crate::data::message::{Entry, EntryPlace, Seam, SeamEnd};
use crate::epoch::Epoch;
use crate::work::ledger::{Assignment, Ledger};

/// What the ends of units have shown of the seams, for all parts of a process.
#[derive(Debug, Default)]
pub(crate) struct Seams {
    ends: Mutex<HashMap<(usize, u64), SeamEnd>>,
    crossings: Option<Crossings>,
}

/// Seams between parts of different processes, and how they are reported.
#[derive(Debug)]
pub(crate) struct Crossings {
    pub(crate) seams: HashSet<(usize, u64)>,
    pub(crate) notices: Sender<Notice>,
}

impl Seams {
    pub(crate) fn new(crossings: Option<Crossings>) -> Seams {
        Seams {
            crossings,
            ..Seams::default()
        }
    }

    /// Takes in what ends have shown in an earlier run.
    pub(crate) fn restore(&self, seams: impl Iterator<Item = Seam>) {
        seams.for_each(|seam| self.learn(seam));
    }

    fn close(&self, seam: Seam) {
        self.learn(seam);
        if let Some(Crossings { seams, notices }) = &self.crossings
            && seams.contains(&(seam.shard, seam.at))
        {
            // Nothing receives it when the build is about to end.
            notices.send(Notice::Seam(seam)).unwrap_or_default();
        }
    }

    /// Takes in what an end has shown.
    pub(crate) fn learn(&self, seam: Seam) {
        let mut ends = self.ends.lock();
        ends.insert((seam.shard, seam.at), seam.found);
    }

    /// What the unit before a seam found next; `None` if it has not come so far.
    fn known(&self, seam: Seam) -> Option<SeamEnd> {
        let ends = self.ends.lock();
        ends.get(&(seam.shard, seam.at)).copied()
    }
}

/// Entries of one part that wait for their turn.
#[derive(Debug)]
pub(crate) struct Sequencer {
    epoch: Epoch,
    /// Units that an earlier run has read: they do not come.
    done: BTreeSet<u32>,
    unit: u32,
    attempt: u32,
    entry: u32,
    /// Whether the unit begins where its shard could not be read to.
    is_lost: bool,
    waiting: BTreeMap<(u32, u32, u32), Entry>,
    closed: Vec<Seam>,
}

impl Sequencer {
    pub(crate) fn new(epoch: Epoch, done: BTreeSet<u32>) -> Sequencer {
        let mut sequencer = Sequencer {
            epoch,
            done,
            unit: 0,
            attempt: 0,
            entry: 0,
            is_lost: false,
            waiting: BTreeMap::new(),
            closed: Vec::new(),
        };
        sequencer.pass_over_done();
        sequencer
    }

    fn pass_over_done(&mut self) {
        while self.done.contains(&self.unit) {
            self.unit += 1;
        }
    }

    /// Takes an entry in.
    pub(crate) fn push(&mut self, place: EntryPlace, entry: Entry) {
        debug_assert_eq!(place.epoch, self.epoch);
        if (place.unit, place.attempt) >= (self.unit, self.attempt) {
            self.waiting
                .insert((place.unit, place.attempt, place.entry), entry);
        }
    }

    /// The next entry in order with its place, if it is there and its seam is sound.
    pub(crate) fn next(&mut self, seams: &Seams, ledger: &Ledger) -> Option<(EntryPlace, Entry)> {
        let key = (self.unit, self.attempt, self.entry);
        if let Entry::Start(start) = self.waiting.get(&key)?
            && let Some(seam) = start.seam
        {
            match seams.known(seam)? {
                SeamEnd::Lost => self.is_lost = true,
                end if end != seam.found => {
                    self.read_again(end, ledger);
                    return None;
                }
                SeamEnd::Record(_) | SeamEnd::End => {}
            }
        }
        let mut entry = self.waiting.remove(&key)?;
        let place = EntryPlace {
            epoch: self.epoch,
            unit: self.unit,
            attempt: self.attempt,
            entry: self.entry,
        };
        self.entry += 1;
        if let Entry::End(end) = &mut entry {
            end.is_lost |= std::mem::take(&mut self.is_lost);
            if let Some(seam) = &mut end.seam {
                match end.is_lost {
                    true => seam.found = SeamEnd::Lost,
                    false => self.closed.push(*seam),
                }
                seams.close(*seam);
            }
            (self.unit, self.attempt, self.entry) = (self.unit + 1, 0, 0);
            self.pass_over_done();
        }
        Some((place, entry))
    }

    /// What the ends of the part's units have shown, but for those that do not count.
    pub(crate) fn closed(&mut self) -> Vec<Seam> {
        std::mem::take(&mut self.closed)
    }

    /// Whether entries wait; at the end of a part none may.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn read_again(&mut self, end: SeamEnd, ledger: &Ledger) {
        self.attempt += 1;
        self.waiting
            .retain(|&(unit, attempt, _), _| (unit, attempt) >= (self.unit, self.attempt));
        let start = match end {
            SeamEnd::Record(start) => start,
            // Where the shard ends before the seam there is nothing left to read for this unit.
            SeamEnd::End | SeamEnd::Lost => u64::MAX,
        };
        ledger.again(Assignment {
            epoch: self.epoch,
            unit: self.unit,
            attempt: self.attempt,
            start: Some(start),
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::message::{End, Start};
    use crate::plan::{Plan, PlanSizes, ShardSize};
    use crate::work::ledger::Offer;

    /// A part of three units over one shard, seams at 10 and 20.
    fn part() -> (Plan, Ledger) {
        let sizes = PlanSizes {
            unit: 10,
            smallest_part: 100,
            largest_part: 100,
            parts: 1,
            merged: 128,
        };
        let plan = Plan::new(
            &[ShardSize {
                bytes: Some(30),
                splittable: true,
                remote: false,
                captures: None,
            }],
            sizes,
        );
        let ledger = Ledger::new(plan.unit_counts(), 10, |_, _| false);
        (plan, ledger)
    }

    fn seam(at: u64, record: u64) -> Option<Seam> {
        Some(Seam {
            shard: 0,
            at,
            found: SeamEnd::Record(record),
        })
    }

    fn unit(unit: u32, attempt: u32, start: Option<Seam>, end: Option<Seam>) -> Vec<(EntryPlace, Entry)> {
        [
            Entry::Start(Start { seam: start }),
            Entry::End(Box::new(End {
                seam: end,
                shards: u64::from(unit),
                ..End::default()
            })),
        ]
        .into_iter()
        .enumerate()
        .map(|(entry, value)| {
            (
                EntryPlace {
                    epoch: 0,
                    unit,
                    attempt,
                    entry: entry as u32,
                },
                value,
            )
        })
        .collect()
    }

    fn drain(sequencer: &mut Sequencer, seams: &Seams, ledger: &Ledger) -> Vec<u64> {
        std::iter::from_fn(|| sequencer.next(seams, ledger))
            .filter_map(|(_, entry)| match entry {
                Entry::End(end) => Some(end.shards),
                _ => None,
            })
            .collect()
    }

    proptest! {
        #[test]
        fn any_arrival_gives_one_order(seed in proptest::collection::vec(any::<u16>(), 6)) {
            let (_, ledger) = part();
            let (mut sequencer, seams) = (Sequencer::new(0, BTreeSet::new()), Seams::default());
            let mut entries: Vec<_> = [
                unit(0, 0, None, seam(10, 12)),
                unit(1, 0, seam(10, 12), seam(20, 20)),
                unit(2, 0, seam(20, 20), None),
            ].concat().into_iter().zip(seed).collect();
            entries.sort_by_key(|(_, key)| *key);
            let mut ends = Vec::new();
            for ((place, entry), _) in entries {
                sequencer.push(place, entry);
                ends.extend(drain(&mut sequencer, &seams, &ledger));
            }
            prop_assert_eq!(ends, [0, 1, 2]);
            prop_assert!(sequencer.is_empty());
        }
    }

    #[test]
    fn a_wrong_seam_has_the_unit_read_again() {
        let (_, ledger) = part();
        let (mut sequencer, seams) = (Sequencer::new(0, BTreeSet::new()), Seams::default());
        for (place, entry) in [
            unit(1, 0, seam(10, 11), seam(20, 20)),
            unit(0, 0, None, seam(10, 13)),
        ]
        .concat()
        {
            sequencer.push(place, entry);
        }
        assert_eq!(drain(&mut sequencer, &seams, &ledger), [0]);
        let expected = Assignment {
            epoch: 0,
            unit: 1,
            attempt: 1,
            start: Some(13),
        };
        assert_eq!(ledger.take(1, false), Offer::Take(expected));
        for (place, entry) in unit(1, 1, seam(10, 13), seam(20, 20)) {
            sequencer.push(place, entry);
        }
        assert_eq!(drain(&mut sequencer, &seams, &ledger), [1]);
    }
}
