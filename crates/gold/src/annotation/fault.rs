//! What can be wrong with a line of an annotation file.

/// Why a line cannot be read, and how to correct it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The first line is another.
    #[error("this is no annotation file: its first line has to be \"gleaner annotations 1\"")]
    NoAnnotations,
    /// The file was written by a later version.
    #[error("format {version} is newer than this program, which reads format 1: update gleaner")]
    Newer {
        /// The format's version.
        version: u64,
    },
    /// A line of the header has no colon.
    #[error(
        "\"{line}\" is no field of the header, such as \"url: http://example.org/\"; an empty line ends the header"
    )]
    Field {
        /// The line.
        line: String,
    },
    /// The offset is no number.
    #[error(
        "the offset \"{offset}\" is no number: give the record's offset in its file, or leave the line out"
    )]
    Offset {
        /// What stands there.
        offset: String,
    },
    /// A line of a block has fewer fields.
    #[error(
        "a block's line has a label, who decided, a tag path and a text, with tabs between them; {fields} of the four are here"
    )]
    Fields {
        /// How many there are.
        fields: usize,
    },
    /// Not a label.
    #[error(
        "there is no label \"{label}\": use header, paragraph, list, continuation or other (or h, p, l, c, o), or undecided"
    )]
    Label {
        /// What stands there.
        label: String,
    },
    /// Not a way to decide.
    #[error("labels are decided by hand, accepted or aligned, not \"{by}\"")]
    By {
        /// What stands there.
        by: String,
    },
    /// An undecided block has the mark of a decision.
    #[error("the block is undecided, but \"{by}\": give its label, or write - for {by}")]
    Undecided {
        /// What stands there.
        by: String,
    },
    /// A backslash before something else than what can be escaped.
    #[error(
        "a \\ is followed by {escape:?}: write \\\\ for the character itself, or \\t, \\n, \\r or \\u{{HEX}}"
    )]
    Escape {
        /// What follows the backslash.
        escape: String,
    },
}
