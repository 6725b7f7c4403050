//! Tables as files: what is in them, who can read them, and what happens when they cannot be
//! written.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod check;
mod failures;
mod folder;
mod groups;
mod readers;
mod sample;
mod schemas;
mod tables;
mod verify;
