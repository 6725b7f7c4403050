//! What can be wrong with a gold file.

use std::io;
use std::path::PathBuf;

use crate::annotation::Fault;

/// Why a gold file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("could not read the gold file {0}: {1}")]
    Read(PathBuf, #[source] io::Error),
    /// A line is not a gold page.
    #[error(
        "{}, line {line}: {source}; a gold file has a JSON object a line with record_id, url and text",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line is not a page with the posts of a feed.
    #[error("{}, line {line}: no page with posts: {source}", path.display())]
    FeedLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The file has no page.
    #[error("the gold file {0} has no page: is it the right file?")]
    Empty(PathBuf),
    /// A folder of pages and gold texts cannot be read.
    #[error("could not read the folder {0}: {1}")]
    Folder(PathBuf, #[source] io::Error),
    /// In a folder there are two pages, or two gold texts, of a name.
    #[error(
        "{} and {} are both for the name {name}: leave one, or name the folders one by one",
        one.display(), other.display()
    )]
    SameName {
        /// What both are called.
        name: String,
        /// The one.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// An annotation file cannot be opened or read.
    #[error("could not read the annotation file {0}: {1}")]
    Annotations(PathBuf, #[source] io::Error),
    /// A line of an annotation file is not as it should be.
    #[error("{}, line {line}: {fault}", path.display())]
    AnnotationLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// An annotation file cannot be written.
    #[error("could not save {0}: {1}")]
    Save(PathBuf, #[source] io::Error),
}
