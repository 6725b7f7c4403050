//! A linear-chain conditional random field over the text blocks of a page.
//!
//! In: the feature columns of a page's blocks ([`gleaner_features::Columns`]). Out: a label and its
//! probability for each ([`Tagged`]).
//!
//! A block's labels have a score each, which is a sum of weights looked up in tables: one table a
//! column and offset, one row a code. A sequence of labels has the sum of its blocks' scores and of
//! its label bigrams', and a probability in proportion to the exponential of that (Lafferty,
//! McCallum and Pereira 2001). [`train()`] finds the weights, a [`Model`] keeps them together with
//! all that they depend on, a [`Tagger`] applies them.
//!
//! Whether a block is content at all can be told apart from that, by the kind of its page
//! ([`train_content`]), by weights and by boosted trees: the chain then says what content is. And boosted trees can judge
//! labels beside a chain, or without one ([`TrainConfig::trees`]).
//!
//! Tagging costs a row of additions a block, column and offset (in columns whose codes seldom change,
//! only where they do), then arithmetic in the square of the number of labels a block; it allocates
//! nothing from page to page. An evaluation of the training objective costs about twice that. The
//! tagger's memory is about 400 bytes a block of the largest page; training takes 32 bytes a block
//! beside the columns, and some twenty vectors of eight bytes a weight.
//!
//! ```
//! use std::ops::ControlFlow;
//! use gleaner_crf::{FeatureSpace, Label, Tagger, TrainConfig, train};
//! use gleaner_features::{Columns, FeatureConfig};
//!
//! // A page as the extractor would give it: four blocks, of which one column tells the kind.
//! let space = FeatureSpace::of(&FeatureConfig::from_toml("modules = ['bullet']")?);
//! let mut page = Columns::default();
//! page.reset(4, space.columns.len());
//! page.column_mut(0).copy_from_slice(&[0, 1, 1, 0]);
//! let gold = vec![Label::Other, Label::Paragraph, Label::Paragraph, Label::Other];
//!
//! let config = TrainConfig { l2: 0.01, ..TrainConfig::default() };
//! let pages = [(page.clone(), gold.clone())];
//! let model = train(&space, &pages, &config, &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(Tagger::new(&model).tag(&page).labels, gold);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod captions;
mod chain;
mod content;
mod conventions;
mod decoder;
mod error;
mod exp;
mod file;
mod forest;
mod label;
mod label_trees;
mod lanes;
mod mixture;
mod model;
mod preformatted;
mod repeats;
mod runs;
mod scores;
mod space;
mod tagger;
mod template;
mod train;
mod training_pages;
mod trees;
mod votes;

pub use content::{ContentColumns, MAX_KINDS};
pub use decoder::{Decoder, Favor};
pub use error::Error;
pub use file::{MAGIC, VERSION};
pub use label::{Label, Labels};
pub use model::{Model, TreesInfo};
pub use repeats::TextCopy;
pub use space::FeatureSpace;
pub use tagger::{Alone, BlockSize, Tagged, Tagger};
pub use template::{Attribute, MAX_ATTRIBUTES, MAX_OFFSET, Part, Template, TemplateConfig};
pub use train::{
    ContentConfig, ContentPage, LabelledPage, PageWeight, Progress, TrainConfig, TrainingPart, TreesConfig,
    train, train_content, train_with_dev,
};
pub use training_pages::TrainingPages;

#[cfg(test)]
extern crate self as gleaner_crf; // The name by which the tests' pages know this crate.

#[cfg(test)]
#[path = "../tests/synthetic/mod.rs"]
mod synthetic;
