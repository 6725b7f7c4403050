//! Checkpoints of a table's log: all that its versions say up to one of them, in one file.
//!
//! A reader of Delta Lake begins at the last checkpoint, which `_last_checkpoint` names, and reads the versions after
//! it: of a crawl of thousands of parts a hundred files at most, not thousands. A checkpoint is a Parquet file
//! (version 1 of the format) with a column an action, of which each row has one: the protocol, the table, the last
//! transaction, and each file. Nothing is ever removed from a table, so the column `remove` is empty.
//!
//! Like a version, a checkpoint is a function of the files that it names.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, MapFieldNames, NullBufferBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use gleaner_store::Output;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::json;

use crate::delta::{self, Build, READER, WRITER, log_folder};
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
    let file = name.rsplit('/').next()?.strip_suffix(".checkpoint.parquet")?;
    delta::is_version(file).then(|| file.parse().ok())?
}

/// Whether a file in a table's folder is one of those; `name` is without the folder of the log.
pub(crate) fn is_one(name: &str) -> bool {
    let version = name.strip_suffix(".checkpoint.parquet");
    name == "_last_checkpoint" || version.is_some_and(delta::is_version)
}

/// Writes the checkpoint of a version, whose `files` are those of all versions up to it.
///
/// # Errors
///
/// It cannot be written.
pub(crate) fn write(
    table: &Table,
    output: &Output,
    build: &Build,
    version: u64,
    files: &[Part],
) -> Result<(), Error> {
    let name = file(table.name, version);
    let bytes = encoded(table, build, version, files)
        .map_err(|source| Error::Parquet(output.place_of(&name).to_string(), source))?;
    output.put(&name, &bytes)?;
    let last = json!({
        "version": version,
        "size": FILES + files.len(),
        "sizeInBytes": bytes.len(),
        "numOfAddFiles": files.len(),
    });
    Ok(output.put(&last_file(table.name), last.to_string().as_bytes())?)
}

/// The rows of the actions that there is one of, and of the first of the others.
const PROTOCOL: usize = 0;
const TABLE: usize = 1;
const TRANSACTION: usize = 2;
const FILES: usize = 3;

fn encoded(table: &Table, build: &Build, version: u64, files: &[Part]) -> Result<Vec<u8>, ParquetError> {
    let rows = FILES + files.len();
    let columns = [
        ("txn", transaction(rows, build, version)),
        ("add", add(table, rows, build, files)),
        ("remove", remove(rows)),
        ("metaData", description(table, rows, build)),
        ("protocol", protocol(rows)),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))?;
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

fn transaction(rows: usize, build: &Build, version: u64) -> ArrayRef {
    let action = Action::new(rows, TRANSACTION..TRANSACTION + 1);
    action.column([
        ("appId", action.texts(|_| Some(build.application.to_string()))),
        ("version", action.numbers(|_| Some(version as i64))),
        ("lastUpdated", action.numbers(|_| Some(0))),
    ])
}

fn add(table: &Table, rows: usize, build: &Build, files: &[Part]) -> ArrayRef {
    let action = Action::new(rows, FILES..rows);
    let partition: Vec<(&str, &str)> = build.partition().collect();
    action.column([
        (
            "path",
            action.texts(|file| Some(delta::path(table, &files[file]).to_owned())),
        ),
        ("partitionValues", action.maps(Some(&partition))),
        ("size", action.numbers(|file| Some(files[file].bytes as i64))),
        ("modificationTime", action.numbers(|_| Some(0))),
        ("dataChange", action.flags(false)),
        (
            "stats",
            action.texts(|file| Some(delta::statistics(&files[file]))),
        ),
        ("tags", action.maps(None)),
    ])
}

/// In no row.
fn remove(rows: usize) -> ArrayRef {
    let action = Action::new(rows, rows..rows);
    action.column([
        ("path", action.texts(|_| None)),
        ("deletionTimestamp", action.numbers(|_| None)),
        ("dataChange", action.flags(false)),
    ])
}

fn description(table: &Table, rows: usize, build: &Build) -> ArrayRef {
    let action = Action::new(rows, TABLE..TABLE + 1);
    let format = action.column([
        ("provider", action.texts(|_| Some("parquet".to_owned()))),
        ("options", action.maps(Some(&[]))),
    ]);
    action.column([
        ("id", action.texts(|_| Some(build.table_id(table.name)))),
        ("name", action.texts(|_| Some(table.name.to_owned()))),
        ("description", action.texts(|_| Some(table.comment.to_owned()))),
        ("format", format),
        ("schemaString", action.texts(|_| Some(build.schema_text(table)))),
        ("partitionColumns", action.lists(&build.partition_columns())),
        ("configuration", action.maps(Some(&[]))),
        ("createdTime", action.numbers(|_| Some(0))),
    ])
}

fn protocol(rows: usize) -> ArrayRef {
    let action = Action::new(rows, PROTOCOL..PROTOCOL + 1);
    let version = |number: i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter(
            action.rows().map(|row| row.map(|_| number)),
        ))
    };
    action.column([
        ("minReaderVersion", version(READER)),
        ("minWriterVersion", version(WRITER)),
    ])
}

/// An action of the rows `at`; in all others it is null.
struct Action {
    rows: usize,
    at: Range<usize>,
}

impl Action {
    fn new(rows: usize, at: Range<usize>) -> Action {
        Action { rows, at }
    }

    /// Each row: its number among those of the action.
    fn rows(&self) -> impl Iterator<Item = Option<usize>> {
        let number = |row: usize| self.at.contains(&row).then(|| row - self.at.start);
        (0..self.rows).map(number)
    }

    fn texts(&self, of: impl Fn(usize) -> Option<String>) -> ArrayRef {
        Arc::new(StringArray::from_iter(self.rows().map(|row| row.and_then(&of))))
    }

