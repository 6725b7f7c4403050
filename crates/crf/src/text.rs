//! The text of kept blocks.

use crate::Label;

/// A block on its way into a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its label.
    pub label: Label,
    /// Whether it is the next line of the preformatted text that the block before stands in.
    pub next_line: bool,
}

/// The text of the blocks that are content: a line a paragraph, header or list item; a
/// continuation joins the line before it; a blank line between paragraphs and around headers, not
/// between the items of a list nor between the lines of preformatted text.
///
/// ```
/// use gleaner_crf::{Label, Piece, assemble};
///
/// let piece = |text, label| Piece { text, label, next_line: false };
/// let blocks =
///     [piece("Title", Label::Header), piece("Some", Label::Paragraph), piece("text", Label::Continuation)];
/// assert_eq!(assemble(blocks), "Title\n\nSome text\n");
/// ```
pub fn assemble<'a>(blocks: impl IntoIterator<Item = Piece<'a>>) -> String {
    let mut text = String::new();
    let mut before = None;
    let mut is_before_kept = false;
    for piece in blocks {
        let is_kept = piece.label.is_content();
        if is_kept {
            text.push_str(match piece.next_line && is_before_kept {
                true => "\n",
                false => separator(before, piece.label),
            });
            text.push_str(piece.text);
            // A continuation is of the kind of what it continues.
            if piece.label != Label::Continuation || before.is_none() {
                before = Some(piece.label);
            }
        }
        is_before_kept = is_kept;
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
        let piece = |(at, &label)| Piece {
            text: &text[at..=at],
            label,
            next_line: text[at..].starts_with('n'),
        };
        assemble(labels.iter().enumerate().map(piece))
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

    #[test]
    fn lines_of_preformatted_text_stay_lines() {
        use Label::{Continuation, Other, Paragraph};
        assert_eq!(
            letters(
                "annbnn",
                &[Paragraph, Continuation, Paragraph, Paragraph, Other, Paragraph]
            ),
            "a\nn\nn\n\nb\n\nn\n"
        );
    }
}
