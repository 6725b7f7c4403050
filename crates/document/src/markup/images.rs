//! The images of a page that have a text, and where they stand among its blocks.

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::{Block, Image, Page};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use url::Url;

use super::spans::address;
use super::{Span, Style, Target};
use crate::Structure;

/// An image that stands in a line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoneImage {
    /// The number of its [`Target::Image`], counted from 1.
    pub(crate) image: u32,
    /// How many blocks stand before it.
    pub(crate) at: u32,
    /// The block before it; in a `<figure>` that before the figure.
    pub(crate) before: u32,
    /// The block behind it, or behind its `<figure>`: it may be that which the page would have next.
    pub(crate) behind: u32,
    /// The innermost holder around it; [`NONE`] for none.
    pub(crate) holder: u32,
}

/// Where an image stands.
enum ImagePlace {
    /// In this block, at this byte of its text.
    Within(u32, u32),
    /// Behind this many blocks, in a line of its own.
    Alone(usize),
}

/// Adds the images of a page: to the spans of blocks those that stand in them, as spans without text. Returns the others.
pub(super) fn add(
    page: &Page,
    base: Option<&Url>,
    structure: &Structure,
    spans: &mut Vec<Span>,
    targets: &mut Vec<Target>,
) -> Vec<LoneImage> {
    let holders: FxHashMap<u32, u32> = (0..)
        .zip(&structure.holders)
        .map(|(at, holder)| (holder.element, at))
        .collect();
    let mut lone = Vec::new();
    for image in &page.images {
        let (Some(target), Some(place)) = (target(page, image, base), place(page, image)) else {
            continue;
        };
        targets.push(target);
        let number = targets.len() as u32;
        match place {
            ImagePlace::Within(block, at) => spans.push(Span {
                block,
                start: at,
                end: at,
                style: Style::PLAIN,
                link: number,
            }),
            ImagePlace::Alone(blocks) => {
                let around = page.ancestors(image.element);
                let holder = around.filter_map(|up| holders.get(&up)).next();
                lone.extend(alone(page, image, blocks).map(|(before, behind)| LoneImage {
                    image: number,
                    at: blocks as u32,
                    before,
                    behind,
                    holder: holder.copied().unwrap_or(NONE),
                }));
            }
        }
    }
    // An image behind a text stands behind the span of that.
    spans.sort_by_key(|span| (span.block, span.end, span.start));
    lone
}

/// The text and the address of an image that has a text and is shown.
fn target(page: &Page, image: &Image, base: Option<&Url>) -> Option<Target> {
    let attribute = |name| page.attribute(image.element, name);
    let text: Vec<&str> = attribute(Attr::Alt)?.split_whitespace().collect();
    // Scripts set the address of one that is loaded when it is seen; until then it has that of a placeholder.
    let mut addresses = [Attr::DataSrc, Attr::Src].into_iter().filter_map(attribute);
    let address = addresses.find_map(|found| address(found, base));
    let is_shown = !text.is_empty() && !page.elements[image.element as usize].hidden;
    is_shown.then(|| Target::Image {
        text: text.join(" "),
        address: address.unwrap_or_default(),
    })
}

/// The place of an image; none in preformatted text.
fn place(page: &Page, image: &Image) -> Option<ImagePlace> {
    let behind = page.blocks.partition_point(|block| block.text.start < image.at);
    let box_around = box_around(page, image.element);
    let is_in = |block: &Block| block.element == box_around;
    let before = page.blocks[..behind]
        .last()
        .filter(|block| image.at < block.text.end || is_in(block));
    let next = page.blocks.get(behind).filter(|block| is_in(block));
    match (before, next) {
        (Some(block), _) if block.pre == NONE => Some(ImagePlace::Within(
            behind as u32 - 1,
            within(page, block, image.at),
        )),
        (None, Some(block)) if block.pre == NONE => Some(ImagePlace::Within(behind as u32, 0)),
        (None, None) => Some(ImagePlace::Alone(behind)),
        _ => None,
    }
}

/// The nearest element around an image that is no part of a line.
fn box_around(page: &Page, image: u32) -> u32 {
    let mut around = page.ancestors(image);
    around
        .find(|&up| !page.elements[up as usize].is_inline)
        .unwrap_or(NONE)
}

/// A place in the text of a block as it is written.
fn within(page: &Page, block: &Block, at: u32) -> u32 {
    let offset = (at - block.text.start) as usize;
    let written = page.written(block);
    // A text that is written otherwise than it stands on the page is not searched for the place.
    match block.written.is_empty() {
        true => offset as u32,
        false => written.len() as u32,
    }
}

/// The blocks around an image in a line of its own, if there is one before it.
fn alone(page: &Page, image: &Image, blocks: usize) -> Option<(u32, u32)> {
    let figure = page
        .ancestors(image.element)
        .find(|&up| page.elements[up as usize].tag == Tag::Figure);
    let is_in_figure = |block: &&Block| {
        let mut around = page.ancestors(block.element);
        figure.is_some_and(|figure| around.any(|up| up == figure))
    };
    let before = page.blocks[..blocks]
        .iter()
        .rev()
        .take_while(is_in_figure)
        .count();
    let behind = page.blocks[blocks..].iter().take_while(is_in_figure).count();
    Some(((blocks - before).checked_sub(1)? as u32, (blocks + behind) as u32))
}
