//! A connection to another process of a group.
//!
//! It carries frames: what timely sends, words between the processes, and a beat, once a second or more often, that
//! says that somebody is there. So a process that died, whose machine died, or that was cut off is known, be there
//! something to send or not: by its closed connection at once, by its silence after a while.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

/// The longest frame that is believed.
const LONGEST: usize = 1 << 28;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes of timely's.
    Data,
    /// There is no more of them.
    End,
    /// A word from process to process.
    Word,
    /// Nothing: its sender is alive.
    Beat,
}

const KINDS: [Kind; 4] = [Kind::Data, Kind::End, Kind::Word, Kind::Beat];

/// Bytes before those that a frame carries: the kind, and how many they are.
const HEAD: usize = 5;

/// A connection, from both its ends.
#[derive(Debug)]
pub(crate) struct Link {
    /// The number of the other process.
    pub(crate) peer: usize,
    stream: TcpStream,
    /// Whether a frame was broken off: nothing can follow it.
    writer: Mutex<bool>,
    /// Timely's bytes, as they arrive.
    data: Mutex<Receiver<Vec<u8>>>,
    /// Whether the other process has said that there are no more of them.
    pub(crate) has_ended: AtomicBool,
    /// Bytes sent, by kind, heads included.
    sent: [AtomicU64; KINDS.len()],
}

/// Why a connection is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    Closed,
    Silent,
    Nonsense,
}

impl Link {
    /// Takes a connection over. `beat` is the time from beat to beat, and how long a read or a write waits before it
    /// looks whether it is still wanted. Gives also where to put what arrives of timely's bytes.
    pub(crate) fn new(peer: usize, stream: TcpStream, beat: Duration) -> io::Result<(Link, Sender<Vec<u8>>)> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(beat))?;
        stream.set_write_timeout(Some(beat))?;
        let (arrived, data) = channel();
        let link = Link {
            peer,
            stream,
            writer: Mutex::default(),
            data: Mutex::new(data),
            has_ended: AtomicBool::new(false),
            sent: Default::default(),
        };
        Ok((link, arrived))
    }

    /// Sends a frame; says whether it did. While the other side takes nothing it waits, until `is_over`.
    pub(crate) fn send(&self, kind: Kind, bytes: &[u8], is_over: impl Fn() -> bool) -> bool {
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

    /// Waits for the next frame, and reads what it carries. `quiet` is told for how many beats nothing was heard,
    /// and says whether that is too long.
    pub(crate) fn receive(
        &self,
        bytes: &mut Vec<u8>,
        mut quiet: impl FnMut(u32) -> bool,
    ) -> Result<Kind, Lost> {
        let mut head = [0; HEAD];
        self.read(&mut head, &mut quiet)?;
        let kind = *KINDS.get(usize::from(head[0])).ok_or(Lost::Nonsense)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > LONGEST {
            return Err(Lost::Nonsense);
        }
        bytes.clear();
        bytes.resize(length, 0);
        self.read(bytes, &mut quiet)?;
        Ok(kind)
    }

    fn read(&self, mut bytes: &mut [u8], quiet: &mut impl FnMut(u32) -> bool) -> Result<(), Lost> {
        // Beats are counted and not the clock, which goes on while this process is paused.
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

    /// Says that nothing more will be sent: what was sent arrives before the other side sees the end.
    pub(crate) fn finish(&self) {
        drop(self.stream.shutdown(Shutdown::Write));
    }

    /// Ends it in both directions.
    pub(crate) fn close(&self) {
        drop(self.stream.shutdown(Shutdown::Both));
    }

    /// Bytes sent that are not timely's.
    pub(crate) fn sent_beside(&self) -> u64 {
        let beside = [Kind::End, Kind::Word, Kind::Beat];
        beside
            .map(|kind| self.sent[kind as usize].load(Relaxed))
            .iter()
            .sum()
    }

    /// Timely's bytes, for the one thread that reads them.
    pub(crate) fn data(&self) -> MutexGuard<'_, Receiver<Vec<u8>>> {
        self.data.lock()
    }
}

/// Whether nothing went wrong, but there was nothing to do for a beat.
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
        let beat = Duration::from_millis(10);
        let link = |peer, stream| Link::new(peer, stream, beat).unwrap().0;
        (link(1, one), link(0, other))
    }

    #[test]
    fn frames_arrive_as_they_were_sent() {
        let (one, other) = pair();
        let never = || false;
        assert!(one.send(Kind::Data, b"some bytes", never));
        assert!(one.send(Kind::Beat, b"", never));
        one.finish();
        let mut bytes = Vec::new();
        assert_eq!(other.receive(&mut bytes, |_| true), Ok(Kind::Data));
        assert_eq!(bytes, b"some bytes");
        assert_eq!(other.receive(&mut bytes, |_| true), Ok(Kind::Beat));
        assert_eq!(other.receive(&mut bytes, |_| true), Err(Lost::Closed));
        assert_eq!(one.sent_beside(), HEAD as u64);
    }

    #[test]
    fn silence_and_nonsense_are_known() {
        let (one, other) = pair();
        let mut told = Vec::new();
        let lost = other.receive(&mut Vec::new(), |beats| {
            told.push(beats);
            beats == 2
        });
        assert_eq!((lost, told), (Err(Lost::Silent), vec![1, 2]));
        (&one.stream).write_all(b"GET / HTTP/1.1\r\n").unwrap();
        assert_eq!(other.receive(&mut Vec::new(), |_| true), Err(Lost::Nonsense));
    }
}
