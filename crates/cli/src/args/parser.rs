//! What reads the HTML of pages.

use clap::{Args, ValueEnum};
use gleaner_html::TreeBuilder;

#[derive(Debug, Args)]
pub(crate) struct ParserChoice {
    /// HTML parser: gleaner (the one built in) or html5ever (the one of the Servo project)
    ///
    /// Both follow the HTML standard, and pages have the same blocks with both. With html5ever parsing takes several times as
    /// long. It serves to compare the two on a crawl.
    #[arg(
        long,
        value_enum,
        value_name = "PARSER",
        default_value = "gleaner",
        hide_possible_values = true
    )]
    pub(crate) parser: HtmlParser,
}

/// An HTML parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HtmlParser {
    Gleaner,
    Html5ever,
}

impl HtmlParser {
    /// What builds the trees of pages.
    pub(crate) fn tree_builder(self) -> TreeBuilder {
        match self {
            HtmlParser::Gleaner => TreeBuilder::Gleaner,
            HtmlParser::Html5ever => TreeBuilder::Html5ever,
        }
    }
}
