//! The text of kept blocks.

use gleaner_page::{Joint, Tabs};

use gleaner_content::Label;

/// A block on its way into a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Its text as it is to be written: of preformatted text lines, of which the last may be empty.
    pub text: &'a str,
    /// Its label.
    pub label: Label,
    /// How it hangs together with the block before, if that is kept too.
    pub joint: Joint,
    /// What keeps it in the column of its cell.
    pub tabs: Tabs,
}

impl Piece<'_> {
    /// The same without the empty lines behind it.
    pub fn without_empty_lines(self) -> Self {
        Piece {
            text: self.text.trim_end_matches('\n'),
            ..self
        }
    }
}

/// Follows the blocks of a page, to find which kept ones stand in one line.
#[derive(Debug, Default)]
pub struct Lines {
    /// How the line hangs together with the one before it, if of that something is kept.
    joint: Joint,
    /// Something of the line is kept.
    has_kept: bool,
    /// The last block is kept.
    is_before_kept: bool,
}

/// Where a block stands in the text of those that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePlace {
    /// Nowhere: it is not kept.
    Dropped,
    /// It is the first of its line, which hangs together so with the line before. Where it continues a text of its line that
    /// is dropped, it begins a paragraph.
    Begins(Joint, Label),
    /// It continues a line, after this white space: that of the page, or a space for what is dropped between.
    Continues(&'static str),
}

impl Lines {
    /// Where the next block stands.
    pub fn place(&mut self, label: Label, joint: Joint) -> LinePlace {
        let is_kept = label.is_content();
        let is_after_kept = std::mem::replace(&mut self.is_before_kept, is_kept);
        let within_line = joint.within_line();
        if within_line.is_none() {
            self.joint = if self.has_kept { joint } else { Joint::Apart };
            self.has_kept = false;
        }
        if !is_kept {
            return LinePlace::Dropped;
        }
        match std::mem::replace(&mut self.has_kept, true) {
            false if within_line.is_some() && label == Label::Continuation => {
                LinePlace::Begins(self.joint, Label::Paragraph)
            }
            false => LinePlace::Begins(self.joint, label),
            true => LinePlace::Continues(within_line.filter(|_| is_after_kept).unwrap_or(" ")),
        }
    }
}

