//! The message with which a process joins a group, and the answer.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use gleaner_corpus::Identity;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::GroupConfig;
use super::handshake::Call;
use crate::packing::{pack, unpack};

/// How long a call, or an answer, may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The longest message by which a process makes itself known.
pub(super) const LONGEST: usize = 64 << 10;

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

impl Hello {
    /// The same to another process.
    pub(super) fn calling(&self, process: usize) -> Hello {
        Hello {
            called: process,
            ..self.clone()
        }
    }

    pub(super) fn of(config: &GroupConfig) -> Hello {
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

    /// Why a hello message is rejected; the reason is sent back to its process.
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

pub(super) fn send(stream: &mut TcpStream, message: &impl Serialize) -> io::Result<()> {
    let mut bytes = Vec::new();
    pack(message, &mut bytes);
    stream.write_all(&bytes)
}

pub(super) fn receive<T: DeserializeOwned>(stream: &mut TcpStream) -> io::Result<T> {
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
