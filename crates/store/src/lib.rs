//! Inputs and outputs on local disks and object stores.
//!
//! In: inputs as the user types them (`crawl/*.warc.gz`, `s3://bucket/crawl/`, `@warc.paths.gz`). Out: a
//! sorted list of [`Shard`]s, a [`Stream`] of bytes for each, and an [`Output`] whose files
//! appear only when they are whole. No other crate uses object stores or tokio.
//!
//! # The idea
//!
//! A worker thread must never wait for the network. [`Stream::poll`] therefore returns at once:
//! remote shards are fetched by tasks of the [`Store`]'s own runtime, range by range, through a
//! bounded channel, and a callback signals new data. Local files are read by
//! the caller, in large reads: a second thread would only add copies.
//!
//! A shard is read as it was when it was first seen: its length and its version (ETag, else the
//! time of its last change) are compared with every answer of the server, so that a file that is
//! cut or replaced meanwhile is an error and never a short read. Failed requests are repeated with
//! exponential back-off, from the byte reached; a server that sends almost nothing has failed, too.
//!
//! A shard has a name, which goes into tables and is the same wherever the file is (`names.rs` has the rules), and a location,
//! which is printed and can be opened.
//!
//! A URL may hold credentials (a password, a signature). They are kept in memory for requests, and are no part of any name,
//! error or identity: [`shown`] decides what they are.
//!
//! # The cost
//!
//! A remote stream holds at most `in_flight + 2` ranges (16 MiB by default), a local one a single
//! read of 1 MiB.
//!
//! ```
//! use gleaner_store::{Options, Poll, Store};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.warc"), b"WARC/1.1\r\n")?;
//!
//! let store = Store::new(Options::default())?;
//! let shards = store.expand(&[format!("{}/*.warc", folder.path().display())], None)?.shards;
//! assert_eq!(shards.len(), 1);
//! assert_eq!(shards[0].size, Some(10));
//!
//! let mut stream = store.open(&shards[0], 5, None)?;
//! assert_eq!(stream.poll()?, Poll::Data("1.1\r\n".into()));
//! assert_eq!(stream.poll()?, Poll::End);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cloud")]
mod aws_profile;
mod backend;
mod error;
mod expand;
mod fingerprint;
mod head;
mod hold;
mod inflate;
mod keys;
mod length;
mod list;
mod listing;
mod local;
#[cfg(feature = "cloud")]
mod login;
#[cfg(test)]
mod memory_tests;
mod names;
mod notes;
#[cfg(feature = "cloud")]
mod odd_requests;
mod options;
mod output;
mod own;
mod page_end;
mod place;
#[cfg(feature = "cloud")]
mod polite;
mod poll;
mod probe;
mod purpose;
mod remote;
mod retry;
mod secret;
mod shard;
mod spool;
mod stdin;
mod store;
mod stream;
mod system;
mod upload;
mod wacz;

pub use error::Error;
pub use hold::Hold;
pub use names::check_names;
pub use notes::{Expanded, Note};
pub use options::{Counts, Options};
pub use output::{Entry, Output};
pub use place::{Place, typed_path};
pub use poll::{Poll, Wake};
pub use secret::{Secret, scrubbed, shown};
pub use shard::{Kind, Member, Shard};
pub use store::Store;
pub use stream::{Stream, StreamReader};
pub use upload::{Commit, Upload};
