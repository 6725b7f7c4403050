//! A small web server for metrics: two pages, for a few clients at a time.
//!
//! A visitor has some seconds for a request. When too many are there, the one that came first has to go.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// How long a request may take, and how long the end of the server.
const PATIENCE: Duration = Duration::from_secs(5);

const VISITORS: usize = 32;

/// The pause after a visitor that could not be let in.
const PAUSE: Duration = Duration::from_millis(5);

const REQUEST: usize = 8 << 10;

pub(crate) struct Server {
    #[cfg(test)]
    address: SocketAddr,
    runtime: Option<Runtime>,
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
        let mut runtime = Builder::new_multi_thread();
        runtime.worker_threads(1).thread_name("metrics").enable_all();
        let runtime = runtime
            .build()
            .context("could not start the thread that serves metrics")?;
        let listener = runtime.block_on(TcpListener::bind(address));
        let listener = listener.with_context(|| {
            format!("could not serve metrics at {address}: choose another address or port")
        })?;
        let address = listener.local_addr().unwrap_or(address);
        runtime.spawn(serve(listener, Arc::new(metrics)));
        tracing::info!(url = format!("http://{address}/metrics"), "metrics served");
        Ok(Server {
            #[cfg(test)]
            address,
            runtime: Some(runtime),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(PATIENCE);
        }
    }
}

/// Lets visitors in until it is over.
async fn serve<M: Fn() -> String + Send + Sync + 'static>(listener: TcpListener, metrics: Arc<M>) {
    let mut visitors = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let metrics = Arc::clone(&metrics);
        let service = service_fn(move |request| {
            let answer = answer(&request, &*metrics);
            async { Ok::<_, Infallible>(answer) }
        });
        let visit = http1::Builder::new()
            .keep_alive(false)
            .timer(TokioTimer::new())
            .header_read_timeout(PATIENCE)
            .max_buf_size(REQUEST)
            .serve_connection(TokioIo::new(stream), service);
        visitors.push_back(tokio::spawn(visit));
        if visitors.len() > VISITORS {
            visitors.pop_front().iter().for_each(JoinHandle::abort);
        }
    }
}

fn answer<B>(request: &Request<B>, metrics: &impl Fn() -> String) -> Response<Full<Bytes>> {
    const TEXT: &str = "text/plain; charset=utf-8";
    let (status, kind, body) = match (request.method().as_str(), request.uri().path()) {
        ("GET" | "HEAD", "/metrics") => (
            StatusCode::OK,
            "text/plain; version=0.0.4; charset=utf-8",
            metrics(),
        ),
        ("GET" | "HEAD", "/healthz") => (StatusCode::OK, TEXT, "ok\n".to_owned()),
        ("GET" | "HEAD", _) => (StatusCode::NOT_FOUND, TEXT, "see /metrics\n".to_owned()),
        _ => (StatusCode::METHOD_NOT_ALLOWED, TEXT, String::new()),
    };
    let mut answer = Response::new(Full::from(body));
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

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
    fn slow_clients_do_not_delay_others() {
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
