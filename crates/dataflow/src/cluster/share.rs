//! What of a build is this process's own.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde::{Deserialize, Serialize};

use super::deal::{deal, deal_rows};
use super::{Group, Start};
use crate::Epoch;
use crate::message::Seam;
use crate::order::Crossings;
use crate::plan::Plan;

/// What one process tells all others while they work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Told {
    /// Where a part ended in a file that a part of another process goes on with.
    Seam(Seam),
    /// Of a part an input is missing.
    Half(Epoch),
    /// A chunk is written.
    Written(Epoch),
}

/// The share of a process: all there is, where it is alone.
#[derive(Debug, Default)]
pub(crate) struct Share {
    group: Option<Group>,
    /// Whose each part is; nobody's if it is done.
    owners: Vec<Option<usize>>,
    tell: Option<Sender<Told>>,
}

impl Share {
    /// Deals the parts that are not read. Gives also what there is to tell the others.
    pub(crate) fn new(group: &Group, plan: &Plan, start: &Start) -> (Share, Receiver<Told>) {
        let read: HashSet<Epoch> = start.read.iter().copied().collect();
        let parts = 0..plan.parts.len() as Epoch;
        let sizes: Vec<Option<u64>> = parts
            .map(|part| (!read.contains(&part)).then(|| plan.bytes(part)))
            .collect();
        let (tell, told) = channel();
        let share = Share {
            group: Some(group.clone()),
            owners: deal(&sizes, &mut vec![0; group.processes()]),
            tell: Some(tell),
        };
        (share, told)
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    /// Whether a part is for this process to work on.
    pub(crate) fn has(&self, part: Epoch) -> bool {
        match &self.group {
            Some(group) => self.owners.get(part as usize) == Some(&Some(group.process())),
            None => true,
        }
    }

    /// Whether a part is done, or for this process to work on.
    pub(crate) fn sees(&self, part: Epoch) -> bool {
        self.has(part) || self.owners.get(part as usize) == Some(&None)
    }

    /// Whether this process commits chunks to the tables' logs, and ends the corpus.
    pub(crate) fn is_first(&self) -> bool {
        self.group.as_ref().is_none_or(|group| group.process() == 0)
    }

    /// Which pieces of work of these sizes are for this process to do; pieces without a size are done.
    pub(crate) fn of(&self, sizes: &[Option<u64>]) -> Vec<bool> {
        self.own(deal(sizes, &mut vec![0; self.processes()]))
    }

    /// The same, where a process has pieces that stand one behind the other.
    pub(crate) fn row_of(&self, sizes: &[Option<u64>]) -> Vec<bool> {
        self.own(deal_rows(sizes, self.processes()))
    }

    fn processes(&self) -> usize {
        self.group.as_ref().map_or(1, Group::processes)
    }

    fn own(&self, owners: Vec<Option<usize>>) -> Vec<bool> {
        let own = self.group.as_ref().map_or(0, Group::process);
        owners.into_iter().map(|owner| owner == Some(own)).collect()
    }

    /// Tells all others, if there are any.
    pub(crate) fn tell(&self, told: Told) {
        if let Some(tell) = &self.tell {
            // Who does not listen any more is about to end.
            tell.send(told).unwrap_or_default();
        }
    }

    /// Where parts end in files that others go on with, and how the other processes are told.
    pub(crate) fn crossings(&self, plan: &Plan) -> Option<Crossings> {
        let begins = plan.parts.iter().filter_map(|part| {
            let piece = part.units.first()?.pieces.first()?;
            piece.continues.then_some((piece.shard, piece.range.start))
        });
        let tell = self.tell.clone()?;
        Some(Crossings {
            seams: begins.collect(),
            tell,
        })
    }
}
