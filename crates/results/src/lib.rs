//! Content of result pages of the hidden web, by decision trees and by text density.
//!
//! In: a page of `gleaner-page`, and the terms of a search. Out: a label for each block.
//!
//! # Parts
//!
//! - [`Densities`]: the text density of each element, and the extractor that is built on it (Sun, Song and Liao 2011;
//!   Lutz and Heuser 2013, section 2).
//! - [`element_rows`]: the columns of Lutz and Heuser for each element that holds text: two densities, two measures of
//!   the terms of a search ([`gleaner_features::Query`]), and the distance to `<body>`.
//! - [`SiteTerms`]: which terms count for which site.
//! - [`train`] and [`Tree`]: decision trees by C4.5 over a [`Table`] with numeric and nominal attributes, one of
//!   which is the class; values may be missing. A tree is printed for people and saved as TOML.
//! - [`TreeJudge`]: a tree over the columns of elements, applied to the blocks of a page.
//! - [`arff`]: tables as files of Weka.
//!
//! # Trees
//!
//! [`train`] is C4.5 (Quinlan 1993) with the corrections of its release 8 (Quinlan 1996), as Weka's J48 implements it.
//! Among the tests with at least the average information gain it takes the one with the largest gain ratio. The gain of
//! a numeric attribute is reduced by the cost of coding its threshold. A row with a missing value goes down all
//! branches, with a part of its weight in each. The tree is pruned by a pessimistic estimate of its errors; pruning may
//! also replace a test by its largest branch. Ties are broken as in J48, so that the trees are the same line by line;
//! the test `weka` compares them where Weka is installed.
//!
//! Training takes `O(n log n)` a level and attribute, and memory of a few words a row and level. The depth is
//! bounded ([`Config::max_depth`]), as is everything that is read from files.
//!
//! ```
//! use gleaner_results::{Config, arff, train};
//!
//! let table = arff::read(
//!     "@relation fruit\n@attribute grams numeric\n@attribute skin {smooth, rough}\n@attribute kind {plum, orange}\n\
//!      @data\n40, smooth, plum\n45, smooth, plum\n180, rough, orange\n160, rough, orange\n",
//! )?;
//! let tree = train(&table, 2, &Config::default())?;
//! assert_eq!(tree.to_string(), "grams <= 45: plum (2.0)\ngrams > 45: orange (2.0)\n");
//! assert_eq!(tree.classify(&[50.0, f64::NAN, f64::NAN]), 1);
//! # Ok::<(), gleaner_results::Error>(())
//! ```

pub mod arff;
mod c45;
mod density;
mod elements;
mod error;
mod labels;
mod site_terms;
mod tree_judge;

pub use c45::{Attribute, ClassScore, Config, Kind, Scores, Table, Tree, split_rows, train};
pub use density::{Densities, ElementDensity, composite_density};
pub use elements::{
    ATTRIBUTES, CLASSES, ElementRow, QUERY_ATTRIBUTES, add_rows, element_rows, element_table, noise_elements,
};
pub use error::Error;
pub use labels::{density_labels, page_config, shape_labels};
pub use site_terms::{SiteTerms, site_key};
pub use tree_judge::{Confusion, PageElements, TreeJudge, to_toml_with_pages};
