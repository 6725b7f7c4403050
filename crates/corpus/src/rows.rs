//! The rows of the tables.
//!
//! The comment of a row is the comment of its table, and the comment of a field is the comment of its column: in
//! `schemas/`, in the Parquet files, in the Delta logs and in `docs/tables.md`. So it says what the column holds, in
//! which unit, and when it is null. `in LIST` names the values that a column may hold, see
//! [`enumerations`](crate::enumerations).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::enumerations::{
    COMPLETIONS, LABELS, LIMITS, PAGE_KINDS, REJECT_REASONS, STAGES, STRUCTURED_DATA, TEXT_SOURCES,
};
use crate::table::{group, table};
use crate::{Day, Millis, Real, Share};

table! {
    /// A page of the crawl: its cleaned text, its place in the archives and what is known of it. A page without
    /// content has a row with an empty text.
    #[derive(Default)]
    DocumentRow, DocumentColumns, "documents", WithPages {
        /// The name of the capture: it is in no other row of the table, and joins documents with blocks and posts. Made of the
        /// URL, the time of capture, the record and its place in the archive files.
        row_id: String => Key,
        /// The URL of the page, as the archive has it.
        url: String => Key,
        /// The URL as the URL Standard writes it, without its fragment, and with the labels of its host in reverse,
        /// `org,example,www):https/path`: in the order of this column, pages of a host and hosts of a domain stand side by
        /// side. Captures with the same value are captures of one page.
        surt: String => Key,
        /// The host of the URL, as the URL Standard writes it (in lower case, `xn--` for other letters than those of ASCII) and
        /// without port. Empty if the URL has none.
        host: String => Dictionary,
        /// The site of the page: its host, or with `--site domain` the registrable domain of its host.
        site: String => Dictionary,
        /// The time of capture, UTC. Null if the record has no valid date.
        crawl_date: Option<Millis> => Plain,
        /// The name of the archive file: its path below the folder, pattern or prefix that the user gave.
        warc_file: String => Dictionary,
        /// The place of the record in the archive file: bytes before it, as stored (compressed).
        warc_offset: u64 => Plain,
        /// The length of the record in the archive file: bytes as stored (compressed).
        warc_length: u64 => Plain,
        /// The identifier of the record: its `WARC-Record-ID` in angle brackets, `<urn:uuid:...>`, or
        /// `warc_file#warc_offset` if it has none.
        record_id: String => Key,
        /// The status code of the HTTP response. Null if the record has no HTTP header.
        http_status: Option<u16> => Dictionary,
        /// The media type that the server or the record declares, in lower case and without parameters. Null if none
        /// is declared.
        content_type: Option<String> => Dictionary,
        /// The charset that the page was decoded from, by its name in the Encoding Standard, such as `UTF-8`.
        charset: String => Dictionary,
        /// The language of the kept text, by its code in ISO 639-3: `por`. Of a long text four pieces are read, 640 bytes in all. `und`
        /// if the text is too short, or in no known language. By `--language-model` what the model has as a label, without a script.
        language: String => Dictionary,
        /// How much of the text is in that language, from 0 to 1; half of that if another language is nearly as probable. 0 for `und`.
        /// By `--language-model` the probability that the model gives it.
        language_probability: Share => Plain,
        /// The script of most letters of the text, by its code in ISO 15924: `Latn`. `Zyyy` if it has no letters.
        script: String => Dictionary,
        /// The language that the page declares, without region or script: `pt` for `pt-BR`. Null if the page declares none.
        declared_language: Option<String> => Dictionary,
        /// The title of the page. Null if it has none.
        title: Option<String> => Plain,
        /// The names of the authors, in the order in which the page names them: persons where it names any, else publishers. Empty
        /// if it names none.
        authors: Vec<String> => Plain,
        /// The day of first publication that the page states, at most one day after the capture. Null if it states none.
        published: Option<Day> => Plain,
        /// The kept text: a line for each paragraph, header, list item and table row, tabs between the cells of a row,
        /// a blank line between paragraphs and around headers. A `<br>` starts a new line where it breaks no sentence. The
        /// first line is the main heading of the page, if the page shows its title before the text; the other lines stand in
        /// the order of the page. With `--no-title`, the main heading is left out.
        text: String => Text,
        /// The kept text as Markdown: CommonMark with tables between `|`, formulas between `$` and footnotes as `[^1]`. Links
        /// have no addresses without `--links inline`, and there are no images without `--images inline`. A parser gives the
        /// words of `text` back. Null unless the build had `--markdown`.
        markdown: Option<String> => Text,
        /// Where the text is from. If it is not from the page's blocks, it has no block numbers, and all
        /// blocks of the page are dropped.
        text_source: String => Dictionary in TEXT_SOURCES,
        /// The structured data of the page that holds a text, also if the document has the text of its blocks. The state
        /// of a framework is read only on pages with little visible text. Null if there is no such text.
        structured_data: Option<String> => Dictionary in STRUCTURED_DATA,
        /// The number of text blocks on the page.
        block_count: u32 => Plain,
        /// The number of blocks with a content label.
        kept_blocks: u32 => Plain,
        /// The number of words in the kept text: runs of letters and digits. A block with Chinese, Japanese, Thai or another
        /// script without spaces has the words of UAX #29, in which each ideograph is one.
        word_count: u32 => Plain,
        /// The number of characters (Unicode code points) in the kept text, white space included.
        char_count: u32 => Plain,
        /// The number of words in the dropped blocks.
        dropped_words: u32 => Plain,
        /// The expected word F1 of the kept text, from 0 to 1 in hundredths, calibrated by cross-validation for the built-in
        /// model. Null if nothing is kept, or if the text is not from blocks that a model chose.
        confidence: Option<Share> => Plain,
        /// What a reader would call the page, predicted from cues of the whole page, and from the kinds of the
        /// site's pages with such an address. It does not depend on the model. Null if the page has no blocks, or
        /// is labelled without a model.
        page_kind: Option<String> => Dictionary in PAGE_KINDS,
        /// The probability of the predicted kind, from 0 to 1 in hundredths. Null if there is no kind.
        page_kind_probability: Option<Share> => Plain,
        /// The software of the site if the page shows it, such as `WordPress` or `Hugo`. It is only filled with
        /// `--posts`. Null if it is not known.
        platform: Option<String> => Dictionary,
        /// The limits that cut the page, joined by commas. Null if the page is whole.
        truncated: Option<String> => Dictionary in LIMITS,
        /// A digest of the kept text (XXH3, 128 bits), in hexadecimal: equal texts have equal digests.
        content_digest: String => Plain,
    }
}

