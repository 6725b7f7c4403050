//! The rows of the tables. The columns that others rely on are those of the architecture page;
//! what was added says why.

use gleaner_crf::Label;
use serde::{Deserialize, Serialize};

use crate::table::table;
use crate::{Day, Millis, Real, Share};

table! {
    /// A page: its cleaned text, where it came from, and what was found out about it. A page
    /// without content is a document with empty text.
    #[derive(Default)]
    DocumentRow, DocumentColumns, "documents" {
        /// The URL it was captured from.
        url: String => Key,
        /// The host of the URL, lower case.
        host: String => Dictionary,
        /// The site: the host, or with `--site domain` its registrable domain.
        site: String => Dictionary,
        /// When it was captured.
        crawl_date: Option<Millis> => Plain,
        /// The archive, by the name the user gave it.
        warc_file: String => Dictionary,
        /// The first byte of its record in the archive, as stored (compressed).
        warc_offset: u64 => Plain,
        /// The bytes of its record in the archive, as stored.
        warc_length: u64 => Plain,
        /// The record's identity: its `WARC-Record-ID`, else one made of file and offset.
        record_id: String => Key,
        /// The HTTP status; none where the record has no HTTP header.
        http_status: Option<u16> => Dictionary,
        /// The media type the server or the record gave, lower case, without parameters. Added:
        /// XHTML, plain text and mislabelled pages are told apart by it.
        content_type: Option<String> => Dictionary,
        /// The charset it was decoded from, by its name in the Encoding Standard.
        charset: String => Dictionary,
        /// The language that the page declares, without region or script: `pt` of `pt-BR`. Nothing is guessed from
        /// the text.
        language: Option<String> => Dictionary,
        /// The page's title.
        title: Option<String> => Plain,
        /// The author that the page names.
        author: Option<String> => Dictionary,
        /// The day of publication that the page names.
        published: Option<Day> => Plain,
        /// The kept text: a line a paragraph, header, list item or row of a table, tabs between the
        /// cells of a row, a blank line between paragraphs and around headers; a line also after a `<br>` that breaks
        /// no sentence.
        text: String => Text,
        /// Where `text` is from: `page`, which is its kept blocks, or the structured data of a page
        /// whose blocks hold (nearly) no content, `json-ld` or `state`. Such a text has no block
        /// numbers: all blocks of the page are then dropped, and say so. Added: a text that no reader
        /// of the page saw is told from one that he did.
        text_source: String => Dictionary,
        /// The structured data that holds a text: `json-ld`, or `state` of the framework that draws the
        /// page, which is only looked at on pages of little visible text. None where there is none, or
        /// of a few words.
        structured_data: Option<String> => Dictionary,
        /// Blocks of the page.
        block_count: u32 => Plain,
        /// Blocks with a content label.
        kept_blocks: u32 => Plain,
        /// Words of the kept text.
        word_count: u32 => Plain,
        /// Words of the dropped blocks. Added: kept and dropped words of any selection can be
        /// summed without the table of blocks.
        dropped_words: u32 => Plain,
        /// Mean probability of the labels, weighted by words. Added: the pages that deserve a
        /// second look are those with the lowest.
        confidence: Option<Share> => Plain,
        /// The kind of page that the model takes it for, such as `article` or `forum`; none where the
        /// model tells no kinds, or the page has no blocks. Added: what is content depends on it.
        page_kind: Option<String> => Dictionary,
        /// The probability of that kind.
        page_kind_probability: Option<Share> => Plain,
        /// The program that makes the site, as far as the page tells: `WordPress`, `Hugo`. Looked for
        /// with `--posts` only. Added: posts look different by platform.
        platform: Option<String> => Dictionary,
        /// The limits the page met (`bytes`, `depth`, `blocks`, `attributes`, `steps`; with `--posts` also `posts`,
        /// `post-comments`, `post-headings`, `post-names`, `post-steps`: there may be more posts), joined
        /// by commas. Added: promise 5 wants cut pages to be told from whole ones.
        truncated: Option<String> => Dictionary,
        /// A digest of the kept text, hexadecimal.
        content_digest: String => Plain,
        /// The `record_id` of the page that this one repeats. Nothing fills it yet.
        duplicate_of: Option<String> => Plain,
    }
}

table! {
    /// One text block of a page, kept or not.
    BlockRow, BlockColumns, "blocks" {
        /// The page's record.
        record_id: String => RepeatedKey,
        /// Its place on the page, from 0.
        block: u32 => Plain,
        /// Its label.
        label: Label => Dictionary,
        /// The probability of the label.
        confidence: Share => Plain,
        /// Its text.
        text: String => Text,
        /// The tags that hold it, outermost first; of more than a hundred the innermost, behind `...`.
        path: String => Dictionary,
        /// Pages of the site that hold this block; 0 where they were not counted.
        template_pages: u32 => Plain,
        /// The share of its text that the site's templates cover.
        template_coverage: Share => Plain,
    }
}

