//! Errors of reading pages and saving labels.

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
        /// The cause.
        source: io::Error,
    },
    /// A file has no known format, or cannot be read to its end.
    #[error("could not read {}: {source}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: gleaner_warc::Error,
    },
    /// A file of pages was changed during the session.
    #[error("{} has no page at offset {offset} any more: was it changed? start again", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
        /// The offset of the page.
        offset: u64,
    },
    /// There is nothing to label.
    #[error("there is no page to label: the input has no HTML page that a server sent with status 200")]
    NoPages,
    /// The requested page does not exist.
    #[error("no page '{wanted}' among {pages}: give a URL, a record id or a file name")]
    NoSuchPage {
        /// The requested page.
        wanted: String,
        /// Number of pages.
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
        /// Number of pages.
        pages: usize,
    },
    /// The annotation file belongs to another page.
    #[error("{} has the labels of another page, {of}: name another file, or a folder", path.display())]
    OtherPage {
        /// The annotation file.
        path: PathBuf,
        /// The page of the file.
        of: String,
    },
    /// The folder for annotation files cannot be created or read.
    #[error("could not use the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// An annotation file cannot be read or written.
    #[error(transparent)]
    Annotation(#[from] gleaner_gold::Error),
    /// Another program has changed an annotation file.
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
