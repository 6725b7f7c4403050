//! Gold sets, and `gleaner align`: gold text beside its pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Pages with gold text: NAME.gold.jsonl beside NAME.warc.gz, annotation files, or CleanEval's folders.
#[derive(Debug, Args)]
pub(crate) struct GoldSets {
    /// Gold files (NAME.gold.jsonl beside NAME.warc.gz), annotation files (NAME.anno) or folders of them, or CleanEval
    /// folders (N.html with N.txt or N-cleaned.txt)
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,
}

/// How labels are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignFormat {
    /// One line per block: its label and its text
    List,
    /// The kept text with CleanEval's <h>, <p> and <l>
    Cleaneval,
}

#[derive(Debug, Args)]
pub(crate) struct Align {
    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Only the page with this URL or record id
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// Output format
    #[arg(short, long, value_enum, default_value = "list", conflicts_with = "scores")]
    pub(crate) format: AlignFormat,

    /// With --format cleaneval: write one file NAME.txt per page into this folder
    #[arg(short, long, value_name = "FOLDER", conflicts_with_all = ["scores", "annotations"])]
    pub(crate) out: Option<PathBuf>,

    /// Print only two scores: of keeping exactly the gold blocks, and of keeping everything
    #[arg(long)]
    pub(crate) scores: bool,

    /// Write annotation files into this folder, to be corrected with `gleaner annotate`; existing files are kept
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scores", "format"])]
    pub(crate) annotations: Option<PathBuf>,
}
