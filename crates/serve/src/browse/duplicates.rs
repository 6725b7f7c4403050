//! Which documents are in clusters, in memory: 12 bytes for each of them, and 32 for each cluster.

use std::sync::Arc;

use gleaner_corpus::TableReader;
use gleaner_export::Value;

use super::budget::Budget;
use super::row_ids::{number_of, short};
use super::version::Version;
use crate::Error;

/// The documents of clusters, and the clusters.
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    /// 64 bits of the row ids, in order.
    ids: Vec<u64>,
    /// Of each the size of its cluster; the highest bit is that of survivors.
    sizes: Vec<u32>,
    /// Sizes and row ids of survivors, the largest clusters first.
    clusters: Vec<(u64, u128)>,
}

const SURVIVES: u32 = 1 << 31;

/// What is known of a document in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) cluster_size: u64,
    pub(crate) survives: bool,
}

impl Duplicates {
    /// Those of a version, read once. Waits for the store.
    pub(crate) fn of_version(corpus: &Version, budget: &Budget) -> Result<Arc<Duplicates>, Error> {
        corpus.once(|| Duplicates::read(corpus, budget))
    }

    fn read(corpus: &Version, budget: &Budget) -> Result<Duplicates, Error> {
        let mut rows: Vec<(u64, u32)> = Vec::new();
        let mut clusters = Vec::new();
        for file in corpus.tables.files.get("duplicates").into_iter().flatten() {
            let reader = TableReader::open(&corpus.output, file)?;
            for group in reader.groups().filter(|rows| !rows.is_empty()) {
                budget.check()?;
                let names = ["row_id", "cluster_size", "survivor"];
                let batch = reader.read(&names, group)?;
                let [Some(ids), Some(sizes), Some(survivors)] = names.map(|name| batch.column_by_name(name))
                else {
                    continue;
                };
                for row in 0..batch.num_rows() {
                    let Some(id) = Value::at(ids, row).text().and_then(number_of) else {
                        continue;
                    };
                    let size = match Value::at(sizes, row) {
                        Value::Whole(size) => size.cast_unsigned(),
                        _ => 0,
                    };
                    let survives = Value::at(survivors, row) == Value::Flag(true);
                    if survives {
                        clusters.push((size, id));
                    }
                    let size = u32::try_from(size).unwrap_or(u32::MAX) & !SURVIVES;
                    rows.push((short(id), if survives { size | SURVIVES } else { size }));
                }
            }
        }
        rows.sort_unstable();
        clusters.sort_unstable_by(|(size, id), (other_size, other)| (other_size, id).cmp(&(size, other)));
        clusters.shrink_to_fit();
        let (ids, sizes) = rows.into_iter().unzip();
        Ok(Duplicates { ids, sizes, clusters })
    }

    /// What is known of a document; none if it is in no cluster.
    pub(crate) fn of(&self, row_id: u128) -> Option<Copy> {
        let place = self.ids.binary_search(&short(row_id)).ok()?;
        let size = self.sizes[place];
        Some(Copy {
            cluster_size: (size & !SURVIVES).into(),
            survives: size & SURVIVES != 0,
        })
    }

    /// Sizes and survivors of clusters behind one, the largest first.
    pub(crate) fn clusters_behind(&self, last: Option<(u64, u128)>) -> &[(u64, u128)] {
        let start = last.map_or(0, |(last_size, last)| {
            self.clusters
                .partition_point(|(size, id)| (last_size, id) <= (*size, &last))
        });
        &self.clusters[start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_continue_behind_the_last() {
        let duplicates = Duplicates {
            clusters: vec![(9, 5), (9, 7), (3, 1), (2, 0)],
            ..Duplicates::default()
        };
        assert_eq!(duplicates.clusters_behind(None).len(), 4);
        assert_eq!(duplicates.clusters_behind(Some((9, 5)))[0], (9, 7));
        assert_eq!(duplicates.clusters_behind(Some((9, 6)))[0], (9, 7));
        assert_eq!(duplicates.clusters_behind(Some((9, 7)))[0], (3, 1));
        assert_eq!(duplicates.clusters_behind(Some((5, 0)))[0], (3, 1));
        assert!(duplicates.clusters_behind(Some((2, 0))).is_empty());
    }
}
