//! Annotation files as gold: which pages they are of, and where those are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gleaner_gold::annotation::{EXTENSION, find_source};
use gleaner_gold::{Annotation, GoldPage};
use gleaner_page::Page;

use crate::Error;
use crate::pages::Warn;

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
/// in. A page without blocks, or with an undecided one, is left out with a warning.
pub(crate) fn read(path: &Path, warn: Warn<'_>) -> Result<Vec<Source>, Error> {
    let mut sources: BTreeMap<PathBuf, Vec<(usize, GoldPage)>> = BTreeMap::new();
    let mut order = 0;
    for file in files(path)? {
        let annotation = Annotation::read(&file)?;
        let undecided = annotation.undecided();
        if annotation.blocks.is_empty() {
            warn(&format!("{}: left out, because it has no blocks", file.display()));
            continue;
        }
        if undecided > 0 {
            warn(&format!(
                "{}: left out, because {undecided} of {} blocks are undecided",
                file.display(),
                annotation.blocks.len()
            ));
            continue;
        }
        let source = find_source(&file, &annotation.header.source)
            .ok_or_else(|| Error::NoSource(file.clone(), annotation.header.source.clone()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let gold = annotation.gold_page(&name);
        sources.entry(source).or_default().push((order, gold));
        order += 1;
    }
    Ok(sources.into_iter().collect())
}

/// The annotation files of a folder in the order of their names; a file is itself.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error| Error::Read(format!("the folder {}", path.display()), error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if has_extension(&file) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Warns of annotated blocks that are not on the page, and of blocks of the page that are not annotated.
pub(crate) fn warn_of_lost_blocks(gold: &GoldPage, page: &Page, warn: Warn<'_>) {
    let Some(annotation) = &gold.annotation else {
        return;
    };
    let transfer = annotation.transfer(page);
    let (lost, new) = (transfer.lost.len(), transfer.new_blocks());
    if lost + new > 0 {
        warn(&format!(
            "{}: {lost} of {} annotated blocks are not on the page, and {new} of the page's {} blocks are not \
             annotated and count as noise",
            gold.page_id.as_deref().unwrap_or(&gold.url),
            annotation.blocks.len(),
            page.blocks.len(),
        ));
    }
}