table! {
    /// A post of a blog, as a page shows it: a front page has several, the page of a post has one.
    #[derive(Default)]
    PostRow, PostColumns, "posts" {
        /// The page's record.
        record_id: String => RepeatedKey,
        /// Its place among the posts of the page, from 0.
        post: u32 => Plain,
        /// Its title.
        title: Option<String> => Plain,
        /// The day it was published.
        published: Option<Day> => Plain,
        /// The date as printed; none where it is not.
        published_text: Option<String> => Plain,
        /// What the day is from, where it is not printed or not as a whole: `address` (the post's), or
        /// `neighbours` (the posts beside it). Added: what was completed is told from what was read.
        published_completed: Option<String> => Dictionary,
        /// Who wrote it. Added: of several posts on a page each has its own.
        author: Option<String> => Dictionary,
        /// Its text as far as the page shows it, a line a paragraph or row of a table, tabs between the
        /// cells of a row; without title and comments.
        text: String => Text,
        /// The address of its own page.
        link: Option<String> => Plain,
        /// Comments under it. Added: pages of posts that were talked about are found by it.
        comments: u32 => Plain,
    }
}

table! {
    /// A site: sums over its pages.
    #[derive(Default)]
    SiteRow, SiteColumns, "sites" {
        /// The host, or with `--site domain` the registrable domain.
        site: String => Key,
        /// Its documents.
        pages: u64 => Plain,
        /// Words of kept blocks.
        kept_words: u64 => Plain,
        /// Words of dropped blocks.
        dropped_words: u64 => Plain,
        /// Words of blocks whose text is on a fifth of its pages or more, on three at least.
        template_words: u64 => Plain,
        /// Languages of its documents, with how many documents each.
        languages: Vec<LanguagePages> => Plain,
    }
}

table! {
    /// An expression that matches what pages of a site repeat.
    #[derive(Default)]
    TemplateRow, TemplateColumns, "templates" {
        /// The site.
        site: String => RepeatedKey,
        /// The regular expression.
        expression: String => Text,
        /// Pages of the sample that it matches on.
        pages: u32 => Plain,
        /// Pages of the site that were mined.
        sampled_pages: u32 => Plain,
        /// The fewest pages of an expression of this site.
        cutoff: u32 => Plain,
        /// Tokens of the expression.
        tokens: u32 => Plain,
        /// How often it occurs on the pages of the sample. Added: twice on a page is a list's.
        occurrences: u32 => Plain,
        /// The URL of a page that it matches on. Added: to look at it there.
        example: String => Plain,
    }
}

table! {
    /// A site whose templates were mined: how many strings are on how many pages.
    #[derive(Default)]
    HistogramRow, HistogramColumns, "histograms" {
        /// The site.
        site: String => Key,
        /// Its pages.
        pages: u64 => Plain,
        /// Pages that were mined.
        sampled_pages: u32 => Plain,
        /// Tokens of those.
        tokens: u64 => Plain,
        /// The fewest pages of an expression.
        cutoff: u32 => Plain,
        /// The first bin of templates.
        cutoff_bin: u32 => Plain,
        /// Maximal strings by bin, from few pages to all.
        bins: Vec<u64> => Plain,
        /// URLs of some pages that were mined.
        examples: Vec<String> => Plain,
    }
}

table! {
    /// A record that became no document, and why.
    #[derive(Default)]
    RejectRow, RejectColumns, "rejects" {
        /// The URL it was captured from, where the record could be read so far.
        url: Option<String> => Plain,
        /// The archive, by the name the user gave it.
        warc_file: String => Dictionary,
        /// The first byte of the damage, or of the record.
        warc_offset: u64 => Plain,
        /// The record's identity, where it could be read so far.
        record_id: Option<String> => Plain,
        /// The stage that rejected it, such as `warc` or `page`.
        stage: String => Dictionary,
        /// The reason, a short fixed name: for counting.
        reason: String => Dictionary,
        /// The reason in this case, a sentence: for reading.
        detail: String => Dictionary,
    }
}

table! {
    /// An element that holds text, with what tells results from noise on pages of the hidden web (Lutz
    /// and Heuser 2013): a table of `gleaner features`, not of a corpus.
    #[derive(Default)]
    HiddenWebRow, HiddenWebColumns, "hidden_web" {
        /// The page.
        url: String => RepeatedKey,
        /// The element's number on the page, in document order.
        element: u32 => Plain,
        /// The names of the elements from the root to it.
        path: String => Dictionary,
        /// Composite text density.
        composite_density: Real => Plain,
        /// Density sum: of its children's composite text densities.
        density_sum: Real => Plain,
        /// Terms of the query in it and below it, by their distances.
        query_score: Real => Plain,
        /// Terms of the query directly in it.
        matches: u32 => Plain,
        /// Elements from it up to the body.
        distance_to_body: u32 => Plain,
        /// Whether it is noise; none where there is no gold text.
        noise: Option<bool> => Plain,
    }
}

/// How many documents of a site are in a language.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LanguagePages {
    /// The language, BCP 47.
    pub language: String,
    /// Documents.
    pub pages: u64,
}
