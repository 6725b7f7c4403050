//! The server: a port of 127.0.0.1, and its connections until it is stopped.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::body::Bodies;
use crate::context::{Context, Settings, Shared};
use crate::guard::Hosts;
use crate::patience::Patient;
use crate::{StartError, assets, body, browse, guard, label, openapi, page, session};

/// Connections at a time; others wait.
const CONNECTIONS: usize = 128;

/// Bytes of the head of a request.
const HEAD_BYTES: usize = 64 << 10;

/// How often the server looks whether it is stopped.
const LOOK: Duration = Duration::from_millis(50);

/// The time that requests have to end when the server is stopped.
const GRACE: Duration = Duration::from_secs(5);

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(5);

/// A service that has its port.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    timeout: Duration,
}

impl Server {
    /// Takes the port and starts the workers.
    ///
    /// # Errors
    /// The port is taken, or the pages to label cannot be read.
    pub fn bind(settings: Settings) -> Result<Server, StartError> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port));
        let mut runtime = Builder::new_multi_thread();
        runtime.worker_threads(1).thread_name("connections").enable_all();
        let runtime = runtime.build().map_err(StartError::Thread)?;
        let listener = runtime.block_on(TcpListener::bind(wanted));
        let listener = listener.map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => StartError::Taken(wanted),
            _ => StartError::Listen(wanted, error),
        })?;
        let address = listener.local_addr().unwrap_or(wanted);
        let timeout = settings.limits.timeout;
        Ok(Server {
            runtime,
            listener,
            router: router(Context::new(settings)?, address.port()),
            address,
            timeout,
        })
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers until it is stopped. Requests that are being answered then have some seconds to end.
    pub fn run(self, stop: &AtomicBool) {
        let Server {
            runtime,
            listener,
            router,
            timeout,
            ..
        } = self;
        runtime.block_on(serve(&listener, &router, timeout, stop));
        drop(listener);
        runtime.shutdown_timeout(GRACE);
    }
}

/// A service that runs on a thread of its own, until it is dropped.
pub struct Running {
    url: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts it.
    ///
    /// # Errors
    /// As [`Server::bind`].
    pub fn start(settings: Settings) -> Result<Running, StartError> {
        let server = Server::bind(settings)?;
        let url = server.url();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("service".to_owned());
        let thread = thread
            .spawn(move || server.run(&stopped))
            .map_err(StartError::Thread)?;
        Ok(Running {
            url,
            stop,
            thread: Some(thread),
        })
    }

    /// Where it answers, with a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn router(context: Shared, port: u16) -> Router {
    let bodies = Bodies::new(context.limits);
    Router::new()
        .merge(assets::routes())
        .merge(session::routes())
        .merge(openapi::routes())
        .merge(page::routes())
        .merge(browse::routes())
        .merge(label::routes())
        .fallback(guard::not_found)
        .method_not_allowed_fallback(guard::not_allowed)
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(bodies, body::read))
        .layer(from_fn_with_state(Hosts::of_port(port), guard::guard))
        .with_state(context)
}

/// Accepts connections until it is stopped.
async fn serve(listener: &TcpListener, router: &Router, timeout: Duration, stop: &AtomicBool) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = GracefulShutdown::new();
    while !stop.load(Ordering::Relaxed) {
        let Ok(Some((stream, place))) = tokio::time::timeout(LOOK, next(listener, &places)).await else {
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(timeout)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(Patient::new(stream, timeout)), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // (An error is a client that left.)
            drop(connection.await);
            drop(place);
        });
    }
    drop(tokio::time::timeout(GRACE, connections.shutdown()).await);
}

/// The next connection, when there is a place for it.
async fn next(listener: &TcpListener, places: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            drop(stream.set_nodelay(true));
            Some((stream, place))
        }
        Err(_) => {
            tokio::time::sleep(PAUSE).await;
            None
        }
    }
}
