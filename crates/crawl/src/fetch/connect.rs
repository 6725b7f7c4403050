//! Connections: names to addresses, of which private ones are refused, TCP, TLS, and the version of HTTP.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use parking_lot::Mutex;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ProtocolVersion, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::Failure;
use super::address::is_private;
use super::tape::{Tape, Taped};

/// How long one address may take to answer.
const CONNECT_TIME: Duration = Duration::from_secs(20);
/// The most header lines of an answer.
const MOST_HEADERS: usize = 1000;

type Body = Empty<Bytes>;

pub(super) enum Sender {
    Http1(http1::SendRequest<Body>),
    Http2(http2::SendRequest<Body>),
}

/// A connection to a server, over which one request goes after the other.
pub(crate) struct Connection {
    pub(super) sender: Sender,
    pub(super) tape: Arc<Mutex<Tape>>,
    pub(super) address: IpAddr,
    pub(super) tls: Option<&'static str>,
    pub(super) is_used: bool,
}

/// What connections are made with.
pub(crate) struct Connector {
    tls: OnceLock<Result<TlsConnector, String>>,
    /// Hosts whose addresses may be private: the user named them.
    named_hosts: BTreeSet<String>,
    /// Addresses that count instead of those of the name service.
    resolve: Vec<(String, IpAddr)>,
}

impl Connector {
    pub(crate) fn new(named_hosts: BTreeSet<String>, resolve: Vec<(String, IpAddr)>) -> Connector {
        Connector {
            tls: OnceLock::new(),
            named_hosts,
            resolve,
        }
    }

    /// Connects to the host of a URL.
    pub(super) async fn connect(&self, url: &Url) -> Result<Connection, Failure> {
        let addresses = self.addresses(url).await?;
        let mut failure = Failure::NoAddress("the name has no address".to_owned());
        for address in addresses {
            match tokio::time::timeout(CONNECT_TIME, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return self.handshake(stream, address.ip(), url).await,
                Ok(Err(error)) => failure = Failure::NoConnection(error.to_string()),
                Err(_) => failure = Failure::NoConnection("no answer in 20 s".to_owned()),
            }
        }
        Err(failure)
    }

    /// The addresses of a URL's host that may be connected to. What is checked here is what is connected to: a name cannot change
    /// its address in between.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, Failure> {
        let port = url.port_or_known_default().unwrap_or(80);
        let host = url.host_str().unwrap_or_default();
        let of_option = self.resolve.iter().filter(|(name, _)| name == host);
        let own: Vec<SocketAddr> = of_option.map(|&(_, ip)| SocketAddr::new(ip, port)).collect();
        if !own.is_empty() {
            return Ok(own);
        }
        let found: Vec<SocketAddr> = match url.host() {
            Some(Host::Ipv4(ip)) => vec![SocketAddr::new(ip.into(), port)],
            Some(Host::Ipv6(ip)) => vec![SocketAddr::new(ip.into(), port)],
            _ => {
                let found = tokio::net::lookup_host((host, port)).await;
                found
                    .map_err(|error| Failure::NoAddress(error.to_string()))?
                    .collect()
            }
        };
        if self.named_hosts.contains(host) {
            return Ok(found);
        }
        let public: Vec<_> = found
            .iter()
            .copied()
            .filter(|found| !is_private(found.ip()))
            .collect();
        match (public.is_empty(), found.first()) {
            (true, Some(private)) => Err(Failure::PrivateAddress(private.ip().to_string())),
            _ => Ok(public),
        }
    }

    async fn handshake(&self, stream: TcpStream, address: IpAddr, url: &Url) -> Result<Connection, Failure> {
        // Requests are small, and wait for nothing.
        let _works_without = stream.set_nodelay(true);
        if url.scheme() != "https" {
            return http1(stream, address, None).await;
        }
        let host = url.host_str().unwrap_or_default();
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(|error| Failure::Tls(error.to_string()))?;
        let connector = self.tls.get_or_init(tls).as_ref();
        let connector = connector.map_err(|error| Failure::Tls(error.clone()))?;
        let stream = connector
            .connect(name, stream)
            .await
            .map_err(|error| of_tls(&error))?;
        let (_, session) = stream.get_ref();
        let tls = match session.protocol_version() {
            Some(ProtocolVersion::TLSv1_3) => "tls/1.3",
            _ => "tls/1.2",
        };
        match session.alpn_protocol() {
            Some(b"h2") => http2(stream, address, tls).await,
            _ => http1(stream, address, Some(tls)).await,
        }
    }
}

/// Whether the certificate was wrong, or something else of TLS.
fn of_tls(error: &io::Error) -> Failure {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(why)) => Failure::Certificate(format!("{why:?}")),
        _ => Failure::Tls(error.to_string()),
    }
}

/// TLS with the certificates of the system.
fn tls() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("this system has no certificates of authorities: install the package ca-certificates, or set SSL_CERT_FILE".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

async fn http1<S>(stream: S, address: IpAddr, tls: Option<&'static str>) -> Result<Connection, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let tape = Arc::new(Mutex::new(Tape::default()));
    let stream = TokioIo::new(Taped::new(stream, &tape));
    let (sender, connection) = http1::Builder::new()
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .max_headers(MOST_HEADERS)
        .title_case_headers(true)
        .handshake(stream)
        .await
        .map_err(|error| Failure::BadHttp(error.to_string()))?;
    // It ends with its sender, and its errors are those of the request.
    tokio::spawn(async move { drop(connection.await) });
    let sender = Sender::Http1(sender);
    Ok(Connection {
        sender,
        tape,
        address,
        tls,
        is_used: false,
    })
}

async fn http2<S>(stream: S, address: IpAddr, tls: &'static str) -> Result<Connection, Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| Failure::BadHttp(error.to_string()))?;
    tokio::spawn(async move { drop(connection.await) });
    let sender = Sender::Http2(sender);
    Ok(Connection {
        sender,
        tape: Arc::default(),
        address,
        tls: Some(tls),
        is_used: false,
    })
}
