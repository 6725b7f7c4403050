//! Several processes that work on one thing, each on a machine of its own, and a timely dataflow between them.
//!
//! In: the same list of hosts everywhere, and the number of the process in it. Out: a [`Group`] whose processes know each
//! other, and [`Group::execute`], which runs timely workers in each process.
//!
//! Timely neither notices that a process has died nor that one is silent. Its bytes go over the connections of this crate
//! (`link`), which also carry heartbeats: one per second, or ten in the time after which a silent process is given up. When a
//! process is gone, all others stop with an error that names it.
//!
//! Process 0 leads: the others begin when it has called [`Group::start`], and end when it has called [`Group::finish`].

mod config;
mod connect;
mod error;
mod group;
mod handshake;
mod hello;
mod incoming;
mod link;
mod message;
mod spawn;
mod traffic;
mod wire;
mod worker;

pub use config::GroupConfig;
pub use error::Error;
pub use group::Group;
pub use handshake::GroupSecret;
pub use traffic::Traffic;
