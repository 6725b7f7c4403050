//! `gleaner serve`: the local service.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::stores::seconds;
use super::{ConventionChoice, ModelChoice, input, size};

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// A corpus to browse, or pages to look at and to label: HTML, WARC and ARC files, folders, patterns, or @LIST files
    #[arg(value_name = "CORPUS|INPUT", value_parser = input())]
    pub(crate) inputs: Vec<String>,

    /// Port of 127.0.0.1; 0 takes any that is free
    #[arg(short, long, value_name = "PORT", default_value_t = 8417)]
    pub(crate) port: u16,

    /// Threads that do the work [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) workers: Option<u16>,

    /// Largest body of a request; a larger one is refused
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size::parse)]
    pub(crate) max_body: u64,

    /// Seconds in which a request has to arrive; a slower client is disconnected
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// Where the archives of the corpus are: files, folders, patterns, URLs
    ///
    /// Pages are read again from them, which gives their HTML and their features. Without it, probabilities, labels and the evidence of
    /// the site are taken from the state of the corpus.
    #[arg(long, value_name = "INPUT", num_args = 1.., value_parser = input())]
    pub(crate) input: Vec<String>,

    /// Folder for annotation files; without it labels are not saved
    #[arg(long, value_name = "FOLDER")]
    pub(crate) annotations: Option<PathBuf>,

    /// Name of the annotator, written to the files [default: the user's name]
    #[arg(long, value_name = "NAME", requires = "annotations")]
    pub(crate) annotator: Option<String>,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    /// Model file for plain texts, if they are not to be labelled by the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) text_model: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) convention: ConventionChoice,
}
