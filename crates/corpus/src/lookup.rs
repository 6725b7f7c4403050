//! Single rows of a table, by the value of a column.
//!
//! Of each file the footer is read, then the bloom filters of the row groups whose statistics allow the value, then the column of
//! those that may have it, and other columns only of rows that do. Keys have bloom filters ([`Hint::Key`](crate::Hint)): one is
//! found in a corpus of many files by a footer a file. Where the SURT of the page is known, and the corpus keeps a manifest, only the
//! files of its chunk are looked at.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::ArrowError;
use gleaner_store::Output;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowPredicateFn, ArrowReaderOptions, RowFilter};
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};
use parquet::bloom_filter::Sbbf;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::statistics::Statistics;
use serde::de::DeserializeOwned;

use crate::decode::decode;
use crate::footer::footer;
use crate::stored_value::{StoredRow, stored_rows};
use crate::{ChunkEntry, Corpus, Error, KeptKind, Manifest, ManifestChunk, Table, TableFile, Written};

/// The column by which pages stand in files.
const SURT: &str = "surt";

/// Rows that are decoded at a time.
const BATCH: usize = 64;

/// What rows are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// A column of texts.
    pub column: &'static str,
    /// Its value.
    pub value: &'a str,
    /// Whether the value only begins so.
    pub is_begin: bool,
    /// The SURT of the page that the rows are of, or how it begins; none if it is not known.
    pub surt: Option<&'a str>,
}

/// A row, and the file that has it.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRow<R> {
    /// The row.
    pub row: R,
    /// The name of the file, within the corpus.
    pub file: String,
}

impl<'a> Wanted<'a> {
    /// Rows with a value.
    pub fn value(column: &'static str, value: &'a str) -> Wanted<'a> {
        Wanted {
            column,
            value,
            is_begin: false,
            surt: (column == SURT).then_some(value),
        }
    }

    /// The same of rows of a page with this SURT.
    pub fn of_page(self, surt: &'a str) -> Wanted<'a> {
        Wanted {
            surt: Some(surt),
            ..self
        }
    }

    /// Rows whose value begins so.
    pub fn begin(column: &'static str, value: &'a str) -> Wanted<'a> {
        Wanted {
            is_begin: true,
            ..Wanted::value(column, value)
        }
    }

    fn fits(&self, value: &str) -> bool {
        match self.is_begin {
            true => value.starts_with(self.value),
            false => value == self.value,
        }
    }

    /// Whether the statistics of a column allow such a value.
    pub(crate) fn is_between(&self, chunk: &ColumnChunkMetaData) -> bool {
        let Some(Statistics::ByteArray(known)) = chunk.statistics() else {
            return true;
        };
        let wanted = self.value.as_bytes();
        // (Limits may be cut: then they are lower, or higher, than the value.)
        let begins = |limit: &[u8]| self.is_begin && limit.starts_with(wanted);
        let is_above = known
            .min_opt()
            .is_none_or(|least| least.data() <= wanted || begins(least.data()));
        let is_below = known.max_opt().is_none_or(|most| wanted <= most.data());
        is_above && is_below
    }
}

impl Corpus {
    /// The rows of a table of a complete corpus, `most` at most, in the order of their files. Waits for the store.
    ///
    /// # Errors
    /// There is no such table, or a file of it cannot be read.
    pub fn look_up<R: StoredRow>(
        output: &Output,
        wanted: &Wanted<'_>,
        most: usize,
    ) -> Result<Vec<FoundRow<R>>, Error> {
        let mut found = Vec::new();
        for file in files(output, &R::TABLE, wanted)? {
            if found.len() >= most {
                break;
            }
            look_up_in(output, &file, wanted, most, &mut found)?;
        }
        Ok(found)
    }
}

/// The files of a table that may have such rows.
fn files(output: &Output, table: &Table, wanted: &Wanted<'_>) -> Result<Vec<TableFile>, Error> {
    let mut files = Corpus::files(output, table.name)?;
    let Some(surt) = wanted.surt.filter(|_| table.written != Written::AtEnd) else {
        return Ok(files);
    };
    let Some(arguments) = Corpus::complete(output)?.arguments else {
        return Ok(files);
    };
    let manifest: Manifest = kept(output, KeptKind::Manifest, &arguments.manifest)?;
    let mut names = BTreeSet::new();
    for chunk in chunks(&manifest, surt, wanted.is_begin) {
        let entry: ChunkEntry = kept(output, KeptKind::Chunks, &chunk.entry)?;
        names.extend(entry.files.into_iter().map(|file| file.name));
    }
    files.retain(|file| names.contains(&file.name));
    Ok(files)
}

