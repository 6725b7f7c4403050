//! The tables of made documents beside those of slow and obvious second implementations, by any number of workers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use gleaner_cluster::GroupConfig;
use gleaner_corpus::{DocumentRow, Identity, Millis, surt};
use gleaner_curate::{SignatureConfig, Signer};
use gleaner_store::{Options, Store};
use gleaner_testing::Random;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use tempfile::TempDir;

use super::*;
use crate::data::key;
use crate::data::message::{Labelled, Signed};
use crate::data::signed::DocumentSigner;
use crate::data::sites::SiteSums;

/// Pages of a chunk, on the average.
const CHUNK: u64 = 64;

/// Documents in memory, with their signatures, by unit.
#[derive(Clone)]
struct Made(Arc<Vec<MadeUnit>>);

/// The SURT at which a unit begins, and its documents.
type MadeUnit = (Vec<u8>, Vec<(DocumentRow, Signed)>);

impl Made {
    /// Units of this number of documents, on the average.
    fn new(documents: &[DocumentRow], pages: u64) -> Made {
        let mut signer = signer();
        let mut units = vec![(Vec::new(), Vec::new())];
        for document in documents {
            let surt = document.surt.as_bytes();
            if begins_chunk(surt, pages) && units.last().is_some_and(|(start, _)| start != surt) {
                units.push((surt.to_vec(), Vec::new()));
            }
            let signed = signer.sign(&document.text);
            units.last_mut().unwrap().1.push((document.clone(), signed));
        }
        Made(Arc::new(units))
    }

    fn unit(&self, unit: u32) -> &[(DocumentRow, Signed)] {
        &self.0[unit as usize].1
    }
}

impl Units for Made {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn start(&self, unit: u32) -> &[u8] {
        &self.0[unit as usize].0
    }

    fn facts(&self, unit: u32, take: &mut dyn FnMut(Facts) -> Result<(), Error>) -> Result<(), Error> {
        let mut documents = self.unit(unit).iter();
        documents.try_for_each(|(document, signed)| take(Facts::of(document, signed)))
    }

