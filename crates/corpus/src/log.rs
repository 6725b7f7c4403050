//! A table's log, read again: the files that are part of the table.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use bytes::Bytes;
use gleaner_store::Output;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::delta::{LOG, below, number_of, version_file};
use crate::fault::{Fault, FaultKind, Listing};
use crate::parallel::each;
use crate::{Error, checkpoint};

/// How many versions are asked for at a time: the answer of a bucket takes some tens of milliseconds.
const ASKED: usize = 32;

/// Maximum missing versions that are named: a damaged marker may name one that never was.
const MOST_GAPS: usize = 1000;

/// What a log says, as far as it can be read.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The files in the order in which they were added; none where one was removed.
    added: Vec<Option<TableFile>>,
    /// The files that are part of the table, each with its place in `added`.
    places: BTreeMap<String, usize>,
    /// Files of the log that are missing or damaged.
    pub(crate) faults: Vec<Fault>,
    /// The first version that no checkpoint stands for.
    pub(crate) first: u64,
}

/// A file of a table, as the table's log has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableFile {
    /// Its name within the corpus, such as `documents/6f2a…e1.parquet` or `documents/crawl=2024-18/6f2a…e1.parquet`.
    pub name: String,
    /// Its rows; not known of a file that another program has written and not counted.
    pub rows: Option<u64>,
    /// Its bytes.
    pub bytes: u64,
}

/// A line of a version, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Action {
    add: Option<Add>,
    remove: Option<Remove>,
}

#[derive(Debug, Deserialize)]
struct Add {
    path: String,
    size: u64,
    stats: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Remove {
    path: String,
}

/// What `_last_checkpoint` says.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Last {
    version: u64,
    size_in_bytes: Option<u64>,
    /// In how many files; other programs may write more than one.
    parts: Option<u64>,
}

impl Last {
    /// This checkpoint, or the last before it that is not of a later version than `latest`; nothing where there is none
    /// in one file.
    fn until(self, latest: u64, table: &str, there: &Listing) -> Option<Last> {
        if self.version <= latest {
            return self.parts.is_none().then_some(self);
        }
        let names = there.range(checkpoint::file(table, 0)..=checkpoint::file(table, latest));
        let versions = names.filter_map(|(name, _)| checkpoint::number_of(name));
        versions.max().map(|version| Last {
            version,
            ..Last::default()
        })
    }
}

/// Whether a file in a table's folder is one of its log; `name` is without the folder.
pub(crate) fn is_log(name: &str) -> bool {
    below(LOG, name).is_some_and(|file| {
        file == "_last_checkpoint" || number_of(file).or_else(|| checkpoint::number_of(file)).is_some()
    })
}

/// The versions of which a table's folder has files.
pub(crate) fn versions(there: &Listing) -> BTreeSet<u64> {
    there.keys().filter_map(|name| number_of(name)).collect()
}

/// The versions that are missing.
pub(crate) fn gaps(
    table: &str,
    there: &BTreeSet<u64>,
    expected: RangeInclusive<u64>,
) -> impl Iterator<Item = Fault> {
    let missing = expected.filter(|version| !there.contains(version));
    let missing = missing.take(MOST_GAPS);
    missing.map(|version| Fault::new(version_file(table, version), FaultKind::Missing))
}

impl Log {
    /// Reads the log up to a version, without one to its end. `there` are the files of the table's folder.
    pub(crate) fn at(
        output: &Output,
        table: &str,
        there: &Listing,
        version: Option<u64>,
    ) -> Result<Log, Error> {
        let versions = versions(there);
        let last = version.or(versions.last().copied()).unwrap_or(0);
        let mut log = Log::default();
        log.first = log.begin(output, table, there, last)?;
        log.faults.extend(gaps(table, &versions, log.first..=last));
        let later = versions
            .into_iter()
            .filter(|version| (log.first..=last).contains(version));
        log.read(output, table, &later.collect::<Vec<_>>())?;
        Ok(log)
    }

    /// The files that are part of the table, in the order in which they were added.
    pub(crate) fn files(&self) -> impl Iterator<Item = &TableFile> {
        self.added.iter().flatten()
    }

    /// Reads the last checkpoint of the versions up to `latest`, if there is one, and gives the number of the version
    /// after it.
    fn begin(&mut self, output: &Output, table: &str, there: &Listing, latest: u64) -> Result<u64, Error> {
        let name = checkpoint::last_file(table);
        let Some(bytes) = output.get(&name)? else {
            return Ok(0);
        };
        let last: Last = match serde_json::from_slice(&bytes) {
            Ok(last) => last,
            Err(error) => {
                self.faults.push(Fault::unreadable(&name, error));
                return Ok(0);
            }
        };
        let Some(last) = last.until(latest, table, there) else {
            return Ok(0);
        };
        let is_read = self.read_checkpoint(output, table, &last, there)?;
        Ok(if is_read { last.version + 1 } else { 0 })
    }

