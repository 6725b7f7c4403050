//! A browser that a program drives: a thin client of the Chrome DevTools Protocol.
//!
//! In: a Chromium on this machine, methods of the protocol with parameters in JSON. Out: their results, and events.
//!
//! # The idea
//!
//! [`Browser::launch`] starts Chromium without a window, with a profile of its own in a temporary folder, and connects to it by a
//! WebSocket. A [`Session`] is a target (the browser, a tab, a frame of another process): [`Session::call`] sends a method and
//! waits for its result, [`Session::events`] gives what the target reports from then on. [`Page`] is a tab with what most callers
//! need: open, evaluate, press keys, look at messages and requests. Everything else of the protocol is a `call` away.
//!
//! Dropping the [`Browser`] ends all its processes and removes its profile.
//!
//! # What is deliberately absent
//!
//! Types for methods and events: a library that has them for the whole protocol takes as long to compile as a fifth of this
//! workspace, and a dozen methods are used here. A page of the protocol's documentation says what their parameters are.
//!
//! ```no_run
//! use gleaner_render::browser::{Browser, Launch};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let browser = Browser::launch(&Launch::default()).await?;
//! let page = browser.new_page().await?;
//! page.open("data:text/html,<title>a</title><p>b").await?;
//! assert_eq!(page.evaluate("document.title").await?, "a");
//! # Ok(())
//! # }
//! ```

mod connection;
mod error;
mod find;
mod keys;
mod launch;
mod page;
mod process;

pub use connection::{Event, Events, Session};
pub use error::BrowserError;
pub use find::find;
pub use launch::{Browser, Launch, is_superuser};
pub use page::{Message, Page, Request};
