//! A web server of files, well-behaved or not.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_testing::http::{self, Head};

/// What the server does with a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Answers as it should.
    Serve,
    /// Answers with a status and no body.
    Status(u16),
    /// Promises the whole answer, sends this number of bytes, and hangs up.
    Cut(usize),
    /// Sends the whole file whatever the range.
    IgnoreRange,
    /// As `IgnoreRange`, and hangs up after this number of bytes.
    IgnoreRangeAndCut(usize),
    /// Another version of the file: ETag and bytes differ.
    Replaced,
    /// The file has lost its second half.
    Halved,
    /// Sends the headers, and then nothing until the client hangs up.
    Stall,
    /// A pause before every 16 KiB.
    Slow(Duration),
    /// Sends the whole file in chunks, without saying its length.
    Chunked,
    /// The same, and hangs up after this number of bytes.
    ChunkedAndCut(usize),
    /// Sends the whole file without saying its length, and hangs up.
    UntilClose,
    /// Answers well, but for a length that is not that of the file.
    WrongLength(usize),
}

/// A request as the server saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) range: Option<Range<u64>>,
    pub(crate) authorization: Option<String>,
}

impl Request {
    fn from_head(head: Head) -> Request {
        Request {
            range: head.range(),
            authorization: head.header("authorization").map(str::to_owned),
            method: head.method,
            target: head.target,
        }
    }
}

/// Serves files on a free port of 127.0.0.1 until it is dropped.
pub(crate) struct Server {
    server: http::Server,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// Chooses an act by the request and how many came before it.
pub(crate) type Behaviour = dyn Fn(usize, &Request) -> Act + Send + Sync;

struct Shared {
    files: BTreeMap<String, Vec<u8>>,
    behaviour: Box<Behaviour>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server of `files`: path (with query) and bytes.
    pub(crate) fn start(
        files: &[(&str, &[u8])],
        behaviour: impl Fn(usize, &Request) -> Act + Send + Sync + 'static,
    ) -> Server {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let files = files
            .iter()
            .map(|&(path, bytes)| (path.to_owned(), bytes.to_vec()))
            .collect();
        let shared = Shared {
            files,
            behaviour: Box::new(behaviour),
            requests: Arc::clone(&requests),
        };
        let server = http::Server::start(move |stream| shared.serve(stream));
        Server { server, requests }
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}/{target}", self.server.address())
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let request = Request::from_head(Head::read_whole(&mut stream)?);
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request.clone());
            requests.len() - 1
        };
        let act = (self.behaviour)(number, &request);
        let Some(file) = self.files.get(&request.target) else {
            return status(stream, 404);
        };
        match act {
            Act::Status(code) => status(stream, code),
            Act::Replaced => {
                let other: Vec<u8> = file.iter().map(|byte| !byte).collect();
                answer(stream, &request, &other, "\"two\"", Act::Serve)
            }
            Act::Halved => answer(stream, &request, &file[..file.len() / 2], "\"one\"", Act::Serve),
            act => answer(stream, &request, file, "\"one\"", act),
        }
    }
}

fn status(mut stream: TcpStream, code: u16) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {code} Said So\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}

fn answer(
    mut stream: TcpStream,
    request: &Request,
    file: &[u8],
    etag: &str,
    act: Act,
) -> std::io::Result<()> {
    let whole = 0..file.len() as u64;
    let ranged = request
        .range
        .clone()
        .filter(|_| !matches!(act, Act::IgnoreRange | Act::IgnoreRangeAndCut(_)) && has_length(act));
    if ranged.as_ref().is_some_and(|range| range.start >= whole.end) {
        return status(stream, 416);
    }
    let range = ranged
        .clone()
        .map_or(whole.clone(), |range| range.start..range.end.min(whole.end));
    let body = &file[range.start as usize..range.end as usize];
    let code = if ranged.is_some() {
        "206 Partial Content"
    } else {
        "200 OK"
    };
    write!(stream, "HTTP/1.1 {code}\r\netag: {etag}\r\nconnection: close\r\n")?;
    match act {
        Act::UntilClose => {}
        Act::Chunked | Act::ChunkedAndCut(_) => stream.write_all(b"transfer-encoding: chunked\r\n")?,
        Act::WrongLength(length) => write!(stream, "content-length: {length}\r\n")?,
        _ => write!(stream, "content-length: {}\r\n", body.len())?,
    }
    if ranged.is_some() {
        write!(
            stream,
            "content-range: bytes {}-{}/{}\r\n",
            range.start,
            range.end - 1,
            file.len()
        )?;
    }
    stream.write_all(b"\r\n")?;
    if request.method == "HEAD" {
        return Ok(());
    }
    match act {
        Act::Cut(bytes) | Act::IgnoreRangeAndCut(bytes) => stream.write_all(&body[..bytes.min(body.len())]),
        Act::Chunked => {
            chunks(&mut stream, body)?;
            stream.write_all(b"0\r\n\r\n")
        }
        Act::ChunkedAndCut(bytes) => chunks(&mut stream, &body[..bytes.min(body.len())]),
        Act::Stall => stream.read(&mut [0]).map(drop),
        Act::Slow(pause) => body.chunks(16 << 10).try_for_each(|piece| {
            std::thread::sleep(pause);
            stream.write_all(piece)
        }),
        _ => stream.write_all(body),
    }
}

fn has_length(act: Act) -> bool {
    !matches!(act, Act::Chunked | Act::ChunkedAndCut(_) | Act::UntilClose)
}

fn chunks(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    body.chunks(30_000).try_for_each(|chunk| {
        write!(stream, "{:x}\r\n", chunk.len())?;
        stream.write_all(chunk)?;
        stream.write_all(b"\r\n")
    })
}
