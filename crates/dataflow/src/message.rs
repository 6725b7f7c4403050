//! What travels between the stages of a build.

use std::sync::Arc;

use gleaner_columns::Columns;
use gleaner_content::{Alone, Label, TextCopy};
use gleaner_corpus::{BlockRow, DocumentRow, PostRow, RejectRow, Unread};
use gleaner_page::{Joint, Page, StructuredText};
use gleaner_template::evidence::PageNotes;
use serde::{Deserialize, Serialize};

use crate::Epoch;
use crate::backlog::Held;
use crate::empty::EmptyArchives;
use crate::large::InHand;

/// Where something belongs in the order of a corpus: entries of a unit are counted from 0 without
/// a gap, from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) epoch: Epoch,
    pub(crate) unit: u32,
    pub(crate) attempt: u32,
    pub(crate) entry: u32,
}

/// A page as it came over HTTP, with all that is known of it before it is parsed.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub(crate) document: DocumentRow,
    pub(crate) content_type: Option<String>,
    /// Plain text (a WET record), not HTML.
    pub(crate) plain_text: bool,
    pub(crate) body: Vec<u8>,
}

/// A page as its blocks: what the label phase needs, and nothing of the markup.
#[derive(Clone, Debug)]
pub(crate) struct Extracted {
    pub(crate) document: DocumentRow,
    /// Plain text, which has a labeller of its own.
    pub(crate) plain_text: bool,
    /// Text of all blocks.
    pub(crate) text: String,
    /// The blocks' places in `text`.
    pub(crate) blocks: Vec<std::ops::Range<u32>>,
    pub(crate) written: Written,
    /// How many words each has.
    pub(crate) words: Vec<u32>,
    /// How the blocks hang together.
    pub(crate) joints: Vec<Joint>,
    /// Which blocks stand in the same preformatted text as the block before.
    pub(crate) same_pre: Vec<bool>,
    /// The blocks' tag paths; empty unless the blocks table is wanted.
    pub(crate) paths: Vec<String>,
    pub(crate) columns: Columns,
    /// The labels of the blocks, where they are not a model's.
    pub(crate) labels: Option<Vec<Label>>,
    /// What is noted of the blocks for the sake of the site; empty unless sites are heard.
    pub(crate) notes: PageNotes,
    /// The text of its structured data, where that may be taken.
    pub(crate) structured: Option<StructuredText>,
    /// Its posts; empty unless the posts table is wanted.
    pub(crate) posts: Vec<PostRow>,
    /// Set where it is one of the large pages in hand, for as long as it is there.
    pub(crate) in_hand: Option<Arc<InHand>>,
}

/// A page as the labeller takes it by itself: all that the label phase needs when its site has been
/// heard. What is by block has a value a block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Scored {
    pub(crate) document: DocumentRow,
    /// Plain text, which has a labeller of its own.
    pub(crate) plain_text: bool,
    #[serde(with = "crate::text")]
    pub(crate) text: String,
    #[serde(with = "crate::bulk")]
    pub(crate) blocks: Vec<std::ops::Range<u32>>,
    pub(crate) written: Written,
    #[serde(with = "crate::small")]
    pub(crate) words: Vec<u32>,
    /// Words as the tagger counts them, scripts without spaces too.
    #[serde(with = "crate::small")]
    pub(crate) sizes: Vec<u32>,
    #[serde(with = "crate::bulk")]
    pub(crate) joints: Vec<Joint>,
    #[serde(with = "crate::bulk")]
    pub(crate) same_pre: Vec<bool>,
    pub(crate) paths: Vec<String>,
    pub(crate) structured: Option<StructuredText>,
    pub(crate) posts: Vec<PostRow>,
    /// Labels, and their probabilities.
    #[serde(with = "crate::bulk")]
    pub(crate) labels: Vec<Label>,
    #[serde(with = "crate::bulk")]
    pub(crate) confidence: Vec<f32>,
    /// The probabilities of content.
    #[serde(with = "crate::bulk")]
    pub(crate) content: Vec<f32>,
    /// What the blocks are if they are content, and with what probability then: from this labels are
    /// decided once more if the site has something to say. Empty where sites are not heard.
    #[serde(with = "crate::bulk")]
    pub(crate) content_labels: Vec<(Label, f32)>,
    /// The blocks whose text another one has, too.
    #[serde(with = "crate::bulk")]
    pub(crate) copies: Vec<TextCopy>,
    /// Set where it is one of the large pages in hand, for as long as it is there.
    #[serde(skip)]
    #[expect(dead_code, reason = "it is kept, and nothing else")]
    pub(crate) in_hand: Option<Arc<InHand>>,
}