    fn texts(
        &self,
        unit: u32,
        rows: Option<&[u32]>,
        take: &mut dyn FnMut(u32, &str, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_wanted = |row: &u32| rows.is_none_or(|rows| rows.contains(row));
        let mut documents = (0..).zip(self.unit(unit)).filter(|(row, _)| is_wanted(row));
        documents.try_for_each(|(row, (document, _))| take(row, &document.site, &document.text))
    }

    fn sites(&self, unit: u32) -> Result<Vec<SiteSum>, Error> {
        let mut sums = SiteSums::default();
        for (document, _) in self.unit(unit) {
            let document = DocumentRow {
                text: String::new(),
                ..document.clone()
            };
            sums.add(&Labelled {
                document,
                ..Labelled::default()
            });
        }
        Ok(sums.sums())
    }
}

fn signer() -> DocumentSigner {
    DocumentSigner::new(Signer::new(SignatureConfig::default()).unwrap())
}

fn word(random: &mut Random, spaced: bool) -> String {
    match spaced {
        true => (0..3)
            .map(|_| char::from(b'a' + random.below(26) as u8))
            .chain([' '])
            .collect(),
        false => char::from_u32(0x4e00 + random.below(5000) as u32)
            .unwrap()
            .to_string(),
    }
}

/// Documents in families of four: members have some other words than the first. Every other family is in a script without spaces;
/// some documents have two words, and some none. Lines are repeated on pages and sites.
fn documents(count: usize) -> Vec<DocumentRow> {
    let (mut random, mut first) = (Random::new(5), Vec::<String>::new());
    let documents = (0..count).map(|number| {
        let spaced = number / 8 % 2 == 0;
        if number % 4 == 0 {
            let length = 40 + random.below(100);
            first = (0..length).map(|_| word(&mut random, spaced)).collect();
        }
        let mut words = first.clone();
        for _ in 0..number % 4 * random.below(4) {
            let place = random.below(words.len());
            words[place] = word(&mut random, spaced);
        }
        let lines: String = (0..random.below(4))
            .map(|_| ["\n1.5", "\nno\u{e9}l, \u{4e00}", "\ntide", "\n"][random.below(4)])
            .collect();
        let text = match number % 50 {
            7 => String::new(),
            9 => "two words".to_owned(),
            _ => words.concat() + &lines,
        };
        document(number, random.below(90), words.len(), text)
    });
    by_key(documents.collect())
}

fn document(number: usize, site: usize, words: usize, text: String) -> DocumentRow {
    let url = format!("http://s{site:02}.example/{number:05}");
    DocumentRow {
        row_id: format!("row {number}"),
        record_id: format!("<{number}>"),
        surt: surt(&url),
        site: format!("s{site:02}.example"),
        language: ["en", "cs"].get(number % 3).map(|&language| language.to_owned()),
        crawl_date: (!number.is_multiple_of(11)).then_some(Millis(5 - (number % 7) as i64)),
        word_count: words as u32,
        text,
        ..DocumentRow::default()
    }
}

fn by_key(mut documents: Vec<DocumentRow>) -> Vec<DocumentRow> {
    documents.sort_by_key(key::of_document);
    documents
}

/// How the tables are written.
#[derive(Clone, Copy)]
struct Way {
    workers: usize,
    processes: usize,
    verify: Option<f32>,
    least: u64,
    memory: Option<u64>,
    /// Documents of a unit, on the average.
    unit: u64,
}

const ALONE: Way = Way {
    workers: 1,
    processes: 1,
    verify: None,
    least: 3,
    memory: None,
    unit: 32,
};

/// The tables, and the folder in which they are.
struct Tables {
    folder: TempDir,
    written: Written,
}

fn whole<U: Units>(units: U, way: Way, folder: &Path, is_first: bool) -> Whole<U> {
    let store = Store::new(Options::default()).unwrap();
    let output = store.output(folder.to_str().unwrap()).unwrap();
    let corpus = match is_first {
        true => Corpus::create(output, &Identity::default(), false),
        false => Corpus::join(output, &Identity::default(), gleaner_corpus::Settings::default()),
    };
    Whole {
        units,
        corpus: corpus.unwrap(),
        duplicates: Some(DuplicateConfig {
            verify: way.verify,
            ..DuplicateConfig::default()
        }),
        repeats: Some(way.least),
        chunk_size: CHUNK,
        memory: Memory::new(way.memory),
        stop: Arc::default(),
        step: Arc::new(|| {}),
    }
}

impl Tables {
    fn new(documents: &[DocumentRow], way: Way) -> Tables {
        let (folder, units) = (tempfile::tempdir().unwrap(), Made::new(documents, way.unit));
        let first = whole(units.clone(), way, folder.path(), true);
        if way.processes == 1 {
            let written = first.write(None, way.workers).unwrap().unwrap();
            return Tables { folder, written };
        }
        let hosts = hosts(way.processes);
        let written = std::thread::scope(|scope| {
            let process = |(process, whole): (usize, Whole<Made>)| {
                let hosts = hosts.clone();
                scope.spawn(move || {
                    let group = join(hosts, process);
                    // Computations follow each other over the same connections.
                    drop(group.execute(1, |_| ()).unwrap().join());
                    let whole = Whole {
                        stop: group.stop(),
                        ..whole
                    };
                    let written = whole.write(Some(&group), way.workers);
                    let written = written.inspect_err(|error| group.leave(&error.to_string()));
                    group.finish().unwrap();
                    written.unwrap()
                })
            };
            let others = (1..way.processes).map(|_| whole(units.clone(), way, folder.path(), false));
            let processes: Vec<_> = [first]
                .into_iter()
                .chain(others)
                .enumerate()
                .map(process)
                .collect();
            let written: Vec<_> = processes.into_iter().map(|one| one.join().unwrap()).collect();
            assert!(written[1..].iter().all(Option::is_none));
            written.into_iter().next().flatten()
        });
        Tables {
            folder,
            written: written.unwrap(),
        }
    }

    /// The rows of files, as they follow each other.
    fn rows<R>(&self, files: &[Part], of: impl Fn(&parquet::record::Row) -> R) -> Vec<R> {
        let rows = files.iter().flat_map(|file| {
            let file = fs::File::open(self.folder.path().join(&file.name)).unwrap();
            let reader = SerializedFileReader::new(file).unwrap();
            reader
                .get_row_iter(None)
                .unwrap()
                .map(|row| of(&row.unwrap()))
                .collect::<Vec<R>>()
        });
        rows.collect()
    }

    fn duplicates(&self) -> Vec<Duplicate> {
        self.rows(&self.written.duplicates, |row| Duplicate {
            cluster: row.get_string(2).unwrap().clone(),
            size: row.get_long(3).unwrap(),
            row_id: row.get_string(0).unwrap().clone(),
            survives: row.get_bool(4).unwrap(),
        })
    }

