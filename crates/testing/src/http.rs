//! A web server whose answers a test writes, on a free port of 127.0.0.1.

use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls a handler for each connection, each on a thread of its own, until it is dropped.
pub struct Server {
    address: SocketAddr,
    is_stopped: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server. A handler that fails has a client that hung up, which does not matter.
    pub fn start(handler: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (is_over, handler) = (Arc::clone(&is_stopped), Arc::new(handler));
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let handler = Arc::clone(&handler);
                std::thread::spawn(move || drop(handler(connection.unwrap())));
            }
        });
        Server { address, is_stopped }
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections.
        drop(TcpStream::connect(self.address));
    }
}

/// The first line and the headers of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `GET` and the like.
    pub method: String,
    /// Path and query, without the first slash.
    pub target: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// Reads a head up to its empty line, of which the last byte is left in the stream: a server that hangs up then resets
    /// the connection.
    ///
    /// # Errors
    ///
    /// If the client hangs up before.
    pub fn read(stream: &mut impl Read) -> io::Result<Head> {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r") {
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head);
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
        Ok(Head {
            method,
            target: target.trim_start_matches('/').to_owned(),
            headers: headers.collect(),
        })
    }

    /// Reads a head and its empty line.
    ///
    /// # Errors
    ///
    /// If the client hangs up before.
    pub fn read_whole(stream: &mut impl Read) -> io::Result<Head> {
        let head = Head::read(stream)?;
        stream.read_exact(&mut [0])?;
        Ok(head)
    }

    /// The value of a header; its name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// The bytes that a request asks for.
    ///
    /// # Panics
    ///
    /// If the header is not `bytes=FIRST-LAST`.
    pub fn range(&self) -> Option<Range<u64>> {
        let bytes = self.header("range")?.strip_prefix("bytes=").unwrap();
        let (first, last) = bytes.split_once('-').unwrap();
        Some(first.parse().unwrap()..last.parse::<u64>().unwrap() + 1)
    }
}
