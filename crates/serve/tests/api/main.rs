//! The service over HTTP: a made corpus beside a slow twin, and labels beside what the terminal saves.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

mod client;
mod labels;
mod lists;
mod made;
mod search;
mod twin;