    /// Text, digest, sites and pages of lines.
    fn repeats(&self) -> Vec<(String, String, i64, i64)> {
        self.rows(&self.written.repeats, |row| {
            let [digest, text] = [0, 1].map(|column| row.get_string(column).unwrap().clone());
            (digest, text, row.get_long(2).unwrap(), row.get_long(3).unwrap())
        })
    }

    /// Name, pages and words of sites, and their languages.
    fn sites(&self) -> Vec<(String, i64, i64, String)> {
        self.rows(&self.written.sites, |row| {
            let languages = format!("{:?}", row.get_list(5).unwrap().elements());
            (
                row.get_string(0).unwrap().clone(),
                row.get_long(1).unwrap(),
                row.get_long(2).unwrap(),
                languages,
            )
        })
    }
}

/// Addresses that no other program listens at.
fn hosts(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count)
        .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    listeners
        .iter()
        .map(|listener| listener.local_addr().unwrap().to_string())
        .collect()
}

fn join(hosts: Vec<String>, process: usize) -> Group {
    let config = GroupConfig {
        hosts,
        process,
        identity: Identity::default(),
        secret: None,
        connect_timeout: Duration::from_secs(60),
        silence: Duration::from_secs(60),
        stop: Arc::default(),
        print: Arc::new(|_| {}),
    };
    Group::join(config).unwrap()
}

/// A row of the table of duplicates.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Duplicate {
    cluster: String,
    size: i64,
    row_id: String,
    survives: bool,
}

/// The slow way: each document is compared with each other. Rows by survivor and rank.
fn slow_duplicates(documents: &[DocumentRow], verify: Option<f32>) -> Vec<Duplicate> {
    let mut signer = signer();
    let signed: Vec<Signed> = documents
        .iter()
        .map(|document| signer.sign(&document.text))
        .collect();
    let mut clusters: Vec<BTreeSet<usize>> = (0..documents.len()).map(|number| [number].into()).collect();
    let mut by_key: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (number, signed) in signed.iter().enumerate() {
        signed
            .keys
            .iter()
            .for_each(|key| by_key.entry(*key).or_default().push(number));
    }
    for members in by_key.values() {
        let pairs = members
            .iter()
            .flat_map(|one| members.iter().map(move |other| (*one, *other)));
        for (one, other) in pairs {
            let [known, sketch] = [one, other].map(|number| &*signed[number].sketch);
            let similar = || verify.is_none_or(|least| gleaner_curate::similarity(known, sketch) >= least);
            if !clusters[one].contains(&other) && similar() {
                let joined: BTreeSet<usize> = clusters[one].union(&clusters[other]).copied().collect();
                joined
                    .iter()
                    .for_each(|&member| clusters[member].clone_from(&joined));
            }
        }
    }
    let rank = |number: usize| {
        let document = &documents[number];
        let time = document.crawl_date.map_or(i64::MAX, |date| date.0);
        (time, usize::MAX - document.text.chars().count(), number)
    };
    let survivor = |number: usize| {
        clusters[number]
            .iter()
            .copied()
            .min_by_key(|member| rank(*member))
            .unwrap()
    };
    let mut rows: Vec<usize> = (0..documents.len())
        .filter(|number| clusters[*number].len() > 1)
        .collect();
    rows.sort_by_key(|&number| (survivor(number), rank(number)));
    let rows = rows.into_iter().map(|number| Duplicate {
        cluster: documents[survivor(number)].row_id.clone(),
        size: clusters[number].len() as i64,
        row_id: documents[number].row_id.clone(),
        survives: survivor(number) == number,
    });
    rows.collect()
}

/// The slow way: all lines in one map.
fn slow_repeats(documents: &[DocumentRow], least: u64) -> Vec<(String, String, i64, i64)> {
    let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for document in documents {
        let of_page: BTreeSet<&str> = document.text.lines().collect();
        of_page
            .into_iter()
            .for_each(|line| lines.entry(line).or_default().push(&document.site));
    }
    lines.retain(|line, _| line.chars().any(char::is_alphabetic));
    let rows = lines.into_iter().map(|(line, pages)| {
        let sites: BTreeSet<&str> = pages.iter().copied().collect();
        let digest = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(line.as_bytes()));
        (digest, line.to_owned(), sites.len() as i64, pages.len() as i64)
    });
    let mut rows: Vec<_> = rows.filter(|(.., sites, _)| *sites as u64 >= least).collect();
    rows.sort();
    rows
}

