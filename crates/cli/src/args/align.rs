//! Gold sets, and `gleaner align`: gold text beside its pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Pages with gold text: NAME.gold.jsonl beside NAME.warc.gz, annotation files, or CleanEval's folders.
#[derive(Debug, Args)]
pub(crate) struct GoldSets {
    /// Gold files, with the pages in the WARC file of the same name beside each; annotation files
    /// (NAME.anno) or folders of them; folders of pages and their gold texts (N.html with N.txt or
    /// N-cleaned.txt), as CleanEval has them
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,
}

/// How labels are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignFormat {
    /// A block a line, behind its label
    List,
    /// The text that is kept, with CleanEval's <h>, <p> and <l>
    Cleaneval,
}

#[derive(Debug, Args)]
pub(crate) struct Align {
    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Only the page with this URL or record id
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// How to print the labels of a page
    #[arg(short, long, value_enum, default_value = "list", conflicts_with = "scores")]
    pub(crate) format: AlignFormat,

    /// With --format cleaneval: write a file NAME.txt for each page into this folder
    #[arg(short, long, value_name = "FOLDER", conflicts_with_all = ["scores", "annotations"])]
    pub(crate) out: Option<PathBuf>,

    /// Print only the scores of keeping exactly the gold's blocks, and of keeping everything
    #[arg(long)]
    pub(crate) scores: bool,

    /// Instead of printing, write annotation files into this folder, to be corrected by hand with
    /// gleaner annotate; files that are there already are left alone
    #[arg(long, value_name = "FOLDER", conflicts_with = "scores")]
    pub(crate) annotations: Option<PathBuf>,
}
