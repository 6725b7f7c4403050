//! Decision trees by C4.5, and the ARFF files of Weka.
//!
//! In: a [`Table`] of rows with numeric and nominal attributes, one of which is the class; values may be
//! missing. Out: a [`Tree`] that tells the class of a row, can be read by a person, and is saved as TOML.
//!
//! [`train`] is C4.5 (Quinlan 1993) with the corrections of its release 8 (Quinlan 1996), as Weka's J48 does
//! it: of the tests whose information gain is at least average the one with the largest gain ratio; a
//! continuous attribute's gain loses what it costs to name its threshold; rows whose value is missing go
//! down all branches with a part of their weight; the tree is pruned by a pessimistic estimate of its
//! errors, which may also lift a test's largest branch into its place. Ties are broken as J48 breaks them, so
//! that the trees are the same, line by line; the test `weka` compares them where Weka is installed.
//!
//! Training takes `O(n log n)` a level and attribute, and memory of a few words a row and level. Depth is
//! bounded ([`Config::max_depth`]), as is all that is read from files.
//!
//! ```
//! use gleaner_tree::{Config, arff, train};
//!
//! let table = arff::read(
//!     "@relation fruit\n@attribute grams numeric\n@attribute skin {smooth, rough}\n@attribute kind {plum, orange}\n\
//!      @data\n40, smooth, plum\n45, smooth, plum\n180, rough, orange\n160, rough, orange\n",
//! )?;
//! let tree = train(&table, 2, &Config::default())?;
//! assert_eq!(tree.to_string(), "grams <= 45: plum (2.0)\ngrams > 45: orange (2.0)\n");
//! assert_eq!(tree.classify(&[50.0, f64::NAN, f64::NAN]), 1);
//! # Ok::<(), gleaner_tree::Error>(())
//! ```

pub mod arff;
mod counts;
mod error;
mod estimate;
mod grow;
mod prune;
mod sample;
mod save;
mod score;
mod show;
mod split;
mod table;
mod tree;

pub use error::Error;
pub use grow::{Config, train};
pub use sample::split_rows;
pub use score::{ClassScore, Scores};
pub use table::{Attribute, Kind, Table};
pub use tree::Tree;
