//! A worker among all workers of all processes, and what it exchanges with the others.
//!
//! The last step is a row of small dataflows, one after the other. In each every worker gives records to others and takes
//! those that are its own ([`Peer::exchange`]); between two of them it works on what it has.
//!
//! Records travel in batches. A worker that takes a batch acknowledges it, and few batches are on their way from one to another: so
//! a worker that is slow, or puts what it has on disk, is not flooded by the others.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::channels::pact;
use timely::dataflow::operators::Operator;
use timely::dataflow::operators::core::input::Handle as Input;
use timely::dataflow::operators::probe::Handle as Probed;
use timely::dataflow::operators::vec::Map;
use timely::worker::Worker;

use super::sorter::{Record, Room, Sent, Sorted, Sorter};
use crate::epoch::Epoch;
use crate::error::Error;

/// How long a worker that waits for others sleeps before it looks whether the build is stopped.
const NAP: Duration = Duration::from_millis(20);

/// Bytes of a batch, beside what its records refer to: few in tests, so that these have many batches.
const BATCH: usize = if cfg!(test) { 256 } else { 64 << 10 };

/// Bytes of all batches that a worker fills: it has one for each other.
const BATCHES: usize = 4 << 20;

/// Batches that are on their way from one worker to another.
const ON_THEIR_WAY: u32 = 4;

/// A worker among all.
pub(super) struct Peer<'a> {
    worker: RefCell<&'a mut Worker>,
    pub(super) room: &'a Room,
    stop: &'a AtomicBool,
    /// The number of this worker.
    pub(super) index: usize,
    /// How many workers there are.
    pub(super) count: usize,
}

/// Gives a record to the worker that has what has this hash.
pub(super) type Give<'a, D> = &'a mut dyn FnMut(u64, D) -> Result<(), Error>;