table! {
    /// A text block of a page, kept or dropped. The table is written with `--blocks`.
    BlockRow, BlockColumns, "blocks", WithBlocks {
        /// The `row_id` of the page in documents.
        row_id: String => RepeatedKey,
        /// The `record_id` of the page in documents.
        record_id: String => RepeatedKey,
        /// The URL of the page, the same as in documents.
        url: String => RepeatedKey,
        /// The number of the block on its page, from 0, in document order.
        block: u32 => Plain,
        /// The label of the block: by the model, and of the main heading by the rule for titles.
        label: Cow<'static, str> => Dictionary in LABELS,
        /// The probability of the label, from 0 to 1 in hundredths. If the rule for titles changed the label: that of being kept,
        /// or dropped.
        confidence: Share => Plain,
        /// The text of the block, kept or dropped.
        text: String => Text,
        /// The names of the elements that hold the block, from the outermost to the innermost: `html/body/div/p`.
        /// Of more than 100 elements the innermost are kept, behind `...`.
        path: String => Dictionary,
        /// The number of sampled pages of the site that have the same block, rounded down to three binary digits: 7, 8, 10, 12,
        /// 14, 16, 20. 0 if they were not counted.
        template_pages: u32 => Plain,
        /// The share of the block's text that the templates of its site match, from 0 to 1.
        template_coverage: Share => Plain,
        /// The language of a kept block, as `language` in documents: `und` if the block is short, or if another language is nearly
        /// as probable. Null of a dropped block, and unless the build had `--block-languages`.
        language: Option<String> => Dictionary,
    }
}

table! {
    /// A post of a blog, as one page shows it: a front page has several posts, the page of a post has one. The table is
    /// written with `--posts`.
    #[derive(Default)]
    PostRow, PostColumns, "posts", WithPosts {
        /// The `row_id` of the page in documents.
        row_id: String => RepeatedKey,
        /// The `record_id` of the page in documents.
        record_id: String => RepeatedKey,
        /// The URL of the page, the same as in documents. The post itself may have another one, see `link`.
        url: String => RepeatedKey,
        /// The number of the post among the posts of its page, from 0.
        post: u32 => Plain,
        /// The title of the post. Null if it has none.
        title: Option<String> => Plain,
        /// The day of publication. Null if it is not known.
        published: Option<Day> => Plain,
        /// The date of publication as the page prints it. Null if the page prints none.
        published_text: Option<String> => Plain,
        /// Where the rest of the day is from. Null if the page prints the whole date, or the day is not known.
        published_completed: Option<String> => Dictionary in COMPLETIONS,
        /// The author of the post. Null if none is named.
        author: Option<String> => Dictionary,
        /// The text of the post without title and comments: a line for each paragraph and table row, tabs between the
        /// cells of a row.
        text: String => Text,
        /// The URL of the post's own page. Null if there is no link to it.
        link: Option<String> => Plain,
        /// The number of comments on the page that belong to the post.
        comments: u32 => Plain,
    }
}