    fn read_checkpoint(
        &mut self,
        output: &Output,
        table: &str,
        last: &Last,
        there: &Listing,
    ) -> Result<bool, Error> {
        let name = checkpoint::file(table, last.version);
        let fault = match (there.get(&name), last.size_in_bytes) {
            (Some(&bytes), Some(expected)) if bytes != expected => {
                Fault::new(&*name, FaultKind::Size { bytes, expected })
            }
            _ => match output.get(&name)?.map(rows) {
                None => Fault::new(&*name, FaultKind::Missing),
                Some(Err(error)) => Fault::unreadable(&name, error),
                Some(Ok(actions)) => {
                    actions.into_iter().for_each(|action| self.apply(table, action));
                    return Ok(true);
                }
            },
        };
        self.faults.push(fault);
        Ok(false)
    }

    /// Reads versions, in their order.
    fn read(&mut self, output: &Output, table: &str, versions: &[u64]) -> Result<(), Error> {
        let read = each(ASKED, versions, |&version| {
            let name = version_file(table, version);
            Ok(match output.get(&name)?.as_deref().map(lines) {
                // It was there when the folder was listed.
                None => Err(Fault::new(name, FaultKind::Missing)),
                Some(actions) => actions.map_err(|detail| Fault::unreadable(&name, detail)),
            })
        })?;
        for actions in read {
            match actions {
                Ok(actions) => actions.into_iter().for_each(|action| self.apply(table, action)),
                Err(fault) => self.faults.push(fault),
            }
        }
        Ok(())
    }

    fn apply(&mut self, table: &str, action: Action) {
        if let Some(Remove { path }) = action.remove {
            self.leave(&format!("{table}/{path}"));
        }
        if let Some(Add { path, size, stats }) = action.add {
            let name = format!("{table}/{path}");
            self.leave(&name);
            self.places.insert(name.clone(), self.added.len());
            let statistics = stats.and_then(|stats| serde_json::from_str::<Value>(&stats).ok());
            self.added.push(Some(TableFile {
                name,
                rows: statistics.and_then(|counted| counted["numRecords"].as_u64()),
                bytes: size,
            }));
        }
    }

    /// A file is not part of the table any more, or at another place.
    fn leave(&mut self, name: &str) {
        if let Some(place) = self.places.remove(name) {
            self.added[place] = None;
        }
    }
}

/// The actions of a version. A version is a line an action, and ends with a line's end.
fn lines(bytes: &[u8]) -> Result<Vec<Action>, String> {
    if !bytes.ends_with(b"\n") {
        return Err("it ends inside a line".to_owned());
    }
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).map_err(|error| error.to_string()))
        .collect()
}

/// The actions of a checkpoint.
fn rows(bytes: Bytes) -> Result<Vec<Action>, ParquetError> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)?.build()?;
    let mut actions = Vec::new();
    for batch in reader {
        let batch = batch?;
        let lacks =
            |column: &str| ParquetError::General(format!("it has no column '{column}' of a checkpoint"));
        let paths = |action: &str| texts(&batch, action, "path").ok_or_else(|| lacks(action));
        let (added, removed) = (paths("add")?, paths("remove")?);
        let sizes = field(&batch, "add", "size").and_then(|sizes| sizes.as_primitive_opt::<Int64Type>());
        let sizes = sizes.ok_or_else(|| lacks("add.size"))?;
        let statistics = texts(&batch, "add", "stats");
        let text = |texts: &StringArray, row: usize| texts.is_valid(row).then(|| texts.value(row).to_owned());
        actions.extend((0..batch.num_rows()).map(|row| Action {
            add: text(added, row).map(|path| Add {
                path,
                size: sizes.value(row).max(0) as u64,
                stats: statistics.and_then(|texts| text(texts, row)),
            }),
            remove: text(removed, row).map(|path| Remove { path }),
        }));
    }
    Ok(actions)
}

/// A field of an action in all rows; null where a row has another action.
fn field<'a>(batch: &'a RecordBatch, action: &str, name: &str) -> Option<&'a ArrayRef> {
    batch
        .column_by_name(action)?
        .as_struct_opt()?
        .column_by_name(name)
}

fn texts<'a>(batch: &'a RecordBatch, action: &str, name: &str) -> Option<&'a StringArray> {
    field(batch, action, name)?.as_string_opt::<i32>()
}
