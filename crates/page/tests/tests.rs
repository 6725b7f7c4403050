//! Tests of the page crate through its public interface.

mod bodies;
mod bounds;
mod case_files;
mod hostile;
mod properties;
