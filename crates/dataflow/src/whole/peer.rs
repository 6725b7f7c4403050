//! A worker among all workers of all processes, and what it exchanges with the others.
//!
//! The last step is a row of small dataflows, one after the other. In each every worker gives records to others and takes
//! those that are its own ([`Peer::exchange`]); between two of them it works on what it has. A dataflow is over when it is over on all
//! workers.
//!
//! Records travel in batches. A worker that takes a batch acknowledges it, and few batches are on their way from one to another: so
//! a worker that is slow, or puts what it has on disk, is not flooded by the others.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::channels::pact;
use timely::dataflow::operators::core::input::Handle as Input;
use timely::dataflow::operators::probe::Handle as Probed;
use timely::dataflow::operators::vec::Map;
use timely::dataflow::operators::{Operator, Probe};
use timely::worker::Worker;

use crate::epoch::Epoch;
use crate::error::Error;

/// How long a worker that waits for others sleeps before it looks whether the build is stopped.
const NAP: Duration = Duration::from_millis(20);

/// Bytes of a batch, beside what its records refer to, and of all batches that a worker fills: it has one for each other.
const BATCH: usize = 64 << 10;
const BATCHES: usize = 4 << 20;

/// Batches that are on their way from one worker to another.
const ON_THEIR_WAY: u32 = 4;

/// Records after which a worker that gives them looks whether the build is stopped.
const LOOK: usize = 4096;

/// A worker among all.
pub(super) struct Peer<'a> {
    worker: &'a mut Worker,
    stop: &'a AtomicBool,
}

/// Gives a record to a worker.
pub(super) type Give<'a, D> = &'a mut dyn FnMut(usize, D) -> Result<(), Error>;

/// What is sent from worker to worker.
pub(super) trait Sent: Clone + Send + Serialize + DeserializeOwned + 'static {}

impl<D: Clone + Send + Serialize + DeserializeOwned + 'static> Sent for D {}

