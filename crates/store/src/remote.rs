//! Objects in stores and pages of web servers, fetched beside the workers.
//!
//! One task for each stream requests ranges, a few at a time, and passes them on in order. A
//! web server that ignores ranges is read from its first byte, and what was wanted no more is
//! thrown away.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, stream};
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::backend::Object;
use crate::length;
use crate::poll::{Poll, Wake};
use crate::purpose::Purpose;
use crate::retry::{Retry, by, within};
use crate::shard::{Target, check_offset};
use crate::{Error, Options, Place, Store, local, probe};

/// Ranges that wait in the channel for the worker.
const CHANNEL: usize = 1;

/// A server that sends fewer bytes than this within [`Options::stall`] is as good as silent.
const LEAST: u64 = 8 << 10;

/// Bytes of a range beyond what is likely to be wanted.
const BEYOND: u64 = 256 << 10;

/// The upper limit of the option: a range has to fit in memory.
const LONGEST_RANGE: u64 = 1 << 30;

/// The worker's end of a fetch.
#[derive(Debug)]
pub(crate) struct RemoteStream {
    name: String,
    /// `Ok(None)` is the end.
    receiver: mpsc::Receiver<Result<Option<Bytes>, Error>>,
    task: JoinHandle<()>,
}

impl RemoteStream {
    pub(crate) fn open(
        store: &Store,
        place: &Place,
        target: Target,
        range: Range<u64>,
        wake: Option<Wake>,
    ) -> Result<RemoteStream, Error> {
        let name = target.name.clone();
        let start = target.start();
        let (sender, receiver) = mpsc::channel(CHANNEL);
        let fetch = Fetch {
            likely_end: range.end.saturating_add(start),
            ..Fetch::new(store, place, target)?
        };
        let task = store.handle().spawn(run(
            fetch,
            start + range.start,
            Sink {
                sender,
                wake: WakeAtEnd(wake),
            },
        ));
        Ok(RemoteStream { name, receiver, task })
    }

    pub(crate) fn poll(&mut self) -> Result<Poll, Error> {
        match self.receiver.try_recv() {
            Ok(item) => taken(item),
            Err(mpsc::error::TryRecvError::Empty) => Ok(Poll::Pending),
            Err(mpsc::error::TryRecvError::Disconnected) => Err(self.died()),
        }
    }

    pub(crate) fn wait(&mut self) -> Result<Poll, Error> {
        taken(self.receiver.blocking_recv().unwrap_or_else(|| Err(self.died())))
    }

    /// The task ended without a last word.
    fn died(&self) -> Error {
        Error::remote("could not read", &self.name, "its reader was stopped".to_owned())
    }
}

fn taken(item: Result<Option<Bytes>, Error>) -> Result<Poll, Error> {
    Ok(item?.map_or(Poll::End, Poll::Data))
}

/// The bytes of one range of what is at a place. Waits for the network.
pub(crate) fn read_range(
    store: &Store,
    place: &Place,
    target: Target,
    range: Range<u64>,
) -> Result<Bytes, Error> {
    let fetch = Fetch::new(store, place, target)?;
    store.handle().block_on(fetch.range(range))
}

impl Drop for RemoteStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The task's end of the channel. The fields are dropped in this order: a worker that is woken by
/// the task's end finds the channel closed.
struct Sink {
    sender: mpsc::Sender<Result<Option<Bytes>, Error>>,
    wake: WakeAtEnd,
}

/// Calls the waker a last time when the task ends, also by a panic.
struct WakeAtEnd(Option<Wake>);

impl WakeAtEnd {
    fn wake(&self) {
        if let Some(wake) = &self.0 {
            wake();
        }
    }
}

impl Drop for WakeAtEnd {
    fn drop(&mut self) {
        self.wake();
    }
}

impl Sink {
    /// Hands an item on, waiting while the worker is behind; false if the stream was dropped.
    async fn send(&self, item: Result<Option<Bytes>, Error>) -> bool {
        let is_received = self.sender.send(item).await.is_ok();
        self.wake.wake();
        is_received
    }
}

async fn run(mut fetch: Fetch, offset: u64, sink: Sink) {
    match fetch.all(offset, &sink).await {
        Ok(true) => drop(sink.send(Ok(None)).await),
        Ok(false) => {}
        Err(error) => drop(sink.send(Err(error)).await),
    }
}

/// The first `bytes` of what is at a place, or all that there are, by one try. Waits for the network.
pub(crate) async fn head(store: &Store, place: &Place, target: Target, bytes: u64) -> Result<Bytes, Error> {
    let start = target.start();
    let end = target.end().map_or(start + bytes, |end| end.min(start + bytes));
    let fetch = Fetch::new(store, place, target)?;
    let wanted = end.saturating_sub(start);
    if wanted == 0 {
        return Ok(Bytes::new());
    }
    let answer = match fetch.get(Some(GetRange::Bounded(start..end))).await {
        // A server without ranges sends the file from its first byte.
        Err(Error::Remote { .. } | Error::NoRanges(..)) if fetch.object.web && start == 0 => {
            fetch.get(None).await?
        }
        answer => answer?,
    };
    let (mut body, mut pace, mut head) = (answer.into_stream(), fetch.pace(), BytesMut::new());
    while (head.len() as u64) < wanted {
        let Some(piece) = fetch.piece(&mut body, &mut pace).await? else {
            break;
        };
        head.extend_from_slice(&piece);
    }
    head.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
    Ok(head.freeze())
}

