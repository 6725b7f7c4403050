//! What waits for its site, as the value of a record.

use gleaner_corpus::RejectRow;
use serde::{Deserialize, Serialize};

use crate::data::key;
use crate::data::message::Scored;
use crate::data::packing::{pack, unpack};
use crate::error::Error;

/// A page or a reject, as it waits.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StagedPage {
    Page(Box<Scored>),
    Reject(Box<RejectRow>),
}

impl StagedPage {
    /// Its key, which begins with that of its crawl.
    pub(crate) fn key(&self, crawl: &[u8]) -> Vec<u8> {
        match self {
            StagedPage::Page(page) => key::of_document(&page.document, crawl),
            StagedPage::Reject(reject) => key::of_reject(reject, crawl),
        }
    }

    /// Adds it to bytes.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        pack(self, bytes);
    }

    /// Takes it off bytes.
    pub(crate) fn take(mut bytes: &[u8]) -> Result<StagedPage, Error> {
        unpack(&mut bytes)
    }
}
