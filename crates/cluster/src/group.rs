//! A process of a group: its connections to the others, and which of them are gone.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use serde::{Deserialize, Serialize};

use crate::config::GroupConfig;
use crate::connect;
use crate::error::Error;
use crate::link::{FrameKind, Link, Lost};
use crate::message::{decode, encode};
use crate::spawn::spawn;
use crate::traffic::{SentBytes, Traffic};

/// The maximum wait for the other processes to close their connections at the end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Missed heartbeats before a warning, and between warnings.
const QUIET: u32 = 5;

/// A process of a group, connected to the others. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Group(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    config: GroupConfig,
    /// By the number of the process; none for this process itself.
    pub(crate) links: Vec<OnceLock<Arc<Link>>>,
    state: Mutex<GroupState>,
    changed: Condvar,
    pub(crate) counted: Arc<SentBytes>,
}

#[derive(Debug, Default)]
struct GroupState {
    /// What process 0 sent at the start.
    start: Option<Vec<u8>>,
    /// All is done: a connection that is closed from now on is no failure.
    is_done: bool,
    /// A process is gone, and the message about it is being sent.
    is_going: bool,
    gone: Option<Gone>,
    /// The workers of this process have ended.
    has_left: bool,
    ended: usize,
}

/// A process that has ended too early, and why. All others end, too.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Gone {
    process: usize,
    why: Lost,
}

/// A message between processes, beside what timely sends.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// From process 0: begin.
    Start(Vec<u8>),
    /// From process 0: all is done.
    Done,
    /// A process is gone.
    Gone(Gone),
}

impl Group {
    /// Connects to the other processes.
    ///
    /// # Errors
    /// The port cannot be opened, another process builds something else, or not all are there in time.
    pub fn join(config: GroupConfig) -> Result<Group, Error> {
        let inner = Arc::new(Inner {
            links: config.hosts.iter().map(|_| OnceLock::new()).collect(),
            state: Mutex::default(),
            changed: Condvar::new(),
            counted: Arc::default(),
            config,
        });
        let connected = connect::connect(&inner.config, |process, stream| inner.add(process, stream));
        let group = Group(inner);
        let error = match (group.gone(), connected) {
            (None, Ok(())) => return Ok(group),
            (Some(gone), _) => gone,
            (None, Err(error)) => error,
        };
        group.leave(&error.to_string());
        Err(error)
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.0.config.process
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.0.config.hosts.len()
    }

