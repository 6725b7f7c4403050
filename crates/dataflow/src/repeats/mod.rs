//! Lines that stand on many sites.
//!
//! In: the kept text of each document, taken when its chunk is written. Out: the table repeats, with a row for each line that
//! stands on as many sites as are asked for, or more.
//!
//! - [`lines`]: the lines of a chunk, with a count for each digest and site.
//! - Here: the counts of all chunks by digest, added up.
//! - [`texts`]: lines that stand on many sites, looked up in the files of documents.
//!
//! Memory does not grow with the crawl. Hashes of sites have 64 bits: two sites that share one count as one.

mod lines;
mod texts;

use std::sync::Arc;

use gleaner_corpus::{Corpus, Part, RepeatRow, Row};

pub(crate) use lines::{ChunkLines, WrittenLines};
use lines::{LineCount, LinePlace, digest, take};
use texts::TextsByPlace;

use crate::data::row_files::RowFiles;
use crate::error::Error;
use crate::sorted_runs::begins_chunk;
use crate::sorted_runs::{Merge, Sorted, Sorter};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// On how many sites a line is at least.
pub const DEFAULT_REPEATS: u64 = 10;

/// The number of scratch files that no chunk has, nor any other step of the end.
const SCRATCH: u32 = u32::MAX - 3;

/// Writes the table: lines that stand on `least` sites or more, from the lines of all chunks, by number. Gives its files.
pub(crate) fn write(
    corpus: &Corpus,
    staging: &Arc<Staging>,
    least: u64,
    chunks: &[WrittenLines],
    chunk_size: u64,
) -> Result<Vec<Part>, Error> {
    let found = LinesOfChunks {
        staging,
        chunks,
        least,
    };
    let files = found.write(corpus, chunk_size)?;
    if !files.is_empty() {
        corpus.commit(&RepeatRow::TABLE, 0, &files)?;
    }
    Ok(files)
}

/// The lines of all documents.
struct LinesOfChunks<'a> {
    staging: &'a Arc<Staging>,
    chunks: &'a [WrittenLines],
    least: u64,
}

/// A line, counted.
struct Repeat {
    digest: u128,
    sites: u64,
    pages: u64,
    /// The site that came last.
    site: u64,
    place: LinePlace,
}

impl Repeat {
    fn of(count: LineCount) -> Repeat {
        Repeat {
            digest: count.digest,
            sites: 1,
            pages: count.pages.into(),
            site: count.site,
            place: count.place,
        }
    }

    /// Adds what comes next by digest and site.
    fn add(&mut self, count: LineCount) {
        // A site may have pages in several chunks.
        self.sites += u64::from(self.site != count.site);
        self.site = count.site;
        self.pages += u64::from(count.pages);
        self.place = self.place.min(count.place);
    }
}

impl LinesOfChunks<'_> {
    /// Writes rows by digest, with this number in a file on average.
    fn write(&self, corpus: &Corpus, rows_of_file: u64) -> Result<Vec<Part>, Error> {
        let by_digest = self.with_lines(corpus, &self.by_place()?)?;
        let mut files = RowFiles::new(corpus);
        let mut records = by_digest.read()?;
        while let Some(record) = records.next()? {
            if begins_chunk(record.key, rows_of_file) {
                files.end_file()?;
            }
            files.push(&row(record.key, record.value)?)?;
        }
        files.end()
    }

    /// What stands on enough sites, by place: so each file of documents is read once, from one end to the other.
    fn by_place(&self) -> Result<Sorted, Error> {
        let mut by_place = Sorter::new(self.staging, StagedFile::Scratch(SCRATCH, 1));
        self.each(|repeat| {
            by_place.push(&repeat.place.bytes(), |bytes| {
                bytes.extend_from_slice(&repeat.digest.to_be_bytes());
                bytes.extend_from_slice(&repeat.sites.to_be_bytes());
                bytes.extend_from_slice(&repeat.pages.to_be_bytes());
            })
        })?;
        by_place.sorted()
    }

    /// Gives each line that stands on enough sites.
    fn each(&self, mut take: impl FnMut(Repeat) -> Result<(), Error>) -> Result<(), Error> {
        let scratch = StagedFile::Scratch(SCRATCH, 0);
        let places = self.chunks.iter().filter_map(|chunk| chunk.counts);
        let mut counts = Merge::of_all(places, self.staging, scratch)?;
        let mut give = |repeat: Option<Repeat>| match repeat {
            Some(repeat) if repeat.sites >= self.least => take(repeat),
            _ => Ok(()),
        };
        let mut last: Option<Repeat> = None;
        while let Some(record) = counts.next()? {
            let count = LineCount::read(record.key, record.value)?;
            match &mut last {
                Some(same) if same.digest == count.digest => same.add(count),
                _ => give(last.replace(Repeat::of(count)))?,
            }
        }
        give(last)?;
        self.staging.discard(scratch);
        Ok(())
    }

    /// The same by digest, each with the line behind it.
    fn with_lines(&self, corpus: &Corpus, by_place: &Sorted) -> Result<Sorted, Error> {
        let mut by_digest = Sorter::new(self.staging, StagedFile::Scratch(SCRATCH, 2));
        let mut texts = TextsByPlace::new(corpus.output(), self.chunks, by_place.read()?);
        let mut records = by_place.read()?;
        while let Some(record) = records.next()? {
            let place = LinePlace::read(record.key)?;
            let line = place.line(texts.get(place)?)?;
            let (key, counts) = record.value.split_at_checked(16).ok_or(Error::Damaged)?;
            if digest(line).to_be_bytes() != key {
                return Err(Error::Damaged);
            }
            by_digest.push(key, |bytes| {
                bytes.extend_from_slice(counts);
                bytes.extend_from_slice(line.as_bytes());
            })?;
        }
        by_digest.sorted()
    }
}

