//! The numbers of rows in a file, by values of a column: as in [`crate::lookup`], for several values at a time and without reading the
//! other columns.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;

use crate::lookup::{bloom_filter, column_number};
use crate::{Error, TableReader, Wanted};

impl TableReader {
    /// The rows of the file in whose column of texts one of these values stands, each with its value, in order. Of a row group the
    /// column is read only if its statistics and its bloom filter allow one of them. Waits for the store.
    ///
    /// # Errors
    /// The file cannot be read, or has no such column of texts.
    pub fn find(&self, column: &'static str, values: &BTreeSet<&str>) -> Result<Vec<(u64, String)>, Error> {
        let failed = |detail: String| Error::Read(self.file.clone(), detail);
        let number = column_number(&self.metadata, column);
        let number = number.ok_or_else(|| failed(format!("it has no column '{column}'")))?;
        let mut found = Vec::new();
        for (group, rows) in self.groups().enumerate() {
            let chunk = self.metadata.row_group(group).column(number);
            let between = |value: &&&str| Wanted::value(column, value).is_between(chunk);
            let possible: Vec<&&str> = values.iter().filter(between).collect();
            if rows.is_empty() || possible.is_empty() {
                continue;
            }
            let filter = bloom_filter(&self.output, &self.file, chunk)?;
            if filter.is_some_and(|filter| !possible.iter().any(|value| filter.check(**value))) {
                continue;
            }
            let batch = self.read(&[column], rows.clone())?;
            let texts = batch.column(0).as_string_opt::<i32>();
            let texts = texts.ok_or_else(|| failed(format!("its column '{column}' has no texts")))?;
            let fits = |text: &Option<&str>| text.is_some_and(|text| values.contains(text));
            let own = rows.zip(texts.iter()).filter(|(_, text)| fits(text));
            found.extend(own.filter_map(|(row, text)| Some((row, text?.to_owned()))));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{Corpus, DocumentRow, Identity, Row, TableFile};

    #[test]
    fn rows_of_several_values_are_found_with_their_values() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let mut file = corpus.file(&DocumentRow::TABLE, None, 0).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        let id = |number: u64| format!("{:032x}", number * 7919 % 1000);
        for group in 0..4 {
            for number in 0..100 {
                let row_id = id(group * 100 + number);
                let row = DocumentRow {
                    row_id,
                    ..DocumentRow::default()
                };
                encoder.push(&row).unwrap();
            }
            let mut encoded = encoder.finish().unwrap().into_iter();
            encoded.try_for_each(|group| file.append(group)).unwrap();
        }
        let part = file.finish().unwrap().wait().unwrap();
        let file = TableFile {
            name: part.name,
            rows: Some(part.rows),
            bytes: part.bytes,
        };
        let reader = TableReader::open(&output, &file).unwrap();
        let wanted = [399, 7, 250, 251].map(id);
        let none = "none".to_owned();
        let values = wanted.iter().chain([&none]).map(String::as_str).collect();
        let found = reader.find("row_id", &values).unwrap();
        let expected = [7, 250, 251, 399].map(|row| (row, id(row)));
        assert_eq!(found, expected);
        assert!(reader.find("none", &values).is_err());
    }
}
