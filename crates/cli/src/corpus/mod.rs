//! Commands that read a complete corpus.

pub(crate) mod changed_files;
pub(crate) mod files;
pub(crate) mod log;
pub(crate) mod spec;
pub(crate) mod verify;
