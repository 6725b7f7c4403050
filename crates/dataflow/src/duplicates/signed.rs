//! Signatures of the documents of a chunk, as runs.

use std::sync::Arc;

use gleaner_corpus::DocumentRow;
use gleaner_curate::{Signature, Signer};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::bands::DocumentId;
use crate::data::key;
use crate::data::message::Signed;
use crate::data::packing::{pack, unpack};
use crate::error::Error;
use crate::sorted_runs::{RunPlace, Sorter};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

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

/// What is known of a document for its row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    pub(crate) fn of(document: &DocumentRow, sketch: Vec<u8>) -> Facts {
        let time = document.crawl_date.map(|date| date.0);
        Facts {
            key: key::of_document(document),
            // In the order of signed numbers.
            time: time.map_or(u64::MAX, |time| time as u64 ^ 1 << 63),
            row_id: document.row_id.clone(),
            record_id: document.record_id.clone(),
            words: document.word_count,
            length: document.text.chars().count() as u32,
            sketch,
        }
    }

    pub(crate) fn read(mut bytes: &[u8]) -> Result<Facts, Error> {
        unpack(&mut bytes)
    }
}

/// The runs of a chunk: entries by key, and what is known of each document, by its place.
pub(crate) type SignedRuns = [RunPlace; 2];

/// Collects the signatures of a chunk.
pub(crate) struct ChunkSigner {
    staging: Arc<Staging>,
    chunk: u32,
    /// Whether entries have sketches, too: similarities are looked at.
    with_sketches: bool,
    entries: Sorter,
    facts: Sorter,
    documents: u32,
}

impl ChunkSigner {
    pub(crate) fn new(staging: &Arc<Staging>, chunk: u32, with_sketches: bool) -> ChunkSigner {
        ChunkSigner {
            staging: Arc::clone(staging),
            chunk,
            with_sketches,
            entries: Sorter::of_chunk(staging, StagedFile::Scratch(chunk, 1)),
            facts: Sorter::of_chunk(staging, StagedFile::Scratch(chunk, 2)),
            documents: 0,
        }
    }

    /// Takes the next document of the chunk.
    pub(crate) fn push(&mut self, document: &DocumentRow, signed: &Signed) -> Result<(), Error> {
        let id: DocumentId = u64::from(self.chunk) << 32 | u64::from(self.documents);
        let sketch = if self.with_sketches { &*signed.sketch } else { &[] };
        for key in &signed.keys {
            self.entries.push(&key.to_be_bytes(), |bytes| {
                bytes.extend_from_slice(&id.to_be_bytes());
                bytes.extend_from_slice(sketch);
            })?;
        }
        let facts = Facts::of(document, signed.sketch.clone());
        self.facts
            .push(&self.documents.to_be_bytes(), |bytes| pack(&facts, bytes))?;
        self.documents += 1;
        Ok(())
    }

    /// Has the runs safe. Waits for the disk or the store.
    pub(crate) fn finish(self) -> Result<SignedRuns, Error> {
        let file = StagedFile::Signatures(self.chunk);
        let runs = [
            self.entries.sorted()?.keep(file)?,
            self.facts.sorted()?.keep(file)?,
        ];
        self.staging.seal(file)?;
        Ok(runs)
    }
}
