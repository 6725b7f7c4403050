//! What can be wrong with pages, gold and jobs.

use std::io;
use std::path::{Path, PathBuf};

/// Why pages cannot be read, trained on or scored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A gold or annotation file cannot be used.
    #[error(transparent)]
    Gold(#[from] gleaner_gold::Error),
    /// A model cannot be trained or used.
    #[error(transparent)]
    Content(#[from] gleaner_content::Error),
    /// The features of a job cannot be used.
    #[error(transparent)]
    Features(#[from] gleaner_features::Error),
    /// Inputs cannot be found or opened.
    #[error(transparent)]
    Store(#[from] gleaner_store::Error),
    /// A file is neither an archive nor a page.
    #[error(transparent)]
    NotPages(gleaner_warc::Error),
    /// An archive cannot be read.
    #[error("could not read {0}: {1}")]
    Archive(String, #[source] gleaner_warc::Error),
    /// A file or folder cannot be read.
    #[error("could not read {0}: {1}")]
    Read(String, #[source] io::Error),
    /// A file cannot be opened.
    #[error("could not open {0}: {1}")]
    Open(String, #[source] io::Error),
    /// A record of an archive is not a page.
    #[error("{}: the record of {} is not a page: {}", .0.display(), .1, .2)]
    Record(PathBuf, String, #[source] gleaner_warc::http::Error),
    /// No annotation file has a label for every block.
    #[error("no page has a label for every block: finish one with gleaner annotate")]
    NoFinishedPage,
    /// Gold files have no page that can be used.
    #[error(
        "{} has no page that can be used: a gold file of a blog needs a page of one post whose whole text is in the feed",
        .0.display()
    )]
    NoPage(PathBuf),
    /// A folder has no gold.
    #[error(
        "the folder {} has neither annotation files (NAME.anno) nor pages with gold texts of the same names \
         (N.html with N.txt or N-cleaned.txt)",
        .0.display()
    )]
    NoGold(PathBuf),
    /// The page of a gold text is an archive.
    #[error("{} is an archive: a gold text is of one page", .0.display())]
    ArchiveForText(PathBuf),
    /// The page of a gold text is none.
    #[error("{} holds no page", .0.display())]
    EmptyFile(PathBuf),
    /// An archive is a pipe or a device.
    #[error("{} is not a regular file: name a file", .0.display())]
    NotAFile(PathBuf),
    /// An archive lacks a page of its gold file: the archive, the address, the gold file.
    #[error("{} has no record for {} of {}: the files do not belong together", .0.display(), .1, .2.display())]
    MissingRecord(PathBuf, String, PathBuf),
    /// Two pages of an archive cannot be distinguished.
    #[error(
        "{} does not distinguish {} from {}: its records have no ids, and it is compressed as one member; \
         compress it record by record",
        .0.display(), .1, .2
    )]
    SamePlace(PathBuf, String, String),
    /// A gold file has an unusable name.
    #[error(
        "{}: a gold file must be called NAME.gold.jsonl, beside NAME.warc.gz; for pages and gold texts in separate \
         files, name the folder",
        .0.display()
    )]
    GoldName(PathBuf),
    /// The archive of a gold file is missing.
    #[error("{}: its pages are missing: put {}.warc.gz beside it", .0.display(), .1)]
    NoArchive(PathBuf, String),
    /// The page of an annotation file is missing: the annotation file, and the file that it names.
    #[error(
        "{}: its page is in {}, which is missing: correct the line \"source:\", or put the file beside it", .0.display(), .1)]
    NoSource(PathBuf, String),
    /// A setting of a job is out of range: its key, its range and its value.
    #[error("{0} must be {1}, not {2}")]
    Setting(&'static str, &'static str, String),
    /// A job has no kinds of pages, or too many.
    #[error("there are {0} kinds of pages: name 1 to {max}", max = gleaner_content::MAX_KINDS)]
    KindCount(usize),
    /// The trees of a job for kinds of pages are out of range.
    #[error("page_kinds.trees are out of range: {0}")]
    Trees(String),
    /// A job has conventions, but no settings for content.
    #[error("[conventions] needs [content]: add that table")]
    ConventionsAlone,
    /// A convention has a name that means something else.
    #[error("conventions.{0} must not be '{1}', which has a meaning of its own: choose another name")]
    ConventionName(String, String),
    /// A job without conventions is to be scored by them.
    #[error("the job has no [conventions]")]
    NoConventions,
    /// A job lacks the convention to score by.
    #[error("the job has no convention '{0}' (it has: {1})")]
    UnknownConvention(String, String),
    /// A name is not one of the kinds of a job.
    #[error("'{0}' is none of page_kinds.kinds")]
    UnknownKind(String),
    /// A pattern of addresses does not compile.
    #[error("the pattern of addresses cannot be used: {0}")]
    Address(#[source] regex::Error),
    /// A line of a gold file has no kind of page.
    #[error("{}, line {}: {}", .0.display(), .1, .2)]
    KindLine(PathBuf, usize, #[source] serde_json::Error),
    /// No page is left for early stopping.
    #[error("no page is held out for early stopping: give [dev] of the job a larger share, or gold files")]
    NothingHeldOut,
    /// Pages cannot be divided into folds.
    #[error("a cross-validation needs at least two pages: one to train on, and one to score")]
    OnePage,
    /// The training was stopped.
    #[error("interrupted: no model was written")]
    Interrupted,
    /// A trained model cannot be read again.
    #[error(
        "the training ended without numbers, and no model was written: l1, l2 or an exponent is too large: {0}"
    )]
    NoNumbers(#[source] gleaner_content::Error),
    /// The card of a model cannot be written.
    #[error("the card cannot be written: {0}")]
    Card(#[from] toml::ser::Error),
}

impl Error {
    /// A file cannot be read.
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let name = path.display().to_string();
        move |error| Error::Read(name, error)
    }
}
