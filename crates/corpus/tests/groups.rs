//! Files that are made of row groups: encoded apart, or copied from other files.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_schema::{DataType, Field};
use gleaner_corpus::{
    BlockRow, CaptureRow, Corpus, DocumentRow, EncodedGroup, Error, FileWriter, GroupEncoder, HistogramRow,
    Part, PostRow, RejectRow, Row, Settings, SiteRow, StoredFile, TemplateRow, Texts,
};
use gleaner_store::{Options, Store};
use gleaner_testing::Random;
use gleaner_testing::http::{Head, Server};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::sample::{self, Folder};

/// A text: often empty, seldom longer than a page of a file.
fn text(random: &mut Random) -> String {
    let length = match random.below(400) {
        0..100 => 0,
        100..399 => random.below(60),
        _ => 100_000,
    };
    let characters = ['a', 'b', 'é', '日', '\n', '\0', '\u{1f600}'];
    (0..length).map(|_| characters[random.below(7)]).collect()
}

/// A value of a column.
fn value(field: &Field, random: &mut Random) -> Value {
    if field.is_nullable() && random.below(3) == 0 {
        return Value::Null;
    }
    match field.data_type() {
        DataType::Utf8 => text(random).into(),
        DataType::Boolean => (random.below(2) == 0).into(),
        DataType::UInt16 => random.below(1 << 16).into(),
        DataType::UInt32 => random.below(1 << 32).into(),
        DataType::Int64 => random.below(1 << 63).into(),
        DataType::Timestamp(..) => (random.below(1 << 50) as i64 - (1 << 49)).into(),
        DataType::Date32 => (random.below(1 << 20) as i32 - (1 << 19)).into(),
        DataType::Float32 => (random.below(101) as f32 / 100.0).into(),
        DataType::List(item) => (0..random.below(4)).map(|_| value(item, random)).collect(),
        DataType::Struct(fields) => object(fields, random),
        other => panic!("no values of {other}"),
    }
}

fn object<'a>(fields: impl IntoIterator<Item = &'a Arc<Field>>, random: &mut Random) -> Value {
    let fields = fields.into_iter();
    let values = fields.map(|field| (field.name().clone(), value(field, random)));
    Value::Object(values.collect::<Map<_, _>>())
}

/// Some rows of any table.
fn rows<R: Row + DeserializeOwned>(count: usize, random: &mut Random) -> Vec<R> {
    let schema = R::TABLE.schema();
    let row = |_| serde_json::from_value(object(schema.fields(), random)).unwrap();
    (0..count).map(row).collect()
}

fn encoded<R: Row>(encoder: &mut GroupEncoder<R>, rows: &[R]) -> Vec<EncodedGroup> {
    rows.iter().try_for_each(|row| encoder.push(row)).unwrap();
    encoder.finish().unwrap()
}

fn append(file: &mut FileWriter, groups: Vec<EncodedGroup>) {
    groups
        .into_iter()
        .try_for_each(|group| file.append(group))
        .unwrap();
}

/// What the tests write to.
struct Fixture {
    folder: Folder,
    corpus: Corpus,
}

impl Fixture {
    fn new(settings: Settings) -> Fixture {
        let folder = Folder::new();
        let identity = sample::identity_of(None);
        let corpus = Corpus::resume(folder.output(), &identity, false, settings).unwrap();
        Fixture { folder, corpus }
    }

    /// A file of some units of rows, and how many row groups each unit has.
    fn file<R: Row>(&self, units: &[&[R]]) -> (String, Vec<usize>) {
        let mut file = self.corpus.file(&R::TABLE, None, 0).unwrap();
        let mut encoder = self.corpus.encoder::<R>().unwrap();
        let mut counts = Vec::new();
        for unit in units {
            let groups = encoded(&mut encoder, unit);
            assert_eq!(
                groups.iter().map(EncodedGroup::rows).sum::<u64>(),
                unit.len() as u64
            );
            counts.push(groups.len());
            append(&mut file, groups);
        }
        let part = file.finish().unwrap().wait().unwrap();
        let rows = units.iter().map(|unit| unit.len() as u64);
        assert_eq!(part.rows, rows.sum::<u64>());
        (part.name, counts)
    }

    fn open(&self, name: &str) -> StoredFile {
        StoredFile::open(&self.folder.output(), name).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).unwrap()
    }
}

/// The row groups of each unit.
fn ranges(counts: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |count: &usize| {
        end += count;
        end - count..end
    };
    counts.iter().map(range).collect()
}

