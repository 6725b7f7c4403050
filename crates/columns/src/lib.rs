//! Columns of small integers, a row a text block: what features write, and models read.
//!
//! In [`Columns`] every block of a page has a code a column; [`Runs`] are the stretches of equal codes in them. Beside
//! them stands what models of columns share: functions that give the same bits on every machine ([`exp`],
//! [`logarithm`], [`sigmoid`] and the like), the widest vectors of the processor ([`widest`]), and threads
//! ([`in_parallel`]). This crate knows nothing of pages.

mod columns;
mod exp;
mod logarithm;
mod parallel;
mod probability;
mod runs;
mod simd;

pub use columns::{Caption, ColumnInfo, Columns};
pub use exp::exp;
pub use logarithm::{ln, logarithm};
pub use parallel::{in_parallel, portions};
pub use probability::{logit, shifted, sigmoid, softmax};
pub use runs::{Changes, Runs, high_bits};
pub use simd::widest;
