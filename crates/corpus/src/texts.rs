//! The texts of documents, back from a file of their table.

use std::collections::VecDeque;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::vec;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use gleaner_store::{Output, Place};
use parking_lot::Mutex;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
    RowSelection,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};

use crate::Error;

/// Rows that are decoded at a time: some texts may be long.
const BATCH: usize = 8;

/// The columns that are read, in their order.
const COLUMNS: [&str; 2] = ["site", "text"];

/// Bytes at the end of a file that are read first: most footers are shorter.
const TAIL: u64 = 1 << 18;

/// The site and the text of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteText {
    /// The column `site`.
    pub site: String,
    /// The column `text`.
    pub text: String,
}

/// Reads sites and texts of rows of a file of documents, and only the columns and row groups that have them.
pub struct Texts {
    file: String,
    batches: ParquetRecordBatchReader,
    batch: vec::IntoIter<SiteText>,
}

impl Texts {
    /// Those of some row groups, or of all: of all their rows, or of the rows of these numbers, in ascending order, from 0
    /// for the first row of the first of the row groups. Waits for the store.
    ///
    /// # Errors
    ///
    /// The file can't be read, or has another form.
    pub fn open(
        output: &Output,
        file: &str,
        groups: Option<Range<usize>>,
        rows: Option<&[usize]>,
    ) -> Result<Texts, Error> {
        let failed = |detail: String| Error::Read(file.to_owned(), detail);
        let broken = |error: ParquetError| failed(error.to_string());
        let (metadata, size) = footer(output, file)?;
        let metadata = Arc::new(metadata);
        let groups = groups.unwrap_or(0..metadata.num_row_groups());
        let wanted = metadata.row_groups().get(groups.clone());
        let wanted = wanted.ok_or_else(|| failed(format!("it has no row groups {groups:?}")))?;
        let all = wanted.iter().map(|group| group.num_rows() as usize).sum();
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let arrow = ArrowReaderMetadata::try_new(Arc::clone(&metadata), options).map_err(broken)?;
        let column_chunks = ColumnChunks {
            output: output.clone(),
            file: file.to_owned(),
            size,
            metadata,
            held: Mutex::default(),
        };
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(column_chunks, arrow);
        if let Some(rows) = rows {
            let rows = rows.iter().filter(|row| **row < all).map(|&row| row..row + 1);
            builder = builder.with_row_selection(RowSelection::from_consecutive_ranges(rows, all));
        }
        let columns = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
        let builder = builder.with_projection(columns).with_row_groups(groups.collect());
        Ok(Texts {
            file: file.to_owned(),
            batches: builder.with_batch_size(BATCH).build().map_err(broken)?,
            batch: Vec::new().into_iter(),
        })
    }

    fn next_batch(&mut self) -> Result<Option<vec::IntoIter<SiteText>>, Error> {
        let Some(batch) = self.batches.next() else {
            return Ok(None);
        };
        let failed = |detail: String| Error::Read(self.file.clone(), detail);
        let batch = batch.map_err(|error| failed(error.to_string()))?;
        let rows = site_texts(&batch).ok_or_else(|| failed("it has no sites and texts".to_owned()))?;
        Ok(Some(rows.into_iter()))
    }
}

fn site_texts(batch: &RecordBatch) -> Option<Vec<SiteText>> {
    let column = |name| Some(batch.column_by_name(name)?.as_string_opt::<i32>()?.iter());
    let [sites, texts] = [column(COLUMNS[0])?, column(COLUMNS[1])?];
    let row = |(site, text): (Option<&str>, Option<&str>)| SiteText {
        site: site.unwrap_or_default().to_owned(),
        text: text.unwrap_or_default().to_owned(),
    };
    Some(sites.zip(texts).map(row).collect())
}

impl Iterator for Texts {
    type Item = Result<SiteText, Error>;

