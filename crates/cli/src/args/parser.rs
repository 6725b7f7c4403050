//! What reads the HTML of pages.

use clap::Args;
use gleaner_html::TreeBuilder;

use super::named;

#[derive(Clone, Debug, Args)]
pub(crate) struct ParserChoice {
    /// HTML parser: gleaner (the one built in) or html5ever (the one of the Servo project)
    ///
    /// Both follow the HTML standard, and pages have the same blocks with both. With html5ever parsing takes several times as
    /// long. It serves to compare the two on a crawl.
    #[arg(
        long,
        value_parser = named::<TreeBuilder>(),
        value_name = "PARSER",
        default_value = "gleaner",
        hide_possible_values = true
    )]
    pub(crate) parser: TreeBuilder,
}
