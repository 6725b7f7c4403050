//! A table's log in the format of Delta Lake: which files are part of it, version by version.
//!
//! A version is a file `_delta_log/00000000000000000007.json` beside the table's files, which is created
//! only if there is none. It is a line of JSON an action: `add` for a file, `txn` for the part of the
//! crawl that the version is of, and in the first version `protocol` and `metaData`. Readers of Delta Lake
//! (Spark, DuckDB, Polars, Trino) see the files of whole versions only, and can go back in time.
//!
//! A version is a function of the files that it adds: to commit it twice is to commit it once. Times are
//! left at 0, so that the same tables have the same log. Every hundredth version has a checkpoint, see
//! [`checkpoint`].

use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use gleaner_store::Output;
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_128;

use crate::crawl::{self, Crawl};
use crate::{Error, Part, Table};

/// The folder of the log, within a table's.
pub(crate) const LOG: &str = "_delta_log";

/// The build that writes a log.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// What logs call it.
    pub(crate) application: Arc<str>,
    /// The crawl that all rows are from, where it has a name: the tables are partitioned by it.
    pub(crate) crawl: Option<Crawl>,
}

/// The folder of a table's log, from the corpus.
pub(crate) fn log_folder(table: &str) -> String {
    format!("{table}/{LOG}")
}

/// The name of a version's file, from the corpus.
pub(crate) fn version_file(table: &str, version: u64) -> String {
    format!("{}/{version:020}.json", log_folder(table))
}

