//! Incoming calls: a caller that knows the secret of the group and builds the same is a process of the group.
//!
//! The thread that waits for the other processes handles all calls, and blocks on none of them. A stranger costs a few dozen
//! bytes for some seconds; when too many call, the oldest connection is closed.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::handshake::{self, CALL, Call, Challenge, GroupSecret, MEND, PROOF, Side, VERDICT, code, is_code};
use crate::hello::{Answer, Arrival, Hello, MAXIMUM_MESSAGE, PATIENCE, answer, prepare};
use crate::message::decode;

/// Maximum connections whose callers have not proved that they know the secret.
const MAXIMUM_CALLERS: usize = 64;

/// The minimum time between two warnings about strangers; those in between are counted.
const WARNING_INTERVAL: Duration = Duration::from_secs(5);

/// Connections whose callers are not known yet.
pub(super) struct Incoming {
    listener: TcpListener,
    secret: Option<GroupSecret>,
    callers: VecDeque<Caller>,
    strangers: Strangers,
}

/// A connection of an unknown caller.
struct Caller {
    stream: TcpStream,
    from: SocketAddr,
    deadline: Instant,
    arrived: Vec<u8>,
    expected: Expected,
}

/// The message that has to come next.
enum Expected {
    Call,
    Proof(Call, Challenge),
    /// After the secret is proved: what the caller builds. Its length comes first.
    Hello(Call),
}

/// The state of a caller.
enum CallerState {
    /// A message is expected.
    Waiting,
    /// Not a gleaner process; the connection is closed.
    Closed,
    /// It does not know the secret, for this reason.
    Stranger(String),
    /// It knows the secret; what it builds may differ.
    Known(Hello),
}

impl Incoming {
    pub(super) fn new(listener: TcpListener, secret: Option<GroupSecret>) -> Incoming {
        Incoming {
            listener,
            secret,
            callers: VecDeque::new(),
            strangers: Strangers::default(),
        }
    }

    /// Accepts new connections, and takes the messages that have arrived at the others. Does not wait.
    pub(super) fn poll(&mut self, own: &Hello, print: &dyn Fn(&str)) -> Vec<Arrival> {
        for _ in 0..MAXIMUM_CALLERS {
            match self.listener.accept() {
                Ok((stream, from)) => self.take(stream, from),
                Err(_) => break,
            }
        }
        let mut arrived = Vec::new();
        for _ in 0..self.callers.len() {
            let Some(mut caller) = self.callers.pop_front() else {
                break;
            };
            match caller.step(own, self.secret.as_ref()) {
                CallerState::Waiting if Instant::now() < caller.deadline => self.callers.push_back(caller),
                CallerState::Waiting | CallerState::Closed => {}
                CallerState::Stranger(what) => self.strangers.warn(caller.from, &what, print),
                CallerState::Known(hello) => arrived.extend(caller.arrive(&hello, own)),
            }
        }
        arrived
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
            arrived: Vec::new(),
            expected: Expected::Call,
        });
    }
}

impl Caller {
    fn step(&mut self, own: &Hello, secret: Option<&GroupSecret>) -> CallerState {
        loop {
            match self.read() {
                Ok(true) => {}
                Ok(false) => return CallerState::Waiting,
                Err(_) => return CallerState::Closed,
            }
            match self.take(own, secret) {
                Ok(CallerState::Waiting) => {}
                Ok(step) => return step,
                Err(_) => return CallerState::Closed,
            }
        }
    }

    /// The length of the expected message in bytes; none where it is longer than allowed.
    fn length(&self) -> Option<usize> {
        match self.expected {
            Expected::Call => Some(CALL),
            Expected::Proof(..) => Some(PROOF),
            Expected::Hello(_) => match self.arrived.first_chunk() {
                Some(length) => usize::try_from(u64::from_le_bytes(*length))
                    .ok()
                    .filter(|&length| length <= MAXIMUM_MESSAGE)
                    .map(|length| 8 + length),
                None => Some(8),
            },
        }
    }

    /// Reads what has arrived, and returns whether that is a whole message.
    fn read(&mut self) -> io::Result<bool> {
        let mut piece = [0; 1024];
        loop {
            let length = self.length().ok_or(io::ErrorKind::InvalidData)?;
            let missing = length - self.arrived.len();
            if missing == 0 {
                return Ok(true);
            }
            match self.stream.read(&mut piece[..missing.min(1024)]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.arrived.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Answers a whole message, and expects the next.
    fn take(&mut self, own: &Hello, secret: Option<&GroupSecret>) -> io::Result<CallerState> {
        let message = std::mem::take(&mut self.arrived);
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        match self.expected {
            Expected::Call => {
                let bytes = message.first_chunk().ok_or_else(invalid)?;
                let call = Call::read(bytes).ok_or_else(invalid)?;
                let challenge = Challenge::new(secret)?;
                self.send(&challenge.to_bytes())?;
                self.expected = Expected::Proof(call, challenge);
                Ok(CallerState::Waiting)
            }
            Expected::Proof(call, challenge) => {
                let mut verdict = [0; VERDICT];
                if !is_code(&message, Side::Caller, secret, call, challenge) {
                    self.send(&verdict)?;
                    let what = handshake::difference(secret.is_some(), call.has_secret);
                    let process = call.caller;
                    return Ok(CallerState::Stranger(format!(
                        "it calls itself process {process}, and {what}"
                    )));
                }
                verdict[0] = 1;
                verdict[1..].copy_from_slice(&code(Side::Called, secret, call, challenge));
                self.send(&verdict)?;
                self.expected = Expected::Hello(call);
                Ok(CallerState::Waiting)
            }
            Expected::Hello(call) => {
                let hello: Hello = decode(&message).ok_or_else(invalid)?;
                let is_the_same = hello.is_of(&call) && own.processes() > call.caller as usize;
                is_the_same
                    .then_some(CallerState::Known(hello))
                    .ok_or_else(invalid)
            }
        }
    }

    /// Sends bytes. There is always room for them: all that was sent before is read.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The result for a process that knows the secret.
    fn arrive(mut self, hello: &Hello, own: &Hello) -> Option<Arrival> {
        prepare(&self.stream).ok()?;
        match own.refusal(hello) {
            None => Some(Arrival::Connected(hello.process(), self.stream, true)),
            Some(difference) => {
                let who = format!("process {} at {}: {difference}", hello.process(), self.from);
                drop(answer(&mut self.stream, &Answer::Refused(difference)));
                Some(Arrival::Refused(who))
            }
        }
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
