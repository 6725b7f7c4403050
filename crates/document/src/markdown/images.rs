//! Which images in lines of their own are written, and behind which block.

use crate::markup::LoneImage;
use crate::{Markup, Piece};

/// The images that are written, each with the kept block that it stands behind, in the order of the page.
#[derive(Debug, Default)]
pub(super) struct Images(Vec<(usize, LoneImage)>);

impl Images {
    /// Those that stand between kept blocks: in a figure, a block of the figure or that beside it.
    pub(super) fn new(markup: &Markup, blocks: &[Piece<'_>]) -> Images {
        let is_kept = |block: &u32| {
            let piece = blocks.get(*block as usize);
            piece.is_some_and(|piece| piece.label.is_content())
        };
        let placed = |image: &LoneImage| {
            let before = (image.before..image.at).rev().find(is_kept)?;
            let is_last = image.behind as usize >= blocks.len();
            let is_between = is_last || (image.at..=image.behind).any(|block| is_kept(&block));
            is_between.then_some((before as usize, *image))
        };
        Images(markup.images().iter().filter_map(placed).collect())
    }

    /// Those behind a block.
    pub(super) fn behind(&self, block: usize) -> &[(usize, LoneImage)] {
        let first = self.0.partition_point(|(before, _)| *before < block);
        let end = self.0.partition_point(|(before, _)| *before <= block);
        &self.0[first..end]
    }
}