/// Whether a file of a log is that of a version.
pub(crate) fn is_version_file(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.strip_suffix(".json").is_some_and(is_version)
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

/// Whether this is the number of a version, as names of files have it.
pub(crate) fn is_version(number: &str) -> bool {
    number.len() == 20 && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// Makes `files` part of a table, as one version.
///
/// # Errors
///
/// The version cannot be written, or another program has written one of that number.
pub(crate) fn commit(
    table: &Table,
    output: &Output,
    build: &Build,
    version: u64,
    files: &[Part],
) -> Result<(), Error> {
    let name = version_file(table.name, version);
    let text = version_text(table, build, version, files);
    let is_there = || -> Result<bool, Error> { Ok(output.get(&name)?.is_some_and(|there| there == text)) };
    match output.put_new(&name, text.as_bytes())? || is_there()? {
        true => Ok(()),
        false => Err(Error::Version(output.place_of(&name).to_string())),
    }
}

/// The lines of a version.
pub(crate) fn version_text(table: &Table, build: &Build, version: u64, files: &[Part]) -> String {
    let mut all = vec![json!({ "commitInfo": {
        "timestamp": 0,
        "operation": "WRITE",
        "operationParameters": { "mode": "Append" },
        "isBlindAppend": true,
        "engineInfo": concat!("gleaner/", env!("CARGO_PKG_VERSION")),
    }})];
    if version == 0 {
        all.extend(description(table, build));
    }
    all.push(transaction(build, version));
    all.extend(files.iter().map(|file| add(table, build, file, true)));
    let mut lines = String::new();
    for action in all {
        writeln!(lines, "{action}").expect("a string takes all that is written to it");
    }
    lines
}

/// What a table is, in its first version.
pub(crate) fn description(table: &Table, build: &Build) -> [Value; 2] {
    let columns: Vec<&str> = build.partition().map(|(column, _)| column).collect();
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
    let partition: Map<String, Value> = build
        .partition()
        .map(|(column, crawl)| (column.to_owned(), crawl.into()))
        .collect();
    let path = file.name.strip_prefix(table.name).unwrap_or(&file.name);
    json!({ "add": {
        "path": path.trim_start_matches('/'),
        "partitionValues": partition,
        "size": file.bytes,
        "modificationTime": 0,
        "dataChange": is_change,
        "stats": json!({ "numRecords": file.rows }).to_string(),
    }})
}

impl Build {
    /// The columns of a table. Those of its partitions come last, as with readers that take them from names of folders.
    fn schema_text(&self, table: &Table) -> String {
        let columns = table.schema();
        let columns = columns.fields().iter().map(|field| Field::clone(field));
        let partition = self.crawl.iter().map(|_| crawl::field());
        let schema = Schema::new(columns.chain(partition).collect::<Vec<_>>());
        structure(&schema).to_string()
    }

    /// The partition of all files: columns and values.
    fn partition(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.crawl.iter().map(|crawl| (Crawl::COLUMN, crawl.as_str()))
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
    use crate::{BlockRow, RejectRow, Row, SiteRow};

    fn part(number: u32) -> Part {
        Part {
            name: format!("rejects/part-{number:05}.parquet"),
            rows: 3,
            bytes: 1000,
        }
    }

    fn build(crawl: Option<&str>) -> Build {
        Build {
            application: "a".into(),
            crawl: crawl.map(|name| Crawl::new(name).unwrap()),
        }
    }

    #[test]
    fn a_version_is_committed_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let file = "rejects/_delta_log/00000000000000000001.json";
        commit(&RejectRow::TABLE, &output, &build(None), 1, &[part(1)]).unwrap();
        let first = output.get(file).unwrap();
        commit(&RejectRow::TABLE, &output, &build(None), 1, &[part(1)]).unwrap();
        assert_eq!(output.get(file).unwrap(), first);
        let error = commit(&RejectRow::TABLE, &output, &build(None), 1, &[part(2)])
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
    fn versions_say_what_they_add() {
        let text = version_text(&RejectRow::TABLE, &build(None), 0, &[part(0), part(1)]);
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let keys: Vec<&String> = lines
            .iter()
            .flat_map(|line| line.as_object().unwrap().keys())
            .collect();
        assert_eq!(keys, ["commitInfo", "protocol", "metaData", "txn", "add", "add"]);
        assert_eq!(lines[4]["add"]["path"], "part-00000.parquet");
        assert_eq!(lines[4]["add"]["stats"], "{\"numRecords\":3}");
        let id = lines[2]["metaData"]["id"].as_str().unwrap();
        assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        let later = version_text(&RejectRow::TABLE, &build(None), 7, &[]);
        assert_eq!(later.lines().count(), 2);
        assert!(
            later.contains("{\"txn\":{\"appId\":\"a\",\"lastUpdated\":0,\"version\":7}}"),
            "{later}"
        );
    }

    #[test]
    fn files_of_a_named_crawl_are_a_partition() {
        let file = Part {
            name: format!("rejects/crawl=a.b-1/{}.parquet", "0".repeat(64)),
            ..part(0)
        };
        let actions_of = |crawl: Option<&str>| -> [Value; 2] {
            let text = version_text(&RejectRow::TABLE, &build(crawl), 0, std::slice::from_ref(&file));
            let mut lines = text
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            [lines.nth(2), lines.nth(1)].map(|line| line.unwrap())
        };
        let [table, added] = actions_of(Some("a.b-1"));
        assert_eq!(
            added["add"]["path"],
            format!("crawl=a.b-1/{}.parquet", "0".repeat(64))
        );
        assert_eq!(added["add"]["partitionValues"], json!({ "crawl": "a.b-1" }));
        assert_eq!(table["metaData"]["partitionColumns"], json!(["crawl"]));
        let fields = |table: &Value| -> Vec<Value> {
            let schema = table["metaData"]["schemaString"].as_str().unwrap();
            let schema: Value = serde_json::from_str(schema).unwrap();
            schema["fields"].as_array().unwrap().clone()
        };
        let mut columns = fields(&table);
        let crawl = columns.pop().unwrap();
        assert_eq!(
            (&crawl["name"], &crawl["type"]),
            (&json!("crawl"), &json!("string"))
        );
        assert_eq!(crawl["nullable"], false);
        assert!(crawl["metadata"]["comment"].is_string());
        let [table, added] = actions_of(None);
        assert_eq!(fields(&table), columns);
        assert_eq!(table["metaData"]["partitionColumns"], json!([]));
        assert_eq!(added["add"]["partitionValues"], json!({}));
    }

    #[test]
    fn types_are_those_that_hold_the_values() {
        let schema = structure(&BlockRow::TABLE.schema());
        let of = |name: &str| {
            let fields = schema["fields"].as_array().unwrap().iter();
            fields.clone().find(|field| field["name"] == name).unwrap()["type"].clone()
        };
        assert_eq!(
            [of("record_id"), of("block"), of("confidence")],
            [json!("string"), json!("long"), json!("float")]
        );
    }

    #[test]
    fn columns_and_tables_have_their_comments() {
        let version: Vec<Value> = version_text(&SiteRow::TABLE, &build(None), 0, &[])
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let table = &version[2]["metaData"];
        assert_eq!(table["description"], SiteRow::TABLE.comment);
        let schema: Value = serde_json::from_str(table["schemaString"].as_str().unwrap()).unwrap();
        let fields = schema["fields"].as_array().unwrap();
        for (field, column) in fields.iter().zip(SiteRow::TABLE.columns()) {
            assert_eq!(field["name"], column.name);
            assert_eq!(field["metadata"], json!({ "comment": column.comment }));
        }
        let languages = &fields[5]["type"]["elementType"]["fields"];
        assert_eq!(
            languages[1]["metadata"]["comment"],
            "The number of documents that declare it."
        );
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