/// A file of units that are taken from one of two others, or encoded, as `from` says.
fn check<R: Row + DeserializeOwned>(seed: u64, units: &[(usize, u8)], settings: &Settings) {
    let mut random = Random::new(seed);
    let rows: Vec<Vec<R>> = units.iter().map(|(count, _)| rows(*count, &mut random)).collect();
    let fixture = Fixture::new(settings.clone());
    let units_of = |other: u8| -> Vec<&[R]> {
        let of_other = rows.iter().zip(units).filter(|(_, (_, from))| *from == other);
        of_other.map(|(unit, _)| unit.as_slice()).collect()
    };
    let mut others = [0, 1].map(|other| {
        let (name, counts) = fixture.file(&units_of(other));
        (fixture.open(&name), ranges(&counts).into_iter())
    });
    let mut file = fixture.corpus.file(&R::TABLE, None, 1).unwrap();
    for (rows, (_, from)) in rows.iter().zip(units) {
        match others.get_mut(usize::from(*from)) {
            Some((other, ranges)) => file.copy(other, ranges.next().unwrap()).unwrap(),
            None => append(&mut file, encoded(&mut fixture.corpus.encoder().unwrap(), rows)),
        }
    }
    let part = file.finish().unwrap().wait().unwrap();
    let all: Vec<&[R]> = rows.iter().map(Vec::as_slice).collect();
    let (name, _) = fixture.file(&all);
    assert_eq!(part.name, name, "a file of '{}'", R::TABLE.name);
    assert_eq!(part.rows, rows.iter().map(|unit| unit.len() as u64).sum::<u64>());
}

