//! The command line: one definition for parsing and for help.

mod align;
mod annotate;
mod build;
mod change;
mod clean;
mod corpus;
mod crawl;
mod decision;
#[cfg(test)]
mod documented;
mod eval;
mod explain;
mod export;
mod features;
pub(crate) mod job_text;
mod limits;
mod markdown;
mod memory;
mod method;
mod model;
pub(crate) mod nearest;
mod parser;
mod posts;
mod processes;
mod render;
mod report;
mod run;
mod serve;
mod shell;
pub(crate) mod size;
mod stores;
mod templates;
mod train;
mod url_list;
mod watching;
pub(crate) mod whole_number;

use std::error::Error;
use std::str::FromStr;

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use gleaner_training::typed_input;
use strum::VariantNames;

pub(crate) use align::{Align, AlignFormat, GoldSets};
pub(crate) use annotate::{Annotate, Order};
pub(crate) use build::{Build, build_with};
pub(crate) use change::{Add, ChangeOptions, Optout, Relabel, Remove, Restore, Selectors, Takedown};
pub(crate) use clean::{Clean, CleanFormat};
pub(crate) use corpus::{Diff, Files, Log, Undo, Vacuum, Verify};
pub(crate) use crawl::{Crawl, TypedCrawl};
pub(crate) use decision::{ConventionChoice, Decision, ModelChoice, StructuredData};
pub(crate) use eval::{
    Ablate, Eval, EvalAgreement, EvalPosts, EvalSites, EvalTemplates, EvalWhat, Measure, PostPages,
};
pub(crate) use explain::Explain;
pub(crate) use export::Export;
pub(crate) use features::{ColumnSet, Features, TableFormat, VictorSettings};
pub(crate) use limits::{MILLION, PageLimits};
pub(crate) use markdown::{ImageStyle, LinkStyle, markdown_options};
pub(crate) use memory::Memory;
pub(crate) use method::{Method, QueryChoice};
pub(crate) use model::{DiffModels, InspectModel, ShowModel};
pub(crate) use parser::ParserChoice;
pub(crate) use posts::{Posts, PostsFormat};
pub(crate) use processes::Processes;
pub(crate) use render::Render;
pub(crate) use report::Report;
pub(crate) use run::{Run, build_options, by_itself, crawl_options, export_options};
pub(crate) use serve::Serve;
pub(crate) use shell::{Completions, Man};
pub(crate) use stores::Stores;
pub(crate) use templates::{ApplyTemplates, MineTemplates, Over, ShowFormat, ShowTemplates, Templates};
pub(crate) use train::Train;
pub(crate) use url_list::UrlListFile;
pub(crate) use watching::{LogForm, Watching};

/// Turns web crawls into clean, labelled text corpora.
#[derive(Debug, Parser)]
#[command(
    name = "gleaner",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Command {
    #[command(subcommand)]
    pub(crate) action: Action,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Build a corpus: WARC files in, Parquet tables out
    Build(Build),
    /// Build as a job file says; options override it
    Run(Run),
    /// Add archives to a corpus
    Add(Add),
    /// Remove archives, sites or pages from a corpus
    Remove(Remove),
    /// Remove pages for good, from all files and from later archives
    Takedown(Takedown),
    /// Remove the pages that sites keep from crawlers by robots.txt
    Optout(Optout),
    /// Lift a rule of a corpus, and read again what it left out
    Restore(Restore),
    /// Label all pages of a corpus again, with another model or other options
    Relabel(Relabel),
    /// List the files of a table of a corpus
    Files(Files),
    /// Show the versions of a corpus, or what it is made from
    Log(Log),
    /// Compare two versions of a corpus
    Diff(Diff),
    /// Check that the files of a corpus are what was written
    Verify(Verify),
    /// Undo an unfinished change of a corpus
    Undo(Undo),
    /// Delete files of older versions of a corpus
    Vacuum(Vacuum),
    /// Show why the blocks of a page were kept or dropped
    Explain(Explain),
    /// Write the pages of a corpus that a recipe selects, as training data
    Export(Export),
    /// Fetch pages from the web into an archive, politely
    Crawl(TypedCrawl),
    /// Draw pages whose text is made by scripts, in a browser that has only their archive
    Render(Render),
    /// Write what is in a corpus as an HTML page: numbers, histograms, what recipes leave out
    Report(Report),
    /// Serve a web page and an HTTP API on this machine: one page, a corpus, labels
    Serve(Serve),
    /// Print the text of pages in files, folders and archives
    Clean(Clean),
    /// Print the posts of blog pages with their titles and dates
    Posts(Posts),
    /// Train a model on pages with gold text
    Train(Train),
    /// Score a model against gold text
    Eval(Eval),
    /// Write features of pages as a table
    Features(Features),
    /// Label the blocks of pages by hand in the terminal
    Annotate(Annotate),
    /// Align gold text with the blocks of its page
    Align(Align),
    /// Find and remove what the pages of a site repeat
    #[command(subcommand)]
    Templates(Templates),
    /// Show a model, or compare two
    #[command(subcommand)]
    Model(InspectModel),
    /// Print a shell script that completes commands, options and values
    Completions(Completions),
    /// Print the manual page of gleaner or of a command
    Man(Man),
}

/// An input, also of a path that is not UTF-8.
fn input() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|input| typed_input(&input))
}

/// A value of an enumeration of another crate, by its name.
fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantNames + FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}
