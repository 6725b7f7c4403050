//! From text blocks to quantised feature columns.
//!
//! In: a page of `gleaner-page` and a [`FeatureConfig`]. Out: [`Columns`], a small integer a
//! feature a block, which is all that the labeller sees.
//!
//! ```
//! use gleaner_features::{Columns, Extractor, FeatureConfig};
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

mod catalogue;
mod chars;
mod columns;
mod config;
mod error;
mod extract;
mod facts;
mod regexps;

pub use catalogue::feature_table;
pub use chars::words;
pub use columns::{BUCKETS, Columns};
pub use config::{Among, ColumnInfo, Expressions, FeatureConfig, Module, Regexps, Sentences};
pub use error::Error;
pub use extract::Extractor;
