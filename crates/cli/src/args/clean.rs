//! `gleaner clean`: pages one by one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Decision, Method, ModelChoice, QueryChoice};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CleanFormat {
    /// The text that is kept
    Text,
    /// The markup of the CleanEval shared task: <h>, <p> and <l>
    Cleaneval,
    /// JSON lines: a line a page, with its blocks, labels and confidences
    Json,
    /// The kept text as simple HTML: headings, paragraphs, lists, quotations, tables, preformatted text
    Html,
    /// A page in HTML that shows what is kept and what is dropped
    View,
}

#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// HTML and .txt files, archives (WARC, ARC, WET, WACZ), folders (without their .txt files), patterns and URLs; standard
    /// input where there is none, or for -
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How to print pages. Of several pages, text has a line ==> NAME <== before each, cleaneval a line URL: NAME, and
    /// html and view are one document
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: CleanFormat,

    /// Write each page to a file of its own in this folder, and print none
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// With --out: replace files that are there
    #[arg(long)]
    pub(crate) force: bool,

    /// The page's address, for the features that look at it. It is for one page; records of archives have their own
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The charset or Content-Type of files, if they came with one. As text/plain each line is a block, as of a WET record
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,

    /// What tells content from noise on pages. Plain texts (WET records, .txt files) are labelled by --model if its unit is
    /// text, else by the built-in model `text`, whatever the method
    #[arg(long, value_enum, default_value = "model")]
    pub(crate) method: Method,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,
}
