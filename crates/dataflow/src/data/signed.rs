//! Signatures of documents, and what else the last step has to know of them.

use gleaner_corpus::DocumentRow;
pub use gleaner_curate::SignatureConfig;
use gleaner_curate::{Signature, Signer};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::data::message::Signed;

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
    /// The keys of its signature.
    pub(crate) keys: Vec<u64>,
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
            keys: signed.keys.clone(),
            sketch: signed.sketch.clone(),
        }
    }
}
