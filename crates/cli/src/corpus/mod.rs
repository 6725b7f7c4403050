//! Commands that read a complete corpus, and those that clean it up.

pub(crate) mod changed_files;
mod current;
pub(crate) mod diff;
pub(crate) mod files;
pub(crate) mod log;
pub(crate) mod names;
pub(crate) mod spec;
pub(crate) mod undo;
pub(crate) mod vacuum;
pub(crate) mod versions;
