//! Signatures of documents, and what else the last step has to know of them.

use gleaner_corpus::DocumentRow;
pub use gleaner_curate::SignatureConfig;
use gleaner_curate::{Signature, Signer};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::data::message::Signed;
use crate::error::Error;

/// How duplicates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DuplicateConfig {
    /// Words of a shingle, bands, and their rows.
    pub signatures: SignatureConfig,
    /// The least estimated similarity of near duplicates, from 0 to 1. Without, all are that share a band.
    pub verify: Option<f32>,
}

/// Signs texts.
#[derive(Clone)]
pub(crate) struct DocumentSigner {
    signer: Signer,
    signature: Signature,
}

impl DocumentSigner {
    pub(crate) fn new(signer: Signer) -> DocumentSigner {
        DocumentSigner {
            signer,
            signature: Signature::default(),
        }
    }

    pub(crate) fn sign(&mut self, text: &str) -> Signed {
        let DocumentSigner { signer, signature } = self;
        signer.sign(text, signature);
        let whole = signature.digest.map(|digest| xxh3_64(&digest.to_le_bytes()));
        Signed {
            keys: whole.into_iter().chain(signature.band_keys()).collect(),
            sketch: signature.sketch.clone(),
        }
    }
}

/// What is known of a document for the table of duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) key: Vec<u8>,
    /// Its time of capture, as it sorts; none are last.
    pub(crate) time: u64,
    pub(crate) row_id: String,
    pub(crate) record_id: String,
    pub(crate) words: u32,
    pub(crate) length: u32,
    pub(crate) sketch: Vec<u8>,
}

impl Facts {
    pub(crate) fn of(key: &[u8], document: &DocumentRow, signed: &Signed) -> Facts {
        let time = document.crawl_date.map(|date| date.0);
        Facts {
            key: key.into(),
            // In the order of signed numbers.
            time: time.map_or(u64::MAX, |time| time as u64 ^ 1 << 63),
            row_id: document.row_id.clone(),
            record_id: document.record_id.clone(),
            words: document.word_count,
            length: document.text.chars().count() as u32,
            sketch: signed.sketch.clone(),
        }
    }
}

/// The keys of the signatures of a unit's documents, one document after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitKeys {
    /// Keys of each document.
    counts: Vec<u16>,
    keys: Vec<u64>,
}

impl UnitKeys {
    /// Adds the next document.
    pub(crate) fn push(&mut self, keys: &[u64]) {
        let count = u16::try_from(keys.len());
        self.counts
            .push(count.expect("a signature has at most 1024 bands"));
        self.keys.extend_from_slice(keys);
    }

    /// The keys of each document.
    pub(crate) fn documents(&self) -> impl Iterator<Item = &[u64]> {
        let mut rest = &*self.keys;
        self.counts.iter().map(move |&count| {
            let (keys, behind) = rest.split_at(count.into());
            rest = behind;
            keys
        })
    }

    /// Keys have no order and no pattern: they are not compressed.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.counts.len() as u64).to_le_bytes().to_vec();
        bytes.extend(self.counts.iter().flat_map(|count| count.to_le_bytes()));
        bytes.extend(self.keys.iter().flat_map(|key| key.to_le_bytes()));
        bytes
    }

    /// What [`UnitKeys::to_bytes`] gave.
    ///
    /// # Errors
    /// It did not give these bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<UnitKeys, Error> {
        let (count, rest) = bytes.split_first_chunk().ok_or(Error::Damaged)?;
        let counts = usize::try_from(u64::from_le_bytes(*count)).ok();
        let counts = counts
            .and_then(|count| count.checked_mul(2))
            .ok_or(Error::Damaged)?;
        let (counts, keys) = rest.split_at_checked(counts).ok_or(Error::Damaged)?;
        let (counts, keys) = (counts.as_chunks().0, numbers(keys)?);
        let counts: Vec<u16> = counts.iter().map(|count| u16::from_le_bytes(*count)).collect();
        match counts.iter().map(|&count| usize::from(count)).sum::<usize>() == keys.len() {
            true => Ok(UnitKeys { counts, keys }),
            false => Err(Error::Damaged),
        }
    }
}

/// Numbers of 8 bytes each.
pub(crate) fn numbers(bytes: &[u8]) -> Result<Vec<u64>, Error> {
    match bytes.as_chunks() {
        (numbers, []) => Ok(numbers.iter().map(|number| u64::from_le_bytes(*number)).collect()),
        _ => Err(Error::Damaged),
    }
}
