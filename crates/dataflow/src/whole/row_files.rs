//! Files of a table that is written at the end of a build.

use gleaner_corpus::{Corpus, Row, TableWriter};

use super::NumberedPart;
use crate::error::Error;

/// Takes rows. A file begins with its first row.
pub(super) struct RowFiles<'a, R: Row> {
    corpus: &'a Corpus,
    table: Option<(u32, TableWriter<R>)>,
    files: Vec<NumberedPart>,
}

impl<'a, R: Row> RowFiles<'a, R> {
    pub(super) fn new(corpus: &'a Corpus) -> RowFiles<'a, R> {
        RowFiles {
            corpus,
            table: None,
            files: Vec::new(),
        }
    }

    /// Takes the next row, of the file of this number.
    pub(super) fn push(&mut self, file: u32, row: &R) -> Result<(), Error> {
        if self.table.as_ref().is_some_and(|(number, _)| *number != file) {
            self.end_file()?;
        }
        let (_, table) = match &mut self.table {
            Some(table) => table,
            none => none.insert((file, self.corpus.table(file)?)),
        };
        Ok(table.push(row)?)
    }

    fn end_file(&mut self) -> Result<(), Error> {
        if let Some((number, table)) = self.table.take() {
            self.files.push((number, table.finish()?.wait()?));
        }
        Ok(())
    }

    /// The files, in the order of their rows.
    pub(super) fn end(mut self) -> Result<Vec<NumberedPart>, Error> {
        self.end_file()?;
        Ok(self.files)
    }
}
