//! A small web server for whoever collects metrics: two pages, one visitor at a time.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A visitor that is slower keeps others waiting no longer.
const PATIENCE: Duration = Duration::from_secs(2);

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
        let listener = TcpListener::bind(address)
            .with_context(|| format!("can't serve metrics at {address}: choose another address or port"))?;
        let address = listener.local_addr().unwrap_or(address);
        let stopped = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&stopped);
        let serve = move || {
            for visitor in listener.incoming() {
                if over.load(Relaxed) {
                    return;
                }
                // A visitor that goes away is no matter.
                drop(visitor.and_then(|visitor| answer(visitor, &metrics)));
            }
        };
        let thread = std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(serve);
        tracing::info!(url = format!("http://{address}/metrics"), "metrics served");
        Ok(Server {
            address,
            stopped,
            thread: Some(thread.context("no thread to serve metrics")?),
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

fn answer(mut visitor: TcpStream, metrics: &impl Fn() -> String) -> io::Result<()> {
    visitor.set_write_timeout(Some(PATIENCE))?;
    let request = request(&mut visitor)?;
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
    visitor.write_all(head.as_bytes())?;
    match method {
        "HEAD" => Ok(()),
        _ => visitor.write_all(body.as_bytes()),
    }
}

/// The head of a request.
fn request(visitor: &mut TcpStream) -> io::Result<String> {
    let deadline = Instant::now() + PATIENCE;
    let (mut head, mut piece) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > REQUEST {
            return Err(io::ErrorKind::TimedOut.into());
        }
        visitor.set_read_timeout(Some(left))?;
        match visitor.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => head.extend_from_slice(&piece[..read]),
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
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
}
