//! The tables of made documents beside those of slow and obvious second implementations, by any number of workers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gleaner_corpus::{DocumentRow, Identity, Millis, surt};
use gleaner_curate::{SignatureConfig, Signer};
use gleaner_store::{Options, Store};
use gleaner_testing::Random;
use parquet::file::reader::SerializedFileReader;
use tempfile::TempDir;

use super::*;
use crate::data::key;
use crate::data::message::{Labelled, Signed};
use crate::data::signed::DocumentSigner;
use crate::data::sites::SiteSums;
use crate::data::unit_lines::LineCounter;
use crate::sorted_runs::begins_chunk;

/// Pages of a chunk, on the average.
const CHUNK: u64 = 64;

fn key_of(document: &DocumentRow) -> Vec<u8> {
    key::of_document(document, &[])
}

/// Documents in memory, with their signatures, by unit.
#[derive(Clone)]
struct Made {
    units: Arc<Vec<MadeUnit>>,
    /// Whether texts of the first unit change after they are read.
    texts_change: bool,
}

/// The SURT at which a unit begins, and its documents.
type MadeUnit = (Vec<u8>, Vec<(Labelled, Signed)>);

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
            let (signed, mut labelled) = (signer.sign(&document.text), Labelled::default());
            labelled.document = document.clone();
            units.last_mut().unwrap().1.push((labelled, signed));
        }
        Made {
            units: Arc::new(units),
            texts_change: false,
        }
    }

    fn unit(&self, unit: u32) -> &[(Labelled, Signed)] {
        &self.units[unit as usize].1
    }
}

impl Units for Made {
    fn count(&self) -> u32 {
        self.units.len() as u32
    }

    fn start(&self, unit: u32) -> &[u8] {
        &self.units[unit as usize].0
    }

    fn records(&self) -> u64 {
        self.units
            .iter()
            .map(|(_, documents)| documents.len() as u64)
            .sum()
    }

    fn keys(&self, unit: u32) -> Result<UnitKeys, Error> {
        let mut keys = UnitKeys::default();
        self.unit(unit)
            .iter()
            .for_each(|(_, signed)| keys.push(&signed.keys));
        Ok(keys)
    }

