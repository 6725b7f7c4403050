//! `gleaner posts`: posts of blog pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Posts {
    /// HTML files, archives (WARC, ARC, WACZ), folders, patterns and URLs; standard input where there is none, or for -
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How to print the posts. Text has a line ==> NAME <== before the posts of each page; json is a page a line
    #[arg(short, long, value_enum, default_value = "text")]
    pub(crate) format: PostsFormat,

    /// The address of pages that come without one, against which links are read
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// Rule file; blogbuster for the printed rules of the paper [default: the rules built in]
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
