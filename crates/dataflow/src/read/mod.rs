//! The step `read`: from the bytes of the input to pages that are scored, in sorted runs.

pub(crate) mod capture;
pub(crate) mod captures;
pub(crate) mod collector;
pub(crate) mod extract;
pub(crate) mod single;
pub(crate) mod step;
pub(crate) mod unit_reader;
