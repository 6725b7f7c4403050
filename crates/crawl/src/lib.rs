//! From seeds to archives: a polite crawler.
//!
//! In: URLs, and [`Settings`]. Out: an archive of WARC 1.1 files with the requests, the answers and the links of pages, and a
//! [`Summary`].
//!
//! # The idea
//!
//! One thread has the frontier: which URLs wait, a queue for each host, and when each host may be asked again. It begins requests
//! and takes what came of them. Requests are made by tasks on all cores, which also find the links and compress the records, so
//! that the one thread only appends bytes.
//!
//! # A crawl that is killed
//!
//! Beside the archive stands a journal: each URL that was found, and each request that is over, a line each. A page's records are
//! in the archive before its line is in the journal, and the line has the length of the archive. A crawl that continues cuts the archive
//! to the length in the last line: no record is there twice, and no page is lost. A process may be killed at any time; after a loss
//! of power the archive may be shorter than the journal says, which is refused.
//!
//! # The cost
//!
//! Memory: 8 bytes for a URL that waits, about 10 for each that was found, some hundred for a host, and the pages that are under
//! way. The URLs themselves are on disk. An earlier crawl has an index of about 50 bytes a page.
//!
//! # What is deliberately absent
//!
//! Pictures, styles and scripts are not fetched, scripts are not run, forms are not sent, and cookies are not kept.

mod address;
mod archive;
mod capture;
mod crawl;
mod error;
mod fetch;
mod frontier;
mod journal;
mod links;
mod resume;
mod rules;
mod scope;
mod seeds;
mod settings;
mod since;
mod sitemap;
mod summary;
mod work;

pub use address::{page_url, typed_url};
pub use crawl::{Progress, crawl};
pub use error::Error;
pub use links::AGENT;
pub use scope::Reach;
pub use seeds::{BadSeeds, read_seeds};
pub use settings::{Limits, Pace, Settings};
pub use summary::{Limit, LinkReason, LostSeed, Outcome, Reason, Summary};