fn any_settings() -> impl Strategy<Value = Settings> {
    (100..2_000_000_usize, 1..40_usize, 100..500_000_usize).prop_map(
        |(row_group_bytes, row_group_rows, batch_bytes)| Settings {
            row_group_bytes,
            row_group_rows,
            batch_bytes,
            ..Settings::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_file_of_copied_row_groups_is_the_file_encoded(
        seed in any::<u64>(),
        units in proptest::collection::vec((0..60_usize, 0..3_u8), 0..6),
        settings in any_settings(),
    ) {
        let checks = [
            check::<DocumentRow>,
            check::<CaptureRow>,
            check::<BlockRow>,
            check::<PostRow>,
            check::<RejectRow>,
            check::<TemplateRow>,
            check::<HistogramRow>,
            check::<SiteRow>,
        ];
        checks[seed as usize % checks.len()](seed, &units, &settings);
    }
}

#[test]
fn large_row_groups_are_copied() {
    // Of several pages, several batches, filters of several sizes, and one row group more than the rows of a unit need.
    let settings = Settings {
        row_group_bytes: 8 << 20,
        ..Settings::default()
    };
    let fixture = Fixture::new(settings);
    let rows: Vec<DocumentRow> = (0..20_000).map(sample::document).collect();
    let mut table = fixture.corpus.table(None, 0).unwrap();
    rows.iter().try_for_each(|row| table.push(row)).unwrap();
    assert_eq!(
        table.finish().unwrap().wait().unwrap().name,
        fixture.file(&[&rows]).0
    );
    let (one, counts) = fixture.file(&[&rows[..15_000], &rows[15_000..]]);
    assert!(counts[0] > 1 && counts[1] == 1, "{counts:?}");
    let mut file = fixture.corpus.file(&DocumentRow::TABLE, None, 1).unwrap();
    let mut stored = fixture.open(&one);
    let all = stored.groups();
    assert_eq!(all, counts.iter().sum::<usize>());
    file.copy(&mut stored, 0..1).unwrap();
    file.copy(&mut stored, 1..1).unwrap();
    file.copy(&mut stored, 1..all).unwrap();
    assert_eq!(file.finish().unwrap().wait().unwrap().name, one);
}

#[test]
fn a_unit_without_rows_has_no_row_group() {
    let mut encoder = GroupEncoder::<SiteRow>::new(&Settings::default()).unwrap();
    assert!(encoder.finish().unwrap().is_empty());
    encoder.push(&sample::site(1)).unwrap();
    let groups = encoder.finish().unwrap();
    assert_eq!((groups.len(), groups[0].rows()), (1, 1));
    assert!(groups[0].bytes() > 100);
    assert!(encoder.finish().unwrap().is_empty());
}

#[test]
fn row_groups_move_between_threads() {
    fn check<T: Send>() {}
    check::<EncodedGroup>();
    check::<StoredFile>();
}

#[test]
fn damage_is_named() {
    let fixture = Fixture::new(Settings::default());
    let rows: Vec<RejectRow> = (0..300).map(sample::reject).collect();
    let (name, _) = fixture.file(&[&rows]);
    let (path, whole) = (fixture.folder.path().join(&name), fixture.bytes(&name));
    let opened = || StoredFile::open(&fixture.folder.output(), &name);
    let changed = |place: usize| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        bytes
    };
    let damaged = (0..whole.len()).step_by(97).map(changed);
    for bytes in damaged.chain([whole[..whole.len() - 1].to_vec(), Vec::new()]) {
        std::fs::write(&path, bytes).unwrap();
        let error = opened().err().unwrap();
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
        let expected = format!("'{name}' has other bytes than were written: restore it from a copy, ");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(opened().err().unwrap().to_string().contains(&name));
    std::fs::write(&path, whole).unwrap();
    assert_eq!(opened().unwrap().rows(0..1), Some(300));
}

#[test]
fn other_files_are_refused() {
    let fixture = Fixture::new(Settings::default());
    let (name, _) = fixture.file(&[&[sample::reject(1)]]);
    let mut stored = fixture.open(&name);
    let refused = |file: &mut FileWriter, stored: &mut StoredFile, groups| {
        file.copy(stored, groups).unwrap_err().to_string()
    };
    let mut file = fixture.corpus.file(&SiteRow::TABLE, None, 1).unwrap();
    let expected = format!("could not read '{name}': its columns are not those of the table");
    assert_eq!(refused(&mut file, &mut stored, 0..1), expected);
    let mut file = fixture.corpus.file(&RejectRow::TABLE, None, 1).unwrap();
    let expected = format!("could not read '{name}': it has no row groups 1..2");
    assert_eq!(refused(&mut file, &mut stored, 1..2), expected);
}

/// A bucket `b` that has the files of a folder, and the number of requests for their bytes.
fn bucket(folder: PathBuf) -> (Server, Arc<AtomicUsize>) {
    let requests = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&requests);
    let server = Server::start(move |mut stream| {
        let head = Head::read_whole(&mut stream)?;
        let path = folder.join(head.target.strip_prefix("b/").unwrap());
        let Ok(bytes) = std::fs::read(path) else {
            return stream
                .write_all(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        };
        let range = head.range();
        let (start, end) = range.as_ref().map_or((0, bytes.len()), |range| {
            (range.start as usize, (range.end as usize).min(bytes.len()))
        });
        let status = if range.is_some() {
            "206 Partial Content"
        } else {
            "200 OK"
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nconnection: close\r\netag: \"1\"\r\n\
             last-modified: Mon, 01 Jan 2024 00:00:00 GMT\r\ncontent-length: {}\r\n\
             content-range: bytes {start}-{}/{}\r\n\r\n",
            end - start,
            end - 1,
            bytes.len()
        )?;
        seen.fetch_add(1, Ordering::SeqCst);
        if head.method != "GET" {
            return Ok(());
        }
        stream.write_all(&bytes[start..end])
    });
    (server, requests)
}

#[test]
fn files_in_a_bucket_are_read() {
    let fixture = Fixture::new(Settings::default());
    let rows: Vec<DocumentRow> = (0..3000).map(sample::document).collect();
    let (name, _) = fixture.file(&rows.chunks(1000).collect::<Vec<_>>());
    let part = Part {
        name: name.clone(),
        rows: rows.len() as u64,
        bytes: fixture.bytes(&name).len() as u64,
    };
    let (server, requests) = bucket(fixture.folder.path());
    let url = format!("http://{}", server.address());
    let env = [
        ("AWS_ENDPOINT_URL", url.as_str()),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
        ("AWS_REGION", "us-east-1"),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let store = Store::new(Options {
        env: env.into(),
        ..Options::default()
    });
    let output = store.unwrap().output("s3://b").unwrap();
    let texts = Texts::open(&output, &part, 1..3, None).unwrap();
    let texts: Vec<String> = texts.map(|row| row.unwrap().1).collect();
    let expected = rows[1000..].iter().map(|row| row.text.as_str());
    assert!(texts.iter().map(String::as_str).eq(expected));
    // The footer, and two columns of two row groups.
    assert_eq!(requests.load(Ordering::SeqCst), 5);
    let mut file = fixture.corpus.file(&DocumentRow::TABLE, None, 1).unwrap();
    let mut stored = StoredFile::open(&output, &name).unwrap();
    file.copy(&mut stored, 0..3).unwrap();
    assert_eq!(file.finish().unwrap().wait().unwrap().name, name);
    assert!(StoredFile::open(&output, "documents/none.parquet").is_err());
}
