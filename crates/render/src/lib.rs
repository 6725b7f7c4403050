//! Pages whose text is drawn by scripts: replayed from an archive in a browser.
//!
//! **In**: archives with pages, and with the scripts and data that the pages load. **Out**: an archive with a `conversion` record for each page
//! that was drawn: the page as HTML after its scripts ran. The record refers to the response that it was drawn from.
//!
//! # The idea
//!
//! The archives are read once: where the captures of each URL are, and which pages have their text from scripts ([`Need`]). Then
//! Chromium without a window opens these pages, several at once. Each request of a page is intercepted and answered from the archives,
//! or fails as if there were no network. Scripts run by a virtual clock, which begins at the date of the capture and stands still while a
//! request is under way; when its time is over, the page is read.
//!
//! # The same archive gives the same text
//!
//! Clock, chance, time zone, language and size of the window are fixed, requests are answered in their order, each page has a
//! storage of its own, and what depends on frames of a screen is replaced (`scripts/before.js`). Records are written in the order of
//! the archives, with ids and dates that follow from their pages.
//!
//! # The cost
//!
//! 40 bytes of memory for a capture, 64 MiB of answers that pages share, and the browser. A page takes a process of the browser, which is
//! started for it: what a page breaks ends with it.
//!
//! # What is deliberately absent
//!
//! Nothing is fetched. Nothing is clicked, scrolled or typed; forms are not sent.

mod address;
pub mod browser;
mod browsers;
mod captures;
mod error;
mod memory;
mod need;
mod output;
mod progress;
mod render;
mod replay;
mod settings;
mod summary;
mod tab;

pub use error::Error;
pub use need::{LETTERS, Need};
pub use progress::Progress;
pub use render::render;
pub use settings::Settings;
pub use summary::{FailedPage, Failure, Requests, Summary};