/// An object being read: how, and as which version. Positions are counted from the beginning of the object.
#[derive(Clone)]
struct Fetch {
    object: Object,
    options: Arc<Options>,
    /// Size and version of the first sight, and what of it is wanted.
    target: Target,
    /// What is beyond is perhaps not wanted.
    likely_end: u64,
}

impl Fetch {
    fn new(store: &Store, place: &Place, target: Target) -> Result<Fetch, Error> {
        let object = Object {
            name: target.name.clone(),
            ..store.object(place, Purpose::Read)?
        };
        Ok(Fetch {
            object,
            options: Arc::clone(store.options()),
            target,
            likely_end: u64::MAX,
        })
    }

    /// Sends everything from `offset` on; false if the stream was dropped.
    async fn all(&mut self, offset: u64, sink: &Sink) -> Result<bool, Error> {
        let Some(end) = self.end().await? else {
            return self.whole(offset, None, sink).await;
        };
        let start = self.target.start();
        check_offset(&self.target.name, Some(end - start), offset - start)?;
        let step = self.options.range.clamp(1, LONGEST_RANGE);
        let first = self.next_range(offset..end, step);
        if first.is_empty() {
            return Ok(true);
        }
        match self.clone().range(first.clone()).await {
            Ok(bytes) => match sink.send(Ok(Some(bytes))).await {
                true => self.ranges(first.end..end, step, sink).await,
                false => Ok(false),
            },
            // Whatever the reason: if the server serves the whole file, ranges were the trouble.
            Err(Error::Remote { .. } | Error::NoRanges(..)) if self.object.web => {
                self.whole(offset, Some(end), sink).await
            }
            Err(error) => Err(error),
        }
    }

    /// Where the wanted bytes end; none if the server sends no length.
    async fn end(&mut self) -> Result<Option<u64>, Error> {
        if self.target.end().is_none() {
            let meta = probe::remote(&self.object, &self.options).await?;
            self.check(&meta)?;
            self.target.found = (length::known(meta.size), probe::version(&meta));
        }
        Ok(self.target.end())
    }

