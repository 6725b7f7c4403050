//! Calls and events over one WebSocket, for all sessions of a browser.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use futures::{SinkExt, StreamExt};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

use super::BrowserError;

/// What a target reports.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name: `Page.loadEventFired`.
    pub method: String,
    /// What it says.
    pub params: Value,
}

/// The events of a session, in their order. It ends with the connection.
#[derive(Debug)]
pub struct Events(mpsc::UnboundedReceiver<Event>);

impl Events {
    /// Waits for the next event; `None` if the browser has ended.
    pub async fn next(&mut self) -> Option<Event> {
        self.0.recv().await
    }

    /// The next event of those that are there.
    pub fn try_next(&mut self) -> Option<Event> {
        self.0.try_recv().ok()
    }
}

type Answer = oneshot::Sender<Result<Value, String>>;

/// The connection to a browser.
#[derive(Debug)]
struct Connection {
    outgoing: mpsc::UnboundedSender<String>,
    next_id: AtomicU64,
    waiting: Mutex<Waiting>,
}

/// What waits for messages of the browser.
#[derive(Debug, Default)]
struct Waiting {
    has_ended: bool,
    calls: FxHashMap<u64, Answer>,
    /// By session; that of the browser is the empty name.
    listeners: FxHashMap<String, Vec<mpsc::UnboundedSender<Event>>>,
}

/// A target that is attached: the browser, a tab, a frame.
#[derive(Clone, Debug)]
pub struct Session {
    connection: Arc<Connection>,
    id: String,
}

impl Session {
    /// Connects to a browser.
    pub(super) async fn connect(port: u16, path: &str) -> Result<Session, BrowserError> {
        let failed = |error: &dyn std::fmt::Display| BrowserError::Connect(error.to_string());
        let stream = TcpStream::connect(("127.0.0.1", port)).await;
        let stream = stream.map_err(|error| failed(&error))?;
        stream.set_nodelay(true).map_err(|error| failed(&error))?;
        // Pages and pictures of any size.
        let config = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        let url = format!("ws://127.0.0.1:{port}{path}");
        let socket = tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await;
        let (socket, _) = socket.map_err(|error| failed(&error))?;
        let (outgoing, to_send) = mpsc::unbounded_channel();
        let connection = Arc::new(Connection {
            outgoing,
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
        });
        // The task has no share in the connection: it ends when the last session is dropped.
        tokio::spawn(pump(socket, to_send, Arc::downgrade(&connection)));
        Ok(Session {
            connection,
            id: String::new(),
        })
    }

    /// The session with another target, by its id: after `Target.attachToTarget` with `flatten`.
    #[must_use]
    pub fn with(&self, id: &str) -> Session {
        Session {
            connection: Arc::clone(&self.connection),
            id: id.to_owned(),
        }
    }

    /// The id by which the browser knows the session; empty for that of the browser.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Calls a method, and waits for its result.
    ///
    /// # Errors
    /// The method failed, or the browser ended.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        let answer = self.begin(method, params)?;
        match answer.await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(message)) => Err(BrowserError::Call {
                method: method.to_owned(),
                message,
            }),
            Err(_) => Err(BrowserError::Ended),
        }
    }

    /// Calls a method, and does not wait: its result is dropped. Methods of a session are carried out in their order.
    ///
    /// # Errors
    /// The browser ended.
    pub fn send(&self, method: &str, params: Value) -> Result<(), BrowserError> {
        self.begin(method, params).map(drop)
    }

    fn begin(
        &self,
        method: &str,
        params: Value,
    ) -> Result<oneshot::Receiver<Result<Value, String>>, BrowserError> {
        let id = self.connection.next_id.fetch_add(1, Relaxed);
        let mut message = json!({"id": id, "method": method, "params": params});
        if !self.id.is_empty() {
            message["sessionId"] = Value::from(self.id.as_str());
        }
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.connection.waiting.lock();
        if waiting.has_ended {
            return Err(BrowserError::Ended);
        }
        waiting.calls.insert(id, sender);
        drop(waiting);
        let sent = self.connection.outgoing.send(message.to_string());
        sent.map_err(|_| BrowserError::Ended)?;
        Ok(receiver)
    }

    /// What the target reports from now on.
    #[must_use]
    pub fn events(&self) -> Events {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut waiting = self.connection.waiting.lock();
        if !waiting.has_ended {
            waiting.listeners.entry(self.id.clone()).or_default().push(sender);
        }
        Events(receiver)
    }

    /// Ends the listening of the session: its [`Events`] end.
    pub fn forget(&self) {
        self.connection.waiting.lock().listeners.remove(&self.id);
    }
}

/// Sends what is to be sent, and hands out what comes, until either ends.
async fn pump(
    socket: WebSocketStream<TcpStream>,
    mut to_send: mpsc::UnboundedReceiver<String>,
    connection: std::sync::Weak<Connection>,
) {
    let (mut sink, mut stream) = socket.split();
    loop {
        tokio::select! {
            message = to_send.recv() => match message {
                Some(message) => if sink.send(Message::text(message)).await.is_err() { break },
                None => break,
            },
            message = stream.next() => match (message, connection.upgrade()) {
                (Some(Ok(message)), Some(connection)) => connection.take(&message),
                _ => break,
            },
        }
    }
    if let Some(connection) = connection.upgrade() {
        let mut waiting = connection.waiting.lock();
        *waiting = Waiting {
            has_ended: true,
            ..Waiting::default()
        };
    }
}

impl Connection {
    /// Gives a message to those who wait for it.
    fn take(&self, message: &tungstenite::Message) {
        let Some(mut message) = message
            .to_text()
            .ok()
            .and_then(|text| serde_json::from_str::<Value>(text).ok())
        else {
            return;
        };
        if let Some(id) = message["id"].as_u64() {
            let answer = self.waiting.lock().calls.remove(&id);
            let result = match message["error"]["message"].as_str() {
                Some(error) => Err(error.to_owned()),
                None => Ok(message["result"].take()),
            };
            if let Some(answer) = answer {
                // Fails if the answer is not waited for.
                answer.send(result).ok();
            }
        } else if let Some(method) = message["method"].as_str() {
            let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
            let event = Event {
                method: method.to_owned(),
                params: message["params"].take(),
            };
            let mut waiting = self.waiting.lock();
            if let Some(listeners) = waiting.listeners.get_mut(&session) {
                listeners.retain(|listener| listener.send(event.clone()).is_ok());
            }
        }
    }
}
