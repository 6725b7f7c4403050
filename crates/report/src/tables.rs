//! Sums over the tables that do not have a row for each page: file by file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use arrow_array::ArrayRef;
use gleaner_corpus::{TableReader, VersionTables};
use gleaner_export::{Error, Value, Work, in_order};
use gleaner_store::Output;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::numbers::{
    Cluster, Duplicates, Permissions, Reject, Rights, RightsSignal, Site, Sites, SizeClass,
};

/// Sites of each list.
const SITES: usize = 20;

/// Clusters that are named.
const CLUSTERS: usize = 10;

/// The least sizes of the classes of clusters.
const SIZES: [u64; 9] = [2, 3, 4, 6, 11, 21, 51, 101, 1001];

/// The tables of a version.
#[derive(Debug)]
pub(crate) struct Tables<'a> {
    pub(crate) output: &'a Output,
    pub(crate) version: &'a VersionTables,
    pub(crate) work: &'a Work,
}

/// Columns of rows that were read.
struct Rows<'b> {
    columns: &'b [ArrayRef],
}

impl<'b> Rows<'b> {
    fn value(&self, column: usize, row: usize) -> Value<'b> {
        Value::at(&self.columns[column], row)
    }

    fn text(&self, column: usize, row: usize) -> String {
        self.value(column, row).text().unwrap_or_default().to_owned()
    }

    fn whole(&self, column: usize, row: usize) -> u64 {
        match self.value(column, row) {
            Value::Whole(number) => number.cast_unsigned(),
            _ => 0,
        }
    }
}

