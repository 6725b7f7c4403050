//! The labeller: the kind of a page, and for each of its text blocks a label and its probability.
//!
//! In: the feature columns of a page's blocks ([`gleaner_columns::Columns`]). Out: [`Tagged`].
//!
//! The labels of a page are those of a linear chain ([`gleaner_crf`]), and boosted trees ([`gleaner_gbdt`]) can judge them
//! beside the chain, or without it ([`TrainConfig::trees`]). Whether a block is content at all can be judged apart from that,
//! by the kind of its page ([`train_content`]), by weights and by boosted trees: the chain then says what content is.
//! [`train()`] finds the weights, a [`Model`] keeps them together with all that they depend on, a [`Tagger`] applies them, and an
//! [`Explainer`] gives the reasons.
//!
//! Tagging allocates nothing from page to page. The tagger's memory is about 400 bytes a block of the largest page.
//!
//! ```
//! use std::ops::ControlFlow;
//! use gleaner_columns::Columns;
//! use gleaner_content::{FeatureSpace, Label, Tagger, TrainConfig, train};
//! use gleaner_features::FeatureConfig;
//!
//! // A page as the extractor would give it: four blocks, with a column that shows the kind.
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

mod adjust;
mod confidence;
mod content;
mod conventions;
mod decoder;
mod error;
mod explain;
mod explained;
mod file;
mod label;
mod label_trees;
mod mixture;
mod model;
mod page_kinds;
mod space;
mod tagger;

mod train;
mod training_pages;
mod votes;

pub use adjust::TextCopy;
pub use confidence::Calibration;
pub use content::{ContentColumns, MAX_KINDS};
pub use decoder::{Decoder, Favor};
pub use error::Error;
pub use explain::{Adjusted, Adjustment, BlockReasons, Explainer, FeatureShare, LabelReason};
pub use explained::{Because, ContentLabel, Feature, FeatureNames, NamedAdjustment, Reasons, rounded};
pub use file::{MAGIC, VERSION, write_whole};
pub use label::{Label, Labels};
pub use model::{Model, TreesInfo};
pub use page_kinds::{OTHER_KIND, PageKinds};
pub use space::FeatureSpace;
pub use tagger::{Alone, BlockSize, Tagged, Tagger};
pub use train::{
    ContentConfig, ContentPage, LabelledPage, PageKindsConfig, PageOfKind, Progress, TrainConfig,
    TrainingPart, train, train_content, train_page_kinds, train_with_dev,
};
pub use training_pages::TrainingPages;