    fn numbers(&self, of: impl Fn(usize) -> Option<i64>) -> ArrayRef {
        Arc::new(Int64Array::from_iter(self.rows().map(|row| row.and_then(&of))))
    }

    fn flags(&self, flag: bool) -> ArrayRef {
        Arc::new(BooleanArray::from_iter(self.rows().map(|row| row.map(|_| flag))))
    }

    /// Maps from text to text, which have the same entries in each of the action's rows, or are missing there, too.
    fn maps(&self, entries: Option<&[(&str, &str)]>) -> ArrayRef {
        let names = MapFieldNames {
            entry: "key_value".to_owned(),
            key: "key".to_owned(),
            value: "value".to_owned(),
        };
        let mut maps = MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new());
        for row in self.rows() {
            let entries = entries.filter(|_| row.is_some());
            for (key, value) in entries.unwrap_or_default() {
                maps.keys().append_value(key);
                maps.values().append_value(value);
            }
            maps.append(entries.is_some()).expect("each key has its value");
        }
        Arc::new(maps.finish())
    }

    /// Lists of texts, which have the same items in each of the action's rows.
    fn lists(&self, items: &[&str]) -> ArrayRef {
        let item = Field::new("element", DataType::Utf8, true);
        let mut lists = ListBuilder::new(StringBuilder::new()).with_field(Arc::new(item));
        for row in self.rows() {
            let items = row.map_or(&[][..], |_| items);
            items.iter().for_each(|item| lists.values().append_value(item));
            lists.append(row.is_some());
        }
        Arc::new(lists.finish())
    }

    fn column<const N: usize>(&self, fields: [(&str, ArrayRef); N]) -> ArrayRef {
        let mut is_there = NullBufferBuilder::new(self.rows);
        self.rows().for_each(|row| is_there.append(row.is_some()));
        let (names, arrays): (Vec<&str>, Vec<ArrayRef>) = fields.into_iter().unzip();
        let types = names.into_iter().zip(&arrays);
        let types = types.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
        Arc::new(StructArray::new(types.collect(), arrays, is_there.finish()))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};
    use serde_json::Value;

    use super::{FILES, encoded, files};
    use crate::delta::{self, Build};
    use crate::{Crawl, Part, RejectRow, Row as _};

    fn parts(count: u32) -> Vec<Part> {
        let part = |number| Part {
            name: format!("rejects/part-{number:05}.parquet"),
            rows: u64::from(number),
            bytes: 1000 + u64::from(number),
        };
        (0..count).map(part).collect()
    }

    /// The actions of a checkpoint, as the versions of a log have them: what is null is left out.
    fn actions(bytes: Vec<u8>) -> Vec<Value> {
        let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| object(&row.unwrap())).collect()
    }

    fn object(row: &Row) -> Value {
        let fields = row.get_column_iter();
        let fields = fields.filter_map(|(name, field)| Some((name.clone(), value(field)?)));
        Value::Object(fields.collect())
    }

    fn value(field: &Field) -> Option<Value> {
        Some(match field {
            Field::Null => return None,
            Field::Group(row) => object(row),
            Field::Str(text) => text.as_str().into(),
            Field::Int(number) => (*number).into(),
            Field::Long(number) => (*number).into(),
            Field::Bool(flag) => (*flag).into(),
            Field::MapInternal(map) => map
                .entries()
                .iter()
                .map(|(key, text)| match key {
                    Field::Str(key) => (key.clone(), value(text).unwrap_or_default()),
                    other => panic!("{other}"),
                })
                .collect(),
            Field::ListInternal(list) => list.elements().iter().map(value).collect(),
            other => panic!("{other}"),
        })
    }

    #[test]
    fn a_checkpoint_says_what_the_versions_say() {
        check_checkpoint(None);
        check_checkpoint(Some(Crawl::new("a.b-1").unwrap()));
    }

    fn check_checkpoint(crawl: Option<Crawl>) {
        let build = Build {
            application: "a".into(),
            crawl,
        };
        let files = parts(101);
        let mut said: Vec<Value> = Vec::new();
        for (version, file) in (0..).zip(&files) {
            let text = delta::actions(&RejectRow::TABLE, &build, version, std::slice::from_ref(file));
            let actions = text
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            // Of a checkpoint's readers none follows the changes that it sums up.
            said.extend(actions.map(|mut action| {
                if let Some(add) = action.get_mut("add") {
                    add["dataChange"] = false.into();
                }
                action
            }));
        }
        said.retain(|action| action.get("commitInfo").is_none());
        let is_earlier = |action: &Value| action.get("txn").is_some_and(|txn| txn["version"] != 100);
        said.retain(|action| !is_earlier(action));
        let mut found = actions(encoded(&RejectRow::TABLE, &build, 100, &files).unwrap());
        for all in [&mut said, &mut found] {
            all.sort_by_key(Value::to_string);
        }
        assert_eq!(found.len(), FILES + 101);
        assert_eq!(found, said);
    }

    #[test]
    fn checkpoints_are_at_every_hundredth_version() {
        assert_eq!(
            [101, 200, 201].map(|versions| files("rejects", versions).len()),
            [2, 2, 3]
        );
        assert!(files("rejects", 100).is_empty());
        let names = files("rejects", 202);
        assert_eq!(
            names,
            [
                "rejects/_delta_log/00000000000000000100.checkpoint.parquet",
                "rejects/_delta_log/00000000000000000200.checkpoint.parquet",
                "rejects/_delta_log/_last_checkpoint",
            ]
        );
        for name in names {
            assert!(
                crate::log::is_log(name.strip_prefix("rejects/").unwrap()),
                "{name}"
            );
        }
    }
}
