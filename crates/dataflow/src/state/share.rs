//! The share of a process in the work of a build.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, channel};

use gleaner_cluster::Group;

use crate::data::message::Notice;
use crate::epoch::Epoch;
use crate::plan::Plan;
use crate::state::deal::{deal, deal_rows};
use crate::state::done::DoneNumbers;
use crate::work::order::Crossings;

/// The share of a process: all there is, where it is alone.
#[derive(Debug, Default)]
pub(crate) struct Share {
    group: Option<Group>,
    /// The process of each part; none if it is done.
    owners: Vec<Option<usize>>,
    notices: Option<Sender<Notice>>,
    /// Workers of the first process.
    workers: Option<usize>,
}

impl Share {
    /// Deals the parts that are not read. Returns also the notices for the other processes.
    pub(crate) fn new(
        group: &Group,
        plan: &Plan,
        start: &DoneNumbers,
        workers: usize,
    ) -> (Share, Receiver<Notice>) {
        let read: HashSet<Epoch> = start.read.iter().copied().collect();
        let parts = 0..plan.parts.len() as Epoch;
        let sizes: Vec<Option<u64>> = parts
            .map(|part| (!read.contains(&part)).then(|| plan.bytes(part)))
            .collect();
        let (notices, received) = channel();
        let share = Share {
            group: Some(group.clone()),
            owners: deal(&sizes, &mut vec![0; group.processes()]),
            notices: Some(notices),
            workers: Some(workers),
        };
        (share, received)
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    /// Workers of each process in the last step, where all have the same number.
    pub(crate) fn workers(&self, own: usize) -> usize {
        self.workers.unwrap_or(own)
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

    /// Reports to all other processes, if there are any.
    pub(crate) fn report(&self, notice: Notice) {
        if let Some(notices) = &self.notices {
            // Nothing receives it when the build is about to end.
            notices.send(notice).unwrap_or_default();
        }
    }

    /// Where parts end in files that parts of others continue, and how these are reported.
    pub(crate) fn crossings(&self, plan: &Plan) -> Option<Crossings> {
        let begins = plan.parts.iter().filter_map(|part| {
            let piece = part.units.first()?.pieces.first()?;
            piece.continues.then_some((piece.shard, piece.range.start))
        });
        let notices = self.notices.clone()?;
        Some(Crossings {
            seams: begins.collect(),
            notices,
        })
    }
}
