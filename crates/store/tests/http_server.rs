//! A small web server, well-behaved or not.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Answers as it should.
    Serve,
    /// Answers with a status and no body.
    Status(u16),
    /// Promises the whole answer, sends so many bytes, and hangs up.
    Cut(usize),
    /// Sends the whole file whatever the range.
    IgnoreRange,
    /// As `IgnoreRange`, and hangs up after so many bytes.
    IgnoreRangeAndCut(usize),
    /// Another version of the file: ETag and bytes differ.
    Replaced,
    /// The file has lost its second half.
    Halved,
    /// Sends the headers and then nothing.
    Stall,
    /// A pause before every 16 KiB.
    Slow(Duration),
    /// Sends the whole file in chunks, without saying its length.
    Chunked,
    /// The same, and hangs up after so many bytes.
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

/// Serves files on a free port of 127.0.0.1 until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
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
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let files = files
            .iter()
            .map(|&(path, bytes)| (path.to_owned(), bytes.to_vec()))
            .collect();
        let shared = Arc::new(Shared {
            files,
            behaviour: Box::new(behaviour),
            requests: Arc::clone(&requests),
        });
        let over = Arc::clone(&stopped);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                // A client that hangs up is no matter.
                std::thread::spawn(move || drop(shared.serve(connection.unwrap())));
            }
        });
        Server {
            address,
            requests,
            stopped,
        }
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}/{target}", self.address)
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let request = read_request(&mut reader)?;
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

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Request> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut range, mut authorization) = (None, None);
    loop {
        let mut written = String::new();
        reader.read_line(&mut written)?;
        let line = written.trim().to_ascii_lowercase();
        if line.is_empty() {
            return Ok(Request {
                method,
                target: target.trim_start_matches('/').to_owned(),
                range,
                authorization,
            });
        }
        if line.starts_with("authorization: ") {
            authorization = written.trim().split_once(": ").map(|(_, value)| value.to_owned());
        }
        if let Some(bytes) = line.strip_prefix("range: bytes=") {
            let (start, end) = bytes.split_once('-').unwrap();
            range = Some(start.parse().unwrap()..end.parse::<u64>().unwrap() + 1);
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
        Act::Stall => {
            std::thread::sleep(Duration::from_secs(3));
            Ok(())
        }
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
