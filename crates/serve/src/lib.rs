//! The local service: one page, the pages of a corpus, and labels, for a browser and for programs.
//!
//! In: HTTP requests of this machine, and [`Settings`] with what was opened before: a model, and a corpus or pages to label. Out: JSON, text,
//! and one web page that shows it. [`Server::bind`] takes a port of 127.0.0.1, [`Server::run`] answers until it is stopped.
//!
//! Connections are many and cheap: tasks of one small runtime, which only read and write. The work is done by a fixed number of
//! workers (`pool`), threads that each keep their memory from page to page. Between them is a queue with an end: what does not fit
//! is refused at once (503).
//!
//! Requests of other sites are refused before they are read (`guard`); bodies are read whole, within limits (`body`). Nothing here prints, or reads arguments.

mod assets;
mod body;
mod browse;
mod context;
mod error;
mod extract;
mod guard;
mod label;
mod openapi;
mod page;
mod patience;
mod pool;
mod server;
mod session;
mod worker;

pub use context::{Limits, Look, OpenCorpus, PageSource, PagesToLabel, Settings};
pub use error::{Error, StartError};
pub use server::{Running, Server};
