//! `gleaner features`: measures of pages as tables.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::QueryChoice;

/// Sets of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColumnSet {
    /// Elements with text: their densities, query evidence, and whether they are noise
    HiddenWeb,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Weka's attribute-relation file
    Arff,
    Parquet,
}

#[derive(Debug, Args)]
pub(crate) struct Features {
    /// Gold files (NAME.gold.jsonl) and folders of annotations or CleanEval's files, whose columns have the class; WARC, ARC
    /// and HTML files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Which columns
    #[arg(long, value_enum, value_name = "SET")]
    pub(crate) set: ColumnSet,

    /// How to write them
    #[arg(short, long, value_enum, default_value = "arff")]
    pub(crate) format: TableFormat,

    /// Write them here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) query: QueryChoice,
}
