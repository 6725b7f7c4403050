//! A table's log in the format of Delta Lake: which files are part of it, version by version.
//!
//! A version is a file `_delta_log/00000000000000000007.json` beside the table's files, which is created
//! only if there is none. It is a line of JSON an action: `add` and `remove` for a file, `txn` for the part of the
//! crawl or the version of the corpus that it is of, and in the first version `protocol` and `metaData`. Readers of Delta Lake
//! (Spark, DuckDB, Polars, Trino) see the files of whole versions only, and can go back in time.
//!
//! A version is a function of the files that it adds and removes: to commit it twice is to commit it once. Times are
//! left at 0, so that the same tables have the same log. Every hundredth version has a checkpoint, see
//! [`checkpoint`].

use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use gleaner_store::Output;
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_128;

use crate::crawl::{self, Crawl};
use crate::fault::{Fault, FaultKind};
use crate::{Error, Part, Table};

/// The folder of the log, within a table's.
pub(crate) const LOG: &str = "_delta_log";

/// The build that writes a log.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// What logs call it.
    pub(crate) application: Arc<str>,
    /// Whether crawls have names: the tables whose rows are of one crawl are partitioned by it.
    pub(crate) is_labelled: bool,
}

/// The name of a file within a folder that it is in.
pub(crate) fn below<'n>(folder: &str, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(folder)?.strip_prefix('/')
}

/// The folder of a table's log, from the corpus.
pub(crate) fn log_folder(table: &str) -> String {
    format!("{table}/{LOG}")
}

/// The name of a version's file, from the corpus.
pub(crate) fn version_file(table: &str, version: u64) -> String {
    format!("{}/{version:020}.json", log_folder(table))
}

/// The version that a file of a log is of, by the digits before the `end` of its name.
pub(crate) fn number_before(end: &str, name: &str) -> Option<u64> {
    let number = name.rsplit('/').next()?.strip_suffix(end)?;
    let is_version = number.len() == 20 && number.bytes().all(|digit| digit.is_ascii_digit());
    is_version.then(|| number.parse().ok())?
}

/// The version of which a file is, if it is one of a log.
pub(crate) fn number_of(name: &str) -> Option<u64> {
    number_before(".json", name)
}

/// Whether a file in a table's folder is one with rows, of those that this program writes; `name` is without the
/// folder.
pub(crate) fn is_part(name: &str) -> bool {
    let file = crawl::without_folder(name);
    // Files of older versions were numbered.
    let is_numbered = file.starts_with("part-") && file.ends_with(".parquet");
    digest_of(file).is_some() || is_numbered
}

/// The digest that a file with rows is named by; nothing where it has another name. `name` is without folders.
pub(crate) fn digest_of(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(".parquet")?;
    let is_digest = stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then_some(stem)
}

/// A version of a table's log.
#[derive(Clone, Debug)]
pub(crate) struct LogVersion<'f> {
    /// Its number.
    pub(crate) number: u64,
    /// The number of its transaction: that of a version of the corpus, or in its first build of this one.
    pub(crate) transaction: u64,
    /// The command that changes the corpus; none in its first build.
    pub(crate) command: Option<&'f str>,
    /// The files that go.
    pub(crate) removed: Vec<&'f Part>,
    /// The files that come.
    pub(crate) added: Vec<&'f Part>,
}