    fn facts(
        &self,
        unit: u32,
        is_wanted: &mut dyn FnMut(u32) -> bool,
        take: &mut dyn FnMut(u32, Facts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut documents = (0..).zip(self.unit(unit)).filter(|(place, _)| is_wanted(*place));
        documents.try_for_each(|(place, (labelled, signed))| {
            take(
                place,
                Facts::of(&key_of(&labelled.document), &labelled.document, signed),
            )
        })
    }

    fn line_hashes(&self, unit: u32) -> Result<Vec<u64>, Error> {
        Ok(self.lines(unit)?.lines().map(|(hash, ..)| hash).collect())
    }

    fn lines(&self, unit: u32) -> Result<UnitLines, Error> {
        let mut counter = LineCounter::default();
        let documents = self.unit(unit).iter().map(|(labelled, _)| &labelled.document);
        documents.for_each(|document| counter.push(&document.site, &document.text));
        Ok(counter.end())
    }

    fn texts(
        &self,
        unit: u32,
        rows: &[u32],
        take: &mut dyn FnMut(u32, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_wanted = |row: &u32| rows.contains(row);
        let mut documents = (0..).zip(self.unit(unit)).filter(|(row, _)| is_wanted(row));
        documents.try_for_each(
            |(row, (Labelled { document, .. }, _))| match self.texts_change && unit == 0 {
                true => take(row, &document.text.to_uppercase()),
                false => take(row, &document.text),
            },
        )
    }

    fn sites(&self, unit: u32) -> Result<Vec<SiteSum>, Error> {
        let mut sums = SiteSums::default();
        let documents = self.unit(unit).iter();
        documents.for_each(|(labelled, _)| sums.add(&key_of(&labelled.document), labelled));
        Ok(sums.sums())
    }
}

fn signer() -> DocumentSigner {
    DocumentSigner::new(Signer::new(SignatureConfig::default()).unwrap())
}

fn word(random: &mut Random, spaced: bool) -> String {
    match spaced {
        true => format!("w{} ", random.below(20_000)),
        false => char::from_u32(0x4e00 + random.below(5000) as u32).unwrap().into(),
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
        language: ["eng", "ces", "und"][number % 3].to_owned(),
        crawl_date: (!number.is_multiple_of(11)).then_some(Millis(5 - (number % 7) as i64)),
        word_count: words as u32,
        text,
        ..DocumentRow::default()
    }
}

fn by_key(mut documents: Vec<DocumentRow>) -> Vec<DocumentRow> {
    documents.sort_by_key(key_of);
    documents
}

/// Writes the tables by some workers, as `change` wants them. Gives their folder, too.
fn written(
    units: Made,
    workers: usize,
    change: impl FnOnce(&mut Whole<Made>),
) -> (TempDir, Result<Written, Error>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(Options::default()).unwrap();
    let output = store.output(folder.path().to_str().unwrap()).unwrap();
    let mut whole = Whole {
        units,
        corpus: Corpus::create(output, &Identity::default(), false).unwrap(),
        duplicates: Some(DuplicateConfig::default()),
        repeats: Some(3),
        chunk_size: CHUNK,
        memory: Memory::default(),
        stop: Arc::default(),
        step: Arc::new(|| {}),
    };
    change(&mut whole);
    let written = whole.write(None, workers);
    (folder, written.map(Option::unwrap))
}

/// Some columns of the rows of files, as they follow each other.
fn rows<const N: usize>(folder: &TempDir, files: &[Part], columns: [usize; N]) -> Vec<String> {
    let rows = files.iter().flat_map(|file| {
        let file = fs::File::open(folder.path().join(&file.name)).unwrap();
        SerializedFileReader::new(file).unwrap().into_iter()
    });
    let rows = rows.map(|row| {
        let row = row.unwrap();
        let fields: Vec<String> = row
            .get_column_iter()
            .map(|(_, field)| field.to_string())
            .collect();
        columns.map(|column| fields[column].clone()).join(" ")
    });
    rows.collect()
}

/// The slow way: each document is compared with each other. By survivor and rank size of the cluster, whether the document
/// survives, the survivor, and the document.
fn slow_duplicates(documents: &[DocumentRow], verify: Option<f32>) -> Vec<String> {
    let mut signer = signer();
    let signed = documents.iter().map(|document| signer.sign(&document.text));
    let signed: Vec<Signed> = signed.collect();
    let mut clusters: Vec<BTreeSet<usize>> = (0..documents.len()).map(|number| [number].into()).collect();
    let mut by_key: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (number, signed) in signed.iter().enumerate() {
        for key in &signed.keys {
            by_key.entry(*key).or_default().push(number);
        }
    }
    for members in by_key.values() {
        let pairs = members
            .iter()
            .flat_map(|one| members.iter().map(move |other| (*one, *other)));
        for (one, other) in pairs {
            let [known, sketch] = [one, other].map(|number| &*signed[number].sketch);
            let similar = || verify.is_none_or(|least| gleaner_curate::similarity(known, sketch) >= least);
            if !clusters[one].contains(&other) && similar() {
                let joined = &clusters[one] | &clusters[other];
                for member in &joined {
                    clusters[*member].clone_from(&joined);
                }
            }
        }
    }
    let rank = |number: usize| {
        let document = &documents[number];
        let time = document.crawl_date.map_or(i64::MAX, |date| date.0);
        (time, usize::MAX - document.text.chars().count(), number)
    };
    let survivor = |number: usize| {
        let members = clusters[number].iter().copied();
        members.min_by_key(|member| rank(*member)).unwrap()
    };
    let rows = (0..documents.len()).filter(|number| clusters[*number].len() > 1);
    let mut rows: Vec<usize> = rows.collect();
    rows.sort_by_key(|&number| (survivor(number), rank(number)));
    let rows = rows.into_iter().map(|number| {
        let (survivor, size) = (survivor(number), clusters[number].len());
        let [cluster, row] = [survivor, number].map(|number| &documents[number].row_id);
        format!("{size} {} {cluster:?} {row:?}", survivor == number)
    });
    rows.collect()
}

/// The slow way: all lines in one map. By digest the line, its sites and its pages.
fn slow_repeats(documents: &[DocumentRow], least: u64) -> Vec<String> {
    let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for document in documents {
        let of_page: BTreeSet<&str> = document.text.lines().collect();
        for line in of_page {
            lines.entry(line).or_default().push(&document.site);
        }
    }
    lines.retain(|line, _| line.chars().any(char::is_alphabetic));
    let rows = lines.into_iter().filter_map(|(line, pages)| {
        let sites = pages.iter().collect::<BTreeSet<_>>().len();
        let digest = xxhash_rust::xxh3::xxh3_128(line.as_bytes());
        let row = || format!("\"{digest:032x}\" \"{line}\" {sites} {}", pages.len());
        (sites as u64 >= least).then(row)
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

/// The slow way, of documents by key: sites with their pages, words and languages.
fn slow_sites(documents: &[DocumentRow]) -> Vec<String> {
    let of_sites = documents.chunk_by(|one, other| one.site == other.site);
    let rows = of_sites.map(|of_site| {
        let mut languages = BTreeMap::<&str, u64>::new();
        for document in of_site {
            *languages.entry(&document.language).or_default() += 1;
        }
        let languages = languages.into_iter();
        let languages = languages.map(|(name, pages)| format!("{{language: {name:?}, pages: {pages}}}"));
        let languages: Vec<String> = languages.collect();
        let words: u32 = of_site.iter().map(|document| document.word_count).sum();
        let (name, pages) = (&of_site[0].site, of_site.len());
        format!("{name:?} {pages} {words} [{}]", languages.join(", "))
    });
    rows.collect()
}

#[test]
fn tables_are_those_of_the_slow_ways() {
    for (count, verify, least) in [(2000, None, 2), (400, Some(0.85), 1), (600, None, 60)] {
        let documents = documents(count);
        let (folder, tables) = written(Made::new(&documents, 32), 1, |whole| {
            whole.duplicates.as_mut().unwrap().verify = verify;
            whole.repeats = Some(least);
        });
        let tables = tables.unwrap();
        let expected = slow_duplicates(&documents, verify);
        assert!(expected.len() > count / 3 && tables.duplicates.len() > count / 2000);
        assert_eq!(rows(&folder, &tables.duplicates, [3, 4, 2, 0]), expected);
        let sizes: BTreeSet<_> = expected.iter().map(|row| row.split(' ').next()).collect();
        assert!(sizes.len() > 3, "{sizes:?}");
        let survivors = expected.iter().filter(|row| row.contains("true"));
        let counts = (tables.counts.documents, tables.counts.clusters);
        assert_eq!(counts, (expected.len() as u64, survivors.count() as u64));
        let expected = slow_repeats(&documents, least);
        assert!(expected.len() > 1 && expected.len() < 3000, "{}", expected.len());
        assert_eq!(rows(&folder, &tables.repeats, [0, 1, 2, 3]), expected);
        assert_eq!(rows(&folder, &tables.sites, [0, 1, 2, 5]), slow_sites(&documents));
        // A file begins with the first site of a chunk.
        let starts = documents.iter().map(|document| document.surt.as_bytes());
        let starts = starts.filter(|start| begins_chunk(start, CHUNK));
        assert!((3..=starts.count() + 1).contains(&tables.sites.len()));
    }
}

#[test]
fn any_workers_units_and_memory_write_the_same_files() {
    let documents = documents(600);
    for verify in [None, Some(0.85)] {
        let written = |workers, unit, memory| {
            let written = written(Made::new(&documents, unit), workers, |whole| {
                whole.duplicates.as_mut().unwrap().verify = verify;
                whole.memory = Memory::new(memory);
            });
            written.1.unwrap()
        };
        let expected = written(1, 32, None);
        assert!(written(2, 32, None) == expected);
        assert!(written(3, 16, None) == expected);
        // Components are found by stars, and everything is on disk.
        assert!(written(1, 32, Some(3000)) == expected);
        assert!(written(3, 64, Some(20_000)) == expected);
    }
}

#[test]
fn a_cluster_that_is_added_changes_one_file() {
    let mut documents = documents(2000);
    let names = |documents: &[DocumentRow]| -> BTreeSet<String> {
        let (_, tables) = written(Made::new(documents, 32), 1, |_| {});
        let files = tables.unwrap().duplicates.into_iter();
        files.map(|file| file.name).collect()
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
fn a_step_that_fails_or_is_stopped_ends() {
    let mut made = Made::new(&documents(600), 32);
    for workers in [1, 3] {
        made.texts_change = false;
        let (_, stopped) = written(made.clone(), workers, |whole| {
            let stop = Arc::clone(&whole.stop);
            whole.step = Arc::new(move || stop.store(true, Relaxed));
        });
        assert!(matches!(stopped, Err(Error::Interrupted)));
        // A text is not what was counted.
        made.texts_change = true;
        let (_, failed) = written(made.clone(), workers, |_| {});
        assert!(matches!(failed, Err(Error::Damaged)));
    }
}
