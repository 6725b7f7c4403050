//! `gleaner features`: measures of pages as a table in a file.

mod victor;

use anyhow::{Context, Result};

use crate::args::{ColumnSet, Features};
use crate::result_pages;
use crate::terminal::{Outcome, console};

/// Writes the table of all pages.
pub(crate) fn run(arguments: &Features) -> Result<Outcome> {
    let bytes = match arguments.set {
        ColumnSet::HiddenWeb => result_pages::features(arguments)?,
        ColumnSet::Victor => victor::file(arguments)?,
    };
    match &arguments.out {
        Some(path) => {
            std::fs::write(path, &bytes).with_context(|| format!("could not write {}", path.display()))?;
        }
        None => console::out_bytes(&bytes)?,
    }
    Ok(Outcome::Done)
}
