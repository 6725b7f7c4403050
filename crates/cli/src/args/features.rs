//! `gleaner features`: features of pages as tables.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::QueryChoice;

/// A set of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColumnSet {
    /// Elements with text: densities, query evidence, class
    HiddenWeb,
    /// Blocks: the 46 features of the Victor thesis as codes, label
    Victor,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Weka's attribute-relation file
    Arff,
    Parquet,
    /// Columns for CRF++ and CRFsuite (--set victor): one line per block, an empty line after each page
    Crf,
}

/// Where the settings of the Victor features are from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct VictorSettings {
    /// With --set victor: take the settings of the features from this training job [default: jobs/train-victor46.toml]
    ///
    /// The settings define the blocks and the steps that turn values into codes.
    #[arg(long, value_name = "JOB.toml")]
    pub(crate) job: Option<PathBuf>,

    /// With --set victor: take the settings of the features from this model, such as models/victor46.gcrf
    #[arg(short, long, value_name = "FILE", conflicts_with = "job")]
    pub(crate) model: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Features {
    /// Gold files (NAME.gold.jsonl), annotations, CleanEval folders, or WARC, ARC and HTML files (rows without label)
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Columns to write
    #[arg(long, value_enum, value_name = "SET")]
    pub(crate) set: ColumnSet,

    /// Output format
    #[arg(short, long, value_enum, default_value = "arff")]
    pub(crate) format: TableFormat,

    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    #[command(flatten)]
    pub(crate) victor: VictorSettings,
}