    /// The ranges of `span`, in order, several on their way at a time. They are tasks of their
    /// own, so that they continue while the worker is behind.
    async fn ranges(&self, span: Range<u64>, step: u64, sink: &Sink) -> Result<bool, Error> {
        let next = |start: u64| self.next_range(start..span.end, step);
        let ranges = std::iter::successors(Some(next(span.start)), |range| Some(next(range.end)));
        let ranges = ranges.take_while(|range| !range.is_empty());
        let mut ranges = stream::iter(ranges)
            .map(|range| Abort(tokio::spawn(self.clone().range(range))))
            .buffered(self.options.in_flight.max(1));
        while let Some(bytes) = ranges.next().await {
            if !sink.send(Ok(Some(bytes?))).await {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The beginning of a span that is fetched at once.
    fn next_range(&self, span: Range<u64>, step: u64) -> Range<u64> {
        let end = match self.likely_end.checked_sub(span.start) {
            Some(left) if left > 0 => span.start.saturating_add(step.min(left)),
            _ => span.start.saturating_add(step.min(BEYOND)),
        };
        span.start..end.min(span.end)
    }

    /// One range, whole. What was read before a failure is kept.
    async fn range(self, range: Range<u64>) -> Result<Bytes, Error> {
        let length = range.end - range.start;
        let mut read = BytesMut::with_capacity(usize::try_from(length).unwrap_or_default());
        let mut retry = Retry::new(&self.options);
        while (read.len() as u64) < length {
            let before = read.len();
            let rest = range.start + before as u64..range.end;
            let outcome = self.append(rest, &mut read).await;
            if (read.len() - before) as u64 >= LEAST {
                retry.progress();
            }
            match outcome {
                Ok(()) => {}
                Err(error) => retry.pause(error).await?,
            }
        }
        Ok(read.freeze())
    }

    /// Appends what one request for `range` gives.
    async fn append(&self, range: Range<u64>, read: &mut BytesMut) -> Result<(), Error> {
        let wanted = range.end - range.start;
        let answer = self.get(Some(GetRange::Bounded(range))).await?;
        let (mut body, mut pace) = (answer.into_stream(), self.pace());
        let mut got = 0;
        while let Some(bytes) = self.piece(&mut body, &mut pace).await? {
            got += bytes.len() as u64;
            if got > wanted {
                return Err(self.failure(format!("{wanted} bytes were asked for, the server sent more")));
            }
            read.extend_from_slice(&bytes);
        }
        if got < wanted {
            return Err(self.failure(format!("{wanted} bytes were asked for, {got} came")));
        }
        Ok(())
    }

    /// Reads the file from its first byte and sends what follows `offset`; begins again after a
    /// failure and skips what was sent already. Without an `end` the file ends where the answer ends.
    async fn whole(&self, offset: u64, end: Option<u64>, sink: &Sink) -> Result<bool, Error> {
        let mut reached = offset;
        let mut retry = Retry::new(&self.options);
        while end.is_none_or(|end| reached < end) {
            let before = reached;
            let outcome = self.pass(&mut reached, end, sink).await;
            if reached - before >= LEAST {
                retry.progress();
            }
            match outcome {
                Ok(done) => return Ok(done),
                Err(error) => retry.pause(error).await?,
            }
        }
        Ok(true)
    }

    async fn pass(&self, reached: &mut u64, end: Option<u64>, sink: &Sink) -> Result<bool, Error> {
        let answer = self.get(None).await?;
        // A body that marks its own end is whole when it ends, even if HEAD gave another length.
        let end = end.filter(|_| answer.meta.size != length::UNTIL_END);
        let (mut body, mut pace) = (answer.into_stream(), self.pace());
        let mut position = 0;
        while let Some(mut bytes) = self.piece(&mut body, &mut pace).await? {
            let start = position;
            position += bytes.len() as u64;
            if let Some(end) = end.filter(|&end| position > end) {
                if self.target.within.is_none() {
                    return Err(self.failure(format!("it has {end} bytes, and the server sent more")));
                }
                bytes.truncate(usize::try_from(end - start).expect("within a piece of memory"));
                position = end;
            }
            if position > *reached {
                let known = usize::try_from(reached.saturating_sub(start)).expect("within a piece of memory");
                *reached = position;
                if !sink.send(Ok(Some(bytes.split_off(known)))).await {
                    return Ok(false);
                }
            }
            if self.target.within.is_some() && Some(position) == end {
                return Ok(true);
            }
        }
        match end {
            Some(end) if position < end => {
                Err(self.failure(format!("it ended after {position} of {end} bytes")))
            }
            _ => self.ended(position, *reached),
        }
    }

    /// A body of unknown length that ends before what was sent of another was cut, or is of another file.
    fn ended(&self, position: u64, reached: u64) -> Result<bool, Error> {
        match position < reached {
            true => Err(self.failure(format!(
                "it ended after {position} bytes, {reached} were read before"
            ))),
            false => Ok(true),
        }
    }

    /// One request, its answer compared with the first sight of the file.
    async fn get(&self, range: Option<GetRange>) -> Result<GetResult, Error> {
        let options = GetOptions {
            range,
            ..GetOptions::default()
        };
        let request = async {
            let answer = self.object.store.get_opts(&self.object.path, options).await;
            answer.map_err(|error| self.object.error("could not read", error))
        };
        let answer = within(self.options.stall, &self.object.name, request).await?;
        self.check(&answer.meta)?;
        Ok(answer)
    }

    /// The next piece of a body; `None` at its end.
    async fn piece(
        &self,
        body: &mut (impl futures::Stream<Item = object_store::Result<Bytes>> + Unpin),
        pace: &mut Pace,
    ) -> Result<Option<Bytes>, Error> {
        let next = async {
            let piece = body.next().await.transpose();
            piece.map_err(|error| self.object.error("could not read", error))
        };
        let piece = by(pace.deadline, self.options.stall, &self.object.name, next).await?;
        let bytes = piece.as_ref().map_or(0, Bytes::len) as u64;
        pace.got += bytes;
        if pace.got >= LEAST {
            *pace = self.pace();
        }
        Ok(piece)
    }

    /// From now on a server has its time.
    fn pace(&self) -> Pace {
        Pace {
            deadline: Instant::now() + self.options.stall,
            got: 0,
        }
    }

    /// Whether an answer is of the file that was first seen. Another length of the same version is a fault of
    /// the answer, which another may not have.
    fn check(&self, meta: &ObjectMeta) -> Result<(), Error> {
        let now = (length::known(meta.size), probe::version(meta));
        let found = &self.target.found;
        match (found.0, now.0) {
            (Some(size), Some(said)) if size != said && now.1.is_some() && now.1 == found.1 => {
                Err(self.failure(format!("it has {size} bytes, and the server says {said}")))
            }
            _ => local::check(&self.object.name, found, &now),
        }
    }

    fn failure(&self, detail: String) -> Error {
        Error::remote("could not read", &self.object.name, detail)
    }
}

/// What a server has sent since it was last fast enough, and by when that must be so again.
struct Pace {
    deadline: Instant,
    got: u64,
}

/// A task that ends with the one that waits for it.
struct Abort(JoinHandle<Result<Bytes, Error>>);

impl Future for Abort {
    type Output = Result<Bytes, Error>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0)
            .poll(context)
            .map(|joined| match joined {
                Ok(outcome) => outcome,
                Err(error) => Err(Error::remote("could not read", "a range", error.to_string())),
            })
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}
