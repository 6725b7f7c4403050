//! What can go wrong while pages are read and labels are saved.

use std::io;
use std::path::PathBuf;

use gleaner_html::PageError;

/// Why pages cannot be labelled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of pages cannot be opened.
    #[error("could not open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file of pages is none, or cannot be read to its end.
    #[error("could not read {}: {source}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: gleaner_warc::Error,
    },
    /// A file of pages was changed while it was worked on.
    #[error("{} has no page at offset {offset} any more: was it changed? start again", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
        /// Where the page was.
        offset: u64,
    },
    /// There is nothing to label.
    #[error("there is no page to label: the input has no HTML page that a server sent with status 200")]
    NoPages,
    /// The page that was asked for is not there.
    #[error(
        "none of the {pages} pages is {wanted}: give its URL, its record id or its file as they stand there"
    )]
    NoSuchPage {
        /// What was asked for.
        wanted: String,
        /// How many pages there are.
        pages: usize,
    },
    /// Several pages for one annotation file.
    #[error(
        "{} takes the labels of one page, and there are {pages}: name a folder, or choose with --page",
        out.display()
    )]
    ManyPages {
        /// The annotation file.
        out: PathBuf,
        /// How many pages there are.
        pages: usize,
    },
    /// The annotation file is there, of another page.
    #[error("{} has the labels of another page, {of}: name another file, or a folder", path.display())]
    OtherPage {
        /// The annotation file.
        path: PathBuf,
        /// The page that it is of.
        of: String,
    },
    /// The folder for annotation files cannot be made or read.
    #[error("could not use the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// An annotation file cannot be read or written.
    #[error(transparent)]
    Annotation(#[from] gleaner_gold::Error),
    /// Somebody else wrote to an annotation file.
    #[error("{} was changed by another program; ! overwrites it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The model's features are not those of this version.
    #[error("the model cannot be used: {0}")]
    Model(#[from] gleaner_content::Error),
    /// The body of a page cannot be parsed.
    #[error(transparent)]
    Page(#[from] PageError),
}
