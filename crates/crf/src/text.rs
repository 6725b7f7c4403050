//! The text of kept blocks.

use crate::Label;

/// The text of the blocks that are content: a line a paragraph, header or list item; a
/// continuation joins the line before it; a blank line between paragraphs and around headers, not
/// between the items of a list.
///
/// ```
/// use gleaner_crf::{Label, assemble};
///
/// let blocks = [("Title", Label::Header), ("Some", Label::Paragraph), ("text", Label::Continuation)];
/// assert_eq!(assemble(blocks), "Title\n\nSome text\n");
/// ```
pub fn assemble<'a>(blocks: impl IntoIterator<Item = (&'a str, Label)>) -> String {
    let mut text = String::new();
    let mut before = None;
    for (block, label) in blocks {
        if !label.is_content() {
            continue;
        }
        text.push_str(separator(before, label));
        text.push_str(block);
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
    use super::*;

    /// The text of blocks of a letter each.
    fn letters(text: &str, labels: &[Label]) -> String {
        let block = |at: usize| &text[at..at + 1];
        assemble((0..text.len()).map(block).zip(labels.iter().copied()))
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
        assert_eq!(letters("abcdefghi", &labels), "a\n\nb c\nd f\n\ng\n\nh\n\ni\n");
    }

    #[test]
    fn nothing_kept_is_empty_and_a_lone_continuation_is_text() {
        assert_eq!(letters("ab", &[Label::Other; 2]), "");
        assert_eq!(
            letters("ab", &[Label::Continuation, Label::Paragraph]),
            "a\n\nb\n"
        );
    }
}
