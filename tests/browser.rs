//! The page of `gleaner serve` and that of `gleaner report`, in a browser: what a reader and an annotator do with them.
//!
//! Needs Chromium: without it the tests say that they are skipped, but where `CI` is set they fail. In each test the console stays
//! silent, and no request leaves 127.0.0.1.

mod corpus;
mod desk;
mod hostile;
mod labels;
mod pages;
mod pictures;
mod views;
