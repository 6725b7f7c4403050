//! A connection to another process of a group.
//!
//! It carries frames: bytes of timely, messages between the processes, and heartbeats. So the other processes notice one that
//! died, whose machine died, or whose network failed: at once by its closed connection, or later by its silence.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

/// The maximum length of a frame, in bytes.
const MAXIMUM_FRAME: usize = 1 << 28;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// Bytes of timely.
    Data,
    /// The end of these bytes.
    End,
    /// A message between processes.
    Message,
    /// Nothing: the sender is alive.
    Heartbeat,
}

const KINDS: [FrameKind; 4] = [
    FrameKind::Data,
    FrameKind::End,
    FrameKind::Message,
    FrameKind::Heartbeat,
];

/// Bytes of a frame's head: its kind and its length.
const HEAD: usize = 5;

/// A connection, from both its ends.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: usize,
    stream: TcpStream,
    /// Whether a frame was sent in part: nothing can follow it.
    writer: Mutex<bool>,
    /// Bytes of timely, as they arrive.
    data: Mutex<Option<Receiver<Vec<u8>>>>,
    /// Those of computations that this process has not begun: the other one may begin, and end, before.
    next: Mutex<VecDeque<Receiver<Vec<u8>>>>,
    /// Computations that this process has begun, and those whose last byte has arrived.
    begun: AtomicUsize,
    ended: AtomicUsize,
    /// Bytes sent by kind of frame, with the heads.
    sent: [AtomicU64; KINDS.len()],
}

/// Why a connection has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Lost {
    Closed,
    Silent,
    Invalid,
    /// The process stopped by itself, for this reason.
    Stopped(String),
}

