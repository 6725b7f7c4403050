//! Builds and corpora for programs that call them: what the Python package stands on. Nothing is printed, no signal is
//! listened for, and all options are those of the command, from its one definition.
//!
//! Sentences are the command's, with the names of options as Python writes them.

mod corpus;
mod export;
mod failed;
mod job;
mod names;
mod options;

pub use self::corpus::{CorpusCheck, files};
pub use self::export::ExportJob;
pub use self::failed::{Failed, FailedKind};
pub use self::job::{BuildStatus, BuildWatch, Built};
pub use self::options::{BuildJob, OptionFault, OptionInfo, OptionKind, Value, build_options};
