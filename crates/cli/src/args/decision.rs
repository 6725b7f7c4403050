//! Options of the model, for all commands that label pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gleaner_content::Favor;
use gleaner_training::convention;

use super::named;

#[derive(Clone, Debug, Args)]
pub(crate) struct ModelChoice {
    /// Model file, or a built-in model: default (for pages) or text (for plain texts) [default: default]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
}

/// How the model decides.
#[derive(Clone, Debug, Args)]
pub(crate) struct Decision {
    /// What to favor: precision (keep less noise), recall (lose less content) or balanced
    ///
    /// It sets beta of the expected F measure that the kept blocks maximise: 0.5, 2 or 1. recall also keeps pages of a few
    /// words.
    #[arg(
        long,
        value_parser = named::<Favor>(),
        value_name = "SIDE",
        default_value = "balanced",
        hide_possible_values = true
    )]
    pub(crate) favor: Favor,

    /// Use the text in structured data (JSON-LD, state of a framework) when a page keeps fewer than 20 words: fallback or off
    ///
    /// With fallback, such a page gets that text, all its blocks are dropped, and the column text_source names the source.
    /// The column structured_data is filled with either value.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "off",
        hide_possible_values = true
    )]
    pub(crate) structured_data: StructuredData,

    /// Leave the main heading out of the text; else it is the first line, if the page shows its title
    ///
    /// The main heading is the block that shows the title of the page before the main text. The title itself is kept: build
    /// writes it to the column title, clean to the key title of JSON.
    #[arg(long)]
    pub(crate) no_title: bool,
}

/// The convention of a gold set.
#[derive(Debug, Args)]
pub(crate) struct ConventionChoice {
    /// Keep what the annotators of one gold set keep: wcxb, dragnet or cleaneval with the built-in model; auto: the model
    /// predicts it for each page
    ///
    /// Dragnet's gold leaves out comments, CleanEval's keeps nearly all text, WCXB's keeps the main content of a page.
    /// `gleaner model show` lists the conventions of a model. In a cross-validation, gold uses the convention of each page's
    /// own gold set.
    #[arg(long, value_name = "NAME", default_value = convention::AUTO)]
    pub(crate) convention: String,
}

impl ConventionChoice {
    /// The name of the convention to judge by.
    pub(crate) fn name(&self) -> Option<&str> {
        (self.convention != convention::AUTO).then_some(&*self.convention)
    }

    pub(crate) fn suffix(&self) -> String {
        self.name()
            .map_or_else(String::new, |name| format!(", convention {name}"))
    }
}

/// When to use the text of structured data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum StructuredData {
    Fallback,
    Off,
}
