//! What waits for its site, as the value of a record.

use gleaner_corpus::RejectRow;
use serde::{Deserialize, Serialize};

use crate::data::message::Scored;
use crate::data::packing::{pack, unpack};
use crate::data::site_file::SiteFile;
use crate::error::Error;

/// A page or a reject, as it waits. Beside the page or the reject that a capture is may wait a file of a site, and beside a drawn page
/// its mark.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StagedPage {
    Page(Box<Scored>),
    Reject(Box<RejectRow>),
    SiteFile(Box<SiteFile>),
    /// The key of the drawn page.
    DrawnMark(Box<[u8]>),
}

impl StagedPage {
    /// Adds it to bytes.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        pack(self, bytes);
    }

    /// Takes it off bytes.
    pub(crate) fn take(mut bytes: &[u8]) -> Result<StagedPage, Error> {
        unpack(&mut bytes)
    }
}
