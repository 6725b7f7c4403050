//! From text blocks to quantised feature columns.
//!
//! In: a page of `gleaner-page`. Out: [`Columns`], a small integer a feature a block, which is
//! all that the labeller sees.

mod columns;

pub use columns::Columns;
