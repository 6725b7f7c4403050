//! Pages for which a test of other tables holds, or does not: their ids, so that no row of these tables is looked up.

use std::ops::Range;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use gleaner_corpus::{TableFile, TableReader, VersionTables};
use gleaner_store::Output;

use crate::error::Error;
use crate::in_order::in_order;
use crate::pages::{ROW_ID, files_of};
use crate::recipe::{Condition, Test};
use crate::value::Value;
use crate::work::Work;

/// The pages for which a test has another outcome than for a page without rows. Of an id the first 64 bits are kept: 8 bytes a page.
#[derive(Debug)]
pub(crate) struct PageSet {
    /// In order.
    ids: Vec<u64>,
    /// The outcome for pages that are not in it.
    otherwise: bool,
}

/// What is looked for in the rows of a table.
struct Wanted<'a> {
    conditions: &'a [Condition],
    /// A row is found if the conditions hold, or if they do not.
    holds: bool,
}

impl PageSet {
    /// The set of a test; none if it needs no other table. Waits for the store.
    pub(crate) fn of(
        test: &Test,
        output: &Output,
        version: &VersionTables,
        work: &Work,
    ) -> Result<Option<PageSet>, Error> {
        let (table, wanted, otherwise) = match test {
            Test::Page(_) => return Ok(None),
            Test::Cluster(condition) => {
                let otherwise = condition.holds(&Value::Null, "");
                let wanted = Wanted {
                    conditions: std::slice::from_ref(condition),
                    holds: !otherwise,
                };
                (condition.column.table, wanted, otherwise)
            }
            Test::Rows {
                table,
                is_wanted,
                conditions,
            } => {
                let wanted = Wanted {
                    conditions,
                    holds: true,
                };
                (*table, wanted, !is_wanted)
            }
        };
        let mut ids = Vec::new();
        let files = files_of(output, version, table)?;
        in_order(
            work.workers,
            files.iter().map(|file| work.check().map(|()| file)),
            |file| wanted.ids(output, file),
            |found| {
                ids.extend(found);
                Ok(())
            },
        )?;
        ids.sort_unstable();
        ids.dedup();
        Ok(Some(PageSet { ids, otherwise }))
    }

    /// The outcome of the test for a page.
    pub(crate) fn holds(&self, row_id: u128) -> bool {
        self.ids.binary_search(&short(row_id)).is_ok() != self.otherwise
    }
}

fn short(row_id: u128) -> u64 {
    (row_id >> 64) as u64
}

/// An id as a number.
pub(crate) fn number_of(row_id: &str) -> Option<u128> {
    u128::from_str_radix(row_id, 16).ok()
}

impl Wanted<'_> {
    fn ids(&self, output: &Output, file: &TableFile) -> Result<Vec<u64>, Error> {
        let reader = TableReader::open(output, file)?;
        let mut columns = vec![ROW_ID];
        columns.extend(self.conditions.iter().map(|condition| condition.column.name));
        columns.sort_unstable();
        columns.dedup();
        let mut ids = Vec::new();
        for rows in reader.groups().filter(|rows| !rows.is_empty()) {
            self.of_group(&reader, &columns, rows, &mut ids)?;
        }
        Ok(ids)
    }

    fn of_group(
        &self,
        reader: &TableReader,
        columns: &[&str],
        rows: Range<u64>,
        ids: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let other = || Error::OtherColumns(reader.file().to_owned());
        let batch = reader.read(columns, rows)?;
        let names = batch
            .column_by_name(ROW_ID)
            .and_then(|column| column.as_string_opt::<i32>());
        let names = names.ok_or_else(other)?;
        for row in 0..batch.num_rows() {
            let holds = |condition: &Condition| {
                let column = batch.column_by_name(condition.column.name);
                column.is_some_and(|column| condition.holds(&Value::at(column, row), ""))
            };
            if self.conditions.iter().all(holds) == self.holds {
                // A row of no page, such as a reject.
                if names.is_null(row) {
                    continue;
                }
                ids.push(short(number_of(names.value(row)).ok_or_else(other)?));
            }
        }
        Ok(())
    }
}
