//! What can be wrong with a line of an annotation file.

/// Why a line cannot be read, and how to correct it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The first line is another.
    #[error("this is no annotation file: its first line has to be \"gleaner annotations 1\"")]
    NoAnnotations,
    /// The file was written by a later version.
    #[error("format {0} is newer than this program, which reads format 1: update gleaner")]
    Newer(u64),
    /// A line of the header has no colon.
    #[error(
        "\"{0}\" is no field of the header, such as \"url: http://example.org/\"; an empty line ends the header"
    )]
    Field(String),
    /// The offset is no number.
    #[error("the offset \"{0}\" is no number: give the record's offset in its file, or leave the line out")]
    Offset(String),
    /// A line of a block has fewer fields.
    #[error(
        "a block's line has a label, who decided, a tag path and a text, with tabs between them; {0} of the four are here"
    )]
    Fields(usize),
    /// Not a label.
    #[error(
        "there is no label \"{0}\": use header, paragraph, list, continuation or other (or h, p, l, c, o), or undecided"
    )]
    Label(String),
    /// Not a way to decide.
    #[error("labels are decided by hand, accepted or aligned, not \"{0}\"")]
    By(String),
    /// An undecided block has the mark of a decision.
    #[error("the block is undecided, but \"{0}\": give its label, or write - for {0}")]
    Undecided(String),
    /// A backslash before something else than what can be escaped.
    #[error("a \\ is followed by {0:?}: write \\\\ for the character itself, or \\t, \\n, \\r or \\u{{HEX}}")]
    Escape(String),
}