table! {
    /// A document as a capture of its URL: the captures of a URL stand side by side, by time.
    #[derive(Default)]
    CaptureRow, CaptureColumns, "captures", WithPages {
        /// The URL of the capture in the form of a SURT, as in documents.
        surt: String => RepeatedKey,
        /// The identifier of the capture, as in documents.
        row_id: String => Key,
        /// Whether no document of the same URL was captured later.
        is_latest: bool => Plain,
        /// Whether the text differs from that of the capture before. True if there is none before.
        changed: bool => Plain,
    }
}

table! {
    /// A document in a cluster of two or more documents with the same or nearly the same text. All other documents have no
    /// row. The table has no rows if `--no-clusters` is given.
    #[derive(Default)]
    DuplicateRow, DuplicateColumns, "duplicates", ForAll {
        /// The identifier of the document, as in documents.
        row_id: String => Key,
        /// The identifier of its record, as in documents.
        record_id: String => Key,
        /// The cluster: the `row_id` of its survivor. Documents are in one cluster if a chain of documents joins them in
        /// which each shares a band of its signature, or all words, with the next.
        cluster: String => RepeatedKey,
        /// The number of documents in the cluster.
        cluster_size: u64 => Plain,
        /// Whether the document survives: the earliest capture of the cluster, among these the longest text, among these
        /// the first in the order of documents. One document of each cluster does.
        survivor: bool => Plain,
        /// The estimated Jaccard similarity of the document and the survivor, of their shingles of five words with their
        /// numbers, from 0 to 1; 1 if all words and numbers are the same, and only then.
        similarity: Share => Plain,
    }
}

table! {
    /// A line of text that stands on many sites: on ten, or as many as `--repeats` says, or more. A line is what stands
    /// between two line ends of `text` in documents; lines without a letter are not counted. The table has no rows if
    /// `--repeats 0` is given.
    #[derive(Default)]
    RepeatRow, RepeatColumns, "repeats", ForAll {
        /// A digest of the line (XXH3, 128 bits), in hexadecimal. The rows stand in the order of this column.
        digest: String => Key,
        /// The line, as it stands in documents.
        text: String => Text,
        /// The number of sites that have documents with the line.
        sites: u64 => Plain,
        /// The number of documents with the line. A document counts once.
        pages: u64 => Plain,
    }
}

table! {
    /// A site: sums over the rows of its pages in documents.
    #[derive(Default)]
    SiteRow, SiteColumns, "sites", AtEnd {
        /// The name of the site: the host, or with `--site domain` the registrable domain.
        site: String => Key,
        /// The number of documents of the site.
        pages: u64 => Plain,
        /// The number of words in kept blocks.
        kept_words: u64 => Plain,
        /// The number of words in dropped blocks.
        dropped_words: u64 => Plain,
        /// The number of words in blocks whose text is on a fifth of the site's sampled pages or more, and on three pages
        /// at least.
        template_words: u64 => Plain,
        /// The languages of the site's documents, each with its number of documents, in alphabetical order.
        languages: Vec<LanguagePages> => Plain,
    }
}

table! {
    /// An expression that matches what pages of a site repeat.
    /// The table has no rows if `--no-site-evidence` is given.
    #[derive(Default)]
    TemplateRow, TemplateColumns, "templates", WithPages {
        /// The site of the pages, as in the table sites.
        site: String => RepeatedKey,
        /// The regular expression that matches the repeated text.
        expression: String => Text,
        /// The number of sampled pages that the expression matches.
        pages: u32 => Plain,
        /// The number of pages of the site that were sampled and mined.
        sampled_pages: u32 => Plain,
        /// The threshold of the site: an expression matches as many sampled pages or more.
        cutoff: u32 => Plain,
        /// The number of tokens in the expression.
        tokens: u32 => Plain,
        /// How often the expression matches on all sampled pages: twice on a page is part of a list.
        occurrences: u32 => Plain,
        /// The URL of a page that the expression matches.
        example: String => Plain,
    }
}