    fn next(&mut self) -> Option<Result<SiteText, Error>> {
        loop {
            if let Some(row) = self.batch.next() {
                return Some(Ok(row));
            }
            match self.next_batch() {
                Ok(batch) => self.batch = batch?,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Column chunks of a file, each read in one go: from a bucket, each is one request.
struct ColumnChunks {
    output: Output,
    file: String,
    size: u64,
    metadata: Arc<ParquetMetaData>,
    /// The last one of each column, with its place: columns are read side by side.
    held: Mutex<VecDeque<(Range<u64>, Bytes)>>,
}

impl ColumnChunks {
    /// The bytes from a place to the end of the column chunk that has it.
    fn from(&self, start: u64) -> Result<Bytes, ParquetError> {
        let mut held = self.held.lock();
        if let Some((range, bytes)) = held.iter().find(|(range, _)| range.contains(&start)) {
            return Ok(bytes.slice((start - range.start) as usize..));
        }
        let groups = self.metadata.row_groups().iter();
        let mut ranges = groups.flat_map(|group| group.columns()).map(|column| {
            let (start, length) = column.byte_range();
            start..start.saturating_add(length)
        });
        let range = ranges.find(|range| range.contains(&start));
        let range = range.ok_or_else(|| ParquetError::EOF(format!("no column is at {start}")))?;
        let read = read(&self.output, &self.file, range.clone());
        let bytes = read.map_err(|error| ParquetError::External(error.into()))?;
        held.truncate(COLUMNS.len() - 1);
        held.push_front((range.clone(), bytes.clone()));
        Ok(bytes.slice((start - range.start) as usize..))
    }
}

impl Length for ColumnChunks {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for ColumnChunks {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Reader<Bytes>, ParquetError> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.from(start)?;
        let ends = || ParquetError::EOF(format!("the column at {start} ends within a page"));
        (length <= bytes.len())
            .then(|| bytes.slice(..length))
            .ok_or_else(ends)
    }
}

/// The footer of a file, and the size of the file.
fn footer(output: &Output, file: &str) -> Result<(ParquetMetaData, u64), Error> {
    let size = output.size(file)?.unwrap_or_default();
    let mut length = TAIL.min(size);
    let mut reader = ParquetMetaDataReader::new();
    loop {
        let tail = read(output, file, size - length..size)?;
        match reader.try_parse_sized(&tail, size) {
            Err(ParquetError::NeedMoreData(more)) if (length..=size).contains(&(more as u64)) => {
                length = more as u64;
            }
            parsed => {
                let footer = parsed.and_then(|()| reader.finish());
                let footer = footer.map_err(|error| Error::Read(file.to_owned(), error.to_string()));
                return Ok((footer?, size));
            }
        }
    }
}

/// Some bytes of a file.
fn read(output: &Output, file: &str, range: Range<u64>) -> Result<Bytes, Error> {
    if !matches!(output.place_of(file), Place::Local(_)) {
        return Ok(output.get_range(file, range)?);
    }
    let mut local = output.open_local(file)?;
    let mut bytes = vec![0; (range.end - range.start) as usize];
    let read = local.seek(SeekFrom::Start(range.start));
    let read = read.and_then(|_| local.read_exact(&mut bytes));
    read.map_err(|error| Error::Read(file.to_owned(), error.to_string()))?;
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{Corpus, DocumentRow, Identity, Row};

    fn document(row: usize) -> DocumentRow {
        let text = "é tide ".repeat(row * 7919 % 3000 / 2) + &row.to_string();
        DocumentRow {
            site: format!("site{}.example", row / 100),
            text: if row % 5 == 2 { String::new() } else { text },
            ..DocumentRow::default()
        }
    }

    #[test]
    fn sites_and_texts_are_those_that_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let mut table = corpus.file(&DocumentRow::TABLE, 0).unwrap();
        let mut encoder = corpus.encoder().unwrap();
        // Row groups of several pages.
        for group in 0..4 {
            let mut rows = (0..1500).map(|row| document(1500 * group + row));
            rows.try_for_each(|row| encoder.push(&row)).unwrap();
            let mut groups = encoder.finish().unwrap().into_iter();
            groups.try_for_each(|group| table.append(group)).unwrap();
        }
        let file = table.finish().unwrap().wait().unwrap().name;
        let check = |groups: &Range<usize>, rows: Option<&[usize]>, wanted: &[usize]| {
            let some = (*groups != (0..4)).then(|| groups.clone());
            let mut texts = Texts::open(&output, &file, some, rows).unwrap();
            for &row in wanted {
                let DocumentRow { site, text, .. } = document(row);
                assert!(
                    texts.next().unwrap().unwrap() == SiteText { site, text },
                    "{row} of {groups:?}"
                );
            }
            assert!(texts.next().is_none());
        };
        for groups in [0..4, 1..3, 2..2] {
            let first = groups.start * 1500;
            let all: Vec<usize> = (0..groups.len() * 1500).collect();
            for every in [1, 3, 701, 6000] {
                let rows = all.iter().copied().filter(|row| row % every == every / 2);
                let rows: Vec<usize> = rows.collect();
                let wanted: Vec<usize> = rows.iter().map(|row| first + row).collect();
                check(&groups, Some(&rows), &wanted);
            }
            let wanted: Vec<usize> = all.iter().map(|row| first + row).collect();
            check(&groups, None, &wanted);
        }
        let error = Texts::open(&output, &file, Some(3..5), None)
            .err()
            .unwrap()
            .to_string();
        assert_eq!(
            error,
            format!("could not read '{file}': it has no row groups 3..5")
        );
        assert!(Texts::open(&output, "documents/none.parquet", None, None).is_err());
    }
}
