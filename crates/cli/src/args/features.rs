//! `gleaner features`: measures of pages as tables.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::QueryChoice;

/// Sets of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColumnSet {
    /// Elements with text: their densities, query evidence, and whether they are noise
    HiddenWeb,
    /// Blocks: the 46 features of the Victor thesis as codes, and their labels
    Victor,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Weka's attribute-relation file
    Arff,
    Parquet,
    /// Columns for CRF++ and CRFsuite, of --set victor: a block a line, an empty line after each page
    Crf,
}

/// Where the settings of the Victor features are from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct VictorSettings {
    /// Take the settings of the features from this job file for training [default: those of jobs/train-victor46.toml]
    ///
    /// They say what a block is, and in which steps values become codes. With --set victor.
    #[arg(long, value_name = "JOB.toml")]
    pub(crate) job: Option<PathBuf>,

    /// Take the settings of the features from this model, as models/victor46.gcrf
    ///
    /// The codes are those that the model reads. With --set victor.
    #[arg(short, long, value_name = "FILE", conflicts_with = "job")]
    pub(crate) model: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Features {
    /// Gold files (NAME.gold.jsonl) and folders of annotations or CleanEval's files, whose rows have the class or label; WARC,
    /// ARC and HTML files
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

    #[command(flatten)]
    pub(crate) victor: VictorSettings,
}
