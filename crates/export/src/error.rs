//! What can go wrong with an export, in sentences that say the mend.

use std::io;

use parquet::errors::ParquetError;

/// Why pages cannot be selected or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A corpus cannot be read.
    #[error(transparent)]
    Corpus(#[from] gleaner_corpus::Error),
    /// A disk or store failed.
    #[error(transparent)]
    Store(#[from] gleaner_store::Error),
    /// A corpus lacks a table.
    #[error("the corpus in '{folder}' has no table {table}, which the recipe needs: {mend}")]
    NoTable {
        /// The corpus.
        folder: String,
        /// The table.
        table: String,
        /// What to do.
        mend: &'static str,
    },
    /// Two files that stand side by side have other rows.
    #[error("'{0}' and '{1}' are not of the same pages: check the corpus with `gleaner verify`")]
    OtherPages(String, String),
    /// A table has another type than it should.
    #[error("could not read '{0}': its columns are not those of the table")]
    OtherColumns(String),
    /// The corpus has no Markdown.
    #[error("the page {0} has no Markdown: build the corpus with --markdown, or use --format text")]
    NoMarkdown(String),
    /// Rules for lines change the text, not the Markdown.
    #[error(
        "the recipe leaves out lines of texts, and the format markdown writes no texts: use --format text"
    )]
    LinesOfMarkdown,
    /// The output has other files.
    #[error("'{0}' holds other files, such as '{1}': choose an empty folder")]
    Foreign(String, String),
    /// The output has another export.
    #[error("'{0}' holds another export ({1}): choose another folder")]
    Other(String, String),
    /// The output has this export.
    #[error("'{0}' holds this export already, complete: there is nothing to do")]
    Complete(String),
    /// A file of an interrupted export is not there any more.
    #[error("'{0}' is not as this export wrote it: delete the folder, and run the command again")]
    Changed(String),
    /// The user interrupted it.
    #[error("interrupted: run the same command again to continue")]
    Interrupted,
    /// A file cannot be written.
    #[error("could not write '{0}': {1}")]
    Write(String, #[source] io::Error),
    /// A Parquet file cannot be written.
    #[error("could not write '{0}': {1}")]
    Parquet(String, #[source] ParquetError),
    /// A temporary file fails.
    #[error("could not use a temporary file of the export: {0}")]
    Scratch(#[source] io::Error),
}
