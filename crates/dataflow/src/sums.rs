//! The sums of all parts, added up in memory that does not grow with the crawl.
//!
//! Sums are added up in memory until that has as many as it is given. Then they are written, by site and language,
//! to a file without a name: a *run*. At the end all runs are read side by side, a piece of each at a time; where
//! they are too many for that, some of them become one, until they are not. What comes out is by site and language,
//! and each of them comes once, however the sums were dealt to parts and runs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::rc::Rc;
use std::vec;

use gleaner_store::Output;

use crate::error::Error;
use crate::packing::{pack, packed, unpack};
use crate::sites::{SiteSums, Sum, memory};

/// How much memory it takes.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Bytes of sums before they become a run.
    run: usize,
    /// Bytes of sums of a run that are read at a time.
    piece: usize,
    /// Runs that are read side by side, two at least.
    runs: usize,
}

/// 16 MiB while sums are added up; then 8 MiB, beside a row group of the table that they go to.
const BOUNDS: Bounds = Bounds {
    run: 16 << 20,
    piece: 64 << 10,
    runs: 128,
};

/// Adds up sums.
pub(crate) struct Adder {
    output: Output,
    bounds: Bounds,
    /// Those that are in no run yet.
    sums: SiteSums,
    /// The others, and the file that they are in.
    runs: Vec<Run>,
    file: Option<RunFile>,
}

impl Adder {
    /// With its runs where the output has its temporary files.
    pub(crate) fn new(output: &Output) -> Adder {
        Adder::bounded(output, BOUNDS)
    }

    fn bounded(output: &Output, bounds: Bounds) -> Adder {
        Adder {
            output: output.clone(),
            bounds,
            sums: SiteSums::default(),
            runs: Vec::new(),
            file: None,
        }
    }

    pub(crate) fn add(&mut self, sum: Sum) -> Result<(), Error> {
        self.sums.add(sum);
        match self.sums.memory() >= self.bounds.run {
            true => self.end_run(),
            false => Ok(()),
        }
    }

    /// Gives all sums, by site and language.
    pub(crate) fn each(mut self, mut take: impl FnMut(Sum) -> Result<(), Error>) -> Result<(), Error> {
        if self.runs.is_empty() {
            return self.sums.into_iter().try_for_each(take);
        }
        self.end_run()?;
        drop(self.file.take());
        while self.runs.len() > self.bounds.runs {
            self.runs = self.fewer_runs()?;
        }
        merge(self.runs, &mut take)
    }

    fn end_run(&mut self) -> Result<(), Error> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(RunFile::new(&self.output, self.bounds.piece)?),
        };
        let sums = std::mem::take(&mut self.sums);
        sums.into_iter().try_for_each(|sum| file.push(sum))?;
        self.runs.push(file.end_run()?);
        Ok(())
    }

    /// As many runs at a time as can be become one. The file of those before goes with them.
    fn fewer_runs(&mut self) -> Result<Vec<Run>, Error> {
        let mut file = RunFile::new(&self.output, self.bounds.piece)?;
        let mut fewer = Vec::new();
        let mut runs = std::mem::take(&mut self.runs);
        while !runs.is_empty() {
            let some = runs.drain(..self.bounds.runs.min(runs.len()));
            merge(some.collect(), &mut |sum| file.push(sum))?;
            fewer.push(file.end_run()?);
        }
        Ok(fewer)
    }
}

/// A file that runs are written to, one after the other.
struct RunFile {
    output: Output,
    file: Rc<File>,
    /// Where the run begins that is being written.
    start: u64,
    end: u64,
    /// Sums that are not written yet, and about how many bytes they are.
    piece: Vec<Sum>,
    bytes: usize,
    most: usize,
}

impl RunFile {
    fn new(output: &Output, piece: usize) -> Result<RunFile, Error> {
        Ok(RunFile {
            output: output.clone(),
            file: Rc::new(output.scratch()?),
            start: 0,
            end: 0,
            piece: Vec::new(),
            bytes: 0,
            most: piece,
        })
    }

    /// Takes the next sum of a run.
    fn push(&mut self, sum: Sum) -> Result<(), Error> {
        self.bytes += memory(&sum.0);
        self.piece.push(sum);
        match self.bytes >= self.most {
            true => self.write(),
            false => Ok(()),
        }
    }

    fn end_run(&mut self) -> Result<Run, Error> {
        self.write()?;
        let place = self.start..self.end;
        self.start = self.end;
        Ok(Run {
            output: self.output.clone(),
            file: Rc::clone(&self.file),
            place,
            piece: Vec::new().into_iter(),
        })
    }

