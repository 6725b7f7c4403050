//! The label of a block of content by the page's markup.

use gleaner_content::Label;
use gleaner_html::Tag;
use gleaner_page::Page;
use rustc_hash::FxHashSet;

/// Reads labels off a page's markup, block after block.
pub(crate) struct Markup<'p> {
    page: &'p Page,
    /// List items that have their label: what follows in them is paragraphs.
    items: FxHashSet<u32>,
}

impl<'p> Markup<'p> {
    pub(crate) fn new(page: &'p Page) -> Markup<'p> {
        Markup {
            page,
            items: FxHashSet::default(),
        }
    }

    /// No tag of an element that starts a line stands between the block and the one before.
    pub(crate) fn joins_inline(&self, block: usize) -> bool {
        let split = self.page.split(&self.page.blocks[block]);
        !split.is_empty() && split.iter().all(|event| event.is_inline)
    }

    /// The block continues the paragraph before it: at most one `<br>` and inline tags between.
    pub(crate) fn continues(&self, block: usize) -> bool {
        let split = self.page.split(&self.page.blocks[block]);
        let breaks = split.iter().filter(|event| event.tag == Tag::Br).count();
        let rest_inline = split.iter().all(|event| event.tag == Tag::Br || event.is_inline);
        !split.is_empty() && rest_inline && breaks <= 1 && !self.is_preformatted(block)
    }

    /// Header within `<h1>` to `<h6>`, list for the first block of an item, else paragraph.
    pub(crate) fn label(&mut self, block: usize) -> Label {
        let tag = |element: &u32| self.page.elements[*element as usize].tag;
        let ancestors = || self.page.ancestors(self.page.blocks[block].element);
        if ancestors().any(|element| is_heading(tag(&element))) {
            return Label::Header;
        }
        let item = ancestors().find(|element| matches!(tag(element), Tag::Li | Tag::Dt | Tag::Dd));
        match item {
            Some(item) if self.items.insert(item) => Label::List,
            _ => Label::Paragraph,
        }
    }

    /// Lines of `<pre>` are lines of their own.
    fn is_preformatted(&self, block: usize) -> bool {
        let mut ancestors = self.page.ancestors(self.page.blocks[block].element);
        ancestors.any(|element| {
            matches!(
                self.page.elements[element as usize].tag,
                Tag::Pre | Tag::Listing | Tag::Xmp
            )
        })
    }
}

fn is_heading(tag: Tag) -> bool {
    matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
}