impl<'a> Peer<'a> {
    pub(super) fn new(worker: &'a mut Worker, stop: &'a AtomicBool) -> Peer<'a> {
        Peer { worker, stop }
    }

    /// The number of this worker.
    pub(super) fn index(&self) -> usize {
        self.worker.index()
    }

    /// How many workers there are.
    pub(super) fn count(&self) -> usize {
        self.worker.peers()
    }

    /// An error if the build is stopped.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.stop.load(Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }

    /// Gives records to all workers, and takes those that all give to this one, in any order.
    pub(super) fn exchange<D: Sent>(
        &mut self,
        name: &str,
        give: impl FnOnce(Give<'_, D>) -> Result<(), Error>,
        take: impl FnMut(D) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut exchange = Exchange::begin(self, name, take);
        give(&mut |to, record| exchange.give(to, record))?;
        exchange.end()
    }

    /// The sum of the numbers of all workers.
    pub(super) fn sum(&mut self, number: u64) -> Result<u64, Error> {
        let (mut sum, peers) = (0_u64, self.count());
        let give = |give: Give<'_, u64>| (0..peers).try_for_each(|peer| give(peer, number));
        self.exchange("sum", give, |number| {
            sum = sum.wrapping_add(number);
            Ok(())
        })?;
        Ok(sum)
    }

    /// Runs a dataflow to its end on all workers.
    pub(super) fn dataflow(
        &mut self,
        plan: impl FnOnce(Scope<'_, Epoch>, &Probed<Epoch>),
    ) -> Result<(), Error> {
        let done = Probed::new();
        self.worker.dataflow::<Epoch, _, _>(|scope| plan(scope, &done));
        while !done.done() {
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Error> {
        self.check()?;
        self.worker.step_or_park(Some(NAP));
        Ok(())
    }
}

impl Drop for Peer<'_> {
    /// Ends the dataflows. Where the build is stopped they are never done.
    fn drop(&mut self) {
        while self.worker.has_dataflows() && self.step().is_ok() {}
        for dataflow in self.worker.installed_dataflows() {
            self.worker.drop_dataflow(dataflow);
        }
    }
}

/// Records from one worker to another.
#[derive(Clone, Serialize, Deserialize)]
struct Batch<D> {
    from: u32,
    to: u32,
    records: Vec<D>,
}

type Sending<D> = Input<Epoch, CapacityContainerBuilder<Vec<D>>>;

/// An exchange that runs.
struct Exchange<'p, 'w, D: Sent, T> {
    peer: &'p mut Peer<'w>,
    take: T,
    batches: Sending<Batch<D>>,
    arrived: Rc<RefCell<Vec<Batch<D>>>>,
    arriving: Probed<Epoch>,
    /// Of each batch that was taken the sender, and this worker.
    thanks: Sending<(u32, u32)>,
    thanking: Probed<Epoch>,
    /// Records for each worker that are not sent.
    waiting: Vec<Vec<D>>,
    /// Batches that are on their way to each worker.
    sent: Rc<RefCell<Vec<u32>>>,
    given: usize,
}

impl<'p, 'w, D: Sent, T: FnMut(D) -> Result<(), Error>> Exchange<'p, 'w, D, T> {
    fn begin(peer: &'p mut Peer<'w>, name: &str, take: T) -> Exchange<'p, 'w, D, T> {
        let peers = peer.count();
        let exchange = Exchange {
            take,
            batches: Input::new(),
            arrived: Rc::default(),
            arriving: Probed::new(),
            thanks: Input::new(),
            thanking: Probed::new(),
            waiting: (0..peers).map(|_| Vec::new()).collect(),
            sent: Rc::new(RefCell::new(vec![0; peers])),
            given: 0,
            peer,
        };
        exchange.built(name)
    }

    fn built(mut self, name: &str) -> Self {
        let (arrived, sent) = (Rc::clone(&self.arrived), Rc::clone(&self.sent));
        self.peer.worker.dataflow::<Epoch, _, _>(|scope| {
            // An input keeps what goes to other workers until its time is over; an operator does not.
            let batches = self.batches.to_stream(scope).map(|batch| batch);
            let to = pact::Exchange::new(|batch: &Batch<D>| batch.to.into());
            batches
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(to, name, |_, _| {
                    move |input, _| {
                        input.for_each(|_, batches| arrived.borrow_mut().append(batches));
                    }
                })
                .probe_with(&self.arriving);
            let to = pact::Exchange::new(|(from, _): &(u32, u32)| u64::from(*from));
            self.thanks
                .to_stream(scope)
                .map(|thanks| thanks)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(to, "thanks", |_, _| {
                    move |input, _| {
                        let mut sent = sent.borrow_mut();
                        input.for_each(|_, thanks| {
                            thanks.drain(..).for_each(|(_, by)| sent[by as usize] -= 1)
                        });
                    }
                })
                .probe_with(&self.thanking);
        });
        self
    }

    fn give(&mut self, to: usize, record: D) -> Result<(), Error> {
        self.given += 1;
        if self.given.is_multiple_of(LOOK) {
            self.peer.check()?;
        }
        if to == self.peer.index() {
            return (self.take)(record);
        }
        let records = BATCH.min(BATCHES / self.waiting.len()) / size_of::<D>();
        let waiting = &mut self.waiting[to];
        if waiting.is_empty() {
            waiting.reserve_exact(records);
        }
        waiting.push(record);
        match waiting.len() >= records {
            true => self.send(to),
            false => Ok(()),
        }
    }

    fn send(&mut self, to: usize) -> Result<(), Error> {
        let records = std::mem::take(&mut self.waiting[to]);
        self.batches.send(Batch {
            from: self.peer.index() as u32,
            to: to as u32,
            records,
        });
        self.batches.flush();
        self.sent.borrow_mut()[to] += 1;
        self.step()?;
        while self.sent.borrow()[to] >= ON_THEIR_WAY {
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Error> {
        self.peer.step()?;
        let batches = std::mem::take(&mut *self.arrived.borrow_mut());
        for batch in batches {
            batch.records.into_iter().try_for_each(&mut self.take)?;
            self.thanks.send((batch.from, batch.to));
        }
        self.thanks.flush();
        Ok(())
    }

    /// Sends what is left, and takes what others still give.
    fn end(mut self) -> Result<(), Error> {
        for to in 0..self.waiting.len() {
            if !self.waiting[to].is_empty() {
                self.send(to)?;
            }
        }
        drop(std::mem::replace(&mut self.batches, Input::new()));
        while !self.arriving.done() || !self.arrived.borrow().is_empty() {
            self.step()?;
        }
        drop(std::mem::replace(&mut self.thanks, Input::new()));
        while !self.thanking.done() {
            self.peer.step()?;
        }
        Ok(())
    }
}
