//! Training data from a corpus: a recipe says which pages, an export writes them.
//!
//! In: a complete corpus and a [`Recipe`], an ordered list of filters over the columns of its tables, with rules for lines, masks, a
//! sample and an order. Out: JSON lines, Parquet, Markdown or text, in files of about one size, beside a manifest; and the
//! [`Funnel`], what each filter left out. [`sql`] is the same selection as a query.
//!
//! # The idea
//!
//! Tables of pages have their rows in one order: `documents`, `signals` and `captures` are read side by side, a row group of documents at
//! a time. First the columns that filters test, then texts, and only of row groups in which a page is selected. Other tables
//! (`duplicates`, and tables with several rows for a page) are read once, at the beginning: the ids of the pages are kept whose
//! outcome differs from that of a page without rows.
//!
//! **The files depend on the corpus and the request alone**, not on the number of workers or on interruptions: shards are cut by bytes
//! before compression, samples and orders follow from digests of ids.
//!
//! # The cost
//!
//! Most of the time is that of texts: reading, rules for lines, compression. Memory holds a few row groups for each worker, 8 bytes for
//! each page of a set, 16 bytes for each repeated line that is left out, and with limits by language 16 bytes for each page that is taken.
//! Shuffled pages wait in temporary files.
//!
//! ```
//! use gleaner_export::Recipe;
//!
//! let recipe = Recipe::parse(
//!     "[[filter]]\ncolumn = 'language_probability'\nmin = { default = 0.5, deu = 0.7 }\n\n[sample]\nfraction = 0.1",
//! )?;
//! assert_eq!(recipe.filters[0].name, "language_probability: at least the limit of the language");
//! let error = Recipe::parse("[[filter]]\ncolumn = 'signals.gofer'\nis_null = true").unwrap_err();
//! assert_eq!(error.to_string(), "unknown column `signals.gofer`");
//! # Ok::<(), gleaner_export::BadRecipe>(())
//! ```

mod error;
mod export;
mod format;
mod funnel;
mod in_order;
mod page_set;
mod pages;
mod recipe;
mod sample;
mod selection;
mod shards;
mod shuffle;
mod sql;
mod texts;
mod value;
mod work;

pub use error::Error;
pub use export::{Manifest, Request, count, export, inspect};
pub use format::{BadFormat, Compression, Fields, Format};
pub use funnel::{Count, Funnel, FunnelStep};
pub use in_order::in_order;
pub use pages::{PageColumns, PageFiles, Piece, Position};
pub use recipe::{
    BadRecipe, Column, Condition, Filter, Limit, Lines, Personal, PersonalAction, PersonalKind, Recipe,
    Sample, Test, is_side_by_side, schema,
};
pub use selection::Selection;
pub use shards::ShardFile;
pub use sql::{Dialect, sql};
pub use value::{Kind, Value};
pub use work::Work;