/// The text of the blocks that are content: a line a paragraph, header, list item or row of a table; a
/// continuation joins the line before it, unless a `<br>` is between them that breaks neither a sentence nor a header;
/// tabs between the cells of a row, one more for each cell that is empty or spanned, and a space between the lines of a cell; a blank line between paragraphs and around
/// headers, not between the items of a list, the rows of a table, nor where a `<br>` breaks a paragraph; between the
/// lines of preformatted text as many as there are. Blocks of one line of the page are one line, whatever their labels.
///
/// ```
/// use gleaner_content::Label;
/// use gleaner_document::{Piece, assemble};
/// use gleaner_page::{Joint, Tabs};
///
/// let piece = |text, label| Piece { text, label, joint: Joint::Apart, tabs: Tabs::default() };
/// let blocks =
///     [piece("Title", Label::Header), piece("Some", Label::Paragraph), piece("text", Label::Continuation)];
/// assert_eq!(assemble(blocks), "Title\n\nSome text\n");
/// ```
pub fn assemble<'a>(blocks: impl IntoIterator<Item = Piece<'a>>) -> String {
    let mut text = String::new();
    let mut before = None;
    let mut lines = Lines::default();
    for piece in blocks {
        match lines.place(piece.label, piece.joint) {
            LinePlace::Dropped => continue,
            LinePlace::Continues(white) => {
                text.push_str(white);
                text.push_str(piece.text);
            }
            LinePlace::Begins(joint, label) => {
                if joint != Joint::Line {
                    trim_lines(&mut text);
                }
                text.push_str(match joint {
                    Joint::Line => "\n",
                    Joint::Cell => "\t",
                    Joint::Within => " ",
                    Joint::Break => line_break(&text, before, Piece { label, ..piece }),
                    Joint::Apart | Joint::Glued | Joint::Spaced => separator(before, label),
                });
                push_tabs(&mut text, piece.tabs.before);
                text.push_str(piece.text);
                // A continuation is of the kind of what it continues.
                if label != Label::Continuation || before.is_none() {
                    before = Some(label);
                }
            }
        }
        push_tabs(&mut text, piece.tabs.after);
    }
    trim_lines(&mut text);
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn push_tabs(text: &mut String, tabs: u8) {
    text.extend(std::iter::repeat_n('\t', tabs.into()));
}

/// Takes empty lines off the end.
fn trim_lines(text: &mut String) {
    text.truncate(text.trim_end_matches('\n').len());
}

/// What stands for a `<br>` between a block and the content before it.
fn line_break(text: &str, before: Option<Label>, piece: Piece<'_>) -> &'static str {
    let is_header = before == Some(Label::Header);
    match piece.label {
        Label::Continuation if is_header || breaks_sentence(text, piece.text) => " ",
        Label::Continuation => "\n",
        label if is_header != (label == Label::Header) => "\n\n",
        _ => "\n",
    }
}

/// Whether a line ends in the middle of a sentence: nothing ends it, and the next one begins with a small letter.
pub(crate) fn breaks_sentence(before: &str, after: &str) -> bool {
    let may_continue = before.ends_with(|letter: char| letter.is_alphanumeric() || letter == ',');
    may_continue && after.starts_with(char::is_lowercase)
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

    /// The text of blocks of a letter each: `n` is a next line, `c` a next cell, `w` a next line in a cell.
    fn letters(text: &str, labels: &[Label]) -> String {
        let piece = |(at, &label)| Piece {
            text: &text[at..=at],
            label,
            joint: match text.as_bytes()[at] {
                b'n' => Joint::Line,
                b'c' => Joint::Cell,
                b'w' => Joint::Within,
                b'0' => Joint::Glued,
                b'1' => Joint::Spaced,
                _ => Joint::Apart,
            },
            tabs: Tabs::default(),
        };
        assemble(labels.iter().enumerate().map(piece))
    }

    #[test]
    fn blocks_of_a_line_are_a_line_whatever_their_labels() {
        use Label::{Continuation, Header, List, Other, Paragraph};
        assert_eq!(
            letters("a010", &[Paragraph, Header, List, Continuation]),
            "a0 10\n"
        );
        // The line is of the kind that it begins with.
        assert_eq!(letters("a1b1", &[List, Paragraph, List, Other]), "a 1\nb\n");
        // What is dropped within a line leaves a space.
        assert_eq!(letters("a00", &[Paragraph, Other, Paragraph]), "a 0\n");
        assert_eq!(letters("a11", &[Paragraph, Other, Continuation]), "a 1\n");
        // What continues a text that is dropped does not continue the line before.
        assert_eq!(letters("ab1", &[Paragraph, Other, Continuation]), "a\n\n1\n");
    }

    #[test]
    fn a_line_whose_beginning_is_dropped_stands_where_the_line_does() {
        use Label::{Other, Paragraph};
        assert_eq!(
            letters("ac0c1", &[Paragraph, Other, Paragraph, Paragraph, Other]),
            "a\t0\tc\n"
        );
        assert_eq!(letters("a1c", &[Other, Paragraph, Paragraph]), "1\tc\n");
        assert_eq!(letters("a1c", &[Paragraph, Other, Paragraph]), "a\tc\n");
        assert_eq!(letters("ac0c", &[Paragraph, Other, Other, Paragraph]), "a\n\nc\n");
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
        assert_eq!(letters("abkdefghi", &labels), "a\n\nb k\nd f\n\ng\n\nh\n\ni\n");
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
    fn lines_of_a_paragraph_stay_lines_where_no_sentence_continues() {
        use Label::{Continuation, Header, List, Other, Paragraph};
        let broken = |lines: &[(&'static str, Label)]| {
            let piece = |&(text, label)| Piece {
                text,
                label,
                joint: Joint::Break,
                tabs: Tabs::default(),
            };
            assemble(lines.iter().map(piece))
        };
        let (big, small, dot) = ("Big letters", "small letters", "It ends.");
        let continued = [(big, Paragraph), (small, Continuation), (big, Continuation)];
        assert_eq!(broken(&continued), "Big letters small letters\nBig letters\n");
        assert_eq!(
            broken(&[(dot, Paragraph), (small, Continuation)]),
            "It ends.\nsmall letters\n"
        );
        assert_eq!(
            broken(&[(big, Paragraph), (small, Paragraph)]),
            "Big letters\nsmall letters\n"
        );
        assert_eq!(
            broken(&[(big, List), (small, List)]),
            "Big letters\nsmall letters\n"
        );
        assert_eq!(
            broken(&[(big, Header), (big, Continuation), (big, Header)]),
            "Big letters Big letters\nBig letters\n"
        );
        assert_eq!(
            broken(&[(big, Header), (small, Paragraph)]),
            "Big letters\n\nsmall letters\n"
        );
        assert_eq!(
            broken(&[(big, Paragraph), (big, Header)]),
            "Big letters\n\nBig letters\n"
        );
        assert_eq!(
            broken(&[(big, Paragraph), (big, Other), (big, Paragraph)]),
            "Big letters\n\nBig letters\n"
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

    #[test]
    fn empty_lines_stand_between_lines_of_preformatted_text_only() {
        let tabs = Tabs::default();
        let piece = |text, joint, label| Piece {
            text,
            label,
            joint,
            tabs,
        };
        let blocks = [
            piece("a\n\n", Joint::Apart, Label::Paragraph),
            piece("  b\n}\n", Joint::Line, Label::Continuation),
            piece("noise", Joint::Line, Label::Other),
            piece("c\n", Joint::Line, Label::Paragraph),
            piece("d\n", Joint::Cell, Label::Paragraph),
        ];
        assert_eq!(assemble(blocks), "a\n\n\n  b\n}\n\nc\td\n");
    }

    #[test]
    fn cells_stand_in_rows_whatever_their_labels() {
        use Label::{Continuation, Header, List, Other, Paragraph};
        let labels = [Header, Header, List, Continuation, Paragraph, Other, Paragraph];
        assert_eq!(letters("acncncc", &labels), "a\tc\nn\tc\nn\n\nc\n");
    }

    #[test]
    fn tabs_stand_for_cells_without_text() {
        let piece = |text, joint, [before, after]: [u8; 2]| Piece {
            text,
            label: Label::Paragraph,
            joint,
            tabs: Tabs { before, after },
        };
        let blocks = [
            piece("a", Joint::Apart, [1, 0]),
            piece("b", Joint::Cell, [1, 0]),
            piece("c", Joint::Glued, [0, 2]),
            piece("d", Joint::Line, [0, 4]),
        ];
        assert_eq!(assemble(blocks), "\ta\t\tbc\t\t\nd\t\t\t\t\n");
    }

    #[test]
    fn lines_of_a_cell_are_one_line() {
        use Label::{Header, List, Other, Paragraph};
        let labels = [Header, Paragraph, Paragraph, List, List, Other, List];
        assert_eq!(letters("awcwnww", &labels), "a w\tc w\nn\nw\n");
    }
}
