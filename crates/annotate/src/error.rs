//! Errors of reading pages and saving labels.

use std::io;
use std::path::PathBuf;

use gleaner_html::PageError;

/// Why pages cannot be labelled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of pages cannot be opened.
    #[error("could not open {0}: {1}")]
    Open(PathBuf, #[source] io::Error),
    /// A file has no known format, or cannot be read to its end.
    #[error("could not read {0}: {1}")]
    Archive(PathBuf, #[source] gleaner_warc::Error),
    /// A file of pages was changed during the session.
    #[error("{0} has no page at offset {1} any more: was it changed? start again")]
    Gone(PathBuf, u64),
    /// There is nothing to label.
    #[error("there is no page to label: the input has no HTML page that a server sent with status 200")]
    NoPages,
    /// The requested page does not exist.
    #[error("no page '{0}' among {1}: give a URL, a record id or a file name")]
    NoSuchPage(String, usize),
    /// Several pages for one annotation file.
    #[error("{0} takes the labels of one page, and there are {1}: name a folder, or choose with --page")]
    ManyPages(PathBuf, usize),
    /// The annotation file belongs to another page.
    #[error("{0} has the labels of another page, {1}: name another file, or a folder")]
    OtherPage(PathBuf, String),
    /// The folder for annotation files cannot be created or read.
    #[error("could not use the folder {0}: {1}")]
    Folder(PathBuf, #[source] io::Error),
    /// What is to be the folder for annotation files is none.
    #[error("{0} is {1}: name a folder for annotation files")]
    NoFolder(PathBuf, &'static str),
    /// An annotation file cannot be read, or a line of it is wrong.
    #[error("{0}; repair the file, or move it")]
    Damaged(#[source] gleaner_gold::Error),
    /// What has the name of an annotation file is no file.
    #[error("{0} is a folder or a device, and labels are saved in a file of this name: move it")]
    NoFile(PathBuf),
    /// An annotation file cannot be written.
    #[error(transparent)]
    Save(#[from] gleaner_gold::Error),
    /// Another program has changed an annotation file.
    #[error("{0} was changed by another program; ! overwrites it")]
    Changed(PathBuf),
    /// There is no folder for annotation files.
    #[error("labels are not saved: name a folder for annotation files")]
    ReadOnly,
    /// Not as many decisions as blocks.
    #[error("the page has {0} blocks, and not {1}: give a decision for each block")]
    OtherBlocks(usize, usize),
    /// The model's features are not those of this version.
    #[error("the model cannot be used: {0}")]
    Model(#[from] gleaner_content::Error),
    /// The body of a page cannot be parsed.
    #[error(transparent)]
    Page(#[from] PageError),
}
