//! Several processes that build one corpus, each on a machine of its own.
//!
//! In: the same command everywhere, but for the number of the process, and an output that all see. Out: the
//! tables that one process would have written, byte for byte.
//!
//! # The idea
//!
//! Parts are dealt to processes by their size ([`deal`]), and so are groups of parts that are sorted and ranges of keys
//! that are labelled. A process works on its own as if it were alone, with its own workers: **pages and rows cross no
//! network**. Pages wait in staging, which all processes see, and each reads from there the pages of its range.
//!
//! What goes from process to process is little, and goes through one small timely dataflow with a worker a process
//! ([`control`]): where a unit of one process ends in a file that a unit of another goes on with, and which parts are
//! written. Its logical time is the phase: when its frontier has passed a phase, all processes are through with
//! it.
//!
//! Timely knows neither what to do when a process dies nor when one is silent. Its bytes go over connections of our
//! own ([`link`]), on which there is a beat every second, or ten in the time after which a process is given up. When a process is gone the others end, and say so; the same
//! command goes on from what is done, with as many processes as there are then.
//!
//! # Who does what
//!
//! Process 0 holds the output, removes what an interrupted run left half done, deals, commits chunks to the tables'
//! logs, and ends the corpus. The others begin when it says so ([`Start`]), and end when it has.

mod connect;
mod control;
mod deal;
mod handshake;
mod hello;
mod incoming;
mod link;
mod share;
mod traffic;
mod wire;

use std::fmt;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gleaner_corpus::Identity;
use parking_lot::{Condvar, Mutex};
use serde::{Deserialize, Serialize};

use crate::Epoch;
use crate::error::Error;
use crate::packing::{pack, unpack};

pub(crate) use control::run;
pub use handshake::GroupSecret;
pub(crate) use share::{Share, Told};
pub use traffic::Traffic;

use link::{Kind, Link, Lost};
use traffic::Counted;

/// How long others are waited for at the end, when all is done.
const FAREWELL: Duration = Duration::from_secs(5);

/// The time from beat to beat, unless a process is given up after less than ten of them.
const BEAT: Duration = Duration::from_secs(1);

/// Beats without a word of a process before it is said that it is waited for, and between two times of saying so.
const QUIET: u32 = 5;

/// Which processes build a corpus, and which of them this is.
#[derive(Clone)]
pub struct GroupConfig {
    /// Where each is reached, as `host:port`.
    pub hosts: Vec<String>,
    /// The number of this one, from 0.
    pub process: usize,
    /// What is built: the same for all.
    pub identity: Identity,
    /// What the processes of the group know. Without one all have to be on this machine.
    pub secret: Option<GroupSecret>,
    /// How long the others are waited for at the start.
    pub connect_timeout: Duration,
    /// How long a process may be silent before it is given up.
    pub silence: Duration,
    /// Set from outside to end; and from here, where another process is gone.
    pub stop: Arc<AtomicBool>,
    /// Where to say who is waited for.
    pub say: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for GroupConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupConfig")
            .field("hosts", &self.hosts)
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

impl GroupConfig {
    /// The time from beat to beat.
    fn beat(&self) -> Duration {
        BEAT.min(self.silence / 10)
    }

    /// A process as a person is told of it.
    fn name(&self, process: usize) -> String {
        let host = self.hosts.get(process).map_or("", String::as_str);
        format!("process {process} ({host})")
    }
}

/// A process of a group, connected to the others. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Group(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    config: GroupConfig,
    links: Vec<OnceLock<Arc<Link>>>,
    state: Mutex<State>,
    changed: Condvar,
    /// What timely sends.
    counted: Arc<Counted>,
}

#[derive(Debug, Default)]
struct State {
    /// What process 0 has said at the start.
    start: Option<Start>,
    /// All is done: whoever goes now goes rightly.
    is_done: bool,
    /// Somebody is gone, and the others are being told.
    is_going: bool,
    /// Who is gone, and why.
    gone: Option<Gone>,
    /// No worker of this process is at work any more.
    has_left: bool,
    /// Connections that have ended.
    ended: usize,
}

/// A process that others can't go on without.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Gone {
    process: usize,
    why: Why,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Why {
    Closed,
    Silent(Duration),
    Nonsense,
    /// It ended, and said why.
    Stopped(String),
}

/// What is done already when a group begins, as process 0 found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) read: Vec<Epoch>,
    pub(crate) half: Vec<Epoch>,
    pub(crate) sorted: Vec<u32>,
    pub(crate) written: Vec<Epoch>,
}

