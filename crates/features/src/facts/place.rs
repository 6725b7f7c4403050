//! Where a block is: in the text, to long blocks, to headings.

use gleaner_html::Tag;
use gleaner_page::Page;

use super::{Around, BlockFacts, ElementFacts, Facts, share};

/// Maximum distance in blocks.
const FAR: u32 = 60;
/// Maximum distance to the next long block and heading.
const NEAR: u32 = 40;
/// Blocks on each side in the window of five.
const WINDOW: usize = 2;

/// A block's place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockPlace {
    /// Words before the block.
    pub(crate) words_before: u32,
    /// Of them, those outside of links.
    pub(crate) plain_before: u32,
    /// 0 before the first long block, 1 from it to the last, 2 after.
    pub(crate) among_long: u8,
    /// Blocks until the first long one.
    pub(crate) to_first_long: u32,
    /// Blocks since the last long one.
    pub(crate) from_last_long: u32,
    /// Blocks since the nearest long one before, itself included.
    pub(crate) since_long: u32,
    /// Blocks until the nearest long one behind, itself included.
    pub(crate) until_long: u32,
    /// Level of the last heading up to the block, 0 before any.
    pub(crate) heading: u8,
    /// Blocks since that heading.
    pub(crate) since_heading: u32,
    /// 0 without any `<h1>`, 1 before the first, 2 in it, 3 after.
    pub(crate) first_h1: u8,
    /// Words a block, and share of them inside links, in the block and two to either side.
    pub(crate) window_words: f32,
    pub(crate) window_links: f32,
    /// Share of long blocks there.
    pub(crate) window_long: f32,
}

/// Sums over blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    blocks: u32,
    words: u32,
    link_words: u32,
    long: u32,
}

impl Window {
    fn add(&mut self, block: &BlockFacts) {
        self.blocks += 1;
        self.words += block.text.words;
        self.link_words += block.text.link_words;
        self.long += u32::from(block.is_long());
    }
}

impl BlockFacts {
    /// Long and hardly a link: a sign of running text.
    pub(crate) fn is_long(&self) -> bool {
        self.is_running_text(15, 0.4)
    }
}

impl Facts {
    /// Gives each block its place.
    pub(super) fn measure_place(&mut self, page: &Page) {
        self.document.long = self.blocks.iter().filter(|block| block.is_long()).count() as u32;
        self.place_forwards(page);
        self.place_backwards();
        self.place_windows();
    }

    fn place_forwards(&mut self, page: &Page) {
        let (mut words, mut plain, mut since_long, mut passed) = (0, 0, NEAR, 0);
        let (mut heading, mut since_heading, mut seen_h1) = (0, NEAR, false);
        for (block, measured) in page.blocks.iter().zip(&mut self.blocks) {
            measured.place.heading = heading_level(page, &self.elements, block.element);
        }
        let has_h1 = self.blocks.iter().any(|block| block.place.heading == 1);
        for measured in &mut self.blocks {
            let level = measured.place.heading;
            if level > 0 {
                (heading, since_heading) = (level, 0);
            }
            if measured.is_long() {
                (since_long, passed) = (0, passed + 1);
            }
            measured.place.first_h1 = match (has_h1, level == 1 && !seen_h1, seen_h1) {
                (false, _, _) => 0,
                (_, true, _) => 2,
                (_, _, before) => {
                    if before {
                        3
                    } else {
                        1
                    }
                }
            };
            seen_h1 |= level == 1;
            let place = &mut measured.place;
            (place.words_before, place.plain_before) = (words, plain);
            (place.heading, place.since_heading, place.since_long) = (heading, since_heading, since_long);
            place.among_long =
                u8::from(passed > 0) + u8::from(passed == self.document.long && since_long > 0 && passed > 0);
            place.from_last_long = if place.among_long == 2 { since_long } else { 0 };
            words += measured.text.words;
            plain += measured.text.words - measured.text.link_words;
            since_heading = (since_heading + 1).min(NEAR);
            since_long = (since_long + 1).min(FAR);
        }
    }

    fn place_backwards(&mut self) {
        let mut until = NEAR;
        for block in self.blocks.iter_mut().rev() {
            if block.is_long() {
                until = 0;
            }
            block.place.until_long = until;
            block.place.to_first_long = if block.place.among_long == 0 { until } else { 0 };
            until = (until + 1).min(FAR);
        }
    }

    fn place_windows(&mut self) {
        // Of the blocks so far, and of those of them that the window is beyond.
        let [mut begun, mut left] = [Window::default(); 2];
        self.blocks.iter().take(WINDOW).for_each(|block| begun.add(block));
        for at in 0..self.blocks.len() {
            if let Some(block) = self.blocks.get(at + WINDOW) {
                begun.add(block);
            }
            if let Some(behind) = at.checked_sub(WINDOW + 1) {
                left.add(&self.blocks[behind]);
            }
            let place = &mut self.blocks[at].place;
            let (words, count) = (begun.words - left.words, begun.blocks - left.blocks);
            place.window_words = share(words, count);
            place.window_links = share(begun.link_words - left.link_words, words);
            place.window_long = share(begun.long - left.long, count);
        }
    }
}

/// The level of the heading that the element is in, within four elements; 0 for none.
pub(crate) fn heading_level(page: &Page, elements: &[ElementFacts], element: u32) -> u8 {
    if !elements[element as usize].around.has(Around::HEADER) {
        return 0;
    }
    let level = |up| match page.elements[up as usize].tag {
        Tag::H1 => Some(1),
        Tag::H2 => Some(2),
        Tag::H3 => Some(3),
        Tag::H4 => Some(4),
        Tag::H5 => Some(5),
        Tag::H6 => Some(6),
        _ => None,
    };
    page.ancestors(element).take(4).find_map(level).unwrap_or(0)
}