/// The chunks that have pages with this SURT, or with SURTs that begin so: one in each crawl, or some.
fn chunks<'m>(
    manifest: &'m Manifest,
    surt: &'m str,
    is_begin: bool,
) -> impl Iterator<Item = &'m ManifestChunk> {
    let next = manifest.chunks.iter().skip(1).map(Some).chain([None]);
    let ranges = manifest.chunks.iter().zip(next);
    let fits = move |(chunk, next): &(&ManifestChunk, Option<&ManifestChunk>)| {
        let next = next.filter(|next| next.crawl == chunk.crawl);
        let begins = &*chunk.start <= surt || (is_begin && chunk.start.starts_with(surt));
        begins && next.is_none_or(|next| *next.start > *surt)
    };
    ranges.filter(fits).map(|(chunk, _)| chunk)
}

fn kept<T: DeserializeOwned>(output: &Output, kind: KeptKind, digest: &str) -> Result<T, Error> {
    let bytes = Corpus::kept(output, kind, digest)?;
    serde_json::from_slice(&bytes).map_err(|error| Error::Read(kind.file(digest), error.to_string()))
}

fn look_up_in<R: StoredRow>(
    output: &Output,
    file: &TableFile,
    wanted: &Wanted<'_>,
    most: usize,
    found: &mut Vec<FoundRow<R>>,
) -> Result<(), Error> {
    let failed = |detail: String| Error::Read(file.name.clone(), detail);
    let broken = |error: ParquetError| failed(error.to_string());
    let metadata = footer(output, &file.name, file.bytes)?;
    let column = column_number(&metadata, wanted.column);
    let column = column.ok_or_else(|| failed(format!("it has no column '{}'", wanted.column)))?;
    let mut groups = Vec::new();
    for (number, group) in metadata.row_groups().iter().enumerate() {
        if may_have(output, &file.name, group.column(column), wanted)? {
            groups.push(number);
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    let decoder = decoder(metadata, groups, wanted).map_err(broken)?;
    decode(output, &file.name, decoder, &mut |batch| {
        let left = most - found.len();
        for row in stored_rows(&batch).take(left) {
            let row = row.ok_or_else(|| failed("its columns are not those of the table".to_owned()))?;
            let file = file.name.clone();
            found.push(FoundRow { row, file });
        }
        Ok(match found.len() < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })
}

pub(crate) fn column_number(metadata: &ParquetMetaData, name: &str) -> Option<usize> {
    let mut columns = metadata.file_metadata().schema_descr().columns().iter();
    columns.position(|column| column.path().string() == name)
}

/// Whether a row group may have such a value, by the statistics and the bloom filter of its column.
fn may_have(
    output: &Output,
    file: &str,
    chunk: &ColumnChunkMetaData,
    wanted: &Wanted<'_>,
) -> Result<bool, Error> {
    if !wanted.is_between(chunk) {
        return Ok(false);
    }
    let filter = match wanted.is_begin {
        true => None,
        false => bloom_filter(output, file, chunk)?,
    };
    Ok(filter.is_none_or(|filter| filter.check(wanted.value)))
}

/// The bloom filter of a column of a row group, if it has one.
pub(crate) fn bloom_filter(
    output: &Output,
    file: &str,
    chunk: &ColumnChunkMetaData,
) -> Result<Option<Sbbf>, Error> {
    let place = chunk.bloom_filter_offset().zip(chunk.bloom_filter_length());
    let Some((offset, length)) = place else {
        return Ok(None);
    };
    let [offset, length] = [offset, i64::from(length)].map(|number| number.max(0).cast_unsigned());
    let bytes = output.get_range(file, offset..offset.saturating_add(length))?;
    let filter = Sbbf::from_bytes(&bytes);
    filter
        .map(Some)
        .map_err(|error| Error::Read(file.to_owned(), error.to_string()))
}

/// Decodes the rows of some row groups that are wanted.
fn decoder(
    metadata: ParquetMetaData,
    groups: Vec<usize>,
    wanted: &Wanted<'_>,
) -> Result<ParquetPushDecoder, ParquetError> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetPushDecoderBuilder::try_new_decoder_with_options(Arc::new(metadata), options)?;
    let own = ProjectionMask::columns(builder.parquet_schema(), [wanted.column]);
    let (column, value, is_begin) = (wanted.column, wanted.value.to_owned(), wanted.is_begin);
    let fits = move |batch: RecordBatch| {
        let wanted = Wanted {
            is_begin,
            ..Wanted::value(column, &value)
        };
        let texts = batch.column(0).as_string_opt::<i32>();
        let texts = texts.ok_or_else(|| ArrowError::CastError(format!("'{column}' has no texts")))?;
        let fits = texts
            .iter()
            .map(|text| Some(text.is_some_and(|text| wanted.fits(text))));
        Ok(fits.collect::<BooleanArray>())
    };
    builder
        .with_row_groups(groups)
        .with_row_filter(RowFilter::new(vec![Box::new(ArrowPredicateFn::new(own, fits))]))
        .with_batch_size(BATCH)
        .build()
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};
    use parquet::arrow::ArrowWriter;

    use super::*;
    use crate::{
        DocumentRow, Identity, LanguagePages, Millis, Part, PostRow, RejectRow, Row, Share, SiteRow, surt,
    };

    struct Made {
        _folder: tempfile::TempDir,
        output: Output,
        corpus: Corpus,
    }

    fn corpus() -> Made {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        Made {
            _folder: folder,
            output,
            corpus,
        }
    }

    /// Writes files of row groups of these rows.
    fn write<R: Row>(corpus: &Corpus, files: &[&[Vec<R>]]) {
        for (number, groups) in files.iter().enumerate() {
            let mut file = corpus.file(&R::TABLE, None, number as u32).unwrap();
            let mut encoder = corpus.encoder().unwrap();
            for rows in *groups {
                rows.iter().try_for_each(|row| encoder.push(row)).unwrap();
                let mut encoded = encoder.finish().unwrap().into_iter();
                encoded.try_for_each(|group| file.append(group)).unwrap();
            }
            let part: Part = file.finish().unwrap().wait().unwrap();
            corpus.commit(&R::TABLE, number as u64, &[part]).unwrap();
        }
        let name = R::TABLE.name.to_owned();
        corpus
            .clone()
            .finish([(name, 0)].into(), serde_json::Map::new(), Vec::new(), None)
            .unwrap();
    }

    fn document(number: usize) -> DocumentRow {
        let url = format!("https://site{}.example/page-{number}", number / 50);
        DocumentRow {
            row_id: format!("{:032x}", number * 7919),
            surt: surt(&url),
            url,
            crawl_date: (!number.is_multiple_of(3)).then_some(Millis(number as i64 * 1000 - 7)),
            warc_length: number as u64,
            http_status: (!number.is_multiple_of(2)).then_some(200),
            title: (!number.is_multiple_of(5)).then(|| format!("No. {number}")),
            authors: (0..number % 4).map(|author| format!("Author {author}")).collect(),
            text: "é tide ".repeat(number % 40),
            confidence: (!number.is_multiple_of(7)).then_some(Share(number as f32 / 1000.0)),
            ..DocumentRow::default()
        }
    }

    #[test]
    fn rows_are_found_by_their_keys_and_are_those_that_were_written() {
        let Made { output, corpus, .. } = &corpus();
        let group = |group: usize| (100 * group..100 * group + 100).map(document).collect();
        let groups: Vec<Vec<DocumentRow>> = (0..6).map(group).collect();
        write(corpus, &[&groups[..4], &groups[4..]]);
        for number in [0, 1, 7, 99, 100, 399, 400, 599] {
            let document = document(number);
            for (column, value) in [
                ("url", &document.url),
                ("surt", &document.surt),
                ("row_id", &document.row_id),
            ] {
                let found = Corpus::look_up(output, &Wanted::value(column, value), 9).unwrap();
                let rows: Vec<&DocumentRow> = found.iter().map(|found| &found.row).collect();
                assert_eq!(rows, [&document], "{column}");
                assert!(found[0].file.starts_with("documents/"));
            }
        }
        let count = |wanted: Wanted<'_>, most| {
            let found: Vec<FoundRow<DocumentRow>> = Corpus::look_up(output, &wanted, most).unwrap();
            assert!(found.iter().all(|found| wanted.fits(&found.row.surt)));
            found.len()
        };
        assert_eq!(count(Wanted::begin("surt", "example,site3):"), 1000), 50);
        assert_eq!(count(Wanted::begin("surt", "example,site3):"), 7), 7);
        assert_eq!(count(Wanted::begin("surt", ""), 1000), 600);
        for none in ["example,site3):", "a", "zz", "example,site3):https/page-1"] {
            assert_eq!(count(Wanted::value("surt", none), 9), 0, "{none}");
        }
        let found: Result<Vec<FoundRow<DocumentRow>>, Error> =
            Corpus::look_up(output, &Wanted::value("nosuch", ""), 9);
        assert!(
            found
                .unwrap_err()
                .to_string()
                .contains("it has no column 'nosuch'")
        );
    }

    #[test]
    fn a_page_is_in_one_chunk_of_each_crawl() {
        let chunk = |crawl: Option<&str>, start: &str| ManifestChunk {
            crawl: crawl.map(str::to_owned),
            start: start.to_owned(),
            entry: format!("{}{start}", crawl.unwrap_or_default()),
        };
        let of_crawl = |crawl| ["", "b", "d)x", "d)y", "e"].map(|start| chunk(crawl, start));
        let manifest = |chunks: &[[ManifestChunk; 5]]| Manifest {
            chunks: chunks.concat(),
            ..Manifest::default()
        };
        let one = manifest(&[of_crawl(None)]);
        let two = manifest(&[of_crawl(Some("1")), of_crawl(Some("2"))]);
        let entries = |manifest: &Manifest, surt: &str, is_begin| -> Vec<String> {
            chunks(manifest, surt, is_begin)
                .map(|chunk| chunk.entry.clone())
                .collect()
        };
        assert_eq!(entries(&one, "a", false), [""]);
        assert_eq!(entries(&one, "b", false), ["b"]);
        assert_eq!(entries(&one, "d)xy", false), ["d)x"]);
        assert_eq!(entries(&one, "z", false), ["e"]);
        assert_eq!(entries(&one, "d)", true), ["b", "d)x", "d)y"]);
        assert_eq!(entries(&two, "c", false), ["1b", "2b"]);
        assert_eq!(entries(&two, "f", false), ["1e", "2e"]);
    }

    #[test]
    fn values_that_are_missing_are_none() {
        let Made { output, corpus, .. } = &corpus();
        let reject = |url: Option<&str>| RejectRow {
            url: url.map(str::to_owned),
            surt: url.map(surt),
            reason: "not-a-page".to_owned(),
            ..RejectRow::default()
        };
        let rows = vec![reject(None), reject(Some("https://a.example/")), reject(None)];
        write(corpus, &[std::slice::from_ref(&rows)]);
        let found =
            Corpus::look_up::<RejectRow>(output, &Wanted::value("surt", "example,a):https/"), 9).unwrap();
        assert_eq!(
            found.into_iter().map(|found| found.row).collect::<Vec<_>>(),
            [rows[1].clone()]
        );
    }

    #[test]
    fn all_types_of_columns_come_back() {
        let Made { output, corpus, .. } = &corpus();
        let language = |language: &str, pages| LanguagePages {
            language: language.to_owned(),
            pages,
        };
        let site = SiteRow {
            site: "a.example".to_owned(),
            pages: u64::from(u32::MAX) + 9,
            languages: vec![language("de", 7), language("en", 1 << 40)],
            ..SiteRow::default()
        };
        write(corpus, &[&[vec![SiteRow::default(), site.clone()]]]);
        let found = Corpus::look_up::<SiteRow>(output, &Wanted::value("site", "a.example"), 9).unwrap();
        assert_eq!(found[0].row, site);
    }

    #[test]
    fn files_of_other_columns_are_refused() {
        let Made { output, corpus, .. } = &corpus();
        write(corpus, &[&[vec![PostRow::default()]]]);
        let name = Corpus::files(output, "posts").unwrap()[0].name.clone();
        let batch = RecordBatch::try_from_iter([(
            "url",
            Arc::new(arrow_array::StringArray::from(vec!["a"])) as arrow_array::ArrayRef,
        )]);
        let batch = batch.unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        let bytes = writer.into_inner().unwrap();
        output.put(&name, &bytes).unwrap();
        let file = TableFile {
            name,
            rows: Some(1),
            bytes: bytes.len() as u64,
        };
        let wanted = Wanted::value("url", "a");
        let error = look_up_in::<PostRow>(output, &file, &wanted, 9, &mut Vec::new()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("its columns are not those of the table"),
            "{error}"
        );
    }
}
