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

use parking_lot::Mutex;

use super::GroupConfig;
use super::handshake::{self, CHALLENGE, Call, Challenge, MEND, Side, VERDICT, code, is_code};
use super::hello::{Answer, Arrival, Hello, PATIENCE, answer, prepare, receive, send};
use super::incoming::Incoming;
use crate::error::Error;

/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(5);

/// The pause after a call that nobody answered doubles from the first to the longest: processes that are started
/// together find each other at once, and one that is long in coming is not called more often than that.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// How often it is said who is waited for, unless they are waited for less than ten times as long.
const SAY: Duration = Duration::from_secs(5);

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
        let hello = self.hello.calling(process);
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

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name("connect".to_owned()).spawn(work);
    let thread = thread.map_err(|error| Error::System("start a thread", error))?;
    drop(thread);
    Ok(())
}
