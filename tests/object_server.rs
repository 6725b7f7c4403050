//! An S3 server of our own, well-behaved or not: buckets in memory, and whatever a test wants it to do to a
//! request. What it holds can be read as plain web pages, too.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::Range;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_testing::http::{Head, Server};

use crate::support::gleaner;

/// What the server does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Answers as it should.
    Serve,
    /// Answers with this status.
    Status(u16),
    /// Answers 503, and asks to be left alone for this number of seconds.
    Busy(u64),
    /// Takes the request and does not answer before the server behaves in another way, and then hangs up.
    Silent,
    /// Sends a byte, and then another, and has all the time in the world.
    Trickle,
    /// Hangs up after this number of bytes of the body.
    Cut(usize),
    /// Resets the connection after this number of bytes of the body.
    Reset(usize),
    /// Promises more bytes than there are.
    Long,
    /// Promises a half of the bytes, and sends that.
    Short,
    /// Answers with bytes that were not asked for, and says so.
    OtherRange,
    /// Says that the file is longer than it is.
    OtherLength,
    /// The file was written again.
    Replaced,
    /// Does what was asked, and hangs up without a word.
    Lost,
}

/// A request, as a test sees it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The name of the object; that of the bucket is left out.
    pub(crate) key: String,
    pub(crate) query: String,
    pub(crate) range: Option<Range<usize>>,
    /// How many requests of this method there were for this object, to the same end of its range: those that
    /// continue after a failure are among them.
    pub(crate) number: usize,
    if_none: bool,
    if_match: Option<String>,
    body: Vec<u8>,
}

impl Request {
    /// All of a request but its body, for which there is only room.
    fn from_head(head: &Head) -> Request {
        let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
        let length = head
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        Request {
            method: head.method.clone(),
            key: decoded(path.split_once('/').map_or("", |(_, key)| key)),
            query: query.to_owned(),
            range: head.range().map(|range| range.start as usize..range.end as usize),
            number: 0,
            if_none: head.header("if-none-match") == Some("*"),
            if_match: head
                .header("if-match")
                .map(|tag| tag.trim_matches('"').to_owned()),
            body: vec![0; length],
        }
    }
}

/// Chooses what to do with a request.
type Behaviour = dyn Fn(&Request) -> Act + Send + Sync;

/// A server on a free port of 127.0.0.1, until it is dropped.
pub(crate) struct ObjectServer {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    uploads: Mutex<BTreeMap<u64, BTreeMap<u32, Vec<u8>>>>,
    numbers: Mutex<BTreeMap<(String, String, usize), usize>>,
    traffic: Mutex<BTreeMap<(String, String), (u64, u64)>>,
    behaviour: Mutex<Arc<Behaviour>>,
}

impl ObjectServer {
    pub(crate) fn start() -> ObjectServer {
        let shared = Arc::new(Shared {
            objects: Mutex::default(),
            uploads: Mutex::default(),
            numbers: Mutex::default(),
            traffic: Mutex::default(),
            behaviour: Mutex::new(Arc::new(|_: &Request| Act::Serve)),
        });
        let serving = Arc::clone(&shared);
        let server = Server::start(move |stream| serving.serve(stream));
        ObjectServer { server, shared }
    }

    /// From now on it does this; requests are counted from here.
    pub(crate) fn behave(&self, behaviour: impl Fn(&Request) -> Act + Send + Sync + 'static) {
        *self.shared.behaviour.lock().unwrap() = Arc::new(behaviour);
        self.shared.numbers.lock().unwrap().clear();
        self.shared.traffic.lock().unwrap().clear();
    }

    pub(crate) fn put(&self, key: &str, bytes: Vec<u8>) {
        self.shared.objects.lock().unwrap().insert(key.to_owned(), bytes);
    }

    /// All objects whose names begin with this, by the rest of their names.
    pub(crate) fn objects(&self, prefix: &str) -> BTreeMap<String, Vec<u8>> {
        let objects = self.shared.objects.lock().unwrap();
        let named = objects.iter().filter_map(|(key, bytes)| {
            let name = key.strip_prefix(prefix)?;
            Some((name.to_owned(), bytes.clone()))
        });
        named.collect()
    }

    /// How many requests there were with this method, of objects of which this is true.
    pub(crate) fn requests(&self, method: &str, of: impl Fn(&str) -> bool) -> usize {
        let numbers = self.shared.numbers.lock().unwrap();
        let those = numbers
            .iter()
            .filter(|((done, key, _), _)| done == method && of(key));
        those.map(|(_, number)| number).sum()
    }

    /// For each method and object, the number of requests and the bytes of their bodies and answers.
    pub(crate) fn traffic(&self) -> BTreeMap<(String, String), (u64, u64)> {
        self.shared.traffic.lock().unwrap().clone()
    }

    /// The address of an object for clients that do not know S3.
    pub(crate) fn url(&self, key: &str) -> String {
        format!("http://{}/bucket/{key}", self.server.address())
    }

