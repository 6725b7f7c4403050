//! The processes of a group find each other.
//!
//! Each listens at its own line of the list of hosts ([`Incoming`]), and calls those of the lines before it. First both
//! show that they know the secret of the group ([`handshake`]). Then the one that calls says what it builds, and is
//! taken in or refused with the difference. It does not matter in which order they are started, or whether a name
//! is known yet: who does not answer is called again.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use gleaner_corpus::Identity;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::GroupConfig;
use super::handshake::{self, CHALLENGE, Call, Challenge, MEND, Side, VERDICT, code, is_code};
use super::incoming::{Incoming, LONGEST};
use crate::error::Error;
use crate::packing::{pack, unpack};

/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(5);

/// The pause after a call that nobody answered doubles from the first to the longest: processes that are started
/// together find each other at once, and one that is long in coming is not called more often than that.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// How long a call, or an answer, may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is said who is waited for, unless they are waited for less than ten times as long.
const SAY: Duration = Duration::from_secs(5);

/// Who calls, and what it builds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    program: String,
    process: usize,
    processes: usize,
    /// Whom it calls: hosts may have other names elsewhere, but their order is the same.
    called: usize,
    identity: Identity,
}

/// What the other side answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Welcome,
    Refused(String),
}

/// What came of a call.
pub(super) enum Arrival {
    /// Another process, at the other end of a connection; whether it waits for a welcome.
    Here(usize, TcpStream, bool),
    /// Somebody called who builds something else.
    Refused(String),
    /// Another process will not have this one, or is none of its group.
    Unwilling(usize, String),
}

