//! The text of kept blocks.

use gleaner_page::Page;

use crate::Label;

/// The text of the blocks that are content: a line a paragraph, header or list item; a
/// continuation joins the line before it; a blank line between paragraphs and around headers, not
/// between the items of a list. Blocks beyond the labels are left out.
///
/// ```
/// use gleaner_crf::{Label, assemble};
/// use gleaner_page::{Block, Page};
///
/// let mut page = Page::default();
/// for word in ["Title", "Some", "text"] {
///     let start = page.text.len() as u32;
///     page.text.push_str(word);
///     let text = start..page.text.len() as u32;
///     page.blocks.push(Block { text, element: 0, runs: 0..0, split: 0..0, div: 0, td: 0, hidden: false });
/// }
/// let labels = [Label::Header, Label::Paragraph, Label::Continuation];
/// assert_eq!(assemble(&page, &labels), "Title\n\nSome text\n");
/// ```
pub fn assemble(page: &Page, labels: &[Label]) -> String {
    let mut text = String::new();
    let mut before = None;
    for (block, &label) in page.blocks.iter().zip(labels) {
        if !label.is_content() {
            continue;
        }
        text.push_str(separator(before, label));
        text.push_str(page.text(block));
        // A continuation is of the kind of what it continues.
        if label != Label::Continuation || before.is_none() {
            before = Some(label);
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// What stands between a block and the content before it.
fn separator(before: Option<Label>, label: Label) -> &'static str {
    match (before, label) {
        (None, _) => "",
        (_, Label::Continuation) => " ",
        (Some(Label::List), Label::List) => "\n",
        _ => "\n\n",
    }
}

#[cfg(test)]
mod tests {
    use gleaner_page::Block;

    use super::*;

    /// A page with a block a letter.
    fn page(text: &str) -> Page {
        let block = |at: usize| Block {
            text: at as u32..at as u32 + 1,
            element: 0,
            runs: 0..0,
            split: 0..0,
            div: 0,
            td: 0,
            hidden: false,
        };
        Page {
            text: text.to_owned(),
            blocks: (0..text.len()).map(block).collect(),
            ..Page::default()
        }
    }

    #[test]
    fn list_items_stand_close_and_continuations_keep_their_line() {
        use Label::{Continuation, Header, List, Other, Paragraph};
        let labels = [
            Paragraph,
            List,
            Continuation,
            List,
            Other,
            Continuation,
            Header,
            Paragraph,
            Paragraph,
        ];
        assert_eq!(
            assemble(&page("abcdefghi"), &labels),
            "a\n\nb c\nd f\n\ng\n\nh\n\ni\n"
        );
    }

    #[test]
    fn nothing_kept_is_empty_and_a_lone_continuation_is_text() {
        assert_eq!(assemble(&page("ab"), &[Label::Other; 2]), "");
        assert_eq!(
            assemble(&page("ab"), &[Label::Continuation, Label::Paragraph]),
            "a\n\nb\n"
        );
    }
}