/// What processes say to each other beside timely.
#[derive(Debug, Serialize, Deserialize)]
enum Word {
    /// Process 0: begin.
    Start(Start),
    /// Process 0: all is done.
    Done,
    /// Somebody is gone.
    Gone(Gone),
}

impl Group {
    /// Finds the other processes.
    ///
    /// # Errors
    /// The port can't be listened at, another process builds something else, or not all have come in time.
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

    /// The flag by which this process is told to end.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.config.stop)
    }

    /// Waits until process 0 has the output, and has said what is done already.
    ///
    /// # Errors
    /// A process is gone, or this one is told to stop.
    pub fn started(&self) -> Result<(), Error> {
        self.0
            .wait(None, |state| state.start.is_some())
            .into_result(&self.0)
    }

    /// Tells the others that this process ends before all is done, and why.
    pub fn leave(&self, why: &str) {
        self.0.gone_is(Gone {
            process: self.process(),
            why: Why::Stopped(why.to_owned()),
        });
        // They close when they have heard it.
        self.0.links().for_each(|link| link.finish());
        let begin = Instant::now();
        while begin.elapsed() < FAREWELL && self.0.state.lock().ended < self.processes() - 1 {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Has the others begin.
    pub(crate) fn start(&self, start: Start) {
        self.0.tell(&Word::Start(start.clone()));
        self.0.state.lock().start = Some(start);
    }

    /// What is done already, when the group has begun.
    pub(crate) fn start_of(&self) -> Start {
        self.0.state.lock().start.clone().unwrap_or_default()
    }

    /// Ends it when all is done: process 0 says so, the others wait for that.
    ///
    /// # Errors
    /// A process is gone before.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        match self.process() {
            0 => self.0.state.lock().is_done = true,
            _ => self.0.wait(None, |state| state.is_done).into_result(&self.0)?,
        }
        // Everybody tells everybody: who closes a connection has said before that all is done.
        self.0.tell(&Word::Done);
        self.0.links().for_each(|link| link.finish());
        let others = self.processes() - 1;
        self.0.wait(Some(FAREWELL), |state| state.ended == others);
        self.0.links().for_each(|link| link.close());
        Ok(())
    }

    /// Why the group can't go on; none while it can.
    pub(crate) fn gone(&self) -> Option<Error> {
        self.0.gone()
    }

    /// Bytes that this process has sent so far; those of timely are counted when it has ended.
    pub fn traffic(&self) -> Traffic {
        let beats = self.0.links().map(|link| link.sent_beside()).sum();
        self.0.counted.traffic(beats)
    }
}

impl Inner {
    /// A connection to another process is there: from now on there are beats, and somebody listens.
    fn add(self: &Arc<Inner>, process: usize, stream: TcpStream) -> Result<(), Error> {
        let failed = |error| {
            Error::Group(format!(
                "cannot connect to {}: {error}",
                self.config.name(process)
            ))
        };
        let (link, arrived) = Link::new(process, stream, self.config.beat()).map_err(failed)?;
        let link = Arc::new(link);
        drop(self.links[process].set(Arc::clone(&link)));
        let (inner, listening) = (Arc::clone(self), Arc::clone(&link));
        let listen = move || inner.listen(&listening, Some(arrived));
        let inner = Arc::clone(self);
        let beat = move || inner.beat(&link);
        for (name, work) in [
            ("listen", Box::new(listen) as Box<dyn FnOnce() + Send>),
            ("beat", Box::new(beat)),
        ] {
            let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
            drop(thread.map_err(failed)?);
        }
        Ok(())
    }

    fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        self.links.iter().filter_map(OnceLock::get)
    }

    /// Sends a beat now and then, until the group is over.
    fn beat(&self, link: &Link) {
        while !self.is_over() {
            self.send(link, Kind::Beat, b"");
            let mut state = self.state.lock();
            let is_on = |state: &mut State| !state.is_done && !state.is_going;
            self.changed.wait_while_for(&mut state, is_on, self.config.beat());
        }
    }

    /// Hears what another process says, to the end.
    fn listen(&self, link: &Link, mut arrived: Option<std::sync::mpsc::Sender<Vec<u8>>>) {
        let mut bytes = Vec::new();
        let lost = loop {
            match link.receive(&mut bytes, |beats| self.is_too_quiet(link.peer, beats)) {
                // Nobody reads any more where all workers have ended.
                Ok(Kind::Data) => drop(
                    arrived
                        .as_ref()
                        .map(|arrived| arrived.send(std::mem::take(&mut bytes))),
                ),
                Ok(Kind::End) => {
                    link.has_ended.store(true, Relaxed);
                    arrived = None;
                    self.changed.notify_all();
                }
                Ok(Kind::Word) => match unpack(&mut bytes.as_slice()) {
                    Ok(word) => self.hear(word),
                    Err(_) => break Lost::Nonsense,
                },
                Ok(Kind::Beat) => {}
                Err(lost) => break lost,
            }
        };
        self.gone_is(Gone {
            process: link.peer,
            why: match lost {
                Lost::Closed => Why::Closed,
                Lost::Silent => Why::Silent(self.config.silence),
                Lost::Nonsense => Why::Nonsense,
            },
        });
        self.state.lock().ended += 1;
        self.changed.notify_all();
    }

    /// Whether a process is silent for too long. It is said that it is waited for.
    fn is_too_quiet(&self, peer: usize, beats: u32) -> bool {
        let (is_over, silent) = (self.is_over(), self.config.beat() * beats);
        if beats.is_multiple_of(QUIET) && !is_over {
            (self.config.say)(&format!(
                "waits for {}, of which nothing was heard for {} seconds",
                self.config.name(peer),
                silent.as_secs_f32()
            ));
        }
        is_over || silent >= self.config.silence
    }

    fn hear(&self, word: Word) {
        match word {
            Word::Start(start) => self.state.lock().start = Some(start),
            Word::Done => self.state.lock().is_done = true,
            Word::Gone(gone) => self.gone_is(gone),
        }
        self.changed.notify_all();
    }

    /// A process is gone, this one perhaps: the first is told to all, and all end.
    fn gone_is(&self, gone: Gone) {
        {
            let mut state = self.state.lock();
            if state.is_done || state.is_going {
                return;
            }
            state.is_going = true;
        }
        // Before this process ends, too, and closes its connections.
        self.tell(&Word::Gone(gone.clone()));
        self.state.lock().gone = Some(gone);
        self.config.stop.store(true, Relaxed);
        self.changed.notify_all();
    }

    fn gone(&self) -> Option<Error> {
        let gone = self.state.lock().gone.clone()?;
        let who = self.config.name(gone.process);
        let is_this = gone.process == self.config.process;
        let what = match gone.why {
            Why::Stopped(why) => format!("has stopped: {why}"),
            Why::Closed => "is gone: its connection was closed".to_owned(),
            Why::Nonsense => "is gone: what it sends has no sense".to_owned(),
            Why::Silent(silence) if is_this => format!(
                "was given up by the others, who heard nothing of it for {} seconds",
                silence.as_secs_f32()
            ),
            Why::Silent(silence) => format!(
                "is gone: nothing was heard of it for {} seconds",
                silence.as_secs_f32()
            ),
        };
        Some(Error::Gone(who, what))
    }

    fn tell(&self, word: &Word) {
        let mut bytes = Vec::new();
        pack(word, &mut bytes);
        for link in self.links() {
            self.send(link, Kind::Word, &bytes);
        }
    }

    /// Sends a frame. Where that fails the listener of the connection comes to know, too.
    pub(crate) fn send(&self, link: &Link, kind: Kind, bytes: &[u8]) {
        link.send(kind, bytes, || self.is_over());
    }

    fn is_over(&self) -> bool {
        let state = self.state.lock();
        state.is_done || state.is_going
    }

    /// No worker of this process is at work any more.
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

    /// Waits until all others have sent timely's last byte. Says whether they have: not if one is gone.
    pub(crate) fn wait_until_ended(&self) -> bool {
        let all = || self.links().all(|link| link.has_ended.load(Relaxed));
        self.wait(None, |_| all()) == Waited::True
    }

    /// Waits for something to become true, for so long if that is said.
    fn wait(&self, at_most: Option<Duration>, is_true: impl Fn(&State) -> bool) -> Waited {
        const LOOK: Duration = Duration::from_millis(100);
        let begin = Instant::now();
        let mut state = self.state.lock();
        loop {
            let left = at_most.map_or(LOOK, |most| most.saturating_sub(begin.elapsed()));
            match () {
                () if is_true(&state) => return Waited::True,
                () if state.gone.is_some() => return Waited::Gone,
                () if self.config.stop.load(Relaxed) => return Waited::Stopped,
                () if left.is_zero() => return Waited::TooLong,
                () => {}
            }
            self.changed.wait_for(&mut state, left.min(LOOK));
        }
    }
}

/// How waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waited {
    True,
    TooLong,
    Gone,
    Stopped,
}

impl Waited {
    fn into_result(self, group: &Inner) -> Result<(), Error> {
        match self {
            Waited::True | Waited::TooLong => Ok(()),
            Waited::Gone | Waited::Stopped => Err(group.gone().unwrap_or(Error::Interrupted)),
        }
    }
}
