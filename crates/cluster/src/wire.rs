//! A socket for timely: its bytes in the frames of a [`Link`].
//!
//! Timely panics when a connection fails, and prints that on standard error. This socket hides the failure: the group notices
//! it and ends the workers.

use std::io::{self, Cursor, Read, Write};
use std::net::Shutdown;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::RecvError;

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::group::Inner;
use crate::link::{FrameKind, Link};

/// An end of a connection, as timely holds it.
pub(crate) struct Wire {
    group: Arc<Inner>,
    link: Arc<Link>,
    /// Bytes that have arrived, as far as they are read.
    arrived: Cursor<Vec<u8>>,
}

impl Wire {
    pub(crate) fn new(group: &Arc<Inner>, link: &Arc<Link>) -> Wire {
        Wire {
            group: Arc::clone(group),
            link: Arc::clone(link),
            arrived: Cursor::default(),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.arrived.position() == self.arrived.get_ref().len() as u64 {
            let arrived = self.link.data();
            let more = arrived.as_ref().map_or(Err(RecvError), |arrived| arrived.recv());
            match more {
                Ok(more) => self.arrived = Cursor::new(more),
                Err(_) if self.link.has_ended() => return Ok(0),
                Err(_) => {
                    // The thread that reads for timely has nothing more to do. It ends without a message when no worker waits for
                    // it any more.
                    self.group.wait_until_left();
                    resume_unwind(Box::new("the connection is gone"));
                }
            }
        }
        self.arrived.read(bytes)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.group.send(&self.link, FrameKind::Data, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Wire> {
        Ok(Wire::new(&self.group, &self.link))
    }

    fn set_nonblocking(&self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.group.send(&self.link, FrameKind::End, b"");
        Ok(())
    }
}
