//! What is in a corpus: numbers, and a page that shows them.
//!
//! In: a version of a complete corpus, and recipes. Out: a [`Report`], plain data, and [`html`], the same as one HTML file that loads
//! nothing and runs nothing.
//!
//! # The idea
//!
//! Tables that have a row for each page are read side by side, a row group at a time, by several threads (`pages`); each row group gives
//! sums, which are added up. Other tables are read file by file (`tables`). What a recipe leaves out is counted as an export counts it.
//! The rules of rule sets are tested with the thresholds of the crate curate, which are also drawn.
//!
//! Other crates draw values as a report does: [`scale()`] and [`rule_limits`].
//!
//! # The cost
//!
//! Each column is read once; texts are read only for recipes with rules for lines. Memory holds a few row groups for each worker, and 32
//! bytes for each site.

mod histogram;
mod html;
mod measures;
mod numbers;
mod pages;
mod read;
mod rule_sets;
mod tables;
mod words;

pub use gleaner_export::Error;
pub use histogram::{Bin, Histogram, Line, Scale};
pub use html::{MARK, html};
pub use measures::scale;
pub use numbers::{
    Change, Cluster, Duplicates, Group, NamesChange, Permissions, RecipeFunnel, Reject, Report, Rights,
    RightsSignal, RuleFails, RuleSetFails, Site, Sites, SizeClass, Totals, Year,
};
pub use read::{Request, read};
pub use rule_sets::rule_limits;
