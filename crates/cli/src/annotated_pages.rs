//! Annotation files as gold: which pages they are of, and where those are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gleaner_gold::annotation::{EXTENSION, find_source};
use gleaner_gold::{Annotation, GoldPage};
use gleaner_page::Page;

use crate::console;

/// The pages of a source, each with its place in the set.
type Source = (PathBuf, Vec<(usize, GoldPage)>);

/// Whether a gold file is an annotation file, or a folder that holds some.
pub(crate) fn is_annotations(path: &Path) -> bool {
    match path.is_dir() {
        true => files(path).is_ok_and(|files| !files.is_empty()),
        false => has_extension(path),
    }
}

fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == EXTENSION)
}

/// Reads an annotation file or a folder of them, and groups them by the file that their pages are
/// in. A page without blocks, or with one that
/// is undecided, is left out, and that is said.
pub(crate) fn read(path: &Path) -> Result<Vec<Source>> {
    let mut sources: BTreeMap<PathBuf, Vec<(usize, GoldPage)>> = BTreeMap::new();
    let mut order = 0;
    for file in files(path)? {
        let annotation = Annotation::read(&file)?;
        let undecided = annotation.undecided();
        if annotation.blocks.is_empty() {
            console::say(&format!("{}: left out, because it has no blocks", file.display()));
            continue;
        }
        if undecided > 0 {
            console::say(&format!(
                "{}: left out, because {undecided} of {} blocks are undecided",
                file.display(),
                annotation.blocks.len()
            ));
            continue;
        }
        let source = find_source(&file, &annotation.header.source).with_context(|| {
            format!(
                "{}: its page is in {}, which is missing: correct the line \"source:\", or put the file beside it",
                file.display(),
                annotation.header.source
            )
        })?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let gold = annotation.gold_page(&name);
        sources.entry(source).or_default().push((order, gold));
        order += 1;
    }
    Ok(sources.into_iter().collect())
}

/// The annotation files of a folder in the order of their names; a file is itself.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = || format!("could not read the folder {}", path.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).with_context(failed)? {
        let file = entry.with_context(failed)?.path();
        if has_extension(&file) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Says what of an annotation is not on its page, and what of the page is not in it.
pub(crate) fn tell_what_is_lost(gold: &GoldPage, page: &Page) {
    let Some(annotation) = &gold.annotation else {
        return;
    };
    let transfer = annotation.transfer(page);
    let (lost, new) = (transfer.lost.len(), transfer.new_blocks());
    if lost + new > 0 {
        console::say(&format!(
            "{}: {lost} of {} annotated blocks are not on the page, and {new} of the page's {} blocks are not \
             annotated and count as noise",
            gold.page_id.as_deref().unwrap_or(&gold.url),
            annotation.blocks.len(),
            page.blocks.len(),
        ));
    }
}