#[test]
fn clusters_are_those_of_all_pairs() {
    for (count, verify) in [(2000, None), (400, Some(0.85))] {
        let documents = documents(count);
        let tables = Tables::new(&documents, Way { verify, ..ALONE });
        let expected = slow_duplicates(&documents, verify);
        assert!(
            expected.len() > count / 3 && tables.written.duplicates.len() > 1,
            "{}",
            expected.len()
        );
        assert_eq!(tables.duplicates(), expected);
        let sizes: BTreeSet<i64> = expected.iter().map(|row| row.size).collect();
        assert!(sizes.len() > 3, "{sizes:?}");
        let (documents, clusters) = (tables.written.counts.documents, tables.written.counts.clusters);
        assert_eq!(documents, expected.len() as u64);
        assert_eq!(
            clusters,
            expected.iter().filter(|row| row.survives).count() as u64
        );
    }
}

#[test]
fn lines_are_counted_as_in_one_map() {
    let documents = documents(600);
    for least in [1, 2, 60] {
        let tables = Tables::new(&documents, Way { least, ..ALONE });
        let expected = slow_repeats(&documents, least);
        assert!(expected.len() > 1 && expected.len() < 1000, "{}", expected.len());
        assert_eq!(tables.repeats(), expected);
    }
}

#[test]
fn a_site_is_a_row_in_the_chunk_of_its_first_page() {
    let documents = documents(600);
    let tables = Tables::new(&documents, ALONE);
    let mut expected: Vec<(String, i64, i64, String)> = Vec::new();
    for of_site in documents.chunk_by(|one, other| one.site == other.site) {
        let mut languages = BTreeMap::<&str, u64>::new();
        let declared = of_site.iter().filter_map(|document| document.language.as_deref());
        declared.for_each(|language| *languages.entry(language).or_default() += 1);
        let group = |(language, pages)| {
            format!(
                "Group(Row {{ fields: [(\"language\", Str({language:?})), (\"pages\", Long({pages}))] }})"
            )
        };
        let languages: Vec<String> = languages.into_iter().map(group).collect();
        let words = of_site
            .iter()
            .map(|document| i64::from(document.word_count))
            .sum();
        let name = of_site[0].site.clone();
        expected.push((
            name,
            of_site.len() as i64,
            words,
            format!("[{}]", languages.join(", ")),
        ));
    }
    assert_eq!(tables.sites(), expected);
    // A file begins with the first site of a chunk.
    let starts = documents
        .iter()
        .filter(|document| begins_chunk(document.surt.as_bytes(), CHUNK));
    assert!((3..=starts.count() + 1).contains(&tables.written.sites.len()));
}

#[test]
fn any_workers_processes_units_and_memory_write_the_same_files() {
    let documents = documents(600);
    for verify in [None, Some(0.85)] {
        let way = Way { verify, ..ALONE };
        let expected = Tables::new(&documents, way).written;
        for other in [
            Way { workers: 2, ..way },
            Way {
                workers: 3,
                unit: 16,
                ..way
            },
            // Components are found by stars, and everything is on disk.
            Way {
                memory: Some(3000),
                ..way
            },
            Way {
                workers: 3,
                memory: Some(20_000),
                unit: 64,
                ..way
            },
            Way { processes: 3, ..way },
            Way {
                processes: 2,
                workers: 2,
                memory: Some(3000),
                ..way
            },
        ] {
            assert!(
                Tables::new(&documents, other).written == expected,
                "{} {}",
                other.workers,
                other.processes
            );
        }
    }
}

#[test]
fn a_cluster_that_is_added_changes_one_file() {
    let mut documents = documents(2000);
    let names = |documents: &[DocumentRow]| -> BTreeSet<String> {
        let files = Tables::new(documents, ALONE).written.duplicates;
        files.into_iter().map(|file| file.name).collect()
    };
    let before = names(&documents);
    let text = "of a text that no other page has two pages are a cluster";
    documents.extend([11, 80].map(|site| document(77_777, site, 12, text.to_owned())));
    let after = names(&by_key(documents));
    let [gone, new] = [before.difference(&after), after.difference(&before)].map(Iterator::count);
    assert!(before.len() > 3);
    assert_eq!((gone, new), (1, 1));
}