    /// The command, with what it needs to use `s3://bucket` here, and little patience.
    pub(crate) fn gleaner(&self) -> Command {
        let mut command = gleaner();
        command.env("AWS_ENDPOINT_URL", format!("http://{}", self.server.address()));
        command
            .env("AWS_ACCESS_KEY_ID", "a")
            .env("AWS_SECRET_ACCESS_KEY", "b")
            .env("AWS_REGION", "us-east-1");
        command
    }
}

/// A status, headers, and a body.
struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

impl Answer {
    fn new(status: u16, body: impl Into<Vec<u8>>) -> Answer {
        Answer {
            status,
            headers: String::new(),
            body: body.into(),
        }
    }

    fn header(mut self, header: &str) -> Answer {
        self.headers += header;
        self.headers += "\r\n";
        self
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut request = Request::from_head(&Head::read(&mut stream)?);
        request.number = {
            let mut numbers = self.numbers.lock().unwrap();
            let end = request.range.as_ref().map_or(0, |range| range.end);
            let number = numbers.entry((request.method.clone(), request.key.clone(), end));
            let number = number.or_default();
            *number += 1;
            *number - 1
        };
        let behaviour = Arc::clone(&self.behaviour.lock().unwrap());
        let act = behaviour(&request);
        if let Act::Reset(0) = act {
            // What is not read when the connection is closed makes the system reset it.
            return Ok(());
        }
        let mut last = [0];
        if !matches!(act, Act::Reset(_)) {
            stream.read_exact(&mut last)?;
        }
        let length = request.body.len();
        Read::by_ref(&mut stream)
            .take(length as u64)
            .read_exact(&mut request.body)?;
        match act {
            Act::Silent => self.be_silent(&mut stream, &behaviour)?,
            Act::Lost => drop(self.answer(&request, Act::Serve)),
            Act::Status(status) => send(&mut stream, &request, Answer::new(status, "<Error/>"), act)?,
            Act::Busy(seconds) => {
                let answer = Answer::new(503, "<Error/>").header(&format!("retry-after: {seconds}"));
                send(&mut stream, &request, answer, act)?;
            }
            act => {
                let answer = self.answer(&request, act);
                let is_sent = request.method != "HEAD";
                self.count(&request, length + if is_sent { answer.body.len() } else { 0 });
                send(&mut stream, &request, answer, act)?;
            }
        }
        match act {
            Act::Reset(_) => Ok(()),
            _ => stream.shutdown(Shutdown::Both),
        }
    }

    fn count(&self, request: &Request, bytes: usize) {
        let mut traffic = self.traffic.lock().unwrap();
        let (requests, all) = traffic
            .entry((request.method.clone(), request.key.clone()))
            .or_default();
        *requests += 1;
        *all += bytes as u64;
    }

