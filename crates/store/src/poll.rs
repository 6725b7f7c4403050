//! What streams have at a moment.

use std::sync::Arc;

use bytes::Bytes;

/// Called from another thread when a stream has something new to poll.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What a stream has at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Poll {
    /// The next bytes, at least one.
    Data(Bytes),
    /// Nothing yet; the stream's [`Wake`] will be called.
    Pending,
    /// Everything was read, and it was all that there should be.
    End,
}
