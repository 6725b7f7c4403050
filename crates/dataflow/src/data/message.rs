//! What travels between the stages of a build.

use std::sync::Arc;

use gleaner_corpus::{BlockRow, DocumentRow, HistogramRow, Part, PostRow, RejectRow, TemplateRow, Unread};
use gleaner_document::{ReadPage, ScoredBlocks};
use gleaner_metadata::date::Day;
use gleaner_site::PageNotes;
use gleaner_template::SiteTemplate;
use serde::{Deserialize, Serialize};

use crate::data::archive_read::PieceRead;
use crate::data::empty_archives::EmptyArchives;
use crate::data::summary::Summary;
use crate::data::template_rows::{histogram_row, template_row};
use crate::epoch::Epoch;
use crate::memory::large::ReservedMemory;

/// Where something belongs in the order of a corpus: entries of a unit are counted from 0 without
/// a gap, from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct EntryPlace {
    pub(crate) epoch: Epoch,
    pub(crate) unit: u32,
    pub(crate) attempt: u32,
    pub(crate) entry: u32,
}

/// A page as it came over HTTP, with all that is known of it before it is parsed.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What the record and the HTTP header give; the other columns are empty.
    pub document: DocumentRow,
    /// The header `Content-Type`, with its parameters.
    pub content_type: Option<String>,
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
    /// The memory that is reserved for it, if it is a large page.
    #[serde(skip)]
    pub(crate) reserved: Option<Arc<ReservedMemory>>,
}

/// What comes of a unit of the input beside its captures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Entry {
    Start(Start),
    Reject(Box<RejectRow>),
    End(Box<End>),
}

/// What was mined of a site, as rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SiteTemplateRows {
    pub(crate) histogram: HistogramRow,
    pub(crate) templates: Vec<TemplateRow>,
}

impl SiteTemplateRows {
    pub(crate) fn of(site: &SiteTemplate) -> SiteTemplateRows {
        let expressions = site.expressions.iter();
        SiteTemplateRows {
            histogram: histogram_row(site),
            templates: expressions
                .map(|expression| template_row(site, expression))
                .collect(),
        }
    }
}

/// A unit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// Set where the unit continues a shard that another unit begins.
    pub(crate) seam: Option<Seam>,
}

/// Where two units of one shard meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Seam {
    pub(crate) shard: usize,
    /// The planned offset.
    pub(crate) at: u64,
    /// The first record at or after `at`, as seen from this side.
    pub(crate) found: SeamEnd,
}

/// What was found at a seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum SeamEnd {
    /// A record, at this offset.
    Record(u64),
    /// The end of the shard.
    End,
    /// Unknown: the shard could not be read to here.
    Lost,
}

impl From<Option<u64>> for SeamEnd {
    fn from(record: Option<u64>) -> SeamEnd {
        record.map_or(SeamEnd::End, SeamEnd::Record)
    }
}

/// A unit ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Set where another unit continues the same shard.
    pub(crate) seam: Option<Seam>,
    /// What was read of its pieces.
    pub(crate) pieces: Vec<PieceRead>,
    /// Shards that end in this unit.
    pub(crate) shards: u64,
    /// Inputs that could not be read to their end.
    pub(crate) missing: Vec<Unread>,
    /// Whether the unit does not count, for something of it is missing: a later run reads it again.
    pub(crate) is_lost: bool,
    pub(crate) empty_archives: EmptyArchives,
    /// Shards of this unit that the user named and that are neither archives nor pages.
    pub(crate) refused_inputs: u64,
}

impl End {
    /// Counts the unit in the summary of its part.
    pub(crate) fn add_to(&self, summary: &mut Summary) {
        summary.missing.extend(self.missing.iter().cloned());
        summary.shards += self.shards;
        summary.empty_archives.add(&self.empty_archives);
        summary.refused_inputs += self.refused_inputs;
        for PieceRead { counts, .. } in &self.pieces {
            for (kind, count) in &counts.records {
                *summary.records.entry(kind.clone()).or_default() += count;
            }
            summary.captures += counts.captures;
            summary.damage += counts.damage;
            summary.page_bytes += counts.page_bytes;
        }
    }
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
    pub(crate) blocks: Vec<BlockRow>,
    pub(crate) posts: Vec<PostRow>,
    /// Words of blocks whose text is a template of the site.
    pub(crate) template_words: u32,
}

/// What one process reports to all others while they work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// The end of a part in a file that a part of another process continues.
    Seam(Seam),
    /// A part that lacks an input.
    Half(Epoch),
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
                plain_text: false,
                body: Vec::new(),
            };
            capture.day().map(|day| day.to_string())
        };
        assert_eq!(day(Some(1_614_812_400_000)).as_deref(), Some("2021-03-03"));
        assert_eq!((day(Some(0)), day(None)), (None, None));
    }
}
