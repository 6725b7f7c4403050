//! Annotation files made by a program, for a person to go over.

use std::path::Path;

use gleaner_gold::Annotation;
use gleaner_gold::annotation::{AnnotatedBlock, Header};

use crate::Error;
use crate::date::today;
use crate::shelf::Shelf;

/// A folder that receives annotation files, named as [`Desk`](crate::Desk) names them and found by it.
pub struct Notes {
    shelf: Shelf,
}

impl Notes {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made or read, or holds an annotation file that is not sound.
    pub fn open(folder: &Path) -> Result<Notes, Error> {
        Ok(Notes {
            shelf: Shelf::open(folder)?,
        })
    }

    /// Writes the annotation of a page of `source`, unless there is one already; says whether it
    /// did. Source and date of the header are filled in.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, source: &Path, header: Header, blocks: Vec<AnnotatedBlock>) -> Result<bool, Error> {
        let header = Header {
            source: self.shelf.relative(source),
            date: today(),
            ..header
        };
        let place = self.shelf.place(&header)?;
        if place.progress.is_some() {
            return Ok(false);
        }
        let annotation = Annotation {
            header,
            blocks,
            ..Annotation::default()
        };
        annotation.save(&place.path)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_has_done_is_left_alone() {
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
