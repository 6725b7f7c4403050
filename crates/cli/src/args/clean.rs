//! `gleaner clean`: pages one by one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Decision, ImageStyle, LinkStyle, Method, ModelChoice, ParserChoice, QueryChoice};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CleanFormat {
    /// The kept text
    Text,
    /// The kept text as Markdown: headings, lists, quotations, code, emphasis, tables, formulas
    #[value(alias = "md")]
    Markdown,
    /// The markup of the CleanEval shared task: <h>, <p> and <l>
    Cleaneval,
    /// JSON lines: one line per page with its blocks, labels and confidences
    Json,
    /// The kept text as simple HTML: headings, paragraphs, lists, quotations, tables, preformatted text
    Html,
    /// An HTML page that shows each block with its label, kept or dropped
    View,
}

#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// HTML and .txt files, archives (WARC, ARC, WET, WACZ), folders (without their .txt files), patterns, URLs; - is
    /// standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Output format
    ///
    /// With several pages, text and markdown have a line ==> NAME <== before each, cleaneval a line URL: NAME, and html
    /// and view are one document.
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: CleanFormat,

    /// How links are written in Markdown
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) links: LinkStyle,

    /// How images are written in Markdown
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) images: ImageStyle,

    /// Write each page to its own file in this folder instead of printing it
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// With --out: replace existing files
    #[arg(long, requires = "out")]
    pub(crate) force: bool,

    /// URL of the page, for one page without a URL of its own; features use it
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// Charset or Content-Type of the files, such as windows-1251; with text/plain each line is a block
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,

    /// What separates content from noise
    ///
    /// Plain texts (WET records, .txt files) are labelled with any method by --model if its unit is text, else by the
    /// built-in model `text`.
    #[arg(long, value_enum, default_value = "model")]
    pub(crate) method: Method,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    #[command(flatten)]
    pub(crate) model: ModelChoice,

    #[command(flatten)]
    pub(crate) decision: Decision,

    #[command(flatten)]
    pub(crate) parser: ParserChoice,
}
