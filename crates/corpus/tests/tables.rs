//! What is in a file.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use gleaner_corpus::enumerations::LABELS;
use gleaner_corpus::{
    BlockRow, DocumentRow, RejectRow, RepeatRow, Row, Settings, Share, SiteRow, TableWriter, surt,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ParquetMetaData;
use proptest::prelude::*;

use crate::sample;

/// The bytes of a file of `rows`.
fn file<R: Row>(rows: &[R], settings: &Settings) -> Vec<u8> {
    let mut writer = TableWriter::new(Vec::new(), "memory", settings).unwrap();
    for row in rows {
        writer.push(row).unwrap();
    }
    writer.into_inner().unwrap()
}

fn metadata(bytes: &[u8]) -> std::sync::Arc<ParquetMetaData> {
    let bytes = bytes::Bytes::from(bytes.to_vec());
    let options = parquet::arrow::arrow_reader::ArrowReaderOptions::new()
        .with_page_index_policy(parquet::file::metadata::PageIndexPolicy::Required);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options).unwrap();
    std::sync::Arc::clone(builder.metadata())
}

fn batches(bytes: &[u8]) -> Vec<RecordBatch> {
    let bytes = bytes::Bytes::from(bytes.to_vec());
    ParquetRecordBatchReaderBuilder::try_new(bytes)
        .unwrap()
        .build()
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn text(batch: &RecordBatch, column: &str, row: usize) -> Option<String> {
    let column = batch.column_by_name(column).unwrap().as_string::<i32>();
    column.is_valid(row).then(|| column.value(row).to_owned())
}

fn read_rejects(bytes: &[u8]) -> Vec<RejectRow> {
    let row = |batch: &RecordBatch, row| RejectRow {
        row_id: text(batch, "row_id", row),
        url: text(batch, "url", row),
        surt: text(batch, "surt", row),
        warc_file: text(batch, "warc_file", row).unwrap(),
        warc_offset: batch
            .column_by_name("warc_offset")
            .unwrap()
            .as_primitive::<Int64Type>()
            .value(row) as u64,
        record_id: text(batch, "record_id", row),
        stage: text(batch, "stage", row).unwrap(),
        reason: text(batch, "reason", row).unwrap(),
        detail: text(batch, "detail", row).unwrap(),
    };
    let rows = |batch: RecordBatch| {
        (0..batch.num_rows())
            .map(|at| row(&batch, at))
            .collect::<Vec<_>>()
    };
    batches(bytes).into_iter().flat_map(rows).collect()
}

fn read_blocks(bytes: &[u8]) -> Vec<BlockRow> {
    let number = |batch: &RecordBatch, column, row| {
        batch
            .column_by_name(column)
            .unwrap()
            .as_primitive::<UInt32Type>()
            .value(row)
    };
    let share = |batch: &RecordBatch, column, row| {
        Share(
            batch
                .column_by_name(column)
                .unwrap()
                .as_primitive::<Float32Type>()
                .value(row),
        )
    };
    let row = |batch: &RecordBatch, row| BlockRow {
        row_id: text(batch, "row_id", row).unwrap(),
        record_id: text(batch, "record_id", row).unwrap(),
        url: text(batch, "url", row).unwrap(),
        block: number(batch, "block", row),
        label: text(batch, "label", row).unwrap().into(),
        confidence: share(batch, "confidence", row),
        text: text(batch, "text", row).unwrap(),
        path: text(batch, "path", row).unwrap(),
        template_pages: number(batch, "template_pages", row),
        template_coverage: share(batch, "template_coverage", row),
        language: text(batch, "language", row),
    };
    let rows = |batch: RecordBatch| {
        (0..batch.num_rows())
            .map(|at| row(&batch, at))
            .collect::<Vec<_>>()
    };
    batches(bytes).into_iter().flat_map(rows).collect()
}

fn any_reject() -> impl Strategy<Value = RejectRow> {
    let some = || proptest::option::of(".{0,20}");
    (some(), ".{0,5}", 0..i64::MAX as u64, some(), "[ab]", ".{0,9}").prop_map(
        |(url, warc_file, warc_offset, record_id, stage, detail)| RejectRow {
            row_id: record_id.clone(),
            surt: url.as_deref().map(surt),
            url,
            warc_file,
            warc_offset,
            record_id,
            stage,
            reason: "reason".to_owned(),
            detail,
        },
    )
}

fn any_block() -> impl Strategy<Value = BlockRow> {
    (
        "[ab]{0,2}",
        any::<u32>(),
        0..LABELS.len(),
        any::<u32>(),
        "\\PC{0,40}",
        "(/[a-z]{1,3}){0,4}",
        any::<u32>(),
    )
        .prop_map(
            |(record_id, block, label, bits, text, path, template_pages)| BlockRow {
                row_id: format!("{record_id:x<32}"),
                url: format!("http://{record_id}/"),
                record_id,
                block,
                label: LABELS[label].name.into(),
                confidence: Share(f32::from_bits(bits)),
                text,
                path,
                template_pages,
                template_coverage: Share(0.25),
                language: (!block.is_multiple_of(3)).then(|| "eng".to_owned()),
            },
        )
}

fn any_settings() -> impl Strategy<Value = Settings> {
    (1..500_usize, 1..20_usize, 1..200_usize).prop_map(|(row_group_bytes, row_group_rows, batch_bytes)| {
        Settings {
            row_group_bytes,
            row_group_rows,
            batch_bytes,
            ..Settings::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rejects_come_back(rows in proptest::collection::vec(any_reject(), 0..60), settings in any_settings()) {
        prop_assert_eq!(read_rejects(&file(&rows, &settings)), rows);
    }

    #[test]
    fn blocks_come_back(rows in proptest::collection::vec(any_block(), 0..60), settings in any_settings()) {
        prop_assert_eq!(read_blocks(&file(&rows, &settings)), rows);
    }
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let rows: Vec<DocumentRow> = (0..3000).map(sample::document).collect();
    let settings = Settings {
        row_group_bytes: 500_000,
        metadata: [("gleaner.model".to_owned(), "default 1234".to_owned())].into(),
        ..Settings::default()
    };
    let first = file(&rows, &settings);
    assert!(first == file(&rows, &settings));
    let mut keys: Vec<_> = metadata(&first)
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .clone();
    keys.sort_by(|one, other| one.key.cmp(&other.key));
    let shown: Vec<_> = keys
        .into_iter()
        .map(|pair| format!("{}={}", pair.key, pair.value.unwrap()))
        .collect();
    let own = shown.iter().filter(|pair| pair.starts_with("gleaner."));
    let columns = DocumentRow::TABLE.columns().into_iter();
    let comments: BTreeMap<_, _> = columns.map(|column| (column.name, column.described())).collect();
    let expected = [
        format!("gleaner.columns={}", serde_json::to_string(&comments).unwrap()),
        format!("gleaner.comment={}", DocumentRow::TABLE.comment),
        "gleaner.format=12".to_owned(),
        "gleaner.model=default 1234".to_owned(),
    ];
    assert_eq!(own.collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
    let other: Vec<&String> = shown
        .iter()
        .filter(|pair| !pair.starts_with("gleaner."))
        .collect();
    assert!(
        other.len() == 1 && other[0].starts_with("ARROW:schema="),
        "{other:?}"
    );
}

#[test]
fn readers_of_arrow_see_the_comments() {
    let bytes = bytes::Bytes::from(file(&[sample::site(2)], &Settings::default()));
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
    for column in SiteRow::TABLE.columns() {
        let field = builder.schema().field_with_name(column.name).unwrap();
        assert_eq!(field.metadata()["comment"], column.comment);
    }
    let batch = builder.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.num_rows(), 1);
    assert_eq!(*batch.schema().fields(), *SiteRow::TABLE.schema().fields());
}

#[test]
fn a_file_without_rows_has_all_columns() {
    let bytes = file::<DocumentRow>(&[], &Settings::default());
    assert_eq!(metadata(&bytes).num_row_groups(), 0);
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(*builder.schema().fields(), *DocumentRow::TABLE.schema().fields());
    assert_eq!(builder.build().unwrap().count(), 0);
}

#[test]
fn row_groups_are_bounded() {
    let rows: Vec<DocumentRow> = (0..3000).map(sample::document).collect();
    let bytes = file(
        &rows,
        &Settings {
            row_group_bytes: 200_000,
            ..Settings::default()
        },
    );
    let found = metadata(&bytes);
    let largest = rows.iter().map(Row::bytes).max().unwrap();
    let mut at = 0;
    for group in found.row_groups() {
        let rows = &rows[at..at + group.num_rows() as usize];
        at += rows.len();
        let size: usize = rows.iter().map(Row::bytes).sum();
        assert!(size < 200_000 + largest, "{size}");
        assert!(size >= 200_000 || at == 3000, "{size}");
    }
    let bytes = file(
        &rows,
        &Settings {
            row_group_rows: 700,
            ..Settings::default()
        },
    );
    let counts: Vec<_> = metadata(&bytes)
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect();
    assert_eq!(counts, [700, 700, 700, 700, 200]);
}

#[test]
fn pages_and_keys_can_be_looked_up() {
    let rows: Vec<DocumentRow> = (0..20_000).map(sample::document).collect();
    let bytes = file(&rows, &Settings::default());
    let found = metadata(&bytes);
    let group = found.row_group(0);
    let column = |name: &str| {
        group
            .columns()
            .iter()
            .position(|column| column.column_path().string() == name)
            .unwrap()
    };
    let pages = |name| {
        found.offset_index().unwrap()[0][column(name)]
            .page_locations()
            .len()
    };
    assert!(pages("url") > 3 && pages("text") > 3);

    let url = group.column(column("url"));
    let filter = url.bloom_filter_offset().unwrap() as usize;
    let length = url.bloom_filter_length().unwrap() as usize;
    assert!(length < 40_000, "{length} bytes for {} values", group.num_rows());
    // The filter itself is read by a reader of its own, below: here only that it is for keys.
    assert!(filter > 0 && group.column(column("host")).bloom_filter_offset().is_none());
    let urls = rows[..group.num_rows() as usize].iter().map(|row| &*row.url);
    let wrong = wrong_answers(&bytes, column("url"), urls);
    assert!(wrong < 300, "{wrong} of 10000 absent values");
}

#[test]
fn a_row_group_has_no_more_values_than_its_filters_are_made_for() {
    let row = |at: u128| RepeatRow {
        digest: format!(
            "{:032x}",
            at.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        ),
        ..RepeatRow::default()
    };
    let rows: Vec<RepeatRow> = (0..70_000).map(row).collect();
    let bytes = file(&rows, &Settings::default());
    let counts: Vec<i64> = metadata(&bytes)
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .collect();
    assert_eq!(counts, [65_536, 70_000 - 65_536]);
    let digests = rows[..65_536].iter().map(|row| &*row.digest);
    let wrong = wrong_answers(&bytes, 0, digests);
    assert!(wrong < 300, "{wrong} of 10000 absent values");
}

/// How many of ten thousand values that are not in a column its filter holds possible.
fn wrong_answers<'r>(bytes: &[u8], column: usize, mut values: impl Iterator<Item = &'r str>) -> usize {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::serialized_reader::ReadOptionsBuilder;
    let properties = parquet::file::properties::ReaderProperties::builder()
        .set_read_bloom_filter(true)
        .build();
    let options = ReadOptionsBuilder::new()
        .with_reader_properties(properties)
        .build();
    let reader = SerializedFileReader::new_with_options(bytes::Bytes::from(bytes.to_vec()), options).unwrap();
    let group = reader.get_row_group(0).unwrap();
    let filter: &Sbbf = group.get_column_bloom_filter(column).unwrap();
    assert!(values.all(|value| filter.check(value)));
    (0..10_000)
        .filter(|at| filter.check(format!("https://absent.example/{at}").as_str()))
        .count()
}

#[test]
fn probabilities_are_in_hundredths() {
    for hundredths in 0..=100_u8 {
        let exact: f32 = format!("{}.{:02}", hundredths / 100, hundredths % 100)
            .parse()
            .unwrap();
        for near in [(exact - 0.0049).max(0.0), exact, exact + 0.0049] {
            assert_eq!(Share::in_hundredths(near), Share(exact), "{near}");
        }
    }
}
