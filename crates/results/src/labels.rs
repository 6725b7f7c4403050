//! Labels of blocks that a method keeps, by the elements around them.

use gleaner_content::Label;
use gleaner_html::Tag;
use gleaner_page::{Block, Page, PageConfig};

use crate::density::Densities;

/// How pages are parsed for the methods of this crate: without the alternative texts of images.
pub fn page_config() -> PageConfig {
    PageConfig {
        alt: false,
        ..PageConfig::default()
    }
}

/// The labels of a page's blocks by text density ([`Densities::content_blocks`]).
pub fn density_labels(page: &Page) -> Vec<Label> {
    shape_labels(page, &Densities::new(page).content_blocks(page))
}

/// The labels of a page's blocks: a kept block is a header, a list item or a paragraph by the innermost element that
/// decides it (a paragraph if none does); all other blocks are [`Label::Other`].
pub fn shape_labels(page: &Page, kept: &[bool]) -> Vec<Label> {
    let label = |(block, kept): (&Block, &bool)| match kept {
        true => shape_label(page, block.element),
        false => Label::Other,
    };
    page.blocks.iter().zip(kept).map(label).collect()
}

fn shape_label(page: &Page, element: u32) -> Label {
    let tags = page.ancestors(element).map(|up| page.elements[up as usize].tag);
    let label = tags
        .take_while(|tag| !matches!(tag, Tag::Body | Tag::Table))
        .find_map(|tag| match tag {
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Some(Label::Header),
            Tag::Li | Tag::Dt | Tag::Dd => Some(Label::List),
            Tag::P | Tag::Pre | Tag::Blockquote | Tag::Article => Some(Label::Paragraph),
            _ => None,
        });
    label.unwrap_or(Label::Paragraph)
}

#[cfg(test)]
mod tests {
    use gleaner_page::Parser;

    use super::*;

    #[test]
    fn kept_blocks_have_the_label_of_their_elements() {
        let html = "<h2>One</h2><ul><li>two<li><p>three</p></ul><div>four</div><nav>five</nav>";
        let mut parser = Parser::new(page_config());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        use Label::{Header, List, Other, Paragraph};
        assert_eq!(
            shape_labels(page, &[true, true, true, true, false]),
            [Header, List, Paragraph, Paragraph, Other]
        );
    }
}