impl Scored {
    /// What the labeller takes the page for by itself.
    pub(crate) fn alone(&self) -> Alone<'_> {
        Alone {
            content: &self.content,
            labels: &self.content_labels,
            copies: &self.copies,
        }
    }
}

/// Texts that are to be written otherwise than they are as blocks: preformatted ones, and those with marks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Written {
    #[serde(with = "crate::text")]
    text: String,
    /// The blocks' places in `text`, empty where a block is written as it is. There are none where all are.
    #[serde(with = "crate::bulk")]
    blocks: Vec<std::ops::Range<u32>>,
}

impl Written {
    pub(crate) fn of(page: &Page) -> Written {
        match page.written.is_empty() {
            true => Written::default(),
            false => Written {
                text: page.written.clone(),
                blocks: page.blocks.iter().map(|block| block.written.clone()).collect(),
            },
        }
    }

    /// The text of a block, if it is one of these.
    pub(crate) fn text(&self, block: usize) -> Option<&str> {
        let range = self.blocks.get(block).filter(|range| !range.is_empty())?;
        Some(&self.text[range.start as usize..range.end as usize])
    }
}

/// What the writer of a part receives, in any order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Entry {
    Start(Start),
    Document(Box<Labelled>),
    Reject(Box<RejectRow>),
    End(Box<End>),
}

/// A unit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    /// Set where the unit goes on in a shard that another unit begins.
    pub(crate) seam: Option<Seam>,
}

/// Where two units of one shard meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Seam {
    pub(crate) shard: usize,
    /// The planned offset.
    pub(crate) at: u64,
    /// The first record at or after `at`, as seen from this side.
    pub(crate) found: Found,
}

/// What was found at a seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Found {
    /// A record, at this offset.
    Record(u64),
    /// The end of the shard.
    End,
    /// Nobody knows: the shard could not be read to here.
    Lost,
}

impl From<Option<u64>> for Found {
    fn from(record: Option<u64>) -> Found {
        record.map_or(Found::End, Found::Record)
    }
}

/// A unit ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Set where another unit goes on in the same shard.
    pub(crate) seam: Option<Seam>,
    /// Records read, by type.
    pub(crate) records: Vec<(String, u64)>,
    /// Records that must become a document or a reject.
    pub(crate) captures: u64,
    /// Stretches where no record could be read, a reject each.
    pub(crate) damage: u64,
    /// Bytes of the pages read.
    pub(crate) page_bytes: u64,
    /// Shards that end in this unit.
    pub(crate) shards: u64,
    /// Inputs that could not be read to their end.
    pub(crate) missing: Vec<Unread>,
    /// Whether the unit does not count, for something of it is missing: a later run reads it again.
    pub(crate) is_lost: bool,
    /// Archives of this unit that hold nothing.
    pub(crate) empty_archives: EmptyArchives,
    /// Shards of this unit that the user named and that are neither archives nor pages.
    pub(crate) refused_inputs: u64,
}

impl Extracted {
    /// A page of which nothing but its place is known.
    pub(crate) fn of(document: DocumentRow) -> Extracted {
        Extracted {
            document,
            plain_text: false,
            text: String::new(),
            blocks: Vec::new(),
            written: Written::default(),
            words: Vec::new(),
            joints: Vec::new(),
            same_pre: Vec::new(),
            paths: Vec::new(),
            columns: Columns::default(),
            labels: None,
            notes: PageNotes::default(),
            structured: None,
            posts: Vec::new(),
            in_hand: None,
        }
    }
}

/// A document with its blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Labelled {
    pub(crate) document: DocumentRow,
    pub(crate) blocks: Vec<BlockRow>,
    pub(crate) posts: Vec<PostRow>,
    /// Words of blocks whose text is a template of the site.
    pub(crate) template_words: u32,
    /// What it counts as while it waits to be written.
    #[serde(skip)]
    pub(crate) held: Option<Arc<Held>>,
}
