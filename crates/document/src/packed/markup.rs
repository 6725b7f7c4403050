//! What Markdown has of blocks, as bytes of fixed length.

use super::bulk::Fixed;
use crate::markup::{Span, Style};
use crate::structure::BlockPlace;

impl Fixed for Span {
    const BYTES: usize = 17;

    fn write(&self, bytes: &mut [u8]) {
        let numbers = [self.block, self.start, self.end, self.link];
        numbers
            .into_iter()
            .zip(bytes.chunks_exact_mut(4))
            .for_each(|(number, bytes)| number.write(bytes));
        bytes[16] = self.style.0;
    }

    fn read(bytes: &[u8]) -> Option<Span> {
        Some(Span {
            block: u32::read(&bytes[..4])?,
            start: u32::read(&bytes[4..8])?,
            end: u32::read(&bytes[8..12])?,
            link: u32::read(&bytes[12..16])?,
            style: Style(bytes[16]),
        })
    }
}

impl Fixed for BlockPlace {
    const BYTES: usize = 14;

    fn write(&self, bytes: &mut [u8]) {
        let numbers = [self.holder, self.cell, self.pre];
        numbers
            .into_iter()
            .zip(bytes.chunks_exact_mut(4))
            .for_each(|(number, bytes)| number.write(bytes));
        bytes[12] = self.rank;
        bytes[13] = u8::from(self.has_parts) + 2 * u8::from(self.is_in_paragraph);
    }

    fn read(bytes: &[u8]) -> Option<BlockPlace> {
        Some(BlockPlace {
            holder: u32::read(&bytes[..4])?,
            cell: u32::read(&bytes[4..8])?,
            pre: u32::read(&bytes[8..12])?,
            rank: bytes[12],
            has_parts: bytes[13] & 1 != 0,
            is_in_paragraph: bytes[13] & 2 != 0,
        })
    }
}