table! {
    /// A site whose templates were mined: how many strings are on how many of its pages. The table has no
    /// rows if `--no-site-evidence` is given.
    #[derive(Default)]
    HistogramRow, HistogramColumns, "histograms", WithPages {
        /// The site of the pages, as in the table sites.
        site: String => Key,
        /// The number of pages that were sampled and mined.
        sampled_pages: u32 => Plain,
        /// The number of tokens on the sampled pages.
        tokens: u64 => Plain,
        /// The threshold of the site: an expression matches as many sampled pages or more.
        cutoff: u32 => Plain,
        /// The number of the first bin, from 0, whose strings become expressions.
        cutoff_bin: u32 => Plain,
        /// The number of maximal repeated strings in each bin, from those on few pages to those on all pages.
        bins: Vec<u64> => Plain,
    }
}

table! {
    /// A record, or a damaged part of an archive, that became no document, and why.
    #[derive(Default)]
    RejectRow, RejectColumns, "rejects", WithPages {
        /// The name of the capture, made as in documents. Null if no capture was read: the row is of a damaged place or of
        /// a file.
        row_id: Option<String> => Plain,
        /// The URL of the capture. Null if it has none, or if the record could not be read so far.
        url: Option<String> => Plain,
        /// The URL in the form of `surt` in documents. Null if there is no URL.
        surt: Option<String> => Plain,
        /// The name of the archive file: its path below the folder, pattern or prefix that the user gave.
        warc_file: String => Dictionary,
        /// The place of the record or of the damage in the archive file: bytes before it, as stored (compressed).
        warc_offset: u64 => Plain,
        /// The identifier of the record, written as in documents. Null if the record could not be read so far.
        record_id: Option<String> => Plain,
        /// The stage of the build that rejected the record.
        stage: String => Dictionary in STAGES,
        /// The reason for the reject, a fixed name: to count by.
        reason: String => Dictionary in REJECT_REASONS,
        /// The reason in this case, a sentence: to read.
        detail: String => Dictionary,
    }
}

table! {
    /// An element that holds text, with the columns that distinguish search results from noise on pages of the hidden web
    /// (Lutz and Heuser 2013). `gleaner features` writes this table; it is not part of a corpus.
    #[derive(Default)]
    HiddenWebRow, HiddenWebColumns, "hidden_web", ByExport {
        /// The URL of the page, or the name of its file.
        url: String => RepeatedKey,
        /// The number of the element on the page, from 0, in document order.
        element: u32 => Plain,
        /// The names of the elements from the root to this one.
        path: String => Dictionary,
        /// The composite text density of the element.
        composite_density: Real => Plain,
        /// The density sum: the sum of the composite text densities of the element's children.
        density_sum: Real => Plain,
        /// The sum over the query terms in the element and below it, each divided by its distance: the number of
        /// elements from its own up to this one, both included.
        query_score: Real => Plain,
        /// The number of query terms directly in the element.
        matches: u32 => Plain,
        /// The number of elements from this one up to the body.
        distance_to_body: u32 => Plain,
        /// Whether the element is noise. Null if there is no gold text.
        noise: Option<bool> => Plain,
    }
}

