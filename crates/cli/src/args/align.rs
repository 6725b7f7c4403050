//! Gold sets, and `gleaner align`: gold text beside its pages.

use std::path::PathBuf;

use clap::Args;

/// Pages with gold text: NAME.gold.jsonl beside NAME.warc.gz, or annotation files.
#[derive(Debug, Args)]
pub(crate) struct GoldSets {
    /// Gold files, with the pages in the WARC file of the same name beside each; annotation files
    /// (NAME.anno) or folders of them
    #[arg(required = true, value_name = "GOLD")]
    pub(crate) gold: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Align {
    #[command(flatten)]
    pub(crate) sets: GoldSets,

    /// Only the page with this URL or record id
    #[arg(long, value_name = "URL|ID")]
    pub(crate) page: Option<String>,

    /// Print only the scores of keeping exactly the gold's blocks, and of keeping everything
    #[arg(long)]
    pub(crate) scores: bool,

    /// Instead of printing, write annotation files into this folder, to be corrected by hand with
    /// gleaner annotate; files that are there already are left alone
    #[arg(long, value_name = "FOLDER")]
    pub(crate) annotations: Option<PathBuf>,
}