/// Connects to all other processes, and hands each connection over as soon as it is there.
///
/// # Errors
/// The port can't be listened at, another process refuses this one, or not all have come in time.
pub(super) fn connect(
    config: &GroupConfig,
    mut take: impl FnMut(usize, TcpStream) -> Result<(), Error>,
) -> Result<(), Error> {
    let begin = Instant::now();
    let hello = Arc::new(Hello::of(config));
    let reasons = Arc::new(Mutex::new(BTreeMap::new()));
    let (tell, calls) = channel();
    let mut incoming = Incoming::new(listen(config, begin)?, config.secret.clone());
    for process in 0..config.process {
        let caller = Caller {
            config: config.clone(),
            hello: Arc::clone(&hello),
            reasons: Arc::clone(&reasons),
            begin,
        };
        let tell = tell.clone();
        spawn(move || caller.call(process, &tell))?;
    }
    let mut missing: Vec<usize> = (0..config.hosts.len())
        .filter(|&process| process != config.process)
        .collect();
    let mut said = begin;
    while !missing.is_empty() {
        let arrived = incoming.look(&hello, &*config.say);
        let answered = calls.try_iter();
        gather(
            config,
            arrived.into_iter().chain(answered),
            &mut missing,
            &mut take,
        )?;
        let waited = || waited_for(config, &missing, &reasons);
        if config.stop.load(Relaxed) {
            return Err(Error::Interrupted);
        }
        if begin.elapsed() >= config.connect_timeout {
            let seconds = config.connect_timeout.as_secs_f32();
            return Err(Error::Group(format!(
                "gave up waiting after {seconds} seconds for {}: give the same command on every machine of the list",
                waited()
            )));
        }
        if !missing.is_empty() && said.elapsed() >= SAY.min(config.connect_timeout / 10) {
            (config.say)(&format!("waits for {}", waited()));
            said = Instant::now();
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Takes in who has come.
fn gather(
    config: &GroupConfig,
    arrivals: impl Iterator<Item = Arrival>,
    missing: &mut Vec<usize>,
    take: &mut impl FnMut(usize, TcpStream) -> Result<(), Error>,
) -> Result<(), Error> {
    for arrival in arrivals {
        match arrival {
            Arrival::Here(process, mut stream, waits) => {
                let place = missing.iter().position(|&other| other == process);
                let answer = match place {
                    Some(_) => Answer::Welcome,
                    None => Answer::Refused(format!("there is a {} already", config.name(process))),
                };
                // Who does not take the answer will be missed.
                if waits && self::answer(&mut stream, &answer).is_err() {
                    continue;
                }
                if let Some(place) = place {
                    missing.remove(place);
                    take(process, stream)?;
                }
            }
            Arrival::Unwilling(process, why) => {
                return Err(Error::Group(format!(
                    "{} will not work with this process: {why}",
                    config.name(process)
                )));
            }
            Arrival::Refused(who) => (config.say)(&format!("refused {who}")),
        }
    }
    Ok(())
}

/// Who is missing, and why where that is known.
fn waited_for(config: &GroupConfig, missing: &[usize], reasons: &Mutex<BTreeMap<usize, String>>) -> String {
    let reasons = reasons.lock();
    let names = missing.iter().map(|process| match reasons.get(process) {
        Some(reason) => format!("{} ({reason})", config.name(*process)),
        None => config.name(*process),
    });
    names.collect::<Vec<_>>().join(", ")
}

impl Hello {
    fn of(config: &GroupConfig) -> Hello {
        Hello {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            process: config.process,
            processes: config.hosts.len(),
            called: config.process,
            identity: config.identity.clone(),
        }
    }

    pub(super) fn process(&self) -> usize {
        self.process
    }

    pub(super) fn processes(&self) -> usize {
        self.processes
    }

    /// Whether it is of the process that has called.
    pub(super) fn is_of(&self, call: &Call) -> bool {
        (self.process, self.called) == (call.caller as usize, call.called as usize)
    }

    /// The reason why this group refuses the process with this hello; the message goes to that process.
    pub(super) fn refusal(&self, caller: &Hello) -> Option<String> {
        self.difference(caller).or_else(|| {
            let is_after = (self.process + 1..self.processes).contains(&caller.process);
            (!is_after).then(|| format!("it says that it is process {}", caller.process))
        })
    }

    /// What is wrong with a process that says this of itself, as that process is told.
    fn difference(&self, caller: &Hello) -> Option<String> {
        if self.program != caller.program {
            return Some(format!("gleaner {} there, {} here", self.program, caller.program));
        }
        if self.processes != caller.processes {
            return Some(format!(
                "{} hosts there, {} here",
                self.processes, caller.processes
            ));
        }
        if self.process != caller.called {
            return Some(format!(
                "process {} is there, and {} was called: the lists of hosts differ",
                self.process, caller.called
            ));
        }
        let differences = self
            .identity
            .differences(&caller.identity, ["in the other process", "in this process"]);
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

/// Listens where the other processes look for this one.
fn listen(config: &GroupConfig, begin: Instant) -> Result<TcpListener, Error> {
    let own = &config.hosts[config.process];
    let mut said = None;
    loop {
        let failure = match bind(own, config.secret.is_some()) {
            Ok(listener) => return Ok(listener),
            Err(failure) => failure,
        };
        let in_use = failure.kind() == io::ErrorKind::AddrInUse;
        if config.stop.load(Relaxed) {
            return Err(Error::Interrupted);
        }
        if !in_use || begin.elapsed() >= config.connect_timeout {
            return Err(Error::Group(format!("could not listen at '{own}': {failure}")));
        }
        // A run before this one may be about to end.
        if said.is_none_or(|said: Instant| said.elapsed() >= SAY) {
            (config.say)(&format!(
                "waits for the port of '{own}', which another process has"
            ));
            said = Some(Instant::now());
        }
        std::thread::sleep(LONGEST_PAUSE);
    }
}

/// The address as it is written; all addresses of this machine where others see it by another name than it does, which
/// needs a secret.
fn bind(host: &str, has_secret: bool) -> io::Result<TcpListener> {
    let own = resolve(host).and_then(|addresses| TcpListener::bind(&addresses[..]));
    let port = host
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse::<u16>().ok());
    let listener = match (own, port) {
        (Err(error), Some(port)) if has_secret && error.kind() != io::ErrorKind::AddrInUse => {
            TcpListener::bind(("0.0.0.0", port))?
        }
        (own, _) => own?,
    };
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn resolve(host: &str) -> io::Result<Vec<SocketAddr>> {
    let addresses: Vec<SocketAddr> = host.to_socket_addrs()?.collect();
    match addresses.is_empty() {
        true => Err(io::Error::other("the name has no address")),
        false => Ok(addresses),
    }
}

/// Calls another process until it answers.
struct Caller {
    config: GroupConfig,
    hello: Arc<Hello>,
    /// Why others have not answered.
    reasons: Arc<Mutex<BTreeMap<usize, String>>>,
    begin: Instant,
}

impl Caller {
    fn call(&self, process: usize, tell: &Sender<Arrival>) {
        let mut pause = FIRST_PAUSE;
        while !self.config.stop.load(Relaxed) && self.begin.elapsed() < self.config.connect_timeout {
            match self.try_once(process) {
                Ok(arrival) => return drop(tell.send(arrival)),
                Err(error) => {
                    let mut reasons = self.reasons.lock();
                    reasons.insert(process, error.to_string());
                }
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn try_once(&self, process: usize) -> io::Result<Arrival> {
        let mut stream = dial(&self.config.hosts[process])?;
        prepare(&stream)?;
        if let Some(difference) = self.prove(process, &mut stream)? {
            return Ok(Arrival::Unwilling(process, format!("{difference}; {MEND}")));
        }
        let hello = Hello {
            called: process,
            ..Hello::clone(&self.hello)
        };
        send(&mut stream, &hello)?;
        match receive(&mut stream)? {
            Answer::Welcome => Ok(Arrival::Here(process, stream, false)),
            Answer::Refused(why) => Ok(Arrival::Unwilling(process, why)),
        }
    }

    /// Shows that this process knows the secret, and has the other show it. Says what differs.
    fn prove(&self, process: usize, stream: &mut TcpStream) -> io::Result<Option<&'static str>> {
        let secret = self.config.secret.as_ref();
        let call = Call::new(self.config.process, process, secret)?;
        stream.write_all(&call.to_bytes())?;
        let mut bytes = [0; CHALLENGE];
        stream.read_exact(&mut bytes)?;
        let not_ours =
            || io::Error::other("something else than gleaner, or another version of it, answers there");
        let challenge = Challenge::read(&bytes).ok_or_else(not_ours)?;
        stream.write_all(&code(Side::Caller, secret, call, challenge))?;
        let mut verdict = [0; VERDICT];
        stream.read_exact(&mut verdict)?;
        let is_one = verdict[0] == 1 && is_code(&verdict[1..], Side::Called, secret, call, challenge);
        Ok((!is_one).then(|| handshake::difference(secret.is_some(), challenge.has_secret)))
    }
}

fn dial(host: &str) -> io::Result<TcpStream> {
    let mut outcome = Err(io::ErrorKind::NotFound.into());
    for address in resolve(host)? {
        outcome = TcpStream::connect_timeout(&address, PATIENCE);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// Answers a process that has said what it builds.
pub(super) fn answer(stream: &mut TcpStream, answer: &Answer) -> io::Result<()> {
    send(stream, answer)
}

fn send(stream: &mut TcpStream, message: &impl Serialize) -> io::Result<()> {
    let mut bytes = Vec::new();
    pack(message, &mut bytes);
    stream.write_all(&bytes)
}

fn receive<T: DeserializeOwned>(stream: &mut TcpStream) -> io::Result<T> {
    let mut bytes = vec![0; 8];
    stream.read_exact(&mut bytes)?;
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("these are eight bytes"));
    if length > LONGEST as u64 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    bytes.resize(8 + length as usize, 0);
    stream.read_exact(&mut bytes[8..])?;
    unpack::<Owned<T>>(&mut bytes.as_slice())
        .map(|owned| owned.0)
        .map_err(|_| io::ErrorKind::InvalidData.into())
}

/// A value that borrows nothing of its bytes.
#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct Owned<T>(T);

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name("connect".to_owned()).spawn(work);
    let thread = thread.map_err(|error| Error::System("start a thread", error))?;
    drop(thread);
    Ok(())
}
