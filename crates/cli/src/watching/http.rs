//! A small web server for whoever collects metrics: two pages, for a few visitors at a time.
//!
//! Each visitor has a thread, and some seconds for a request and for each piece of the answer. When too many are there, the one that
//! came first has to go.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long a request may take, and each piece of an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many visitors may be there.
const VISITORS: usize = 32;

/// The pause after a visitor that could not be let in.
const PAUSE: Duration = Duration::from_millis(5);

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
        metrics: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<Server> {
        let listener = TcpListener::bind(address).with_context(|| {
            format!("could not serve metrics at {address}: choose another address or port")
        })?;
        let address = listener.local_addr().unwrap_or(address);
        let stopped = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&stopped);
        let serve = move || serve(&listener, &over, &Arc::new(metrics));
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

/// Lets visitors in until it is over.
fn serve<M: Fn() -> String + Send + Sync + 'static>(
    listener: &TcpListener,
    over: &AtomicBool,
    metrics: &Arc<M>,
) {
    let mut visitors = VecDeque::new();
    for stream in listener.incoming() {
        if over.load(Relaxed) {
            return;
        }
        // One that is gone already is no matter.
        let Ok((stream, own)) = stream.and_then(|stream| Ok((stream.try_clone()?, stream))) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        visitors.push_back(stream);
        if visitors.len() > VISITORS {
            visitors.pop_front().iter().for_each(leave);
        }
        let metrics = Arc::clone(metrics);
        let visiting = std::thread::Builder::new().spawn(move || {
            drop(visit(&own, &*metrics));
            leave(&own);
        });
        // Without a thread it waits until it has to go.
        drop(visiting);
    }
}

/// Ends a connection, whoever else has a handle of it. One that has ended already is no matter.
fn leave(stream: &TcpStream) {
    drop(stream.shutdown(Shutdown::Both));
}

/// Reads a request and answers it.
fn visit(mut stream: &TcpStream, metrics: &impl Fn() -> String) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let (mut request, mut piece) = (Vec::new(), [0; 1024]);
    while !is_whole(&request) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || request.len() > REQUEST {
            return Ok(());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            read => request.extend_from_slice(&piece[..read]),
        }
    }
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&answer(&String::from_utf8_lossy(&request), metrics))
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
