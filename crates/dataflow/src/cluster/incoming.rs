//! Those who call a process: who knows the secret of the group and builds the same is one of it.
//!
//! One thread, that of the process which waits for the others, looks after all who call, and waits for none of
//! them. A stranger costs a few dozen bytes for some seconds; where too many call, the one that is there longest
//! has to go.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::handshake::{self, CALL, Call, Challenge, GroupSecret, MEND, PROOF, Side, VERDICT, code, is_code};
use super::hello::{Answer, Arrival, Hello, LONGEST, PATIENCE, answer, prepare};
use crate::packing::unpack;

/// How many callers may be there that have not shown who they are.
const CALLERS: usize = 64;

/// The shortest time between two warnings about strangers; those in between are counted.
const SAY: Duration = Duration::from_secs(5);

/// Who has called and not yet come in.
pub(super) struct Incoming {
    listener: TcpListener,
    secret: Option<GroupSecret>,
    callers: VecDeque<Caller>,
    strangers: Strangers,
}

/// A connection that was not made by anybody who is known.
struct Caller {
    stream: TcpStream,
    from: SocketAddr,
    deadline: Instant,
    /// What has come of the message that is expected.
    come: Vec<u8>,
    expected: Expected,
}

/// What has to come next.
enum Expected {
    Call,
    Proof(Call, Challenge),
    /// Now that the secret is known: what it builds. Its length comes first.
    Hello(Call),
}

/// What became of a caller after a look.
enum Step {
    /// There is more to come.
    Waits,
    /// It is nobody, and has gone.
    Gone,
    /// It does not know the secret.
    Stranger(String),
    /// It is of this group, or builds something else.
    Arrived(Hello),
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

    /// Takes in who calls, and looks whether those who have called have said more. Does not wait.
    pub(super) fn look(&mut self, own: &Hello, say: &dyn Fn(&str)) -> Vec<Arrival> {
        for _ in 0..CALLERS {
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
                Step::Waits if Instant::now() < caller.deadline => self.callers.push_back(caller),
                Step::Waits | Step::Gone => {}
                Step::Stranger(what) => self.strangers.say(caller.from, &what, say),
                Step::Arrived(hello) => arrived.extend(caller.arrive(&hello, own)),
            }
        }
        arrived
    }

    fn take(&mut self, stream: TcpStream, from: SocketAddr) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        if self.callers.len() == CALLERS {
            self.callers.pop_front();
        }
        self.callers.push_back(Caller {
            stream,
            from,
            deadline: Instant::now() + PATIENCE,
            come: Vec::new(),
            expected: Expected::Call,
        });
    }
}

impl Caller {
    fn step(&mut self, own: &Hello, secret: Option<&GroupSecret>) -> Step {
        loop {
            match self.read() {
                Ok(true) => {}
                Ok(false) => return Step::Waits,
                Err(_) => return Step::Gone,
            }
            match self.hear(own, secret) {
                Ok(Step::Waits) => {}
                Ok(step) => return step,
                Err(_) => return Step::Gone,
            }
        }
    }

    /// How many bytes the message has that is expected; none where it is longer than it may be.
    fn length(&self) -> Option<usize> {
        match self.expected {
            Expected::Call => Some(CALL),
            Expected::Proof(..) => Some(PROOF),
            Expected::Hello(_) => match self.come.first_chunk() {
                Some(length) => usize::try_from(u64::from_le_bytes(*length))
                    .ok()
                    .filter(|&length| length <= LONGEST)
                    .map(|length| 8 + length),
                None => Some(8),
            },
        }
    }

    /// Reads what has come, and says whether that is a whole message.
    fn read(&mut self) -> io::Result<bool> {
        let mut piece = [0; 1024];
        loop {
            let length = self.length().ok_or(io::ErrorKind::InvalidData)?;
            let missing = length - self.come.len();
            if missing == 0 {
                return Ok(true);
            }
            match self.stream.read(&mut piece[..missing.min(1024)]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.come.extend_from_slice(&piece[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A whole message: it is answered, and the next expected.
    fn hear(&mut self, own: &Hello, secret: Option<&GroupSecret>) -> io::Result<Step> {
        let message = std::mem::take(&mut self.come);
        let nonsense = || io::Error::from(io::ErrorKind::InvalidData);
        match self.expected {
            Expected::Call => {
                let bytes = message.first_chunk().ok_or_else(nonsense)?;
                let call = Call::read(bytes).ok_or_else(nonsense)?;
                let challenge = Challenge::new(secret)?;
                self.send(&challenge.to_bytes())?;
                self.expected = Expected::Proof(call, challenge);
                Ok(Step::Waits)
            }
            Expected::Proof(call, challenge) => {
                let mut verdict = [0; VERDICT];
                if !is_code(&message, Side::Caller, secret, call, challenge) {
                    self.send(&verdict)?;
                    let what = handshake::difference(secret.is_some(), call.has_secret);
                    let process = call.caller;
                    return Ok(Step::Stranger(format!(
                        "it calls itself process {process}, and {what}"
                    )));
                }
                verdict[0] = 1;
                verdict[1..].copy_from_slice(&code(Side::Called, secret, call, challenge));
                self.send(&verdict)?;
                self.expected = Expected::Hello(call);
                Ok(Step::Waits)
            }
            Expected::Hello(call) => {
                let hello: Hello = unpack(&mut message.as_slice()).map_err(|_| nonsense())?;
                let is_the_same = hello.is_of(&call) && own.processes() > call.caller as usize;
                is_the_same.then_some(Step::Arrived(hello)).ok_or_else(nonsense)
            }
        }
    }

    /// What is sent here always finds room: nothing was sent before that is not read.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// A process that knows the secret, and may build something else.
    fn arrive(mut self, hello: &Hello, own: &Hello) -> Option<Arrival> {
        prepare(&self.stream).ok()?;
        match own.refusal(hello) {
            None => Some(Arrival::Here(hello.process(), self.stream, true)),
            Some(difference) => {
                let who = format!("process {} at {}: {difference}", hello.process(), self.from);
                drop(answer(&mut self.stream, &Answer::Refused(difference)));
                Some(Arrival::Refused(who))
            }
        }
    }
}

/// Those who do not know the secret.
#[derive(Default)]
struct Strangers {
    said: Option<Instant>,
    unsaid: u64,
}

impl Strangers {
    fn say(&mut self, from: SocketAddr, what: &str, say: &dyn Fn(&str)) {
        if self.said.is_some_and(|said| said.elapsed() < SAY) {
            self.unsaid += 1;
            return;
        }
        let others = match std::mem::take(&mut self.unsaid) {
            0 => String::new(),
            count => format!(" (and {count} more calls since the last warning)"),
        };
        say(&format!(
            "warning: refused a call from {from}: {what}; {MEND}{others}"
        ));
        self.said = Some(Instant::now());
    }
}