impl Link {
    /// A link over a connection. `heartbeat` is the time between two heartbeats, and the time after which a read or a write checks
    /// whether it is still wanted. Returns also the sender for bytes of timely that arrive.
    pub(crate) fn new(
        peer: usize,
        stream: TcpStream,
        heartbeat: Duration,
    ) -> io::Result<(Link, Sender<Vec<u8>>)> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(heartbeat))?;
        stream.set_write_timeout(Some(heartbeat))?;
        let (arrived, data) = channel();
        let link = Link {
            peer,
            stream,
            writer: Mutex::default(),
            data: Mutex::default(),
            next: Mutex::new([data].into()),
            begun: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            sent: Default::default(),
        };
        Ok((link, arrived))
    }

    /// The bytes of a computation have ended. Returns the sender for those of the next.
    pub(crate) fn end_data(&self) -> Sender<Vec<u8>> {
        let (arrived, data) = channel();
        self.next.lock().push_back(data);
        self.ended.fetch_add(1, Relaxed);
        arrived
    }

    /// A computation begins: those before have ended.
    pub(crate) fn begin_data(&self) {
        self.begun.fetch_add(1, Relaxed);
        *self.data.lock() = self.next.lock().pop_front();
    }

    /// Whether the end of the bytes of this computation has arrived.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Relaxed) >= self.begun.load(Relaxed)
    }

    /// Sends a frame and returns whether it was sent. Waits while the other side takes nothing, until `is_over`.
    pub(crate) fn send(&self, kind: FrameKind, bytes: &[u8], is_over: impl Fn() -> bool) -> bool {
        let mut is_broken = self.writer.lock();
        if *is_broken {
            return false;
        }
        let mut head = [kind as u8; HEAD];
        head[1..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        let sent = self
            .write(&head, &is_over)
            .and_then(|()| self.write(bytes, &is_over));
        *is_broken = sent.is_err();
        self.sent[kind as usize].fetch_add((HEAD + bytes.len()) as u64, Relaxed);
        !*is_broken
    }

    fn write(&self, mut bytes: &[u8], is_over: &impl Fn() -> bool) -> io::Result<()> {
        while !bytes.is_empty() {
            match (&self.stream).write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if is_timeout(&error) && !is_over() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for the next frame and reads its bytes. `quiet` gets the number of heartbeats that were missed, and returns whether
    /// these are too many.
    pub(crate) fn receive(
        &self,
        bytes: &mut Vec<u8>,
        mut quiet: impl FnMut(u32) -> bool,
    ) -> Result<FrameKind, Lost> {
        let mut head = [0; HEAD];
        self.read(&mut head, &mut quiet)?;
        let kind = *KINDS.get(usize::from(head[0])).ok_or(Lost::Invalid)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MAXIMUM_FRAME {
            return Err(Lost::Invalid);
        }
        bytes.clear();
        bytes.resize(length, 0);
        self.read(bytes, &mut quiet)?;
        Ok(kind)
    }

    fn read(&self, mut bytes: &mut [u8], quiet: &mut impl FnMut(u32) -> bool) -> Result<(), Lost> {
        // Heartbeats are counted instead of seconds: the clock also runs while this process is paused.
        let mut beats = 0;
        while !bytes.is_empty() {
            match (&self.stream).read(bytes) {
                Ok(0) => return Err(Lost::Closed),
                Ok(read) => (bytes, beats) = (&mut bytes[read..], 0),
                Err(error) if is_timeout(&error) => {
                    beats += 1;
                    if quiet(beats) {
                        return Err(Lost::Silent);
                    }
                }
                Err(_) => return Err(Lost::Closed),
            }
        }
        Ok(())
    }

    /// Ends sending. All that was sent arrives before the other side sees the end.
    pub(crate) fn finish(&self) {
        drop(self.stream.shutdown(Shutdown::Write));
    }

    /// Ends both directions.
    pub(crate) fn close(&self) {
        drop(self.stream.shutdown(Shutdown::Both));
    }

    /// Bytes sent that are not of timely.
    pub(crate) fn sent_beside(&self) -> u64 {
        let beside = [FrameKind::End, FrameKind::Message, FrameKind::Heartbeat];
        beside
            .map(|kind| self.sent[kind as usize].load(Relaxed))
            .iter()
            .sum()
    }

    /// Bytes of timely, for the one thread that reads them.
    pub(crate) fn data(&self) -> MutexGuard<'_, Option<Receiver<Vec<u8>>>> {
        self.data.lock()
    }
}

/// Whether the error is only that nothing was sent or taken for a while.
fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn pair() -> (Link, Link) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let other = listener.accept().unwrap().0;
        let heartbeat = Duration::from_millis(10);
        let link = |peer, stream| Link::new(peer, stream, heartbeat).unwrap().0;
        (link(1, one), link(0, other))
    }

    #[test]
    fn frames_arrive_as_they_were_sent() {
        let (one, other) = pair();
        let never = || false;
        assert!(one.send(FrameKind::Data, b"some bytes", never));
        assert!(one.send(FrameKind::Heartbeat, b"", never));
        one.finish();
        let mut bytes = Vec::new();
        assert_eq!(other.receive(&mut bytes, |_| true), Ok(FrameKind::Data));
        assert_eq!(bytes, b"some bytes");
        assert_eq!(other.receive(&mut bytes, |_| true), Ok(FrameKind::Heartbeat));
        assert_eq!(other.receive(&mut bytes, |_| true), Err(Lost::Closed));
        assert_eq!(one.sent_beside(), HEAD as u64);
    }

    #[test]
    fn silence_and_invalid_data_are_known() {
        let (one, other) = pair();
        let mut missed = Vec::new();
        let lost = other.receive(&mut Vec::new(), |beats| {
            missed.push(beats);
            beats == 2
        });
        assert_eq!((lost, missed), (Err(Lost::Silent), vec![1, 2]));
        (&one.stream).write_all(b"GET / HTTP/1.1\r\n").unwrap();
        assert_eq!(other.receive(&mut Vec::new(), |_| true), Err(Lost::Invalid));
    }
}
