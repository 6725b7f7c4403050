//! What the steps of a build give each other.

use std::sync::Arc;

use gleaner_corpus::{BlockRow, ContaminationRow, DocumentRow, Part, PostRow, RightsRow, SignalRow, Unread};
use gleaner_curate::rights;
use gleaner_document::{ReadPage, ScoredBlocks};
use gleaner_metadata::date::Day;
use gleaner_site::PageNotes;
use serde::{Deserialize, Serialize};

use crate::data::archive_read::PieceRead;
use crate::epoch::Epoch;
use crate::memory::large::ReservedMemory;

/// A header of a response: name and value.
pub(crate) type Header = (Box<[u8]>, Box<[u8]>);

/// A page as it came over HTTP, with all that is known of it before it is parsed.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What the record and the HTTP header give; the other columns are empty.
    pub document: DocumentRow,
    /// The header `Content-Type`, with its parameters.
    pub content_type: Option<String>,
    /// Those headers of the response that can have signals about rights.
    pub rights_headers: Vec<Header>,
    /// The record that the page was drawn from: it is a conversion of HTML that refers to that.
    pub drawn_from: Option<String>,
    /// Plain text (a WET record), not HTML.
    pub plain_text: bool,
    /// Its bytes, codings undone.
    pub body: Vec<u8>,
}

const MILLIS_OF_DAY: i64 = 24 * 60 * 60 * 1000;

impl Capture {
    /// The day of the capture. Crawlers write the first second of a year where the time of the capture is unknown.
    pub fn day(&self) -> Option<Day> {
        let millis = self.document.crawl_date?.0;
        let day = Day::from_number(i32::try_from(millis.div_euclid(MILLIS_OF_DAY)).ok()?)?;
        let (_, month, number) = day.parts();
        let is_placeholder = (month, number) == (1, 1) && millis.rem_euclid(MILLIS_OF_DAY) == 0;
        (!is_placeholder).then_some(day)
    }
}

/// A page that is parsed and measured.
#[derive(Clone, Debug)]
pub(crate) struct Extracted {
    pub(crate) document: DocumentRow,
    /// The record that the page was drawn from.
    pub(crate) drawn_from: Option<String>,
    pub(crate) page: ReadPage,
    pub(crate) parts: Parts,
    /// What is noted of the blocks for the site; empty unless site evidence is used.
    pub(crate) notes: PageNotes,
}

/// A page that is scored by itself: all that the label phase needs when the evidence of its site is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Scored {
    pub(crate) document: DocumentRow,
    pub(crate) blocks: ScoredBlocks,
    pub(crate) parts: Parts,
}

/// What goes with a page to its rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// The tag paths of its blocks; empty unless the blocks table is wanted.
    pub(crate) paths: Vec<String>,
    /// Its posts; empty unless the posts table is wanted.
    pub(crate) posts: Vec<PostRow>,
    /// What it states about rights; empty unless the rights table is wanted.
    pub(crate) rights: Vec<rights::RightsRow>,
    /// The memory that is reserved for it, if it is a large page.
    #[serde(skip)]
    pub(crate) reserved: Option<Arc<ReservedMemory>>,
}

/// Where the records of a unit begin and end: where units meet in a shard, the one must end where the next begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnitEnds {
    /// The offset of its first record.
    pub(crate) first: u64,
    /// The offset of the first record behind it.
    pub(crate) next: u64,
}

/// In place of the offset of a record, where the shard ends before it.
pub(crate) const NO_RECORD: u64 = u64::MAX;

/// What is known of a unit when it is read.
#[derive(Debug, Default)]
pub(crate) struct UnitEnd {
    /// None where an input could not be read: a later run reads the unit again.
    pub(crate) ends: Option<UnitEnds>,
    /// What was read of its pieces.
    pub(crate) pieces: Vec<PieceRead>,
    /// Inputs that could not be read to their end.
    pub(crate) missing: Vec<Unread>,
}

/// What is kept of the signature of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signed {
    /// The keys under which it may collide with others: one of its normalised text, and one of each band.
    pub(crate) keys: Vec<u64>,
    /// From it the similarity of two documents is estimated. Empty if it has no words.
    pub(crate) sketch: Vec<u8>,
}

/// A document with its blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labelled {
    pub(crate) document: DocumentRow,
    /// None unless the table of signals is written.
    pub(crate) signals: Option<SignalRow>,
    pub(crate) blocks: Vec<BlockRow>,
    pub(crate) posts: Vec<PostRow>,
    pub(crate) rights: Vec<RightsRow>,
    pub(crate) contamination: Vec<ContaminationRow>,
    /// Words of blocks whose text is a template of the site.
    pub(crate) template_words: u32,
}

/// What one process sends to another while they work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// This process asks for tasks.
    Ask(usize),
    /// Tasks; none where the phase has no more.
    Deal(Vec<Epoch>),
    /// A chunk that is written, and its files.
    Written(Epoch, Vec<Part>),
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::Millis;

    use super::*;

    #[test]
    fn a_page_is_captured_on_a_day_unless_that_is_a_placeholder() {
        let day = |millis: Option<i64>| {
            let document = DocumentRow {
                crawl_date: millis.map(Millis),
                ..DocumentRow::default()
            };
            let capture = Capture {
                document,
                content_type: None,
                rights_headers: Vec::new(),
                drawn_from: None,
                plain_text: false,
                body: Vec::new(),
            };
            capture.day().map(|day| day.to_string())
        };
        assert_eq!(day(Some(1_614_812_400_000)).as_deref(), Some("2021-03-03"));
        assert_eq!((day(Some(0)), day(None)), (None, None));
    }
}
