//! The model, and how it decides: shared by what labels pages.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ModelChoice {
    /// Model file, or the name of one that is built in: default (of pages) or text (of plain texts) [default: default]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
}

/// How the model decides.
#[derive(Debug, Args)]
pub(crate) struct Decision {
    /// Which mistake is worse: noise that is kept (precision), content that is lost (recall), or
    /// neither (balanced)
    ///
    /// Precision halves the weight of recall in the F measure that the model's choice of blocks
    /// maximises (beta 0.5), recall doubles it (beta 2) and keeps pages of a few words, too. Of the
    /// words that the built-in model keeps of a page of wcxb-dev, from which it learned, 95%, 93%
    /// and 88% are content (precision, balanced, recall); of the content 92%, 96% and 97% is kept.
    #[arg(
        long,
        value_enum,
        value_name = "SIDE",
        default_value = "balanced",
        hide_possible_values = true
    )]
    pub(crate) favor: Side,

    /// Where (nearly) nothing of a page is kept, take the text of its structured data (JSON-LD, the state
    /// of a framework), if that has one: fallback or off
    ///
    /// A page may be drawn by its scripts: an empty page, and a product's description or a list's items
    /// in JSON. With fallback, a page of which fewer than 20 words are kept gets that text; its blocks
    /// are all dropped then, and the column text_source says where the text is from. Off by default,
    /// because gold made from what is visible has no such texts: on wcxb-dev it is one page of 1,497,
    /// whose gold is empty (word F1 0.9378 off, 0.9371 fallback; the same on dragnet-dev, cleaneval-dev
    /// and portals-dev). The column structured_data tells of such texts in any case.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "off",
        hide_possible_values = true
    )]
    pub(crate) structured_data: StructuredData,
}

/// What counts as content.
#[derive(Debug, Args)]
pub(crate) struct ConventionChoice {
    /// Take for content what the annotators of a gold set did: wcxb, dragnet or cleaneval, for the built-in model; auto:
    /// what most probably suits the page
    ///
    /// Gold sets differ in what they keep. Dragnet's are articles and posts without the comments under them, CleanEval's
    /// pages of 2007 with nearly all that is text, comments too, and WCXB's modern pages of all kinds with what each
    /// is there for. With auto the model tells which of them a page is most like. `gleaner model show` names
    /// the conventions of a model; those of a model of your own are in the job that trains it ([conventions]). In
    /// a cross-validation (eval) each page may be judged as its own gold was made: gold.
    #[arg(long, value_name = "NAME", default_value = convention::AUTO)]
    pub(crate) convention: String,
}

/// Names that say which convention is meant.
pub(crate) mod convention {
    /// None: the model tells what suits the page.
    pub(crate) const AUTO: &str = "auto";
    /// In a cross-validation: of each page that of its own gold file, as the training's job has it.
    pub(crate) const GOLD: &str = "gold";
}

impl ConventionChoice {
    /// The name of the convention to judge by.
    pub(crate) fn name(&self) -> Option<&str> {
        (self.convention != convention::AUTO).then_some(&*self.convention)
    }

    /// What is said behind a model that judges by it.
    pub(crate) fn suffix(&self) -> String {
        self.name()
            .map_or_else(String::new, |name| format!(", convention {name}"))
    }
}

/// When the text of structured data is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StructuredData {
    Fallback,
    Off,
}

impl StructuredData {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StructuredData::Fallback => "fallback",
            StructuredData::Off => "off",
        }
    }
}

/// Which mistake is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    Precision,
    Recall,
    Balanced,
}

impl Side {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Precision => "precision",
            Side::Recall => "recall",
            Side::Balanced => "balanced",
        }
    }
}