    /// The flag that ends this process.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.config.stop)
    }

    /// Waits until process 0 has called [`Group::start`], and gives its message.
    ///
    /// # Errors
    /// A process is gone, or this one is interrupted.
    pub fn started(&self) -> Result<Vec<u8>, Error> {
        self.0.wait(None, |state| state.start.is_some())?;
        Ok(self.0.state.lock().start.clone().unwrap_or_default())
    }

    /// Ends this process before all is done. The others end with this reason.
    pub fn leave(&self, why: &str) {
        self.0.gone_is(Gone {
            process: self.process(),
            why: Lost::Stopped(why.to_owned()),
        });
        // The others close their connections when they have the message. Some may never have connected.
        let connected = self.0.links().inspect(|link| link.finish()).count();
        let begin = Instant::now();
        while begin.elapsed() < FAREWELL && self.0.state.lock().ended < connected {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Has the others begin, with a message for them. For process 0.
    pub fn start(&self, start: Vec<u8>) {
        self.0.broadcast(&Message::Start(start.clone()));
        self.0.state.lock().start = Some(start);
    }

    /// Ends the group when all is done: the others wait for process 0.
    ///
    /// # Errors
    /// A process is gone before that.
    pub fn finish(&self) -> Result<(), Error> {
        match self.process() {
            0 => self.0.state.lock().is_done = true,
            _ => drop(self.0.wait(None, |state| state.is_done)?),
        }
        // Each sends it to each: a connection is closed only after the message that all is done.
        self.0.broadcast(&Message::Done);
        self.0.links().for_each(|link| link.finish());
        let others = self.processes() - 1;
        // (One that is gone now has done its work.)
        drop(self.0.wait(Some(FAREWELL), |state| state.ended == others));
        self.0.links().for_each(|link| link.close());
        Ok(())
    }

    /// The error of a process that is gone, if one is.
    pub fn gone(&self) -> Option<Error> {
        self.0.gone()
    }

    /// Bytes that this process has sent so far; those of timely are counted when it has ended.
    pub fn traffic(&self) -> Traffic {
        let heartbeats = self.0.links().map(|link| link.sent_beside()).sum();
        self.0.counted.traffic(heartbeats)
    }
}

impl Inner {
    /// Starts the threads that listen at a new connection and send heartbeats over it.
    fn add(self: &Arc<Inner>, process: usize, stream: TcpStream) -> Result<(), Error> {
        let failed = |error| {
            Error::Connect(format!(
                "cannot connect to {}: {error}",
                self.config.name(process)
            ))
        };
        let (link, arrived) = Link::new(process, stream, self.config.heartbeat()).map_err(failed)?;
        let link = Arc::new(link);
        drop(self.links[process].set(Arc::clone(&link)));
        let (inner, listening) = (Arc::clone(self), Arc::clone(&link));
        spawn("listen", move || inner.listen(&listening, arrived))?;
        let inner = Arc::clone(self);
        spawn("beat", move || inner.beat(&link))
    }

    fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        self.links.iter().filter_map(OnceLock::get)
    }

    /// Sends heartbeats until the group is over.
    fn beat(&self, link: &Link) {
        while !self.is_over() {
            self.send(link, FrameKind::Heartbeat, b"");
            let mut state = self.state.lock();
            let is_on = |state: &mut GroupState| !state.is_done && !state.is_going;
            self.changed
                .wait_while_for(&mut state, is_on, self.config.heartbeat());
        }
    }

    /// Takes what another process sends, to the end.
    fn listen(&self, link: &Link, mut arrived: std::sync::mpsc::Sender<Vec<u8>>) {
        let mut bytes = Vec::new();
        let lost = loop {
            match link.receive(&mut bytes, |beats| self.is_too_quiet(link.peer, beats)) {
                // After the workers have ended, timely reads no more.
                Ok(FrameKind::Data) => drop(arrived.send(std::mem::take(&mut bytes))),
                Ok(FrameKind::End) => {
                    arrived = link.end_data();
                    self.changed.notify_all();
                }
                Ok(FrameKind::Message) => match decode(&bytes) {
                    Some(message) => self.take(message),
                    None => break Lost::Invalid,
                },
                Ok(FrameKind::Heartbeat) => {}
                Err(lost) => break lost,
            }
        };
        self.gone_is(Gone {
            process: link.peer,
            why: lost,
        });
        self.state.lock().ended += 1;
        self.changed.notify_all();
    }

    /// Whether a process has been silent for too long. Warns before that.
    fn is_too_quiet(&self, peer: usize, beats: u32) -> bool {
        let (is_over, silent) = (self.is_over(), self.config.heartbeat() * beats);
        if beats.is_multiple_of(QUIET) && !is_over {
            (self.config.print)(&format!(
                "waiting for {}: no message for {} seconds",
                self.config.name(peer),
                silent.as_secs_f32()
            ));
        }
        is_over || silent >= self.config.silence
    }

    fn take(&self, message: Message) {
        match message {
            Message::Start(start) => self.state.lock().start = Some(start),
            Message::Done => self.state.lock().is_done = true,
            Message::Gone(gone) => self.gone_is(gone),
        }
        self.changed.notify_all();
    }

    /// Sends to all that a process is gone, maybe this one, and ends this process. Only the first one counts.
    fn gone_is(&self, gone: Gone) {
        {
            let mut state = self.state.lock();
            if state.is_done || state.is_going {
                return;
            }
            state.is_going = true;
        }
        // Before this process ends, too, and closes its connections.
        self.broadcast(&Message::Gone(gone.clone()));
        self.state.lock().gone = Some(gone);
        self.config.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    fn gone(&self) -> Option<Error> {
        let gone = self.state.lock().gone.clone()?;
        let who = self.config.name(gone.process);
        let what = match gone.why {
            Lost::Stopped(why) => format!("has stopped: {why}"),
            Lost::Closed => "disconnected".to_owned(),
            Lost::Invalid => "disconnected: it sent invalid data".to_owned(),
            Lost::Silent => {
                let by = match gone.process == self.config.process {
                    true => " by the others",
                    false => "",
                };
                let seconds = self.config.silence.as_secs_f32();
                format!("was given up{by} after {seconds} seconds without a message")
            }
        };
        Some(Error::Gone(who, what))
    }

    fn broadcast(&self, message: &Message) {
        let bytes = encode(message);
        for link in self.links() {
            self.send(link, FrameKind::Message, &bytes);
        }
    }

    /// Sends a frame. A failure is left to the thread that listens at the connection.
    pub(crate) fn send(&self, link: &Link, kind: FrameKind, bytes: &[u8]) {
        link.send(kind, bytes, || self.is_over());
    }

    fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.is_done || state.is_going
    }

    /// A computation of timely begins.
    pub(crate) fn begin_computation(&self) {
        self.state.lock().has_left = false;
        self.counted.begin_computation();
        self.links().for_each(|link| link.begin_data());
    }

    /// The workers of this process have ended.
    pub(crate) fn has_left(&self) {
        self.state.lock().has_left = true;
        self.changed.notify_all();
    }

    pub(crate) fn wait_until_left(&self) {
        let mut state = self.state.lock();
        while !state.has_left {
            self.changed.wait(&mut state);
        }
    }

    /// Waits until all others have sent timely's last byte. Returns whether they have: not if one is gone.
    pub(crate) fn wait_until_ended(&self) -> bool {
        let all = || self.links().all(|link| link.has_ended());
        self.wait(None, |_| all()).is_ok()
    }

    /// Waits until something is true, up to a time limit if there is one: returns whether it is.
    fn wait(&self, limit: Option<Duration>, is_true: impl Fn(&GroupState) -> bool) -> Result<bool, Error> {
        const LOOK: Duration = Duration::from_millis(100);
        let begin = Instant::now();
        let mut state = self.state.lock();
        while !is_true(&state) {
            if state.gone.is_some() || self.config.stop.load(Relaxed) {
                drop(state);
                return Err(self.gone().unwrap_or(Error::Interrupted));
            }
            let left = limit.map_or(LOOK, |most| most.saturating_sub(begin.elapsed()));
            if left.is_zero() {
                return Ok(false);
            }
            self.changed.wait_for(&mut state, left.min(LOOK));
        }
        Ok(true)
    }
}
