//! What clients are for.

/// What a client is for: reading repeats requests itself and resumes, writing leaves it to the
/// client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    Read,
    Write,
}
