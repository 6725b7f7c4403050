//! Checkpoints of a table's log: all that its versions say up to one of them, in one file.
//!
//! A reader of Delta Lake begins at the last checkpoint, which `_last_checkpoint` names, and reads the versions after
//! it: of a crawl of thousands of parts a hundred files at most, not thousands. A checkpoint is a Parquet file
//! (version 1 of the format) with a column an action, of which each row has one: the protocol, the table, the last
//! transaction, and each file. It names no file that was removed, so the column `remove` is empty.
//!
//! Like a version, a checkpoint is a function of the files that it names.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, MapFieldNames, NullBufferBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use gleaner_store::Output;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

use crate::delta::{self, Build, log_folder};
use crate::{Error, Part, Table};

/// Versions from one checkpoint to the next.
pub(crate) const EVERY: u64 = 100;

/// The name of a checkpoint's file, from the corpus.
pub(crate) fn file(table: &str, version: u64) -> String {
    format!("{}/{version:020}.checkpoint.parquet", log_folder(table))
}

/// The name of the file that names the last checkpoint, from the corpus.
pub(crate) fn last_file(table: &str) -> String {
    format!("{}/_last_checkpoint", log_folder(table))
}

/// The files of all checkpoints of a table with this number of versions.
pub(crate) fn files(table: &str, versions: u64) -> Vec<String> {
    let count = versions.saturating_sub(1) / EVERY;
    let each = (1..=count).map(|number| file(table, number * EVERY));
    each.chain((count > 0).then(|| last_file(table))).collect()
}

/// The version of a checkpoint, by the name of its file.
pub(crate) fn number_of(name: &str) -> Option<u64> {
    delta::number_before(".checkpoint.parquet", name)
}

/// The checkpoint of a version, whose `files` are those that are part of the table then, and the file that names it, each with
/// its bytes. `transaction` is the number of the version's transaction.
pub(crate) fn written(
    table: &Table,
    output: &Output,
    build: &Build,
    version: u64,
    transaction: u64,
    files: &[Part],
) -> Result<[(String, Vec<u8>); 2], Error> {
    let name = file(table.name, version);
    let bytes = encoded(table, build, transaction, files)
        .map_err(|source| Error::Parquet(output.place_of(&name).to_string(), source))?;
    let last = json!({
        "version": version,
        // (With the protocol, the table and the transaction.)
        "size": 3 + files.len(),
        "sizeInBytes": bytes.len(),
        "numOfAddFiles": files.len(),
    });
    let last = last.to_string().into_bytes();
    Ok([(name, bytes), (last_file(table.name), last)])
}

/// The version of the last checkpoint of a table; nothing where it has none. Waits for the store.
pub(crate) fn last(output: &Output, table: &str) -> Result<Option<u64>, Error> {
    let bytes = output.get(&last_file(table))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()?["version"].as_u64()))
}

fn encoded(table: &Table, build: &Build, transaction: u64, files: &[Part]) -> Result<Vec<u8>, ParquetError> {
    let mut actions = delta::description(table, build).to_vec();
    actions.push(delta::transaction(build, transaction));
    actions.extend(files.iter().map(|file| delta::add(table, build, file, false)));
    let actions: Vec<Option<&Value>> = actions.iter().map(Some).collect();
    let columns = array(&group(columns()), &actions);
    let batch = RecordBatch::from(columns.as_struct());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options)?;
    writer.write(&batch)?;
    writer.into_inner()
}

/// The columns of a checkpoint. There is no row with `remove`.
fn columns() -> Vec<(&'static str, DataType)> {
    use DataType::{Boolean, Int32, Int64, Utf8};
    let text = |name, kind| Field::new(name, Utf8, kind);
    let entry = DataType::Struct(vec![text("key", false), text("value", true)].into());
    let map = DataType::Map(Field::new("key_value", entry, false).into(), false);
    let list = DataType::List(text("element", true).into());
    vec![
        (
            "txn",
            group(vec![("appId", Utf8), ("version", Int64), ("lastUpdated", Int64)]),
        ),
        (
            "add",
            group(vec![
                ("path", Utf8),
                ("partitionValues", map.clone()),
                ("size", Int64),
                ("modificationTime", Int64),
                ("dataChange", Boolean),
                ("stats", Utf8),
                ("tags", map.clone()),
            ]),
        ),
        (
            "remove",
            group(vec![
                ("path", Utf8),
                ("deletionTimestamp", Int64),
                ("dataChange", Boolean),
            ]),
        ),
        (
            "metaData",
            group(vec![
                ("id", Utf8),
                ("name", Utf8),
                ("description", Utf8),
                (
                    "format",
                    group(vec![("provider", Utf8), ("options", map.clone())]),
                ),
                ("schemaString", Utf8),
                ("partitionColumns", list),
                ("configuration", map),
                ("createdTime", Int64),
            ]),
        ),
        (
            "protocol",
            group(vec![("minReaderVersion", Int32), ("minWriterVersion", Int32)]),
        ),
    ]
}