impl Tables<'_> {
    /// Has `count` count the row groups of each file of a table one after the other, with columns in the order that is asked for, and
    /// gives what was counted of each file to `take`. A table that is not there has no files.
    fn each_file<R: Default + Send>(
        &self,
        table: &str,
        columns: &[&str],
        count: impl Fn(&mut R, &Rows<'_>, usize) + Sync,
        mut take: impl FnMut(R),
    ) -> Result<(), Error> {
        let files = self.version.files.get(table).into_iter().flatten();
        let read = |file| {
            let reader = TableReader::open(self.output, file)?;
            let mut counted = R::default();
            for rows in reader.groups().filter(|rows| !rows.is_empty()) {
                self.work.check()?;
                let batch = reader.read(columns, rows)?;
                let found: Option<Vec<_>> = columns
                    .iter()
                    .map(|name| batch.column_by_name(name).cloned())
                    .collect();
                let found = found.ok_or_else(|| Error::OtherColumns(reader.file().to_owned()))?;
                let rows = Rows { columns: &found };
                (0..batch.num_rows()).for_each(|row| count(&mut counted, &rows, row));
            }
            Ok(counted)
        };
        in_order(self.work.workers, files.map(Ok), read, |counted| {
            take(counted);
            Ok(())
        })
    }

    /// The sites. A site has a row in each crawl that has a name: rows are added up by a hash of the site, and the names of the first
    /// sites are read again.
    pub(crate) fn sites(&self) -> Result<Sites, Error> {
        type Sums = FxHashMap<u64, [u64; 3]>;
        let columns = ["site", "pages", "kept_words", "dropped_words"];
        let hash = |rows: &Rows<'_>, row| xxh3_64(rows.value(0, row).text().unwrap_or_default().as_bytes());
        let mut sums = Sums::default();
        let add = |sums: &mut Sums, hash, own: [u64; 3]| {
            let there = sums.entry(hash).or_default();
            there.iter_mut().zip(own).for_each(|(there, own)| *there += own);
        };
        self.each_file(
            "sites",
            &columns,
            |sums: &mut Sums, rows, row| {
                add(
                    sums,
                    hash(rows, row),
                    [1, 2, 3].map(|column| rows.whole(column, row)),
                )
            },
            |file| file.into_iter().for_each(|(hash, own)| add(&mut sums, hash, own)),
        )?;
        let first = |column: usize| -> Vec<u64> {
            // Of sites with as many documents, those with more words come first.
            let key = |own: &[u64; 3], hash| (own[column], own[1 - column], hash);
            let mut all: Vec<(u64, u64, u64)> = sums.iter().map(|(hash, own)| key(own, *hash)).collect();
            let most = all.len().min(SITES);
            if most > 0 {
                all.select_nth_unstable_by_key(most - 1, |own| Reverse(*own));
            }
            all.truncate(most);
            all.sort_unstable_by_key(|own| Reverse(*own));
            all.into_iter().map(|(.., hash)| hash).collect()
        };
        let lists = [first(0), first(1)];
        let named: BTreeSet<u64> = lists.iter().flatten().copied().collect();
        let mut names = BTreeMap::new();
        self.each_file(
            "sites",
            &columns[..1],
            |found: &mut Vec<(u64, String)>, rows, row| {
                let hash = hash(rows, row);
                if named.contains(&hash) {
                    found.push((hash, rows.text(0, row)));
                }
            },
            |found| names.extend(found),
        )?;
        let site = |hash: &u64| {
            let [documents, kept_words, dropped_words] = sums[hash];
            Site {
                site: names.get(hash).cloned().unwrap_or_default(),
                documents,
                kept_words,
                dropped_words,
            }
        };
        let [most_documents, most_words] = lists.map(|hashes| hashes.iter().map(site).collect::<Vec<Site>>());
        Ok(Sites {
            count: sums.len() as u64,
            most_documents,
            most_words,
        })
    }

    /// The rejects, the most frequent reason first.
    pub(crate) fn rejects(&self) -> Result<Vec<Reject>, Error> {
        type Counts = BTreeMap<(String, String), u64>;
        let mut counts = Counts::new();
        self.each_file(
            "rejects",
            &["stage", "reason"],
            |counts: &mut Counts, rows, row| {
                *counts.entry((rows.text(0, row), rows.text(1, row))).or_default() += 1
            },
            |file| {
                file.into_iter()
                    .for_each(|(key, rejects)| *counts.entry(key).or_default() += rejects)
            },
        )?;
        let rejects = counts.into_iter().map(|((stage, reason), rejects)| Reject {
            stage,
            reason,
            rejects,
        });
        let mut rejects: Vec<Reject> = rejects.collect();
        rejects.sort_by_key(|reject| Reverse(reject.rejects));
        Ok(rejects)
    }

    /// The clusters. The URLs of the largest ones are not known yet.
    pub(crate) fn duplicates(&self) -> Result<Duplicates, Error> {
        let mut sum = ClusterTally::default();
        self.each_file(
            "duplicates",
            &["cluster", "cluster_size", "survivor", "similarity"],
            ClusterTally::count,
            |file: ClusterTally| sum.add(file),
        )?;
        let ends = SIZES[1..].iter().map(|next| Some(next - 1)).chain([None]);
        let classes = SIZES.into_iter().zip(ends).zip(sum.sizes);
        Ok(Duplicates {
            clusters: sum.sizes.iter().map(|(clusters, _)| clusters).sum(),
            documents: sum.documents,
            copies: sum.copies,
            equal_copies: sum.equal_copies,
            sizes: classes
                .map(|((from, to), (clusters, documents))| SizeClass {
                    from,
                    to,
                    clusters,
                    documents,
                })
                .collect(),
            largest: sum.largest,
        })
    }

    /// What is stated about rights; none without the table.
    pub(crate) fn rights(&self, documents: u64) -> Result<Option<Rights>, Error> {
        if !self.version.files.contains_key("rights") {
            return Ok(None);
        }
        let mut sum = RightsTally::default();
        self.each_file(
            "rights",
            &["row_id", "signal", "index", "train"],
            RightsTally::count,
            |mut file: RightsTally| {
                file.end_page();
                sum.add(file);
            },
        )?;
        let all = |mut permissions: Permissions| {
            permissions.unknown = documents.saturating_sub(permissions.allowed + permissions.forbidden);
            permissions
        };
        let mut signals: Vec<RightsSignal> = sum.signals.into_values().collect();
        signals.sort_by_key(|signal| Reverse(signal.documents));
        Ok(Some(Rights {
            documents: sum.documents,
            index: all(sum.index),
            train: all(sum.train),
            signals,
        }))
    }
}