#[test]
fn a_text_that_is_not_what_was_counted_is_an_error() {
    struct Other(Made);

    impl Units for Other {
        fn count(&self) -> u32 {
            self.0.count()
        }
        fn start(&self, unit: u32) -> &[u8] {
            self.0.start(unit)
        }
        fn facts(&self, _: u32, _: &mut dyn FnMut(Facts) -> Result<(), Error>) -> Result<(), Error> {
            Ok(())
        }
        fn texts(
            &self,
            _: u32,
            rows: Option<&[u32]>,
            take: &mut dyn FnMut(u32, &str, &str) -> Result<(), Error>,
        ) -> Result<(), Error> {
            take(0, "a.example", if rows.is_none() { "one" } else { "two" })
        }
        fn sites(&self, _: u32) -> Result<Vec<SiteSum>, Error> {
            Ok(Vec::new())
        }
    }

    for workers in [1, 3] {
        let (folder, way) = (tempfile::tempdir().unwrap(), Way { least: 1, ..ALONE });
        let other = whole(Other(Made::new(&[], 16)), way, folder.path(), true);
        assert!(matches!(other.write(None, workers), Err(Error::Damaged)));
    }
}

#[test]
fn a_step_that_is_stopped_ends() {
    let made = Made::new(&documents(600), 32);
    for workers in [1, 3] {
        let (folder, stop) = (tempfile::tempdir().unwrap(), Arc::new(AtomicBool::new(false)));
        let stopped = Whole {
            stop: Arc::clone(&stop),
            step: Arc::new(move || stop.store(true, Relaxed)),
            ..whole(made.clone(), ALONE, folder.path(), true)
        };
        assert!(matches!(stopped.write(None, workers), Err(Error::Interrupted)));
    }
}

/// The environment of a process of [`three_processes_share_the_work`]: its number and the hosts.
const PROCESS: &str = "GLEANER_TEST_PROCESS";

/// Documents of which half are in families of two to nine, whose members are anywhere. A document has six lines of 15 words, and two
/// that other pages have.
fn families(count: usize) -> Vec<DocumentRow> {
    let (mut random, mut made) = (Random::new(7), Vec::new());
    while made.len() < count {
        let mut lines: Vec<String> = (0..6)
            .map(|_| (0..15).map(|_| word(&mut random, true)).collect())
            .collect();
        let others = if random.below(6) == 0 {
            1 + random.below(8)
        } else {
            0
        };
        for _ in 0..=others {
            let site = random.below(2000);
            let text = format!(
                "{}\nAll about site {site}\nContact {}",
                lines.join("\n"),
                site % 100
            );
            made.push(document(made.len(), site, 96, text));
            lines[5] = word(&mut random, true) + &lines[5];
        }
    }
    by_key(made)
}

/// Seconds of all cores that this process has had.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split(' ').collect();
    // Ticks of user and system, of a hundredth of a second.
    [12, 13]
        .iter()
        .map(|&field| fields[field].parse::<f64>().unwrap() / 100.0)
        .sum()
}

/// Runs a process of the measurement: prints what the step took.
fn measured(processes: usize, process: usize, hosts: Vec<String>, folder: &Path) {
    let units = Made::new(&families(200_000), 1024);
    let group = (processes > 1).then(|| join(hosts, process));
    let whole = Whole {
        repeats: Some(10),
        chunk_size: 1024,
        stop: group.as_ref().map_or_else(Arc::default, Group::stop),
        ..whole(units, ALONE, folder, false)
    };
    let (before, begin) = (cpu_seconds(), std::time::Instant::now());
    let written = whole.write(group.as_ref(), 1).unwrap();
    let (seconds, elapsed) = (cpu_seconds() - before, begin.elapsed().as_secs_f64());
    println!("process {process} of {processes}: {seconds:.2} s of CPU, {elapsed:.2} s");
    if let Some(written) = written {
        println!(
            "{:?}, {} files",
            written.counts,
            written.duplicates.len() + written.sites.len() + written.repeats.len()
        );
    }
    group.map_or(Ok(()), |group| group.finish()).unwrap();
}

#[test]
#[ignore = "measures: run it alone, with --release --nocapture"]
fn three_processes_share_the_work() {
    if let Ok(process) = std::env::var(PROCESS) {
        let mut words = process.split(' ').map(str::to_owned);
        let [process, folder] = [0, 1].map(|_| words.next().unwrap());
        let hosts: Vec<String> = words.collect();
        measured(hosts.len(), process.parse().unwrap(), hosts, Path::new(&folder));
        return;
    }
    for processes in [1, 3] {
        let (folder, hosts) = (tempfile::tempdir().unwrap(), hosts(processes));
        let start = |process: usize| {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args([
                "--exact",
                "--ignored",
                "--nocapture",
                "whole::tests::three_processes_share_the_work",
            ]);
            let place = format!("{process} {} {}", folder.path().display(), hosts.join(" "));
            command.env(PROCESS, place).spawn().unwrap()
        };
        drop(whole(Made(Arc::default()), ALONE, folder.path(), true));
        let children: Vec<_> = (0..processes).map(start).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
    }
}
