//! Whole-program tests: the command as a person types it, on the bundled crawl and on archives
//! that do harm.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, not only the tests themselves"
)]

mod against;
mod annotate;
mod annotations;
mod answers;
mod bad_input;
mod bad_stores;
mod browser;
mod buckets;
mod captures;
mod clean;
mod cleaneval;
mod clock;
mod cluster;
mod contamination;
mod crawl;
mod crawls;
mod drawn;
mod engines;
mod eval;
mod explain;
mod export;
mod incomplete;
#[cfg(unix)]
mod infra;
mod inputs;
mod jobs;
mod languages;
mod library;
mod lists;
mod living;
mod load;
mod markdown;
mod object_server;
mod options;
mod page_kinds;
mod personal;
mod posts;
mod printed;
mod progress;
mod readers;
mod render;
mod report;
mod result_pages;
mod resume;
mod rights;
mod rooms;
mod sample;
mod scale;
#[cfg(unix)]
mod secrets;
mod serve;
mod sites;
mod spec;
mod structured;
mod support;
mod templates;
mod terminal;
mod texts;
mod titles;
mod train;
mod verify;
mod versions;
mod watching;
mod whole;