    fn write(&mut self) -> Result<(), Error> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        pack(&self.piece, &mut bytes);
        let mut file = self.file.as_ref();
        file.write_all(&bytes)
            .map_err(|source| failed("write", &self.output, source))?;
        self.end += bytes.len() as u64;
        self.piece.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// Sums in a file, by site and language.
struct Run {
    output: Output,
    file: Rc<File>,
    /// What of it is not read yet.
    place: Range<u64>,
    /// What is read.
    piece: vec::IntoIter<Sum>,
}

impl Run {
    fn next(&mut self) -> Result<Option<Sum>, Error> {
        if self.piece.as_slice().is_empty() && !self.place.is_empty() {
            let bytes = self
                .read()
                .map_err(|source| failed("read", &self.output, source))?;
            self.place.start += bytes.len() as u64;
            let piece: Vec<Sum> = unpack(&mut bytes.as_slice())?;
            self.piece = piece.into_iter();
        }
        Ok(self.piece.next())
    }

    /// The next piece, with its length before it.
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut file = self.file.as_ref();
        file.seek(SeekFrom::Start(self.place.start))?;
        packed(&mut file)
    }
}

fn failed(what: &'static str, output: &Output, source: io::Error) -> Error {
    Error::Staging {
        what,
        place: output.place().to_string(),
        source,
    }
}

/// Gives the sums of some runs, by site and language. Each of them comes once.
fn merge(mut runs: Vec<Run>, take: &mut impl FnMut(Sum) -> Result<(), Error>) -> Result<(), Error> {
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (number, run) in runs.iter_mut().enumerate() {
        heads.extend(run.next()?.map(|sum| Reverse((sum, number))));
    }
    let mut last: Option<Sum> = None;
    while let Some(Reverse(((key, counts), number))) = heads.pop() {
        heads.extend(runs[number].next()?.map(|sum| Reverse((sum, number))));
        match &mut last {
            Some((same, sum)) if *same == key => sum.add(&counts),
            _ => last.replace((key, counts)).map_or(Ok(()), &mut *take)?,
        }
    }
    last.map_or(Ok(()), take)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::*;
    use crate::sites::{SiteCounts, SiteKey};

    fn output(folder: &tempfile::TempDir) -> Output {
        let store = Store::new(Options::default()).unwrap();
        store.output(folder.path().to_str().unwrap()).unwrap()
    }

    fn all(adder: Adder) -> Vec<Sum> {
        let mut all = Vec::new();
        adder
            .each(|sum| {
                all.push(sum);
                Ok(())
            })
            .unwrap();
        all
    }

    /// Few sites, so that they meet again; names that begin alike, one that is empty, and languages or none.
    fn some_sum() -> impl Strategy<Value = Sum> {
        let key = ("[a-c]{0,3}(\\.é)?", proptest::option::of("[x-y]{0,1}"));
        let counts = (0u64..4, 0u64..1 << 40, 0u64..9, 0u64..2);
        (key, counts).prop_map(
            |((site, language), (pages, kept_words, dropped_words, template_words))| {
                let counts = SiteCounts {
                    pages,
                    kept_words,
                    dropped_words,
                    template_words,
                };
                (SiteKey { site, language }, counts)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sums_are_those_of_a_tree_whatever_the_bounds(
            sums in proptest::collection::vec(some_sum(), 0..300),
            run in 1usize..8000, piece in 1usize..2000, runs in 2usize..6,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut adder = Adder::bounded(&output(&folder), Bounds { run, piece, runs });
            let mut expected: BTreeMap<SiteKey, SiteCounts> = BTreeMap::new();
            for sum in sums {
                expected.entry(sum.0.clone()).or_default().add(&sum.1);
                adder.add(sum).unwrap();
                prop_assert!(adder.sums.memory() < run);
            }
            prop_assert_eq!(all(adder), expected.into_iter().collect::<Vec<Sum>>());
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    /// A run of a thousand sums is never in memory as a whole when it is read.
    #[test]
    fn of_a_run_a_piece_is_read_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let sum = |number: usize| {
            let site = format!("s{number:04}.example");
            let key = SiteKey { site, language: None };
            (key, SiteCounts::default())
        };
        let piece = 10 * memory(&sum(0).0);
        let mut file = RunFile::new(&output(&folder), piece).unwrap();
        (0..1000).for_each(|number| file.push(sum(number)).unwrap());
        let mut run = file.end_run().unwrap();
        for number in 0..1000 {
            assert_eq!(run.next().unwrap(), Some(sum(number)));
            assert_eq!(run.piece.len(), 9 - number % 10);
        }
        assert_eq!(run.next().unwrap(), None);
    }
}