fn group(fields: Vec<(&str, DataType)>) -> DataType {
    let fields = fields.into_iter();
    DataType::Struct(fields.map(|(name, kind)| Field::new(name, kind, true)).collect())
}

/// A column of JSON values; null where there is none.
fn array(kind: &DataType, values: &[Option<&Value>]) -> ArrayRef {
    let each = values.iter().copied();
    match kind {
        DataType::Struct(fields) => {
            let of = |field: &Arc<Field>| {
                let values: Vec<_> = each.clone().map(|value| value?.get(field.name())).collect();
                array(field.data_type(), &values)
            };
            let mut is_there = NullBufferBuilder::new(values.len());
            each.clone().for_each(|value| is_there.append(value.is_some()));
            Arc::new(StructArray::new(
                fields.clone(),
                fields.iter().map(of).collect(),
                is_there.finish(),
            ))
        }
        DataType::Map(entry, _) => {
            let names = MapFieldNames {
                entry: entry.name().clone(),
                key: "key".to_owned(),
                value: "value".to_owned(),
            };
            let mut maps = MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new());
            for map in each.map(|value| value?.as_object()) {
                for (key, value) in map.into_iter().flatten() {
                    maps.keys().append_value(key);
                    maps.values().append_option(value.as_str());
                }
                maps.append(map.is_some()).expect("each key has its value");
            }
            Arc::new(maps.finish())
        }
        DataType::List(item) => {
            let mut lists = ListBuilder::new(StringBuilder::new()).with_field(Arc::clone(item));
            for list in each.map(|value| value?.as_array()) {
                let items = list.into_iter().flatten();
                items.for_each(|item| lists.values().append_option(item.as_str()));
                lists.append(list.is_some());
            }
            Arc::new(lists.finish())
        }
        DataType::Boolean => Arc::new(BooleanArray::from_iter(each.map(|value| value?.as_bool()))),
        DataType::Int32 => Arc::new(Int32Array::from_iter(
            each.map(|value| Some(value?.as_i64()? as i32)),
        )),
        DataType::Int64 => Arc::new(Int64Array::from_iter(each.map(|value| value?.as_i64()))),
        _ => Arc::new(StringArray::from_iter(each.map(|value| value?.as_str()))),
    }
}

#[cfg(test)]
mod tests {
    use super::{encoded, files};
    use crate::delta::Build;
    use crate::{Part, RejectRow, Row};

    /// Readers of Delta Lake have read these bytes; what they find in a checkpoint is in `tests/readers.rs`.
    #[test]
    fn a_checkpoint_of_some_files_has_always_the_same_bytes() {
        let file = |folder: &str, number| Part {
            name: format!("rejects/{folder}part-{number:05}.parquet"),
            rows: number,
            bytes: 1000 + number,
        };
        for (folder, digest) in [
            (
                "",
                "8251fe7504352b9f61eae5a496fe1c50ee2a93764530e3f194263f81b1a22131",
            ),
            (
                "crawl=a.b-1/",
                "a5d4fc399038370cfa259fb2a0c609aaa2d81e97f39e789dc96ffae9c117b64b",
            ),
        ] {
            let build = Build {
                application: "a".into(),
                is_labelled: !folder.is_empty(),
            };
            let files: Vec<Part> = (0..101).map(|number| file(folder, number)).collect();
            let bytes = encoded(&RejectRow::TABLE, &build, 100, &files).unwrap();
            assert_eq!(blake3::hash(&bytes).to_string(), digest);
        }
    }

    #[test]
    fn checkpoints_are_at_every_hundredth_version() {
        assert!(files("rejects", 100).is_empty());
        assert_eq!(
            [101, 200, 201].map(|versions| files("rejects", versions).len()),
            [2, 2, 3]
        );
        let is_log = |name: &String| crate::log::is_log(name.strip_prefix("rejects/").unwrap());
        assert!(files("rejects", 202).iter().all(is_log));
    }
}
