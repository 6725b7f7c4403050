//! Pages with gold text: read and aligned, trained on, and scored.
//!
//! `pages` reads the pages of files, archives and folders; `gold_pages` those of gold files and annotations, with their gold;
//! `prepared` extracts features and aligns the gold. From them `job`, `fit` and `model_training` make a model, and `kinds`
//! a table of page kinds. `folds` cross-validates; `page_scores`, `set_scores`, `metadata_scores`, `seen_pages` and
//! `agreement` are what `gleaner eval` prints.
//!
//! Nothing here prints or parses arguments: warnings go to a function, and a training reports to one.

mod agreement;
mod annotated_pages;
mod error;
mod fit;
mod folds;
mod gold_pages;
mod job;
mod kinds;
mod metadata_scores;
mod model_training;
mod page_digest;
mod page_scores;
mod pages;
mod prepared;
mod query_terms;
mod seen_pages;
mod set_scores;

pub use agreement::{PageAgreement, SetAgreement};
pub use error::Error;
pub use fit::Watch;
pub use folds::{Validation, calibrate_by_others, calibration, cross_validate, divide};
pub use gold_pages::{Body, GoldReader, Sample, archive_beside, host_key, is_gold};
pub use job::{Confidence, DevPages, Job, TrainJob, convention};
pub use kinds::{KindSample, KindsJob, KindsScore};
pub use metadata_scores::{ColumnScore, MetadataScores};
pub use model_training::{JobPages, calibrate, train_model};
pub use page_scores::{Scored, score};
pub use pages::{FoundPage, PageSearch, Texts, Warn, damage_warning, input_name, typed_input, warn_of_notes};
pub use prepared::{PageMetadata, Prepared, name_kinds, set_name};
pub use query_terms::query_of_gold;
pub use seen_pages::SeenPages;
pub use set_scores::{Calibration, Claims, Measures, PageRow, SetScores, confidence_claims};