impl<'a> Peer<'a> {
    pub(super) fn new(worker: &'a mut Worker, room: &'a Room, stop: &'a AtomicBool) -> Peer<'a> {
        Peer {
            index: worker.index(),
            count: worker.peers(),
            worker: RefCell::new(worker),
            room,
            stop,
        }
    }

    /// The worker that has what has a hash.
    pub(super) fn owner(&self, hash: u64) -> usize {
        (hash % self.count as u64) as usize
    }

    /// An error if the build is stopped.
    fn check(&self) -> Result<(), Error> {
        match self.stop.load(Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }

    /// Gives records to all workers, and takes those that all give to this one, in any order.
    pub(super) fn exchange<D: Sent>(
        &self,
        name: &str,
        give: impl FnOnce(Give<'_, D>) -> Result<(), Error>,
        take: impl FnMut(D) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut exchange = Exchange::begin(self, name, take);
        give(&mut |hash, record| exchange.give(self.owner(hash), record))?;
        exchange.end()
    }

    /// Gives records to all workers, and puts those that all give to this one in order.
    pub(super) fn sorted<R: Record>(
        &self,
        name: &str,
        give: impl FnOnce(Give<'_, R>) -> Result<(), Error>,
    ) -> Result<Sorted<'a, R>, Error> {
        let mut sorter = Sorter::new(self.room);
        self.exchange(name, give, |record| sorter.push(record))?;
        sorter.sorted()
    }

    /// Takes the values that all workers give to all.
    pub(super) fn all<D: Sent>(
        &self,
        name: &str,
        values: impl FnOnce(&mut dyn FnMut(D) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Result<Vec<D>, Error> {
        let mut all = Vec::new();
        let to_each = |give: Give<'_, D>| {
            values(&mut |value| (0..self.count as u64).try_for_each(|peer| give(peer, value.clone())))
        };
        self.exchange(name, to_each, |value| {
            all.push(value);
            Ok(())
        })?;
        Ok(all)
    }

    /// The sum of the numbers of all workers.
    pub(super) fn sum(&self, number: u64) -> Result<u64, Error> {
        let numbers = self.all("sum", |give| give(number))?;
        Ok(numbers.into_iter().fold(0, u64::wrapping_add))
    }

    /// Runs a dataflow to its end on all workers.
    pub(super) fn dataflow(&self, plan: impl FnOnce(Scope<'_, Epoch>, &Probed<Epoch>)) -> Result<(), Error> {
        let done = Probed::new();
        self.worker
            .borrow_mut()
            .dataflow::<Epoch, _, _>(|scope| plan(scope, &done));
        while !done.done() {
            self.step()?;
        }
        Ok(())
    }

    fn step(&self) -> Result<(), Error> {
        self.check()?;
        self.worker.borrow_mut().step_or_park(Some(NAP));
        Ok(())
    }
}

impl Drop for Peer<'_> {
    /// Ends the dataflows. Where the build is stopped they are never done; a worker that panics stops it.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop.store(true, Relaxed);
        }
        while self.worker.get_mut().has_dataflows() && self.step().is_ok() {}
        let worker = self.worker.get_mut();
        for dataflow in worker.installed_dataflows() {
            worker.drop_dataflow(dataflow);
        }
    }
}

/// What goes from one worker to another. It arrives in the order in which it was sent.
#[derive(Clone, Serialize, Deserialize)]
struct Message<D> {
    from: u32,
    to: u32,
    content: Content<D>,
}

#[derive(Clone, Serialize, Deserialize)]
enum Content<D> {
    Batch(Vec<D>),
    /// A batch was taken.
    Taken,
    /// No batch follows.
    End,
}

/// An exchange that runs.
struct Exchange<'p, 'w, D: Sent, T> {
    peer: &'p Peer<'w>,
    take: T,
    messages: Input<Epoch, CapacityContainerBuilder<Vec<Message<D>>>>,
    arrived: Rc<RefCell<Vec<Message<D>>>>,
    /// Records for each worker that are not sent.
    waiting: Vec<Vec<D>>,
    /// Batches that are on their way to each worker.
    on_their_way: Vec<u32>,
    /// Workers of which no batch follows.
    ended: usize,
}

impl<'p, 'w, D: Sent, T: FnMut(D) -> Result<(), Error>> Exchange<'p, 'w, D, T> {
    fn begin(peer: &'p Peer<'w>, name: &str, take: T) -> Exchange<'p, 'w, D, T> {
        let (mut messages, arrived) = (Input::new(), Rc::<RefCell<Vec<_>>>::default());
        let arriving = Rc::clone(&arrived);
        peer.worker.borrow_mut().dataflow::<Epoch, _, _>(|scope| {
            let to = pact::Exchange::new(|message: &Message<D>| message.to.into());
            // An input keeps what goes to other workers until its time is over; an operator does not.
            let messages = messages.to_stream(scope).map(|message| message);
            messages.unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(to, name, |_, _| {
                move |input, _| input.for_each(|_, messages| arriving.borrow_mut().append(messages))
            });
        });
        Exchange {
            peer,
            take,
            messages,
            arrived,
            waiting: vec![Vec::new(); peer.count],
            on_their_way: vec![0; peer.count],
            ended: 0,
        }
    }

    fn give(&mut self, to: usize, record: D) -> Result<(), Error> {
        self.peer.check()?;
        if to == self.peer.index {
            return (self.take)(record);
        }
        let records = BATCH.min(BATCHES / self.peer.count).div_ceil(size_of::<D>());
        let waiting = &mut self.waiting[to];
        if waiting.is_empty() {
            waiting.reserve_exact(records);
        }
        waiting.push(record);
        match waiting.len() >= records {
            true => self.send_batch(to),
            false => Ok(()),
        }
    }

    fn send_batch(&mut self, to: usize) -> Result<(), Error> {
        let records = std::mem::take(&mut self.waiting[to]);
        self.send(to, Content::Batch(records));
        self.on_their_way[to] += 1;
        self.step()?;
        while self.on_their_way[to] >= ON_THEIR_WAY {
            self.step()?;
        }
        Ok(())
    }

    fn send(&mut self, to: usize, content: Content<D>) {
        self.messages.send(Message {
            from: self.peer.index as u32,
            to: to as u32,
            content,
        });
        self.messages.flush();
    }

    fn step(&mut self) -> Result<(), Error> {
        self.peer.step()?;
        let arrived = std::mem::take(&mut *self.arrived.borrow_mut());
        for Message { from, content, .. } in arrived {
            let from = from as usize;
            match content {
                Content::Batch(records) => {
                    records.into_iter().try_for_each(&mut self.take)?;
                    self.send(from, Content::Taken);
                }
                Content::Taken => self.on_their_way[from] -= 1,
                Content::End => self.ended += 1,
            }
        }
        Ok(())
    }

    /// Sends the rest, and takes what others still give.
    fn end(mut self) -> Result<(), Error> {
        for to in 0..self.peer.count {
            if !self.waiting[to].is_empty() {
                self.send_batch(to)?;
            }
            self.send(to, Content::End);
        }
        while self.ended < self.peer.count {
            self.step()?;
        }
        Ok(())
    }
}
