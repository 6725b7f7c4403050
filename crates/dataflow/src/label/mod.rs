//! The step `label`: from pages beside their sites to rows of the tables, chunk by chunk.

pub(crate) mod chunk_reader;
pub(crate) mod chunk_writer;
pub(crate) mod chunks;
pub(crate) mod evidence;
pub(crate) mod identity;
pub(crate) mod labelling;
pub(crate) mod page;
