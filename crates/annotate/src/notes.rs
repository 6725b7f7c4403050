//! Annotation files written by a program, for the user to correct.

use std::path::Path;

use gleaner_gold::Annotation;
use gleaner_gold::annotation::{AnnotatedBlock, Header};

use crate::Error;
use crate::annotation_store::AnnotationStore;
use crate::date::today;

/// A folder that receives annotation files, with the names that a [`Session`](crate::Session) uses.
pub struct Notes {
    store: AnnotationStore,
}

impl Notes {
    /// Opens a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// It cannot be created or read, or has a damaged annotation file.
    pub fn open(folder: &Path) -> Result<Notes, Error> {
        Ok(Notes {
            store: AnnotationStore::open(folder)?,
        })
    }

    /// Writes the annotation of a page of `source`, unless there is one already. Returns whether it did. Source and date of
    /// the header are filled in.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, source: &Path, header: Header, blocks: Vec<AnnotatedBlock>) -> Result<bool, Error> {
        let header = Header {
            source: self.store.relative(source),
            date: today(),
            ..header
        };
        let file = self.store.file(&header)?;
        if file.progress.is_some() {
            return Ok(false);
        }
        let annotation = Annotation {
            header,
            blocks,
            ..Annotation::default()
        };
        annotation.save(&file.path)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_annotation_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let page = Header {
            record_id: "<urn:1>".into(),
            ..Header::default()
        };
        let add = || {
            let mut notes = Notes::open(folder.path()).unwrap();
            notes
                .add(Path::new("crawl.warc.gz"), page.clone(), Vec::new())
                .unwrap()
        };
        assert_eq!([add(), add()], [true, false]);
    }
}
