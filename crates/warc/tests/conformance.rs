//! Every file of the shared collection of real and damaged archives: where the two readers that counted
//! them agree, so must we; the others are decisions, kept in `decisions.tsv`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use gleaner_warc::{Error, Options, ReadSource, Reader, Record, RecordType, Reject, Step, http};
use serde_json::Value;
use sha1::{Digest, Sha1};

/// The folder of the collection.
fn collection() -> PathBuf {
    gleaner_testing::data("warc")
}

/// Reads a file, calling `each` for every record; returns what a line of the table says of it.
fn read(folder: &Path, file: &str, mut each: impl FnMut(&Record<'_>)) -> String {
    let opened = fs::File::open(folder.join(file)).expect("the file is listed");
    let mut reader = Reader::new(ReadSource::new(opened), file, Options::default());
    let mut rejects: BTreeMap<&str, u64> = BTreeMap::new();
    let mut flagged: BTreeMap<&str, u64> = BTreeMap::new();
    loop {
        match reader.step() {
            Ok(Step::Record(record)) => {
                if let Some(damage) = record.damage {
                    *flagged.entry(damage.as_str()).or_default() += 1;
                }
                each(&record);
            }
            Ok(Step::Reject(Reject { reason, .. })) => *rejects.entry(reason.as_str()).or_default() += 1,
            Ok(Step::Pending) => unreachable!("files do not wait"),
            Ok(Step::End) => break,
            Err(Error::NotAnArchive { .. }) => return "not-an-archive\t-\t-".to_owned(),
            Err(error) => panic!("{error}"),
        }
    }
    let types = list(
        reader
            .counts()
            .iter()
            .map(|(kind, count)| (kind.as_str(), count))
            .collect(),
    );
    format!("{types}\t{}\t{}", list(flagged), list(rejects))
}

/// `name:count` by name, or a dash.
fn list(counts: BTreeMap<&str, u64>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{name}:{count}"))
        .collect();
    if parts.is_empty() {
        "-".to_owned()
    } else {
        parts.join(" ")
    }
}

/// What both readers counted without an error, if they agree.
fn agreed(line: &Value) -> Option<String> {
    let reader = |name: &str| -> Option<BTreeMap<String, u64>> {
        let counted = &line[name];
        if counted["err"] != "" {
            return None;
        }
        let mut types = BTreeMap::new();
        for (name, count) in counted["types"].as_object()? {
            let known = RecordType::ALL.iter().any(|kind| kind.as_str() == name);
            *types
                .entry(if known { name.clone() } else { "unknown".to_owned() })
                .or_default() += count.as_u64()?;
        }
        Some(types)
    };
    let first = reader("fastwarc").filter(|_| line["fastwarc"]["types"] == line["warcio"]["types"])?;
    reader("warcio").map(|_| {
        list(
            first
                .iter()
                .map(|(name, &count)| (name.as_str(), count))
                .collect(),
        )
    })
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn every_file_reads_as_agreed_or_decided() -> io::Result<()> {
    let folder = collection();
    let table = include_str!("decisions.tsv");
    let decisions: BTreeMap<&str, &str> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (file, rest) = line.split_once('\t').expect("file, types, flags, rejects, why");
            (file, rest.rsplit_once('\t').expect("a reason").0)
        })
        .collect();
    let (mut wrong, mut matched, mut decided) = (String::new(), 0, 0);
    for line in fs::read_to_string(folder.join("counts.jsonl"))?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let file = line["file"].as_str().expect("a file name");
        let found = read(&folder, file, |_| {});
        if let Some(expected) = agreed(&line) {
            matched += 1;
            if found.split('\t').next() != Some(&expected) {
                writeln!(wrong, "{file}\n  agreed  {expected}\n  found   {found}")
                    .expect("a string takes all");
            }
        }
        match decisions.get(file) {
            Some(&expected) if expected == found => decided += 1,
            Some(&expected) => writeln!(wrong, "{file}\n  decided {expected}\n  found   {found}")
                .expect("a string takes all"),
            None if found.ends_with("\t-\t-") && agreed(&line).is_some() => {}
            None => writeln!(wrong, "{file}\n  no decision\n  found   {found}").expect("a string takes all"),
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert_eq!(
        (matched, decided),
        (132, decisions.len()),
        "files on which both agree, and decisions"
    );
    Ok(())
}

#[test]
#[ignore = "reads the data sets: set GLEANER_DATA"]
fn bodies_decode_to_what_the_server_sent() -> io::Result<()> {
    let folder = collection();
    let expected: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(folder.join("made/expected_payload.json"))?)?;
    let expected: BTreeMap<&str, &Value> = expected
        .iter()
        .map(|entry| (entry["path"].as_str().expect("a path"), entry))
        .collect();
    let mut scratch = http::Scratch::default();
    for file in [
        "made/wget-1.21.3.warc.gz",
        "made/wget-1.21.3-nocomp.warc",
        "made/warcio-capture.warc.gz",
    ] {
        let (mut wrong, mut checked) = (String::new(), 0);
        read(&folder, file, |record| {
            let path = record
                .target_uri
                .splitn(4, '/')
                .nth(3)
                .map(|path| format!("/{path}"))
                .unwrap_or_default();
            let Some(entry) = expected
                .get(path.as_str())
                .filter(|_| record.kind == RecordType::Response)
            else {
                return;
            };
            let message = http::parse(record.content, &mut scratch, &http::Limits::default()).expect("HTTP");
            checked += 1;
            let digest: String = Sha1::digest(message.body)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            // Of a stream that was cut only a prefix can be had.
            let is_prefix =
                message.flags.cut && (message.body.len() as u64) < entry["decoded_len"].as_u64().unwrap_or(0);
            assert_eq!(is_prefix, path == "/gzip-truncated", "{path}");
            if entry["decoded_sha1"] != *digest && !is_prefix {
                writeln!(
                    wrong,
                    "{file} {path}: {} bytes, {:?}, wanted {entry}",
                    message.body.len(),
                    message.flags
                )
                .expect("a string takes all");
            }
        });
        assert!(checked > 0, "no payload of {file} was checked");
        println!("{file} {checked}");
        assert!(wrong.is_empty(), "\n{wrong}");
    }
    Ok(())
}
