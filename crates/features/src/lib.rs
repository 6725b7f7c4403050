//! From text blocks to quantised feature columns.
//!
//! In: a page of `gleaner-page` and a [`FeatureConfig`]. Out: [`Columns`](gleaner_columns::Columns), a small integer a
//! feature a block, which is all that the labeller sees.
//!
//! A feature is a row of a catalogue: a name, a module that a configuration switches on or off,
//! and a function of what was measured on the page. Measuring is one pass over the characters of
//! each block and a few over the elements; then each column is filled and quantised at once.
//!
//! It takes a sixth less time than the parse of the page with all modules on (example `speed`:
//! pages of 278 KB and 316 blocks), and memory that is kept from page to page: a few hundred bytes an element and a
//! block.
//!
//! A word is a run of letters, numerals and underscores, as the scorers of the field count (see
//! [`words`]): Chinese and Thai, which have no spaces, have long words, as long as a phrase.
//!
//! ```
//! use gleaner_columns::Columns;
//! use gleaner_features::{Extractor, FeatureConfig};
//! use gleaner_page::Page;
//!
//! let config = FeatureConfig::victor();
//! assert_eq!(config.columns().len(), 46);
//! let mut extractor = Extractor::new(config)?;
//! let mut columns = Columns::default();
//! extractor.extract(&Page::default(), "http://example.org/", &mut columns);
//! assert_eq!((columns.rows(), columns.columns()), (0, 46));
//! # Ok::<(), gleaner_features::Error>(())
//! ```

#![doc = concat!("\n", include_str!("../FEATURES.md"))]

mod alternatives;
mod captions;
mod catalogue;
mod chars;
mod config;
mod eights;
mod error;
mod expressions;
mod extract;
mod facts;
mod keywords;
mod meaning;
mod module;
mod page_cues;
mod preformatted;
mod query;
mod regexps;
mod word_lists;
mod words;

pub use catalogue::feature_table;
pub use chars::{unspaced_letters, unspaced_words, word_count, words};
pub use config::{FeatureConfig, Sentences};
pub use error::Error;
pub use expressions::{Among, Expressions, Regexps};
pub use extract::Extractor;
pub use keywords::KeywordGroup;
pub use module::Module;
pub use page_cues::{MOST as MOST_CUE, PageCues};
pub use query::{Query, QueryEvidence, form_page_config, form_terms};
