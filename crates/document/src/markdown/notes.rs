//! Which footnotes of a page are written as `[^1]`, with `[^1]: text` in place of the item.

use gleaner_content::Label;
use gleaner_html::NONE;

use crate::structure::HolderKind;
use crate::{Markup, Piece};

/// The footnotes that are written: those of which the text and a link to it are kept.
#[derive(Debug, Default)]
pub(super) struct Notes<'m> {
    /// By the numbers of their links, counted from 1: the labels.
    labels: Vec<Option<&'m str>>,
    /// The elements of their items, with the labels.
    items: Vec<(u32, &'m str)>,
}

impl<'m> Notes<'m> {
    pub(super) fn new(markup: &'m Markup, blocks: &[Piece<'_>]) -> Notes<'m> {
        let mut notes = Notes::default();
        for (link, note) in markup.notes() {
            let own = note.blocks.start as usize..note.blocks.end as usize;
            let first = own.clone().find(|&block| is_kept(blocks, block));
            let is_text = first.is_some_and(|first| is_text(markup, &blocks[first], first, note.item));
            if is_text && is_linked(markup, blocks, link) {
                notes.labels.resize(link as usize, None);
                notes.labels[link as usize - 1] = Some(&note.label);
                notes.items.push((note.item, &note.label));
            }
        }
        notes
    }

    /// The label of the note that a link leads to.
    pub(super) fn label(&self, link: u32) -> Option<&'m str> {
        let at = (link as usize).checked_sub(1)?;
        self.labels.get(at).copied().flatten()
    }

    /// The label of the note whose text this element holds.
    pub(super) fn of_item(&self, element: u32) -> Option<&'m str> {
        let known = self.items.iter().find(|(item, _)| *item == element);
        known.map(|(_, label)| *label)
    }
}

fn is_kept(blocks: &[Piece<'_>], block: usize) -> bool {
    blocks.get(block).is_some_and(|piece| piece.label != Label::Other)
}

/// Whether a block may begin a footnote: in this item, of a numbered list that stands in nothing else, and with words that
/// a parser without footnotes cannot take for the address and the title of a link.
fn is_text(markup: &Markup, piece: &Piece<'_>, block: usize, item: u32) -> bool {
    let structure = &markup.structure;
    let place = structure.place(block);
    let mut around = structure
        .around(place.holder)
        .map(|holder| structure.kind(holder));
    let is_in_list = matches!(
        [around.next(), around.next(), around.next()],
        [
            Some(HolderKind::Item { .. }),
            Some(HolderKind::Numbered { .. }),
            None
        ]
    );
    let is_in_item = place.holder != NONE && structure.element(place.holder) == item;
    let is_plain = place.cell == NONE && place.pre == NONE && piece.label != Label::Header;
    let mut behind_first = piece.text.split_whitespace().skip(1);
    let is_title = |word: &str| word.starts_with(['"', '\'', '(']);
    let has_words = behind_first.next().is_some_and(|word| !is_title(word)) && behind_first.next().is_some();
    // In angle brackets an address may have blanks.
    let is_address = piece.text.trim_start().starts_with('<');
    is_in_item && is_in_list && is_plain && has_words && !is_address
}

/// Whether a kept block outside of tables has this link.
fn is_linked(markup: &Markup, blocks: &[Piece<'_>], link: u32) -> bool {
    let mut linked = markup.linked(link);
    linked.any(|block| is_kept(blocks, block) && markup.structure.place(block).cell == NONE)
}
