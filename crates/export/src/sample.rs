//! Which of the pages that pass the filters are taken: those with the least keys, so that a larger sample has all of a smaller one.

use std::collections::{BTreeMap, BinaryHeap};

use md5::{Digest, Md5};

use crate::recipe::{Limit, Sample};

/// The key of a page: its id as a number, or with a seed the MD5 digest of the seed, a colon and the id. Both are what a query can
/// compute.
pub(crate) fn key(seed: Option<u32>, row_id: &str, number: u128) -> u128 {
    match seed {
        None => number,
        Some(seed) => u128::from_be_bytes(Md5::digest(format!("{seed}:{row_id}")).into()),
    }
}

/// The first 64 bits of keys below which pages are taken; none where all are.
pub(crate) fn bound(fraction: f64) -> Option<u64> {
    // Exact: a power of two.
    let bound = fraction * 2_f64.powi(64);
    (fraction < 1.0).then_some(bound as u64)
}

/// The pages of each language with the least keys, while pages are counted.
#[derive(Debug)]
pub(crate) struct LeastKeys {
    most: Limit<u64>,
    keys: BTreeMap<String, BinaryHeap<u128>>,
}

/// Up to which key the pages of a language are taken; none where no page is. A language that is not here has no limit.
pub(crate) type Caps = BTreeMap<String, Option<u128>>;

impl LeastKeys {
    pub(crate) fn new(most: &Limit<u64>) -> LeastKeys {
        LeastKeys {
            most: most.clone(),
            keys: BTreeMap::new(),
        }
    }

    /// Counts a page.
    pub(crate) fn add(&mut self, language: &str, key: u128) {
        let Some(&most) = self.most.of(language) else {
            return;
        };
        if !self.keys.contains_key(language) {
            self.keys.insert(language.to_owned(), BinaryHeap::new());
        }
        let keys = self.keys.get_mut(language).expect("it was put there");
        keys.push(key);
        if keys.len() as u64 > most {
            keys.pop();
        }
    }

    /// The largest key of each language that is taken.
    pub(crate) fn caps(self) -> Caps {
        let largest = |keys: BinaryHeap<u128>| keys.peek().copied();
        let keys = self.keys.into_iter();
        keys.map(|(language, keys)| (language, largest(keys))).collect()
    }
}

/// Whether a page is within the limit of its language.
pub(crate) fn is_within(caps: &Caps, sample: &Sample, language: &str, key: u128) -> bool {
    match (&sample.most_per_language, caps.get(language)) {
        (Some(_), Some(cap)) => cap.is_some_and(|cap| key <= cap),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_a_query_computes() {
        let id = "00112233445566778899aabbccddeeff";
        let number = u128::from_str_radix(id, 16).unwrap();
        assert_eq!(key(None, id, number), number);
        // printf 7:00112233445566778899aabbccddeeff | md5sum
        assert_eq!(
            format!("{:032x}", key(Some(7), id, number)),
            "b3df388e8be3f9ff15d3621807e908ee"
        );
        assert_eq!(bound(0.5), Some(1 << 63));
        assert_eq!(bound(1.0), None);
    }

    #[test]
    fn the_least_keys_of_each_language_are_taken() {
        let most = Limit {
            default: None,
            by_language: [
                ("deu".to_owned(), 3),
                ("por".to_owned(), 0),
                ("ita".to_owned(), 99),
            ]
            .into(),
        };
        let mut least = LeastKeys::new(&most);
        for key in [50, 10, 40, 20, 30] {
            for language in ["deu", "por", "ita", "eng"] {
                least.add(language, key);
            }
        }
        let caps = least.caps();
        assert_eq!(
            caps,
            [
                ("deu".to_owned(), Some(30)),
                ("ita".to_owned(), Some(50)),
                ("por".to_owned(), None)
            ]
            .into()
        );
        let sample = Sample {
            most_per_language: Some(most),
            ..Sample::default()
        };
        let taken = |language, key| is_within(&caps, &sample, language, key);
        assert!(taken("deu", 30) && !taken("deu", 40) && !taken("por", 1) && taken("eng", 999));
    }
}
