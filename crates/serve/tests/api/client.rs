//! A service on a free port, and requests to it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use gleaner_document::built_in;
use gleaner_serve::{Limits, OpenCorpus, PagesToLabel, Running, Settings};
use serde_json::Value;

pub(crate) struct Client {
    running: Running,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) json: Value,
}

impl Client {
    pub(crate) fn start(corpus: Option<OpenCorpus>, to_label: Option<PagesToLabel>) -> Client {
        let settings = Settings {
            port: 0,
            limits: Limits {
                workers: 2,
                body_bytes: 1 << 20,
                timeout: Duration::from_secs(600),
            },
            model: built_in::pages(),
            text_model: built_in::texts(),
            model_name: "default".to_owned(),
            corpus,
            to_label,
        };
        Client {
            running: Running::start(settings).unwrap(),
        }
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let host = self
            .running
            .url()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let mut stream = TcpStream::connect(host).unwrap();
        let body = body.map(Value::to_string);
        let fields = body.as_ref().map_or(String::new(), |body| {
            format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            )
        });
        let body = body.unwrap_or_default();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}\r\n");
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            json: serde_json::from_str(body).unwrap_or(Value::Null),
        }
    }

    pub(crate) fn ask(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = self.ask(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.json);
        answer.json
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, Some(body))
    }

    /// The sentence of an error.
    #[track_caller]
    pub(crate) fn refused(&self, path: &str, status: u16) -> String {
        let answer = self.ask(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.json);
        answer.json["error"].as_str().unwrap().to_owned()
    }
}

/// A path with parameters, which may be anything.
pub(crate) fn path(path: &str, parameters: &[(String, String)]) -> String {
    let escape = |text: &str| -> String {
        let byte = |byte: u8| match byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// For settings that several services share.
pub(crate) fn model() -> Arc<gleaner_content::Model> {
    built_in::pages()
}
