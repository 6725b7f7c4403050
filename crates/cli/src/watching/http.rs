//! A small web server for whoever collects metrics: two pages, for a few visitors at a time.
//!
//! One thread looks after all of them, and waits for none: what a visitor has sent is taken, and what it takes is
//! sent. A visitor has some seconds in all. When too many are there, the one that is there longest has to go.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long a visitor may be there.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many visitors may be there.
const VISITORS: usize = 32;

/// The pause between two looks at visitors that are there.
const LOOK: Duration = Duration::from_millis(5);

/// The longest request.
const REQUEST: usize = 8 << 10;

/// A server, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves what `metrics` gives at `/metrics`, and a word at `/healthz`.
    ///
    /// # Errors
    /// The address can't be listened at.
    pub(crate) fn start(
        address: SocketAddr,
        metrics: impl Fn() -> String + Send + 'static,
    ) -> Result<Server> {
        let listener = TcpListener::bind(address).with_context(|| {
            format!("could not serve metrics at {address}: choose another address or port")
        })?;
        let address = listener.local_addr().unwrap_or(address);
        let stopped = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&stopped);
        let serve = move || serve(&listener, &over, &metrics);
        let thread = std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(serve);
        tracing::info!(url = format!("http://{address}/metrics"), "metrics served");
        Ok(Server {
            address,
            stopped,
            thread: Some(thread.context("could not start the thread that serves metrics")?),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Relaxed);
        // It waits for visitors: this is the last one.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let is_awake = TcpStream::connect_timeout(&address, PATIENCE).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| is_awake) {
            drop(thread.join());
        }
    }
}

/// Looks after visitors until it is over.
fn serve(listener: &TcpListener, over: &AtomicBool, metrics: &impl Fn() -> String) {
    let mut visitors = VecDeque::new();
    while !over.load(Relaxed) {
        // Where nobody is there, the next is waited for.
        let is_busy = !visitors.is_empty();
        if listener.set_nonblocking(is_busy).is_err() {
            return;
        }
        match listener.accept() {
            Ok((stream, _)) => welcome(stream, &mut visitors),
            Err(_) => std::thread::sleep(LOOK),
        }
        visitors.retain_mut(|visitor: &mut Visitor| visitor.goes_on(metrics));
    }
}

fn welcome(stream: TcpStream, visitors: &mut VecDeque<Visitor>) {
    // One that is gone already is no matter.
    if stream.set_nonblocking(true).is_ok() {
        if visitors.len() == VISITORS {
            visitors.pop_front();
        }
        visitors.push_back(Visitor::new(stream));
    }
}

/// Somebody who asks.
struct Visitor {
    stream: TcpStream,
    deadline: Instant,
    request: Vec<u8>,
    /// What is to be sent, once it is known, and how much of it was.
    answer: Option<Vec<u8>>,
    sent: usize,
}

impl Visitor {
    fn new(stream: TcpStream) -> Visitor {
        Visitor {
            stream,
            deadline: Instant::now() + PATIENCE,
            request: Vec::new(),
            answer: None,
            sent: 0,
        }
    }

    /// Does what can be done without waiting; false when there is nothing more to do.
    fn goes_on(&mut self, metrics: &impl Fn() -> String) -> bool {
        let step = match self.answer.is_some() {
            true => self.send(),
            false => self.read(metrics),
        };
        match step {
            Ok(is_done) => !is_done && Instant::now() < self.deadline,
            Err(error) if is_not_yet(&error) => Instant::now() < self.deadline,
            Err(_) => false,
        }
    }

    fn read(&mut self, metrics: &impl Fn() -> String) -> io::Result<bool> {
        let mut piece = [0; 1024];
        while !is_whole(&self.request) {
            if self.request.len() > REQUEST {
                return Ok(true);
            }
            match self.stream.read(&mut piece)? {
                0 => return Ok(true),
                read => self.request.extend_from_slice(&piece[..read]),
            }
        }
        self.answer = Some(answer(&String::from_utf8_lossy(&self.request), metrics));
        self.send()
    }

    fn send(&mut self) -> io::Result<bool> {
        let answer = self.answer.as_deref().unwrap_or_default();
        while self.sent < answer.len() {
            match self.stream.write(&answer[self.sent..])? {
                0 => return Ok(true),
                written => self.sent += written,
            }
        }
        Ok(true)
    }
}

fn is_not_yet(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

/// Whether the head of a request has ended.
fn is_whole(request: &[u8]) -> bool {
    request.windows(4).any(|bytes| bytes == b"\r\n\r\n")
}

fn answer(request: &str, metrics: &impl Fn() -> String) -> Vec<u8> {
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, kind, body) = match (method, target.split('?').next().unwrap_or_default()) {
        ("GET" | "HEAD", "/metrics") => ("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics()),
        ("GET" | "HEAD", "/healthz") => ("200 OK", "text/plain; charset=utf-8", "ok\n".to_owned()),
        ("GET" | "HEAD", _) => (
            "404 Not Found",
            "text/plain; charset=utf-8",
            "see /metrics\n".to_owned(),
        ),
        _ => (
            "405 Method Not Allowed",
            "text/plain; charset=utf-8",
            String::new(),
        ),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    match method {
        "HEAD" => head.into_bytes(),
        _ => (head + &body).into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn two_pages_and_no_more() {
        let server = Server::start("127.0.0.1:0".parse().unwrap(), || "a 1\n".to_owned()).unwrap();
        let address = server.address;
        let metrics = ask(address, "GET /metrics?x=1 HTTP/1.1\r\nhost: a\r\n\r\n");
        assert!(
            metrics.starts_with("HTTP/1.1 200 OK\r\n") && metrics.ends_with("\r\n\r\na 1\n"),
            "{metrics}"
        );
        assert!(ask(address, "GET /healthz HTTP/1.0\r\n\r\n").ends_with("ok\n"));
        assert!(ask(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
        assert!(ask(address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        // One that says nothing does not keep the others out.
        let silent = TcpStream::connect(address).unwrap();
        assert!(ask(address, "HEAD /metrics HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
        drop(silent);
        let error = Server::start(address, String::new).err().unwrap();
        assert!(
            format!("{error:#}").contains("choose another address or port: "),
            "{error:#}"
        );
        drop(server);
        assert!(Server::start(address, String::new).is_ok(), "it was given back");
    }

    #[test]
    fn those_who_are_slow_keep_nobody_waiting() {
        // More than a connection takes at once, so that one who does not read it stays.
        let page = || "a 1\n".repeat(4 << 20);
        let server = Server::start("127.0.0.1:0".parse().unwrap(), page).unwrap();
        let address = server.address;
        let silent = TcpStream::connect(address).unwrap();
        let mut halting = TcpStream::connect(address).unwrap();
        halting.write_all(b"GET /metr").unwrap();
        let mut slow = TcpStream::connect(address).unwrap();
        slow.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut first = [0; 8];
        slow.read_exact(&mut first).unwrap();
        for _ in 0..2 {
            assert!(ask(address, "GET /healthz HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        }
        halting.write_all(b"ics HTTP/1.1\r\n\r\n").unwrap();
        let mut whole = String::new();
        halting.read_to_string(&mut whole).unwrap();
        assert!(whole.len() > 16 << 20, "{} bytes", whole.len());
        // Silent ones that are too many make room for those who come.
        let many: Vec<TcpStream> = (0..VISITORS * 2)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        assert!(ask(address, "GET /healthz HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        drop((silent, slow, many));
    }
}
