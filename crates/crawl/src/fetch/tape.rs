//! What goes over a connection, kept: requests and heads of answers stand in an archive as they were sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest head that is kept, in bytes.
const HEAD_BYTES: usize = 512 << 10;

/// The bytes of the request that is under way, and of the head of its answer.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    sent: Vec<u8>,
    head: Vec<u8>,
    is_whole: bool,
}

impl Tape {
    /// Forgets what was kept.
    pub(crate) fn rewind(&mut self) {
        *self = Tape::default();
    }

    /// The request, and the head of its answer up to and with the blank line; nothing if there is no whole head.
    pub(crate) fn take(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        let tape = std::mem::take(self);
        tape.is_whole.then_some((tape.sent, tape.head))
    }

    fn keep_received(&mut self, bytes: &[u8]) {
        if self.is_whole || self.head.len() > HEAD_BYTES {
            return;
        }
        let mut from = self.head.len().saturating_sub(3);
        self.head.extend_from_slice(bytes);
        while let Some(end) = head_end(&self.head, from) {
            if !is_interim(&self.head) {
                self.head.truncate(end);
                self.is_whole = true;
                return;
            }
            self.head.drain(..end);
            from = 0;
        }
    }
}

/// Where a head ends, looked for from `from` on.
fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let newlines = (from..bytes.len()).filter(|&at| bytes[at] == b'\n');
    newlines.into_iter().find_map(|at| match &bytes[at + 1..] {
        [b'\r', b'\n', ..] => Some(at + 3),
        [b'\n', ..] => Some(at + 2),
        _ => None,
    })
}

/// Whether a head is no final one: `HTTP/1.1 103 Early Hints`.
fn is_interim(head: &[u8]) -> bool {
    let mut words = head.split(|&byte| byte == b' ');
    words
        .nth(1)
        .is_some_and(|status| status.len() == 3 && status[0] == b'1')
}

/// A stream whose bytes are kept on a tape.
pub(crate) struct Taped<S> {
    stream: S,
    tape: Arc<Mutex<Tape>>,
}

impl<S> Taped<S> {
    pub(crate) fn new(stream: S, tape: &Arc<Mutex<Tape>>) -> Taped<S> {
        let tape = Arc::clone(tape);
        Taped { stream, tape }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taped<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let new = &buffer.filled()[before..];
        if !new.is_empty() {
            self.tape.lock().keep_received(new);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taped<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(written)) = polled {
            self.tape.lock().sent.extend_from_slice(&bytes[..written]);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_end_at_their_blank_line_however_they_arrive() {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        let head = "HTTP/1.1 200 OK\r\nX-a: 1\r\n\r\n";
        let received = format!("{interim}{head}<p>body\r\n\r\n");
        for size in 1..received.len() {
            let mut tape = Tape::default();
            for piece in received.as_bytes().chunks(size) {
                tape.keep_received(piece);
            }
            assert_eq!(tape.take().unwrap().1, head.as_bytes(), "pieces of {size} bytes");
        }
        let mut tape = Tape::default();
        tape.keep_received(b"HTTP/1.0 200 OK\nA: b\n\nbody");
        assert_eq!(tape.take().unwrap().1, b"HTTP/1.0 200 OK\nA: b\n\n");
    }
}
