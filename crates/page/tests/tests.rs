//! Tests of the page crate through its public interface.

mod blocks;
mod bounds;
mod hostile;
