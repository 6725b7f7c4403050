//! The models that come with the program. `models/` of the repository has their scores.

use std::sync::{Arc, LazyLock};

use gleaner_content::{Model, PageKinds};

/// The model of pages, as a model file.
pub const PAGES: &[u8] = include_bytes!("../models/default.gcrf");

/// The model of plain texts, as a model file.
pub const TEXTS: &[u8] = include_bytes!("../models/text.gcrf");

/// The model of the kinds of pages.
pub const KINDS: &str = include_str!("../models/kinds.tsv");

/// The model of pages, parsed once per process.
pub fn pages() -> Arc<Model> {
    static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| read(PAGES));
    Arc::clone(&MODEL)
}

/// The model of plain texts, parsed once per process.
pub fn texts() -> Arc<Model> {
    static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| read(TEXTS));
    Arc::clone(&MODEL)
}

fn read(model: &[u8]) -> Arc<Model> {
    Arc::new(Model::from_bytes(model).expect("a test reads it"))
}

/// The kinds of pages, which do not depend on the model.
pub fn page_kinds() -> &'static PageKinds {
    static TABLE: LazyLock<PageKinds> =
        LazyLock::new(|| PageKinds::from_text(KINDS).expect("a test reads it"));
    &TABLE
}
