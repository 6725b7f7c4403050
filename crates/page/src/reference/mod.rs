//! The proof of the layout: blocks by the letter of the definition.

mod blocks;
#[path = "../../../html/src/reference/pieces.rs"]
mod pieces;

use crate::Limits;

/// Limits that nothing meets.
fn unlimited() -> Limits {
    Limits {
        bytes: usize::MAX,
        depth: u16::MAX,
        elements: usize::MAX,
        blocks: usize::MAX,
        attributes: usize::MAX,
        attribute_bytes: usize::MAX >> 1,
        steps: u64::MAX,
    }
}
