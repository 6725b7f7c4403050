//! Pages of inputs, with warnings on standard error.

use std::path::Path;

use anyhow::Result;
use gleaner_training::{FoundPage, PageSearch, Texts};

use crate::terminal::console;

/// Visits the pages of an input in their order.
pub(crate) fn each(input: &Path, visit: &mut dyn FnMut(FoundPage<'_>) -> Result<()>) -> Result<()> {
    search(Texts::None).each(input, visit)
}

pub(crate) fn search(texts: Texts) -> PageSearch<'static> {
    PageSearch {
        texts,
        out: None,
        warn: &console::say,
    }
}
