//! Incoming calls: a caller that knows the secret of the group and builds the same is a process of the group.
//!
//! The thread that waits for the other processes handles all calls, and blocks on none of them. A stranger costs a few dozen
//! bytes for some seconds; when too many call, the oldest connection is closed. A caller that has proved that it knows the secret
//! gets a thread, which takes its hello message.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::handshake::{
    self, CALL, Call, Challenge, GroupSecret, MEND, PROOF, Side, VERDICT, bytes_of, code, is_code,
};
use crate::hello::{Answer, Arrival, Hello, PATIENCE, prepare, receive, send};
use crate::spawn::spawn;

/// Maximum connections whose callers have not proved that they know the secret.
const MAXIMUM_CALLERS: usize = 64;

/// The minimum time between two warnings. Those about strangers in between are counted.
pub(super) const WARNING_INTERVAL: Duration = Duration::from_secs(5);

/// Connections whose callers are not known yet.
pub(super) struct Incoming {
    listener: TcpListener,
    own: Arc<Hello>,
    secret: Option<GroupSecret>,
    /// Takes the processes that have called.
    arrivals: Sender<Arrival>,
    callers: VecDeque<Caller>,
    strangers: Strangers,
}

/// A connection of an unknown caller.
struct Caller {
    stream: TcpStream,
    from: SocketAddr,
    deadline: Instant,
    /// The call, and the answer to it: the proof has to come next.
    challenged: Option<(Call, Challenge)>,
}

/// The state of a caller.
enum CallerState {
    /// A message is expected.
    Waiting,
    /// It does not know the secret, for this reason.
    Stranger(String),
    /// It knows the secret; what it builds may differ.
    Known(Call),
}

impl Incoming {
    pub(super) fn new(
        listener: TcpListener,
        own: Hello,
        secret: Option<GroupSecret>,
        arrivals: Sender<Arrival>,
    ) -> Incoming {
        Incoming {
            listener,
            own: Arc::new(own),
            secret,
            arrivals,
            callers: VecDeque::new(),
            strangers: Strangers::default(),
        }
    }

    /// Accepts new connections, and takes the messages that have arrived at the others. Does not wait.
    pub(super) fn poll(&mut self, print: &dyn Fn(&str)) -> Result<(), Error> {
        for _ in 0..MAXIMUM_CALLERS {
            match self.listener.accept() {
                Ok((stream, from)) => self.take(stream, from),
                Err(_) => break,
            }
        }
        for mut caller in std::mem::take(&mut self.callers) {
            match caller.step(self.secret.as_ref()) {
                Ok(CallerState::Waiting) if Instant::now() < caller.deadline => {
                    self.callers.push_back(caller)
                }
                // It is no process of gleaner; the connection is closed.
                Ok(CallerState::Waiting) | Err(_) => {}
                Ok(CallerState::Stranger(what)) => self.strangers.warn(caller.from, &what, print),
                Ok(CallerState::Known(call)) => {
                    let (own, arrivals) = (Arc::clone(&self.own), self.arrivals.clone());
                    spawn("hello", move || {
                        if let Ok(arrival) = caller.hello(&call, &own) {
                            drop(arrivals.send(arrival));
                        }
                    })?;
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, stream: TcpStream, from: SocketAddr) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        if self.callers.len() == MAXIMUM_CALLERS {
            self.callers.pop_front();
        }
        self.callers.push_back(Caller {
            stream,
            from,
            deadline: Instant::now() + PATIENCE,
            challenged: None,
        });
    }
}

impl Caller {
    /// Answers what has arrived. There is always room for an answer: all that was sent before is read.
    fn step(&mut self, secret: Option<&GroupSecret>) -> io::Result<CallerState> {
        let Some((call, challenge)) = self.challenged else {
            let Some(bytes) = self.message::<CALL>()? else {
                return Ok(CallerState::Waiting);
            };
            let call = handshake::read(&bytes).ok_or(io::ErrorKind::InvalidData)?;
            let challenge = Challenge::new(secret)?;
            self.stream.write_all(&bytes_of(&challenge))?;
            self.challenged = Some((call, challenge));
            return self.step(secret);
        };
        let Some(proof) = self.message::<PROOF>()? else {
            return Ok(CallerState::Waiting);
        };
        let mut verdict = [0; VERDICT];
        if !is_code(&proof, Side::Caller, secret, call, challenge) {
            self.stream.write_all(&verdict)?;
            let what = handshake::difference(secret.is_some(), call.has_secret);
            let process = call.caller;
            let stranger = format!("it calls itself process {process}, and {what}");
            return Ok(CallerState::Stranger(stranger));
        }
        verdict[0] = 1;
        verdict[1..].copy_from_slice(&code(Side::Called, secret, call, challenge));
        self.stream.write_all(&verdict)?;
        Ok(CallerState::Known(call))
    }

    /// The next message, if all of it has arrived.
    fn message<const LENGTH: usize>(&mut self) -> io::Result<Option<[u8; LENGTH]>> {
        let mut bytes = [0; LENGTH];
        match self.stream.peek(&mut bytes) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) if length == LENGTH => self.stream.read_exact(&mut bytes).map(|()| Some(bytes)),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the hello message of a process that knows the secret.
    fn hello(mut self, call: &Call, own: &Hello) -> io::Result<Arrival> {
        prepare(&self.stream)?;
        let hello: Hello = receive(&mut self.stream)?;
        if !hello.is_of(call) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let Some(difference) = own.refusal(&hello) else {
            return Ok(Arrival::Connected(hello.process, self.stream, true));
        };
        let who = format!("process {} at {}: {difference}", hello.process, self.from);
        drop(send(&mut self.stream, &Answer::Refused(difference)));
        Ok(Arrival::Refused(who))
    }
}

/// Warnings about callers that do not know the secret.
#[derive(Default)]
struct Strangers {
    last_warning: Option<Instant>,
    /// Calls since then.
    calls: u64,
}

impl Strangers {
    fn warn(&mut self, from: SocketAddr, what: &str, print: &dyn Fn(&str)) {
        if self
            .last_warning
            .is_some_and(|last| last.elapsed() < WARNING_INTERVAL)
        {
            self.calls += 1;
            return;
        }
        let others = match std::mem::take(&mut self.calls) {
            0 => String::new(),
            count => format!(" (and {count} more calls since the last warning)"),
        };
        print(&format!(
            "warning: refused a call from {from}: {what}; {MEND}{others}"
        ));
        self.last_warning = Some(Instant::now());
    }
}
