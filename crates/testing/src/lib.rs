//! What tests and benches share: numbers that look random, made pages, archives that are written byte by byte, and servers.
//! A dev-dependency only.
//!
//! In: seeds, texts, behaviours. Out: the same values in every run. A helper that one crate uses stays in that crate's tests.
#![expect(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests: a failure is a failed test, and a skipped test says so"
)]

use std::path::PathBuf;

pub mod columns;
pub mod http;
pub mod process;
mod random;
pub mod warc;
pub mod web;

pub use random::{Random, split_mix};

/// A file or folder of the data sets: for tests that are ignored without them.
///
/// # Panics
///
/// If `GLEANER_DATA` is not set, or has no such file.
pub fn data(name: &str) -> PathBuf {
    let folder = std::env::var_os("GLEANER_DATA").expect("GLEANER_DATA names the folder of data sets");
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "GLEANER_DATA has no {}", path.display());
    path
}

/// A file or folder of the data sets, if they exist: for benches, which otherwise use made pages. Without `GLEANER_DATA` they are
/// looked for beside the repository.
pub fn data_if_any(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("GLEANER_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    Some(folder.join(name)).filter(|path| path.exists())
}