fn row(mut key: &[u8], mut value: &[u8]) -> Result<RepeatRow, Error> {
    Ok(RepeatRow {
        digest: format!("{:032x}", u128::from_be_bytes(take(&mut key)?)),
        sites: u64::from_be_bytes(take(&mut value)?),
        pages: u64::from_be_bytes(take(&mut value)?),
        text: String::from_utf8(value.to_vec()).map_err(|_| Error::Damaged)?,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;

    use gleaner_corpus::{DocumentRow, Identity};
    use gleaner_store::{Options, Store};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    use proptest::prelude::*;

    use super::*;

    /// What the table has of a line: its digest, sites and pages.
    type Rows = BTreeMap<String, (String, u64, u64)>;

    /// Few lines and sites, so that they meet; some lines have no letter, and some are twice on a page.
    fn document() -> impl Strategy<Value = DocumentRow> {
        let line = prop_oneof![
            "[ab]{1,4}",
            "[0-9 .]{0,2}",
            Just("\tno\u{e9}l, \u{4e00}".to_owned())
        ];
        (prop::collection::vec(line, 0..9), 0..6u8).prop_map(|(lines, site)| DocumentRow {
            site: format!("s{site}.example"),
            text: lines.iter().map(|line| format!("{line}\n")).collect(),
            ..DocumentRow::default()
        })
    }

    fn chunk_of(
        documents: &[DocumentRow],
        corpus: &Corpus,
        staging: &Arc<Staging>,
        number: u32,
    ) -> WrittenLines {
        let mut lines = ChunkLines::new(staging, number);
        let mut table = corpus.table(number).unwrap();
        for document in documents {
            lines.push(document).unwrap();
            table.push(document).unwrap();
        }
        WrittenLines {
            counts: Some(lines.finish().unwrap()),
            documents: table.finish().unwrap().wait().unwrap().name,
        }
    }

    /// Writes the table with documents dealt to chunks. Gives names of files and rows.
    fn written(documents: &[DocumentRow], chunk: usize, least: u64) -> (Vec<String>, Rows) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let staging = Arc::new(Staging::new(&output));
        let chunks = documents
            .chunks(chunk)
            .zip(0..)
            .map(|(documents, number)| chunk_of(documents, &corpus, &staging, number));
        // Of rejects alone a chunk may be, too.
        let chunks: Vec<WrittenLines> = chunks.chain([WrittenLines::default()]).collect();
        let found = LinesOfChunks {
            staging: &staging,
            chunks: &chunks,
            least,
        };
        let files = found.write(&corpus, 32).unwrap();
        let names: Vec<String> = files.into_iter().map(|file| file.name).collect();
        let rows = names.iter().flat_map(|name| {
            let file = fs::File::open(folder.path().join(name)).unwrap();
            let reader = SerializedFileReader::new(file).unwrap();
            let rows = reader.get_row_iter(None).unwrap().map(|row| {
                let row = row.unwrap();
                let counts = [2, 3].map(|column| row.get_long(column).unwrap() as u64);
                let digest = row.get_string(0).unwrap().clone();
                (row.get_string(1).unwrap().clone(), (digest, counts[0], counts[1]))
            });
            rows.collect::<Vec<_>>()
        });
        let rows: Vec<_> = rows.collect();
        assert!(rows.is_sorted_by_key(|(_, (digest, ..))| digest.clone()));
        (names, rows.into_iter().collect())
    }

    /// The slow way: all lines in one map.
    fn slow(documents: &[DocumentRow], least: u64) -> Rows {
        let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for document in documents {
            let of_page: BTreeSet<&str> = document.text.lines().collect();
            for line in of_page {
                lines.entry(line).or_default().push(&document.site);
            }
        }
        lines.retain(|line, _| line.chars().any(char::is_alphabetic));
        let rows = lines.into_iter().map(|(line, sites)| {
            let pages = sites.len() as u64;
            let sites = sites.into_iter().collect::<BTreeSet<_>>().len() as u64;
            let digest = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(line.as_bytes()));
            (line.to_owned(), (digest, sites, pages))
        });
        rows.filter(|(_, (_, sites, _))| *sites >= least).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn lines_are_counted_as_in_one_map_whatever_the_chunks(
            documents in prop::collection::vec(document(), 0..200), chunk in 1..20usize, least in 1..6u64,
        ) {
            let (names, rows) = written(&documents, 400, least);
            prop_assert_eq!(&rows, &slow(&documents, least));
            prop_assert_eq!(written(&documents, chunk, least), (names, rows));
        }
    }

    #[test]
    fn a_text_that_is_not_what_was_counted_is_no_row() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let staging = Arc::new(Staging::new(&output));
        let of_text = |number, text: &str| {
            let document = DocumentRow {
                text: text.to_owned(),
                ..DocumentRow::default()
            };
            chunk_of(&[document], &corpus, &staging, number)
        };
        let (counted, other) = (of_text(0, "one\n"), of_text(1, "two\n"));
        let found = LinesOfChunks {
            staging: &staging,
            chunks: &[WrittenLines {
                counts: counted.counts,
                ..other
            }],
            least: 1,
        };
        assert!(matches!(found.write(&corpus, 32), Err(Error::Damaged)));
    }
}