    /// Waits until the client has gone, or the server does not behave like this any more.
    fn be_silent(&self, stream: &mut TcpStream, behaviour: &Arc<Behaviour>) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_millis(10)))?;
        while Arc::ptr_eq(behaviour, &self.behaviour.lock().unwrap()) {
            match stream.read(&mut [0]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                gone => return gone.map(drop),
            }
        }
        Ok(())
    }

    fn answer(&self, request: &Request, act: Act) -> Answer {
        let parameter = |name: &str| {
            let pairs = request
                .query
                .split('&')
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
            let mut found = pairs.filter(|(key, _)| *key == name);
            found.next().map(|(_, value)| value.to_owned())
        };
        let upload = parameter("uploadId").and_then(|id| id.parse().ok());
        match (request.method.as_str(), upload) {
            ("GET", _) if request.key.is_empty() => {
                let prefix = decoded(&parameter("prefix").unwrap_or_default());
                self.list(&prefix, parameter("delimiter").is_some())
            }
            ("GET" | "HEAD", _) => self.get(request, act),
            ("PUT", Some(upload)) => {
                let part = parameter("partNumber").and_then(|part| part.parse().ok());
                let mut uploads = self.uploads.lock().unwrap();
                let Some(parts) = uploads.get_mut(&upload) else {
                    return Answer::new(404, "");
                };
                parts.insert(part.unwrap(), request.body.clone());
                Answer::new(200, "").header("etag: \"part\"")
            }
            ("PUT", None) => self.put(request),
            ("POST", Some(upload)) => self.complete(&request.key, upload),
            ("POST", None) if request.query.starts_with("uploads") => {
                let mut uploads = self.uploads.lock().unwrap();
                let number = uploads.len() as u64;
                uploads.insert(number, BTreeMap::new());
                let xml = format!(
                    "<InitiateMultipartUploadResult><UploadId>{number}</UploadId></InitiateMultipartUploadResult>"
                );
                Answer::new(200, xml)
            }
            ("POST", None) => self.delete(&String::from_utf8_lossy(&request.body)),
            ("DELETE", Some(_)) => Answer::new(204, ""),
            ("DELETE", None) => {
                self.objects.lock().unwrap().remove(&request.key);
                Answer::new(204, "")
            }
            _ => Answer::new(405, ""),
        }
    }

    fn get(&self, request: &Request, act: Act) -> Answer {
        let objects = self.objects.lock().unwrap();
        let Some(bytes) = objects.get(&request.key) else {
            return Answer::new(404, "<Error><Code>NoSuchKey</Code></Error>");
        };
        let version = match act {
            Act::Replaced => "another".to_owned(),
            _ => etag(bytes),
        };
        let head = |answer: Answer| {
            answer
                .header(&format!("etag: \"{version}\""))
                .header("last-modified: Thu, 01 Jan 2026 00:00:00 GMT")
                .header("accept-ranges: bytes")
        };
        let length = bytes.len() + if act == Act::OtherLength { 1 } else { 0 };
        match &request.range {
            None => head(Answer::new(200, bytes.clone())),
            Some(range) if range.start >= bytes.len() => Answer::new(416, ""),
            Some(range) => {
                let mut range = range.start..range.end.min(bytes.len());
                if act == Act::OtherRange {
                    range = range.start.saturating_sub(10)..range.end - 10;
                }
                let content_range =
                    format!("content-range: bytes {}-{}/{length}", range.start, range.end - 1);
                head(Answer::new(206, &bytes[range])).header(&content_range)
            }
        }
    }

    fn put(&self, request: &Request) -> Answer {
        let mut objects = self.objects.lock().unwrap();
        let there = objects.get(&request.key).map(|bytes| etag(bytes));
        let is_refused = (request.if_none && there.is_some())
            || request
                .if_match
                .as_ref()
                .is_some_and(|tag| Some(tag) != there.as_ref());
        if is_refused {
            return Answer::new(412, "<Error><Code>PreconditionFailed</Code></Error>");
        }
        let version = etag(&request.body);
        objects.insert(request.key.clone(), request.body.clone());
        Answer::new(200, "").header(&format!("etag: \"{version}\""))
    }

    fn complete(&self, key: &str, upload: u64) -> Answer {
        let parts = self.uploads.lock().unwrap().get(&upload).cloned();
        let Some(parts) = parts else {
            return Answer::new(404, "<Error><Code>NoSuchUpload</Code></Error>");
        };
        let bytes = parts.into_values().flatten().collect();
        self.objects.lock().unwrap().insert(key.to_owned(), bytes);
        let xml = "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>";
        Answer::new(200, xml)
    }

    fn delete(&self, xml: &str) -> Answer {
        let mut objects = self.objects.lock().unwrap();
        let keys = xml
            .split("<Key>")
            .skip(1)
            .map(|rest| rest.split('<').next().unwrap());
        let deleted = keys.map(|key| {
            objects.remove(key);
            format!("<Deleted><Key>{key}</Key></Deleted>")
        });
        Answer::new(
            200,
            format!("<DeleteResult>{}</DeleteResult>", deleted.collect::<String>()),
        )
    }

    fn list(&self, prefix: &str, is_flat: bool) -> Answer {
        let objects = self.objects.lock().unwrap();
        let (mut listed, mut folders) = (String::new(), std::collections::BTreeSet::new());
        for (key, bytes) in objects.iter().filter(|(key, _)| key.starts_with(prefix)) {
            match key[prefix.len()..].split_once('/') {
                Some((folder, _)) if is_flat => drop(folders.insert(format!("{prefix}{folder}/"))),
                _ => {
                    listed += &format!(
                        "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                         <ETag>\"{}\"</ETag><Size>{}</Size></Contents>",
                        etag(bytes),
                        bytes.len()
                    );
                }
            }
        }
        for folder in folders {
            listed += &format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>");
        }
        let xml = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>");
        Answer::new(200, xml)
    }
}

fn etag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn send(stream: &mut TcpStream, request: &Request, answer: Answer, act: Act) -> io::Result<()> {
    let Answer {
        status,
        headers,
        body,
    } = answer;
    let promised = match act {
        Act::Long => body.len() + 1000,
        Act::Short => body.len() / 2,
        Act::OtherLength if request.range.is_none() => body.len() + 1,
        _ => body.len(),
    };
    let head =
        format!("HTTP/1.1 {status} So\r\n{headers}connection: close\r\ncontent-length: {promised}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    if request.method == "HEAD" {
        return Ok(());
    }
    match act {
        Act::Trickle => body.iter().take(200).try_for_each(|byte| {
            std::thread::sleep(Duration::from_millis(20));
            stream.write_all(&[*byte])
        }),
        Act::Cut(bytes) | Act::Reset(bytes) => stream.write_all(&body[..bytes.min(body.len())]),
        Act::Short => stream.write_all(&body[..promised]),
        _ => stream.write_all(&body),
    }
}

/// A path or parameter without its `%3D` and the like.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}