#[derive(Default)]
struct ClusterTally {
    documents: u64,
    copies: u64,
    equal_copies: u64,
    /// Clusters and documents of each class.
    sizes: [(u64, u64); SIZES.len()],
    largest: Vec<Cluster>,
}

impl ClusterTally {
    fn count(&mut self, rows: &Rows<'_>, row: usize) {
        self.documents += 1;
        if rows.value(2, row) != Value::Flag(true) {
            self.copies += 1;
            self.equal_copies += u64::from(rows.value(3, row) == Value::Share(1.0));
            return;
        }
        let size = rows.whole(1, row);
        let class = SIZES.partition_point(|least| *least <= size).saturating_sub(1);
        self.sizes[class].0 += 1;
        self.sizes[class].1 += size;
        if self.largest.len() < CLUSTERS || self.largest.last().is_some_and(|last| last.documents <= size) {
            self.largest.push(Cluster {
                survivor: rows.text(0, row),
                url: String::new(),
                documents: size,
            });
            self.keep_largest();
        }
    }

    fn keep_largest(&mut self) {
        self.largest
            .sort_by(|one, other| (other.documents, &one.survivor).cmp(&(one.documents, &other.survivor)));
        self.largest.truncate(CLUSTERS);
    }

    fn add(&mut self, other: ClusterTally) {
        self.documents += other.documents;
        self.copies += other.copies;
        self.equal_copies += other.equal_copies;
        for (own, other) in self.sizes.iter_mut().zip(other.sizes) {
            own.0 += other.0;
            own.1 += other.1;
        }
        self.largest.extend(other.largest);
        self.keep_largest();
    }
}

/// The rows of a page stand one behind the other, in one file.
#[derive(Default)]
struct RightsTally {
    documents: u64,
    index: Permissions,
    train: Permissions,
    signals: BTreeMap<String, RightsSignal>,
    /// The page whose rows are read: for each signal, and for all, whether uses are forbidden and allowed.
    page: String,
    of_page: BTreeMap<String, [Use; 2]>,
}

/// What signals mean for a use.
#[derive(Clone, Copy, Default)]
struct Use {
    is_forbidden: bool,
    is_allowed: bool,
}

impl Use {
    fn state(&mut self, permission: &str) {
        self.is_forbidden |= permission == "forbidden";
        self.is_allowed |= permission == "allowed";
    }
}

impl Permissions {
    fn count(&mut self, all: impl Iterator<Item = Use>) {
        let uses: Vec<Use> = all.collect();
        match () {
            () if uses.iter().any(|one| one.is_forbidden) => self.forbidden += 1,
            () if uses.iter().any(|one| one.is_allowed) => self.allowed += 1,
            () => {}
        }
    }

    fn add(&mut self, other: Permissions) {
        self.allowed += other.allowed;
        self.forbidden += other.forbidden;
    }
}

impl RightsTally {
    fn count(&mut self, rows: &Rows<'_>, row: usize) {
        let page = rows.text(0, row);
        if page != self.page {
            self.end_page();
            self.page = page;
        }
        let uses = self.of_page.entry(rows.text(1, row)).or_default();
        uses[0].state(&rows.text(2, row));
        uses[1].state(&rows.text(3, row));
    }

    fn end_page(&mut self) {
        let signals = std::mem::take(&mut self.of_page);
        if signals.is_empty() {
            return;
        }
        self.documents += 1;
        self.index.count(signals.values().map(|uses| uses[0]));
        self.train.count(signals.values().map(|uses| uses[1]));
        for (name, [index, train]) in signals {
            let counts = self.signals.entry(name.clone()).or_default();
            counts.signal = name;
            counts.documents += 1;
            counts.forbid_index += u64::from(index.is_forbidden);
            counts.forbid_train += u64::from(train.is_forbidden);
        }
    }

    fn add(&mut self, other: RightsTally) {
        self.documents += other.documents;
        self.index.add(other.index);
        self.train.add(other.train);
        for (name, counts) in other.signals {
            let own = self.signals.entry(name).or_default();
            own.signal = counts.signal;
            own.documents += counts.documents;
            own.forbid_index += counts.forbid_index;
            own.forbid_train += counts.forbid_train;
        }
    }
}
