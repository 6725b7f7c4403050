//! A service for a test, and a client of few words: what is sent is written out, byte for byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::gleaner;

/// `gleaner serve` on a free port, until it is dropped.
pub(super) struct Service {
    pub(super) child: Child,
    pub(super) port: u16,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// In lower case.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Service {
    pub(super) fn start(arguments: &[&str]) -> Service {
        let mut command = gleaner();
        command.args(["serve", "--port", "0"]).args(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut url)
            .unwrap();
        let port = url
            .trim()
            .strip_prefix("http://127.0.0.1:")
            .and_then(|rest| rest.strip_suffix('/'));
        let Some(port) = port.and_then(|port| port.parse().ok()) else {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("it did not start: {said}");
        };
        Service { child, port }
    }

    pub(super) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// Sends a request of these lines, to which the name of the host is added, and reads the answer.
    pub(super) fn ask(&self, lines: &str, body: &[u8]) -> Reply {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        self.ask_as(&format!("{lines}\r\n{host}"), body)
    }

    /// The same without a name of the host.
    pub(super) fn ask_as(&self, lines: &str, body: &[u8]) -> Reply {
        let mut stream = self.connect();
        send(&mut stream, lines, body);
        let is_head = lines.starts_with("HEAD ");
        Reply::read(&mut BufReader::new(stream), is_head).expect("an answer")
    }

    pub(super) fn get(&self, path: &str) -> Reply {
        self.ask(&format!("GET {path} HTTP/1.1"), b"")
    }

    pub(super) fn post(&self, path: &str, content_type: &str, body: &[u8]) -> Reply {
        let lines = format!("POST {path} HTTP/1.1\r\nContent-Type: {content_type}");
        self.ask(&lines, body)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Fails if it has ended.
        self.child.kill().ok();
        self.child.wait().unwrap();
    }
}

/// Sends a request with a body. A client that is cut off cannot send all of it.
pub(super) fn send(stream: &mut TcpStream, lines: &str, body: &[u8]) {
    let head = format!("{lines}\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok();
    stream.write_all(body).ok();
}

impl Reply {
    /// Reads an answer; none if the connection was closed before.
    pub(super) fn read(reader: &mut impl BufRead, is_head: bool) -> Option<Reply> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = reader.read_line(&mut head);
            if !matches!(read, Ok(1..)) {
                assert_eq!(head, "", "half an answer");
                return None;
            }
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Reply {
            status,
            head: head.to_ascii_lowercase(),
            body: Vec::new(),
        };
        let length = reply
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        reply.body = vec![0; if is_head { 0 } else { length }];
        reader.read_exact(&mut reply.body).unwrap();
        Some(reply)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines();
        let mut named = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        named.next()
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The sentence of an answer with this status, which is an error.
    #[track_caller]
    pub(super) fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        let sentence = self.json()["error"].as_str().unwrap().to_owned();
        assert!(sentence.len() > 20 && !sentence.ends_with('.'), "{sentence}");
        sentence
    }
}
