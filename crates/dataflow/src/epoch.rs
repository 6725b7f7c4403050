//! The logical time of a build.

/// The logical time of a build: the number of a part, or of a chunk.
pub(crate) type Epoch = u64;
