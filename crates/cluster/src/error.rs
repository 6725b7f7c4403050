//! Why a group cannot work.

/// Why a group cannot work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The processes cannot connect to each other.
    #[error("{0}")]
    Connect(String),
    /// Another process has ended: its name, and why.
    #[error("{0} {1}; run the same command again on every machine to continue")]
    Gone(String, String),
    /// The process was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A timely worker panicked.
    #[error("a worker failed: {0}; this is an error in gleaner, please report it")]
    Worker(String),
}
