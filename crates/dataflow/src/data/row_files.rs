//! Files of a table that is written at the end of a build.

use gleaner_corpus::{Corpus, Part, Row, TableWriter};

use crate::error::Error;

/// Takes rows. A file begins with its first row.
pub(crate) struct RowFiles<'a, R: Row> {
    corpus: &'a Corpus,
    table: Option<TableWriter<R>>,
    files: Vec<Part>,
}

impl<'a, R: Row> RowFiles<'a, R> {
    pub(crate) fn new(corpus: &'a Corpus) -> RowFiles<'a, R> {
        RowFiles {
            corpus,
            table: None,
            files: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, row: &R) -> Result<(), Error> {
        let table = match &mut self.table {
            Some(table) => table,
            none => none.insert(self.corpus.table(0)?),
        };
        Ok(table.push(row)?)
    }

    /// Ends the file: the next row is in another.
    pub(crate) fn end_file(&mut self) -> Result<(), Error> {
        if let Some(table) = self.table.take() {
            self.files.push(table.finish()?.wait()?);
        }
        Ok(())
    }

    /// The files, in the order of their rows.
    pub(crate) fn end(mut self) -> Result<Vec<Part>, Error> {
        self.end_file()?;
        Ok(self.files)
    }
}