table! {
    /// A block of a page with the features of the Victor thesis (Marek 2007). Each is a code: the number, from 0, of the step
    /// that the value is in, as a model of these features reads it. `gleaner features` writes this table; it is not part of
    /// a corpus.
    #[derive(Default)]
    VictorRow, VictorColumns, "victor", ByExport {
        /// The URL of the page, or the name of its file.
        url: String => RepeatedKey,
        /// The number of the block on its page, from 0, in document order.
        block: u32 => Plain,
        /// The names of the elements from the root to the one of the block.
        path: String => Dictionary,
        /// The text of the block.
        text: String => Text,
        /// The code of `container.p`: an ancestor is `<p>`.
        container_p: u32 => Plain,
        /// The code of `container.a`: an ancestor is `<a>`.
        container_a: u32 => Plain,
        /// The code of `container.u`: an ancestor is `<u>`.
        container_u: u32 => Plain,
        /// The code of `container.img`: the text stands for an `<img>`.
        container_img: u32 => Plain,
        /// The code of `container.class-header`: an ancestor is `<h1>` to `<h6>`.
        container_class_header: u32 => Plain,
        /// The code of `container.class-bold`: an ancestor is `<b>` or `<strong>`.
        container_class_bold: u32 => Plain,
        /// The code of `container.class-italic`: an ancestor is `<i>`, `<em>`, `<cite>`, `<dfn>` or `<var>`.
        container_class_italic: u32 => Plain,
        /// The code of `container.class-list`: an ancestor is a list (`<ul>`, `<ol>`, `<dl>`, `<menu>`, `<dir>`) or a part of one.
        container_class_list: u32 => Plain,
        /// The code of `container.class-form`: an ancestor is `<form>` or a part of one.
        container_class_form: u32 => Plain,
        /// The code of `container.li`: an ancestor is `<li>`.
        container_li: u32 => Plain,
        /// The code of `split.p`: `<p>` and `</p>` since the block before.
        split_p: u32 => Plain,
        /// The code of `split.br`: `<br>` since the block before.
        split_br: u32 => Plain,
        /// The code of `split.hr`: `<hr>` since the block before.
        split_hr: u32 => Plain,
        /// The code of `split.class-inline`: tags of inline elements since the block before, without `<br>`.
        split_class_inline: u32 => Plain,
        /// The code of `split.class-block`: tags of all other elements since the block before.
        split_class_block: u32 => Plain,
        /// The code of `char.alpha-rel`: share of letters and their marks among the characters.
        char_alpha_rel: u32 => Plain,
        /// The code of `char.num-rel`: share of numerals among the characters.
        char_num_rel: u32 => Plain,
        /// The code of `char.punct-rel`: share of punctuation among the characters.
        char_punct_rel: u32 => Plain,
        /// The code of `char.white-rel`: share of white space among the characters.
        char_white_rel: u32 => Plain,
        /// The code of `char.other-rel`: share of all other characters.
        char_other_rel: u32 => Plain,
        /// The code of `token.alpha-rel`: share of tokens with letters and no numerals.
        token_alpha_rel: u32 => Plain,
        /// The code of `token.num-rel`: share of tokens with numerals and no letters.
        token_num_rel: u32 => Plain,
        /// The code of `token.mix-rel`: share of tokens with both letters and numerals.
        token_mix_rel: u32 => Plain,
        /// The code of `token.other-rel`: share of tokens with neither.
        token_other_rel: u32 => Plain,
        /// The code of `token.alpha-abs`: tokens with letters and no numerals.
        token_alpha_abs: u32 => Plain,
        /// The code of `token.num-abs`: tokens with numerals and no letters.
        token_num_abs: u32 => Plain,
        /// The code of `token.mix-abs`: tokens with both letters and numerals.
        token_mix_abs: u32 => Plain,
        /// The code of `token.other-abs`: tokens with neither letters nor numerals.
        token_other_abs: u32 => Plain,
        /// The code of `sentence.count`: how many sentences end in the block.
        sentence_count: u32 => Plain,
        /// The code of `sentence.avg-length`: words a sentence; all words where there is no end of one.
        sentence_avg_length: u32 => Plain,
        /// The code of `sentence-begin`: the first letter is not lower-case.
        sentence_begin: u32 => Plain,
        /// The code of `sentence-end`: the block ends in the end of a sentence.
        sentence_end: u32 => Plain,
        /// The code of `first-duplicate`: the first of several blocks with the same letters.
        first_duplicate: u32 => Plain,
        /// The code of `duplicate-count`: blocks with the same letters, itself included.
        duplicate_count: u32 => Plain,
        /// The code of `regexp.url`: the first expression for a URL that matches.
        regexp_url: u32 => Plain,
        /// The code of `regexp.date`: the first expression for a date that matches.
        regexp_date: u32 => Plain,
        /// The code of `regexp.time`: the first expression for a time that matches.
        regexp_time: u32 => Plain,
        /// The code of `bullet`: the marks of a list item that match at the start.
        bullet: u32 => Plain,
        /// The code of `div-group.word-ratio`: share of the div group among the words outside of links; 0 outside of any `<div>`.
        div_group_word_ratio: u32 => Plain,
        /// The code of `td-group.word-ratio`: share of the td group among the words outside of links; 0 outside of any cell.
        td_group_word_ratio: u32 => Plain,
        /// The code of `position`: the block's number, from 0, by the number of blocks.
        position: u32 => Plain,
        /// The code of `document.word-count`: words in the document.
        document_word_count: u32 => Plain,
        /// The code of `document.sentence-count`: sentences in the document.
        document_sentence_count: u32 => Plain,
        /// The code of `document.block-count`: blocks in the document.
        document_block_count: u32 => Plain,
        /// The code of `document.max-div-group`: largest value of the page for `div-group.word-ratio`.
        document_max_div_group: u32 => Plain,
        /// The code of `document.max-td-group`: largest value of the page for `td-group.word-ratio`.
        document_max_td_group: u32 => Plain,
        /// The label that the gold text gives the block. Null if there is no gold text.
        label: Option<Cow<'static, str>> => Dictionary in LABELS,
    }
}

group! {
    /// How many documents of a site have a language.
    LanguagePages {
        /// The language of the documents, such as `por`; `und` if it is not known.
        language: String,
        /// The number of documents that declare it.
        pages: u64,
    }
}
