//! The sums of all chunks, added up in memory that does not grow with the crawl.

use std::sync::Arc;

use crate::data::packing::{pack, unpack};
use crate::data::sites::{SiteCounts, SiteKey, Sum};
use crate::error::Error;
use crate::sorted_runs::Sorter;
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// Adds up sums.
pub(crate) struct Adder(Sorter);

impl Adder {
    /// With a scratch file of its own.
    pub(crate) fn new(staging: &Arc<Staging>, scratch: StagedFile) -> Adder {
        Adder(Sorter::new(staging, scratch))
    }

    pub(crate) fn add(&mut self, (key, counts): &Sum) -> Result<(), Error> {
        self.0.push(&bytes_of(key), |bytes| pack(&(key, counts), bytes))
    }

    /// Gives all sums, by site and language. Each of them comes once.
    pub(crate) fn each(self, mut take: impl FnMut(Sum) -> Result<(), Error>) -> Result<(), Error> {
        let sorted = self.0.sorted()?;
        let mut records = sorted.read()?;
        let mut last: Option<Sum> = None;
        while let Some(record) = records.next()? {
            let (key, counts): (SiteKey, SiteCounts) = unpack(&mut &*record.value)?;
            match &mut last {
                Some((same, sum)) if *same == key => sum.add(&counts),
                _ => last.replace((key, counts)).map_or(Ok(()), &mut take)?,
            }
        }
        last.map_or(Ok(()), take)
    }
}

/// A key that sorts as a site and a language do. In a name of a site there is no NUL.
fn bytes_of(key: &SiteKey) -> Vec<u8> {
    let mut bytes = key.site.as_bytes().to_vec();
    bytes.push(0);
    if let Some(language) = &key.language {
        bytes.push(1);
        bytes.extend_from_slice(language.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::*;

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
        fn sums_are_those_of_a_tree_whatever_the_memory(
            sums in proptest::collection::vec(some_sum(), 0..300), memory in 1usize..8000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(Options::default()).unwrap();
            let output = store.output(folder.path().to_str().unwrap()).unwrap();
            let staging = Arc::new(Staging::new(&output));
            let mut adder = Adder(Sorter::new(&staging, StagedFile::Scratch(0, 0)).with_memory(memory));
            let mut expected: BTreeMap<SiteKey, SiteCounts> = BTreeMap::new();
            for sum in &sums {
                expected.entry(sum.0.clone()).or_default().add(&sum.1);
                adder.add(sum).unwrap();
            }
            let mut all = Vec::new();
            adder.each(|sum| {
                all.push(sum);
                Ok(())
            }).unwrap();
            prop_assert_eq!(all, expected.into_iter().collect::<Vec<Sum>>());
        }
    }
}
