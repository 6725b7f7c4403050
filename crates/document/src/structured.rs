//! The text of a page whose visible elements hold (nearly) none: that of its structured data.

use gleaner_content::Label;
use gleaner_features::word_count;
use gleaner_html::Tag;
use gleaner_metadata::StructuredText;
use gleaner_page::{Block, Joint, Page, Parser, Tabs};

use crate::{Piece, assemble};

/// The lines of a text from a page's structured data, with what each is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructuredLines {
    /// Label and text of each line, in order.
    pub lines: Vec<(Label, String)>,
}

impl StructuredLines {
    /// Reads the lines. The parser is that of pages: its configuration is whose limits hold.
    pub fn read(text: &StructuredText, parser: &mut Parser) -> StructuredLines {
        let Ok(page) = parser.parse(text.html.as_bytes(), Some("text/html; charset=utf-8")) else {
            return StructuredLines::default();
        };
        let mut lines: Vec<(Label, String)> = Vec::new();
        for (block, joint) in page.blocks.iter().zip(page.joints()) {
            let text = page.text(block);
            match (joint.within_line(), lines.last_mut()) {
                (Some(white), Some((_, line))) => {
                    line.push_str(white);
                    line.push_str(text);
                }
                _ => lines.push((label(page, block), text.to_owned())),
            }
        }
        StructuredLines { lines }
    }

    /// Leaves the main heading out: the first line, if it is a heading.
    pub(crate) fn drop_heading(&mut self) {
        if self
            .lines
            .first()
            .is_some_and(|(label, _)| *label == Label::Header)
        {
            self.lines.remove(0);
        }
    }

    /// The lines put together as kept blocks are.
    pub fn text(&self) -> String {
        assemble(self.pieces())
    }

    /// The lines on their way into a text.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.lines.iter().map(|(label, text)| Piece {
            text,
            label: *label,
            joint: Joint::Apart,
            tabs: Tabs::default(),
        })
    }

    /// How many words they have.
    pub fn word_count(&self) -> u32 {
        self.lines.iter().map(|(_, text)| word_count(text)).sum()
    }
}

/// What a line is by the elements around it.
fn label(page: &Page, block: &Block) -> Label {
    let tags = page
        .ancestors(block.element)
        .map(|element| page.elements[element as usize].tag);
    let of = |tag| match tag {
        Tag::Li => Some(Label::List),
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Some(Label::Header),
        _ => None,
    };
    tags.into_iter().find_map(of).unwrap_or(Label::Paragraph)
}

#[cfg(test)]
mod tests {
    use gleaner_metadata::TextSource;
    use gleaner_page::{PageConfig, Unit};

    use super::*;

    #[test]
    fn lines_are_what_their_elements_say() {
        let text = StructuredText {
            source: TextSource::JsonLd,
            html: "<h1>Tide tables</h1><p>One<br>two &amp; <ul><li>three</ul>".to_owned(),
        };
        let lines = StructuredLines::read(&text, &mut Parser::new(PageConfig::default()));
        assert_eq!(lines.text(), "Tide tables\n\nOne\n\ntwo &\n\nthree\n");
        assert_eq!(lines.word_count(), 5);
    }

    #[test]
    fn lines_are_whole_where_blocks_are_cut_at_tags() {
        let text = StructuredText {
            source: TextSource::JsonLd,
            html: "<p><b>T</b>he tide until <i>Friday</i>, and <a>so</a>!<p>On".to_owned(),
        };
        let config = PageConfig {
            unit: Unit::Tag,
            ..PageConfig::default()
        };
        let lines = StructuredLines::read(&text, &mut Parser::new(config));
        assert_eq!(lines.text(), "The tide until Friday, and so!\n\nOn\n");
    }
}
