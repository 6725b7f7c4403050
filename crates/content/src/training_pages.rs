//! Which pages a model was trained on.

/// The pages that a model was trained on, as short digests. Of other pages about one in a hundred million is taken for one
/// of a few thousand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingPages {
    /// Ascending.
    digests: Vec<u64>,
}

/// Bytes per digest in a file.
pub(crate) const BYTES: usize = 5;

/// The part of a digest of 64 bits that is kept.
fn kept(digest: u64) -> u64 {
    digest >> (64 - 8 * BYTES)
}

impl TrainingPages {
    /// Whether a page is among them, by the 64 bits of its digest.
    pub fn contains(&self, digest: u64) -> bool {
        self.digests.binary_search(&kept(digest)).is_ok()
    }

    /// How many different pages there are.
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// The digests in hexadecimal, for files of text.
    pub fn to_hex(&self) -> String {
        self.to_bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What [`TrainingPages::to_hex`] wrote; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<TrainingPages> {
        let digit = |&letter: &u8| char::from(letter).to_digit(16);
        let digits = text.as_bytes().iter().map(digit).collect::<Option<Vec<u32>>>()?;
        let bytes: Vec<u8> = digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |byte, &digit| byte << 4 | digit as u8))
            .collect();
        let is_whole = digits.len() % (2 * BYTES) == 0;
        is_whole.then(|| TrainingPages::from_bytes(&bytes))?
    }

    pub(crate) fn to_bytes(&self) -> impl Iterator<Item = u8> {
        let bytes = |digest: &u64| digest.to_be_bytes().into_iter().skip(8 - BYTES);
        self.digests.iter().flat_map(bytes)
    }

    /// What [`TrainingPages::to_bytes`] wrote; `None` if the digests do not ascend.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<TrainingPages> {
        let digest = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |digest, &byte| digest << 8 | u64::from(byte))
        };
        let digests: Vec<u64> = bytes.chunks_exact(BYTES).map(digest).collect();
        let ascends = digests.is_sorted_by(|one, next| one < next);
        ascends.then_some(TrainingPages { digests })
    }
}

/// Of digests of 64 bits, in any order.
impl FromIterator<u64> for TrainingPages {
    fn from_iter<I: IntoIterator<Item = u64>>(digests: I) -> TrainingPages {
        let mut digests: Vec<u64> = digests.into_iter().map(kept).collect();
        digests.sort_unstable();
        digests.dedup();
        TrainingPages { digests }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pages_are_known_again(digests: Vec<u64>, other: u64) {
            let pages: TrainingPages = digests.iter().copied().collect();
            prop_assert!(digests.iter().all(|&digest| pages.contains(digest)));
            let is_one = digests.iter().any(|&digest| kept(digest) == kept(other));
            prop_assert_eq!(pages.contains(other), is_one);
            let bytes: Vec<u8> = pages.to_bytes().collect();
            prop_assert_eq!(bytes.len(), BYTES * pages.len());
            prop_assert_eq!(TrainingPages::from_hex(&pages.to_hex()), Some(pages.clone()));
            prop_assert_eq!(TrainingPages::from_bytes(&bytes), Some(pages));
        }
    }

    #[test]
    fn digests_out_of_order_are_refused() {
        assert_eq!(TrainingPages::from_bytes(&[0, 0, 0, 0, 2, 0, 0, 0, 0, 1]), None);
        assert_eq!(TrainingPages::from_bytes(&[0; 2 * BYTES]), None);
        for text in [
            "00000000020000000001",
            "000000000",
            "000000000g",
            "00000000\u{e9}",
        ] {
            assert_eq!(TrainingPages::from_hex(text), None);
        }
    }
}