impl<'f> LogVersion<'f> {
    /// A version of the first build.
    pub(crate) fn of_build(number: u64, files: &'f [Part]) -> LogVersion<'f> {
        LogVersion {
            number,
            transaction: number,
            command: None,
            removed: Vec::new(),
            added: files.iter().collect(),
        }
    }

    fn commit_info(&self) -> Value {
        let (operation, parameters) = match self.command {
            None => ("WRITE".to_owned(), json!({ "mode": "Append" })),
            Some(command) => (command.to_uppercase(), json!({})),
        };
        json!({ "commitInfo": {
            "timestamp": 0,
            "operation": operation,
            "operationParameters": parameters,
            "isBlindAppend": self.removed.is_empty(),
            "engineInfo": concat!("gleaner/", env!("CARGO_PKG_VERSION")),
        }})
    }
}

/// Writes a version of a table's log.
pub(crate) fn commit(
    table: &Table,
    output: &Output,
    build: &Build,
    version: &LogVersion<'_>,
) -> Result<(), Error> {
    let name = version_file(table.name, version.number);
    match put_same(output, &name, version_text(table, build, version).as_bytes())? {
        true => Ok(()),
        false => Err(Error::Version(output.place_of(&name).to_string())),
    }
}

/// Writes a file unless it is there; says whether it has these bytes then.
pub(crate) fn put_same(output: &Output, name: &str, bytes: &[u8]) -> Result<bool, Error> {
    let is_there = || -> Result<bool, Error> { Ok(output.get(name)?.is_some_and(|there| there == bytes)) };
    Ok(output.put_new(name, bytes)? || is_there()?)
}

/// The lines of a version.
pub(crate) fn version_text(table: &Table, build: &Build, version: &LogVersion<'_>) -> String {
    let mut all = vec![version.commit_info()];
    if version.number == 0 {
        all.extend(description(table, build));
    }
    all.push(transaction(build, version.transaction));
    all.extend(version.removed.iter().map(|file| remove(table, file)));
    all.extend(version.added.iter().map(|file| add(table, build, file, true)));
    let mut lines = String::new();
    for action in all {
        writeln!(lines, "{action}").expect("a string takes all that is written to it");
    }
    lines
}

/// What a table is, in its first version.
pub(crate) fn description(table: &Table, build: &Build) -> [Value; 2] {
    let columns: &[&str] = if build.has_crawls(table) {
        &[Crawl::COLUMN]
    } else {
        &[]
    };
    [
        json!({ "protocol": { "minReaderVersion": 1, "minWriterVersion": 2 } }),
        json!({ "metaData": {
            "id": build.table_id(table.name),
            "name": table.name,
            "description": table.comment,
            "format": { "provider": "parquet", "options": {} },
            "schemaString": build.schema_text(table),
            "partitionColumns": columns,
            "configuration": {},
            "createdTime": 0,
        }}),
    ]
}

pub(crate) fn transaction(build: &Build, version: u64) -> Value {
    json!({ "txn": { "appId": *build.application, "version": version, "lastUpdated": 0 } })
}

/// A file of a table. `is_change` is whether it changes the table: not in a checkpoint, which says what there is.
pub(crate) fn add(table: &Table, build: &Build, file: &Part, is_change: bool) -> Value {
    let path = below(table.name, &file.name).unwrap_or(&file.name);
    json!({ "add": {
        "path": path,
        "partitionValues": build.partition(table, path),
        "size": file.bytes,
        "modificationTime": 0,
        "dataChange": is_change,
        "stats": json!({ "numRecords": file.rows }).to_string(),
    }})
}

/// A file that a table has no more.
fn remove(table: &Table, file: &Part) -> Value {
    json!({ "remove": {
        "path": below(table.name, &file.name).unwrap_or(&file.name),
        "deletionTimestamp": 0,
        "dataChange": true,
    }})
}

/// The number of the transaction of a version. Waits for the store.
pub(crate) fn transaction_of(output: &Output, table: &str, version: u64) -> Result<u64, Error> {
    let name = version_file(table, version);
    let damaged = |fault| Error::Damaged { fault };
    let bytes = output
        .get(&name)?
        .ok_or_else(|| damaged(Fault::new(&*name, FaultKind::Missing)))?;
    let number = |line: &[u8]| serde_json::from_slice::<Value>(line).ok()?["txn"]["version"].as_u64();
    let mut numbers = bytes.split(|&byte| byte == b'\n').filter_map(number);
    let lacks = || damaged(Fault::unreadable(&name, "it has no transaction"));
    numbers.next().ok_or_else(lacks)
}

impl Build {
    /// The columns of a table. Those of its partitions come last, as with readers that take them from names of folders.
    fn schema_text(&self, table: &Table) -> String {
        let columns = table.schema();
        let columns = columns.fields().iter().map(|field| Field::clone(field));
        let partition = self.has_crawls(table).then(crawl::field);
        let schema = Schema::new(columns.chain(partition).collect::<Vec<_>>());
        structure(&schema).to_string()
    }

    /// Whether the column [`Crawl::COLUMN`] is there.
    fn has_crawls(&self, table: &Table) -> bool {
        self.is_labelled && table.is_by_crawl()
    }

