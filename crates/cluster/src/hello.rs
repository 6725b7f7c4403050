//! The message with which a process joins a group, and the answer.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use gleaner_corpus::Identity;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::GroupConfig;
use crate::handshake::Call;
use crate::message::{decode, encode};

/// The maximum time for a call or an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum length of a hello message or its answer, in bytes.
const MAXIMUM_MESSAGE: usize = 64 << 10;

/// Which process calls, and what it builds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    program: String,
    pub(super) process: usize,
    processes: usize,
    /// The process that it calls: hosts may have other names elsewhere, but their order is the same.
    called: usize,
    identity: Identity,
}

/// The answer to a hello message.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Welcome,
    Refused(String),
}

/// The result of a call.
pub(super) enum Arrival {
    /// The process at the other end of a connection, and whether it waits for [`Answer::Welcome`].
    Connected(usize, TcpStream, bool),
    /// A caller that builds something else.
    Refused(String),
    /// Another process refused this one, or is not of its group.
    RefusedBy(usize, String),
}

impl Hello {
    /// The message to the process `called`.
    pub(super) fn new(config: &GroupConfig, called: usize) -> Hello {
        Hello {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            process: config.process,
            processes: config.hosts.len(),
            called,
            identity: config.identity.clone(),
        }
    }

    /// Whether it comes from the process that has called.
    pub(super) fn is_of(&self, call: &Call) -> bool {
        (self.process, self.called) == (call.caller as usize, call.called as usize)
    }

    /// The reason why this group refuses the process with this hello; the message goes to that process.
    pub(super) fn refusal(&self, caller: &Hello) -> Option<String> {
        let places = ["in the other process", "in this process"];
        let differences = self.identity.differences(&caller.identity, places);
        let is_after = (self.process + 1..self.processes).contains(&caller.process);
        Some(match caller {
            _ if self.program != caller.program => {
                format!("gleaner {} there, {} here", self.program, caller.program)
            }
            _ if self.processes != caller.processes => {
                format!("{} hosts there, {} here", self.processes, caller.processes)
            }
            _ if self.process != caller.called => format!(
                "process {} is there, and {} was called: the lists of hosts differ",
                self.process, caller.called
            ),
            _ if !differences.is_empty() => differences.join("; "),
            _ if !is_after => format!("it claims to be process {}", caller.process),
            _ => return None,
        })
    }
}

pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

pub(super) fn send(stream: &mut TcpStream, message: &impl Serialize) -> io::Result<()> {
    stream.write_all(&encode(message))
}

pub(super) fn receive<T: DeserializeOwned>(stream: &mut TcpStream) -> io::Result<T> {
    let mut bytes = vec![0; 8];
    stream.read_exact(&mut bytes)?;
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("these are eight bytes"));
    if length > MAXIMUM_MESSAGE as u64 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    bytes.resize(8 + length as usize, 0);
    stream.read_exact(&mut bytes[8..])?;
    decode(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
}
