//! The blocks that are on the screen.

/// The first block on the screen, and the numbers of blocks and lines of the last drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    pub(crate) top: usize,
    pub(crate) visible: usize,
    pub(crate) overlay_rows: usize,
}

impl Scroll {
    /// The number of blocks on the screen.
    pub(crate) fn visible(self) -> usize {
        self.visible.max(1)
    }

    /// The number of lines of the overlay.
    pub(crate) fn overlay_rows(self) -> usize {
        self.overlay_rows
    }

    /// Moves as little as needed so that the cursor is on the screen, with a quarter of the screen
    /// before and after it where there are blocks. Looks at no more blocks than the screen has
    /// lines.
    pub(crate) fn follow(
        &mut self,
        cursor: usize,
        count: usize,
        rows: usize,
        height: impl Fn(usize) -> usize,
    ) {
        let margin = rows / 4;
        let after: usize = (cursor + 1..count).take(margin).map(&height).sum();
        let room = rows.saturating_sub(height(cursor) + after.min(margin));
        // The first block that can be on the screen together with the cursor.
        let first = back(cursor, room, &height);
        // The last that leaves something before it.
        let last = back_at_least(cursor, margin.min(room), &height);
        self.top = self.top.clamp(first, last.max(first));
    }
}

/// The first block of those before `from` that fit into `room` lines.
fn back(from: usize, room: usize, height: &impl Fn(usize) -> usize) -> usize {
    let (mut at, mut used) = (from, 0);
    while at > 0 && used + height(at - 1) <= room {
        at -= 1;
        used += height(at);
    }
    at
}

/// The last block from which the blocks before `from` fill `lines` lines.
fn back_at_least(from: usize, lines: usize, height: &impl Fn(usize) -> usize) -> usize {
    let (mut at, mut used) = (from, 0);
    while at > 0 && used < lines {
        at -= 1;
        used += height(at);
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_cursor_is_always_on_the_screen(
            heights in prop::collection::vec(1usize..4, 1..40),
            cursors in prop::collection::vec((0usize..40, 1usize..15), 1..20),
        ) {
            let mut scroll = Scroll::default();
            for (cursor, rows) in cursors {
                let cursor = cursor % heights.len();
                let height = |block: usize| heights[block].min(rows);
                scroll.follow(cursor, heights.len(), rows, height);
                let above: usize = (scroll.top..cursor).map(height).sum();
                prop_assert!(scroll.top <= cursor && above + height(cursor) <= rows);
                let before = scroll;
                scroll.follow(cursor, heights.len(), rows, height);
                prop_assert_eq!(scroll, before);
            }
        }
    }

    #[test]
    fn short_pages_do_not_scroll_and_long_ones_keep_a_margin() {
        let mut scroll = Scroll::default();
        for cursor in (0..8).chain((0..8).rev()) {
            scroll.follow(cursor, 8, 8, |_| 1);
            assert_eq!(scroll.top, 0);
        }
        scroll.follow(50, 100, 8, |_| 1);
        assert_eq!(scroll.top, 45);
        scroll.follow(48, 100, 8, |_| 1);
        assert_eq!(scroll.top, 45);
        scroll.follow(46, 100, 8, |_| 1);
        assert_eq!(scroll.top, 44);
    }
}
