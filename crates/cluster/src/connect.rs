//! The processes of a group connect to each other.
//!
//! Each listens at its own line of the list of hosts ([`Incoming`]), and calls those of the lines before it. First both
//! prove that they know the secret of the group ([`handshake`]). Then the caller sends what it builds, and is accepted, or refused
//! with the difference. The processes may be started in any order, and before their names are known to the network: a process
//! that does not answer is called again.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::config::GroupConfig;
use crate::error::Error;
use crate::handshake::{self, CHALLENGE, Call, Challenge, MEND, Side, VERDICT, bytes_of, code, is_code};
use crate::hello::{Answer, Arrival, Hello, PATIENCE, prepare, receive, send};
use crate::incoming::{Incoming, WARNING_INTERVAL};
use crate::spawn::spawn;

/// The pause between two polls of the incoming calls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The pause after a call without an answer doubles from the minimum to the maximum: processes that are started together connect
/// at once, and one that is started late is not called too often.
const MINIMUM_PAUSE: Duration = Duration::from_millis(10);
const MAXIMUM_PAUSE: Duration = Duration::from_millis(250);

/// Connects to all other processes, and hands over each connection as soon as it exists.
///
/// # Errors
/// The port cannot be opened, another process refuses this one, or not all are there in time.
pub(super) fn connect(
    config: &GroupConfig,
    mut take: impl FnMut(usize, TcpStream) -> Result<(), Error>,
) -> Result<(), Error> {
    let begin = Instant::now();
    let reasons = Arc::new(Mutex::new(BTreeMap::new()));
    let (results, arrivals) = channel();
    let secret = config.secret.clone();
    let mut incoming = Incoming::new(
        listen(config, begin)?,
        Hello::new(config, config.process),
        secret,
        results.clone(),
    );
    for process in 0..config.process {
        let caller = Caller {
            config: config.clone(),
            reasons: Arc::clone(&reasons),
            begin,
        };
        let results = results.clone();
        spawn("connect", move || caller.call(process, &results))?;
    }
    let mut missing: Vec<usize> = (0..config.hosts.len())
        .filter(|&process| process != config.process)
        .collect();
    let mut warned = begin;
    while !missing.is_empty() {
        incoming.poll(&*config.print)?;
        gather(config, arrivals.try_iter(), &mut missing, &mut take)?;
        let waited = || waited_for(config, &missing, &reasons);
        if config.stop.load(Relaxed) {
            return Err(Error::Interrupted);
        }
        if begin.elapsed() >= config.connect_timeout {
            let seconds = config.connect_timeout.as_secs_f32();
            return Err(Error::Connect(format!(
                "gave up waiting after {seconds} seconds for {}: give the same command on every machine of the list",
                waited()
            )));
        }
        // (More often where the timeout is short.)
        if !missing.is_empty() && warned.elapsed() >= WARNING_INTERVAL.min(config.connect_timeout / 10) {
            (config.print)(&format!("waiting for {}", waited()));
            warned = Instant::now();
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Takes the results of calls.
fn gather(
    config: &GroupConfig,
    arrivals: impl Iterator<Item = Arrival>,
    missing: &mut Vec<usize>,
    take: &mut impl FnMut(usize, TcpStream) -> Result<(), Error>,
) -> Result<(), Error> {
    for arrival in arrivals {
        match arrival {
            Arrival::Connected(process, mut stream, waits) => {
                let place = missing.iter().position(|&other| other == process);
                let answer = match place {
                    Some(_) => Answer::Welcome,
                    None => Answer::Refused(format!("there is a {} already", config.name(process))),
                };
                // A process that does not take the answer stays missing.
                if waits && send(&mut stream, &answer).is_err() {
                    continue;
                }
                if let Some(place) = place {
                    missing.remove(place);
                    take(process, stream)?;
                }
            }
            Arrival::RefusedBy(process, why) => {
                return Err(Error::Connect(format!(
                    "{} refused this process: {why}",
                    config.name(process)
                )));
            }
            Arrival::Refused(who) => (config.print)(&format!("refused {who}")),
        }
    }
    Ok(())
}

/// The processes that are missing, with the reasons that are known.
fn waited_for(config: &GroupConfig, missing: &[usize], reasons: &Mutex<BTreeMap<usize, String>>) -> String {
    let reasons = reasons.lock();
    let names = missing.iter().map(|process| match reasons.get(process) {
        Some(reason) => format!("{}: {reason}", config.name(*process)),
        None => config.name(*process),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// Listens at the address of this process.
fn listen(config: &GroupConfig, begin: Instant) -> Result<TcpListener, Error> {
    let own = &config.hosts[config.process];
    let mut warned = None;
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
            return Err(Error::Connect(format!("could not listen at '{own}': {failure}")));
        }
        // An earlier run may be about to end.
        if warned.is_none_or(|last: Instant| last.elapsed() >= WARNING_INTERVAL) {
            (config.print)(&format!(
                "waiting for '{own}': the port is in use by another process"
            ));
            warned = Some(Instant::now());
        }
        std::thread::sleep(MAXIMUM_PAUSE);
    }
}

/// Binds the address as it is written. Where it cannot be bound because others know this machine by another name, binds all
/// addresses of the machine, which needs a secret.
fn bind(host: &str, has_secret: bool) -> io::Result<TcpListener> {
    let own = TcpListener::bind(host);
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

/// Calls another process until it answers.
struct Caller {
    config: GroupConfig,
    /// Why others have not answered.
    reasons: Arc<Mutex<BTreeMap<usize, String>>>,
    begin: Instant,
}

impl Caller {
    fn call(&self, process: usize, results: &Sender<Arrival>) {
        let mut pause = MINIMUM_PAUSE;
        while !self.config.stop.load(Relaxed) && self.begin.elapsed() < self.config.connect_timeout {
            match self.try_once(process) {
                Ok(arrival) => return drop(results.send(arrival)),
                Err(error) => {
                    let mut reasons = self.reasons.lock();
                    reasons.insert(process, error.to_string());
                }
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(MAXIMUM_PAUSE);
        }
    }

    fn try_once(&self, process: usize) -> io::Result<Arrival> {
        let mut stream = dial(&self.config.hosts[process])?;
        prepare(&stream)?;
        if let Some(difference) = self.prove(process, &mut stream)? {
            return Ok(Arrival::RefusedBy(process, format!("{difference}; {MEND}")));
        }
        send(&mut stream, &Hello::new(&self.config, process))?;
        match receive(&mut stream)? {
            Answer::Welcome => Ok(Arrival::Connected(process, stream, false)),
            Answer::Refused(why) => Ok(Arrival::RefusedBy(process, why)),
        }
    }

    /// Proves that this process knows the secret, and checks the proof of the other. Returns the difference, if there is one.
    fn prove(&self, process: usize, stream: &mut TcpStream) -> io::Result<Option<&'static str>> {
        let secret = self.config.secret.as_ref();
        let call = Call::new(self.config.process, process, secret)?;
        stream.write_all(&bytes_of(&call))?;
        let mut bytes = [0; CHALLENGE];
        stream.read_exact(&mut bytes)?;
        let not_ours =
            || io::Error::other("something else than gleaner, or another version of it, answers there");
        let challenge: Challenge = handshake::read(&bytes).ok_or_else(not_ours)?;
        stream.write_all(&code(Side::Caller, secret, call, challenge))?;
        let mut verdict = [0; VERDICT];
        stream.read_exact(&mut verdict)?;
        let is_one = verdict[0] == 1 && is_code(&verdict[1..], Side::Called, secret, call, challenge);
        Ok((!is_one).then(|| handshake::difference(secret.is_some(), challenge.has_secret)))
    }
}

fn dial(host: &str) -> io::Result<TcpStream> {
    let mut outcome = Err(io::Error::other("the name has no address"));
    for address in host.to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&address, PATIENCE);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