    /// The partition of a file, by its folder: columns and values.
    fn partition(&self, table: &Table, path: &str) -> Map<String, Value> {
        let crawl = crawl::in_folder(path).filter(|_| self.has_crawls(table));
        let values = crawl.map(|(crawl, _)| (Crawl::COLUMN.to_owned(), crawl.as_str().into()));
        values.into_iter().collect()
    }

    /// A table needs an identifier in the form of a UUID: the same for the same corpus.
    fn table_id(&self, table: &str) -> String {
        let hex = format!(
            "{:032x}",
            xxh3_128(format!("{}\0{table}", self.application).as_bytes())
        );
        let [one, two, three, four, five] =
            [0..8, 8..12, 12..16, 16..20, 20..32].map(|piece: std::ops::Range<usize>| &hex[piece]);
        format!("{one}-{two}-{three}-{four}-{five}")
    }
}

fn structure(schema: &Schema) -> Value {
    let fields: Vec<Value> = schema.fields().iter().map(|field| column(field)).collect();
    json!({ "type": "struct", "fields": fields })
}

fn column(field: &Field) -> Value {
    json!({
        "name": field.name(),
        "type": kind(field.data_type()),
        "nullable": field.is_nullable(),
        "metadata": field.metadata(),
    })
}

/// A column's type. There are no unsigned numbers: the next wider type holds them.
fn kind(data_type: &DataType) -> Value {
    match data_type {
        DataType::List(item) => json!({
            "type": "array",
            "elementType": kind(item.data_type()),
            "containsNull": item.is_nullable(),
        }),
        DataType::Struct(fields) => {
            let fields: Vec<Value> = fields.iter().map(|field| column(field)).collect();
            json!({ "type": "struct", "fields": fields })
        }
        DataType::Boolean => json!("boolean"),
        DataType::UInt8 | DataType::Int16 => json!("short"),
        DataType::UInt16 | DataType::Int32 => json!("integer"),
        DataType::UInt32 | DataType::Int64 => json!("long"),
        DataType::Float32 => json!("float"),
        DataType::Float64 => json!("double"),
        DataType::Date32 => json!("date"),
        DataType::Timestamp(_, Some(_)) => json!("timestamp"),
        DataType::Timestamp(_, None) => json!("timestamp_ntz"),
        DataType::Binary => json!("binary"),
        _ => json!("string"),
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::{DuplicateRow, RejectRow, Row, SiteRow};

    fn part(number: u32) -> Part {
        part_of(None, number)
    }

    fn part_of(crawl: Option<&str>, number: u32) -> Part {
        let folder = crawl.map_or_else(String::new, |crawl| format!("crawl={crawl}/"));
        Part {
            name: format!("sites/{folder}part-{number:05}.parquet"),
            rows: 3,
            bytes: 1000,
        }
    }

    fn build(is_labelled: bool) -> Build {
        Build {
            application: "a".into(),
            is_labelled,
        }
    }

    #[test]
    fn a_version_is_committed_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let file = "rejects/_delta_log/00000000000000000001.json";
        commit(
            &RejectRow::TABLE,
            &output,
            &build(false),
            &LogVersion::of_build(1, &[part(1)]),
        )
        .unwrap();
        let first = output.get(file).unwrap();
        commit(
            &RejectRow::TABLE,
            &output,
            &build(false),
            &LogVersion::of_build(1, &[part(1)]),
        )
        .unwrap();
        assert_eq!(output.get(file).unwrap(), first);
        let error = commit(
            &RejectRow::TABLE,
            &output,
            &build(false),
            &LogVersion::of_build(1, &[part(2)]),
        )
        .unwrap_err()
        .to_string();
        assert!(
            error.ends_with(
                "00000000000000000001.json' was written by another program: leave a table alone until its build \
                 is complete, and use --force to begin again"
            ),
            "{error}"
        );
        assert_eq!(output.get(file).unwrap(), first);
    }

    #[test]
    fn a_version_says_what_it_adds_and_the_first_what_the_table_is() {
        for crawls in [[None, None], [Some("a.b-1"), Some("c")]] {
            let is_labelled = crawls[0].is_some();
            let parts = [part_of(crawls[0], 0), part_of(crawls[1], 1)];
            let text = version_text(
                &SiteRow::TABLE,
                &build(is_labelled),
                &LogVersion::of_build(0, &parts),
            );
            let actions = text.lines().map(|line| serde_json::from_str(line).unwrap());
            let mut actions: Vec<Value> = actions.skip(1).collect();
            let id = actions[1]["metaData"]["id"].take();
            let lengths: Vec<usize> = id.as_str().unwrap().split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12]);
            let schema = actions[1]["metaData"]["schemaString"].take();
            let add = |number: usize| {
                let crawl = crawls[number].map(|crawl| ("crawl".to_owned(), json!(crawl)));
                json!({ "add": {
                    "path": &parts[number].name["sites/".len()..],
                    "partitionValues": Map::from_iter(crawl),
                    "size": 1000,
                    "modificationTime": 0,
                    "dataChange": true,
                    "stats": "{\"numRecords\":3}",
                }})
            };
            let expected = [
                json!({ "protocol": { "minReaderVersion": 1, "minWriterVersion": 2 } }),
                json!({ "metaData": {
                    "id": null,
                    "name": "sites",
                    "description": SiteRow::TABLE.comment,
                    "format": { "provider": "parquet", "options": {} },
                    "schemaString": null,
                    "partitionColumns": if is_labelled { vec!["crawl"] } else { vec![] },
                    "configuration": {},
                    "createdTime": 0,
                }}),
                json!({ "txn": { "appId": "a", "version": 0, "lastUpdated": 0 } }),
                add(0),
                add(1),
            ];
            assert_eq!(actions, expected);
            let schema: Value = serde_json::from_str(schema.as_str().unwrap()).unwrap();
            let mut fields = schema["fields"].as_array().unwrap().iter();
            for column in SiteRow::TABLE.columns() {
                let field = fields.next().unwrap();
                let wanted = json!({ "comment": column.comment });
                assert_eq!(
                    (&field["name"], &field["metadata"]),
                    (&column.name.into(), &wanted)
                );
            }
            let of_crawl: Vec<&Value> = fields.map(|field| &field["name"]).collect();
            assert_eq!(of_crawl.len(), usize::from(is_labelled));
            let languages = &schema["fields"][5]["type"]["elementType"]["fields"];
            assert_eq!(
                languages[1]["metadata"]["comment"],
                "The number of documents that declare it."
            );
            assert_eq!(
                (&languages[0]["type"], &languages[1]["type"]),
                (&json!("string"), &json!("long"))
            );
        }
        let later = version_text(&RejectRow::TABLE, &build(false), &LogVersion::of_build(7, &[]));
        let (_, transaction) = later.split_once('\n').unwrap();
        assert_eq!(
            transaction,
            "{\"txn\":{\"appId\":\"a\",\"lastUpdated\":0,\"version\":7}}\n"
        );
    }

    #[test]
    fn a_table_of_all_crawls_is_not_partitioned() {
        let table = DuplicateRow::TABLE;
        let part = Part {
            name: "duplicates/part-00000.parquet".to_owned(),
            rows: 3,
            bytes: 1000,
        };
        let version = LogVersion::of_build(0, std::slice::from_ref(&part));
        let text = version_text(&table, &build(true), &version);
        assert_eq!(text, version_text(&table, &build(false), &version));
        assert!(text.contains(r#""partitionColumns":[]"#) && text.contains(r#""partitionValues":{}"#));
    }

    #[test]
    fn files_with_rows_are_known_by_name() {
        let digest = format!("{}.parquet", "0f".repeat(32));
        for folder in ["", "crawl=a.b-1/"] {
            assert!(is_part(&format!("{folder}{digest}")));
            assert!(is_part(&format!("{folder}part-00001.parquet")));
        }
        for folder in ["crawl=.a/", "year=1/", "crawl=a/crawl=b/", "_delta_log/"] {
            assert!(!is_part(&format!("{folder}{digest}")), "{folder}");
        }
    }

    #[test]
    fn files_of_the_log_are_known_by_name() {
        assert!(crate::log::is_log("_delta_log/00000000000000000007.json"));
        for other in [
            "_delta_log/7.json",
            "00000000000000000007.json",
            "_delta_log/00000000000000000007.crc",
        ] {
            assert!(!crate::log::is_log(other), "{other}");
        }
    }
}
