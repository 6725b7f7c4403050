//! `gleaner posts`: posts of blog pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Posts {
    /// HTML files, archives (WARC, ARC, WACZ), folders, patterns, URLs; - is standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Output format; text has a line ==> NAME <== before each page, json has one line per page
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: PostsFormat,

    /// URL of pages that have none; relative links are resolved against it
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// Rule file, or blogbuster for the rules of the paper [default: the built-in rules]
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
}

/// How posts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PostsFormat {
    Text,
    Json,
    Xml,
}
