//! Inputs and outputs as users have them: local trees, lists, and real servers.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

#[cfg(feature = "cloud")]
mod azure;
#[cfg(feature = "cloud")]
mod http;
#[cfg(feature = "cloud")]
mod http_server;
mod inputs;
#[cfg(feature = "cloud")]
mod listings;
mod names;
#[cfg(feature = "cloud")]
mod odd_keys;
#[cfg(feature = "cloud")]
mod s3;
#[cfg(feature = "cloud")]
mod stores;
mod wacz;
