//! What a site says of one of its pages.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::packing::unpack;
use crate::staging::{Extent, Staging};

/// What a site says of one of its pages; what is by block has a value a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The page's place in its unit.
    pub(crate) entry: u32,
    /// The site's pages.
    pub(crate) site_pages: u32,
    /// The site's pages that have the block's text; 0 for a text that is not counted.
    #[serde(with = "crate::small")]
    pub(crate) pages: Vec<u32>,
    /// The log odds that the block is content, for all that is known of the site; no number where they are
    /// what they were, and empty where all are.
    #[serde(with = "crate::bulk")]
    pub(crate) logits: Vec<f32>,
    /// The share of the block that the site's expressions match; empty where they match nothing, or
    /// where nobody asks.
    #[serde(with = "crate::bulk")]
    pub(crate) coverage: Vec<f32>,
}

/// The answers to the pages of a unit.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    by_entry: FxHashMap<u32, Answer>,
}

impl Answers {
    /// Reads what the mine phase wrote for a unit.
    pub(crate) fn read(extents: &[Extent], staging: &Staging) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        let mut bytes = Vec::new();
        for &extent in extents {
            let bytes = staging.read(extent, &mut bytes)?;
            let mut rest = &*bytes;
            while !rest.is_empty() {
                let answer: Answer = unpack(&mut rest)?;
                answers.by_entry.insert(answer.entry, answer);
            }
        }
        Ok(answers)
    }

    /// The answer to a page, if its site has one. It is asked for once.
    pub(crate) fn take(&mut self, entry: u32) -> Option<Answer> {
        self.by_entry.remove(&entry)
    }
}
