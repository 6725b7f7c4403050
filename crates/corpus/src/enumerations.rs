//! The names that columns with a fixed list of values hold, each with its meaning.
//!
//! A column names its list in `rows.rs`. The lists go into the comments of the columns and into
//! `docs/tables.md`. A new value is a new line here; a value that a build writes and that is missing here fails a
//! test.

/// A value of a column, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The value, as the column holds it.
    pub name: &'static str,
    /// What it means: a sentence.
    pub meaning: &'static str,
}

/// Whether a value is in a list.
///
/// ```
/// use gleaner_corpus::enumerations::{REJECT_REASONS, has};
///
/// assert!(has(REJECT_REASONS, "http-status"));
/// assert!(!has(REJECT_REASONS, "bad-weather"));
/// ```
pub fn has(list: &[Meaning], name: &str) -> bool {
    list.iter().any(|value| value.name == name)
}

/// Declares lists of values.
macro_rules! lists {
    ($($(#[$doc:meta])* $list:ident { $($name:literal: $meaning:literal,)* })*) => {
        $($(#[$doc])* pub const $list: &[Meaning] = &[$(Meaning { name: $name, meaning: $meaning }),*];)*
    };
}

lists! {
    /// `documents.text_source`.
    TEXT_SOURCES {
        "page": "The text is that of the kept blocks of the page.",
        "json-ld": "The text is from the JSON-LD of the page, because its blocks hold (nearly) no content.",
        "state": "The text is from the state that a script of the page carries, because its blocks hold (nearly) no content.",
    }

    /// `documents.structured_data`.
    STRUCTURED_DATA {
        "json-ld": "A JSON-LD script holds a text, such as the `articleBody` of an article.",
        "state": "The state of a JavaScript framework, such as `__NEXT_DATA__`, holds a text.",
    }

    /// `documents.page_kind`: the kinds that the program distinguishes.
    PAGE_KINDS {
        "article": "An article: news, an essay, an entry of an encyclopedia.",
        "blog": "A post of a blog.",
        "product": "A page of a product.",
        "listing": "A page that leads to other pages: a list of products or posts, a front page, results of a search.",
        "forum": "A thread of a forum, questions with answers, a mail of a mailing list.",
        "documentation": "A page of a manual or a reference.",
        "service": "A page of a company or an institution that presents a service.",
        "other": "None of these is likely: the probability of each is less than a third.",
    }

    /// `documents.truncated`: one name or more, joined by commas.
    LIMITS {
        "capture": "The record or the HTTP body in the archive is not whole: it was cut during the crawl, is damaged, or continues in another record (WARC segments).",
        "bytes": "The page has more bytes than a page may have (`--max-page`); the rest was not read.",
        "depth": "Elements are nested deeper than the limit; the deeper ones were left out, and their text was kept.",
        "blocks": "The page has more elements or text blocks than the limit; the rest was dropped.",
        "attributes": "An element has more or longer attributes than the limit; the rest of them was dropped.",
        "steps": "The page took more steps of work than the limit (`--max-steps`); the rest was not read.",
        "posts": "With `--posts`: the page has more posts than the limit; the rest is not in posts.",
        "post-comments": "With `--posts`: a post has more comments than the limit; the rest was not counted.",
        "post-headings": "With `--posts`: the page has more headings than the limit; posts may be missing.",
        "post-names": "With `--posts`: a class or an id is longer than the limit; posts may be missing.",
        "post-steps": "With `--posts`: the search for posts took more steps than the limit; posts may be missing.",
    }

    /// `blocks.label`.
    LABELS {
        "header": "A heading; kept.",
        "paragraph": "The start of a paragraph; kept.",
        "list": "The start of a list item; kept.",
        "continuation": "Continues the block before it; kept.",
        "other": "Noise, such as navigation, advertisements and copyright lines; dropped.",
    }

    /// `posts.published_completed`.
    COMPLETIONS {
        "address": "The missing part of the date is from the URL of the post.",
        "neighbours": "The missing part of the date is from the posts beside it on the page.",
    }

    /// `rights.signal`.
    RIGHTS_SIGNALS {
        "robots": "A directive of `<meta name=robots>` or of the header `X-Robots-Tag`. Value: the directive in lower case, such as `noindex`, `noai`, `max-snippet:0`.",
        "tdm-reservation": "Whether rights of text and data mining are reserved (TDMRep). Value: `1` or `0`; other values mean nothing.",
        "tdm-policy": "Where a licence for text and data mining is offered (TDMRep). Value: its address.",
        "content-usage": "A preference of the IETF's AIPREF. Value: `train-ai=n` and the like.",
        "content-signal": "A content signal of contentsignals.org. Value: `ai-train=no` and the like.",
        "license": "A licence. Value: the code of a licence of Creative Commons (`cc-by-sa-4.0`), of another one its address or name.",
        "rsl": "A licence in RSL (Really Simple Licensing). Value: its address; of one that stands in the page what it permits, as in `permits search; prohibits ai-train`.",
        "robots.txt": "The robots.txt of the site keeps the page from crawlers (RFC 9309). Value: `disallow`.",
        "ai.txt": "The ai.txt of the site decides about the page. Value: `disallow` or `allow`.",
    }

    /// `rights.found_in`.
    RIGHTS_PLACES {
        "header": "A header of the response.",
        "meta": "A `<meta>` element.",
        "link": "A `<link>` element.",
        "anchor": "A link with `rel=license`.",
        "footer": "A link in a footer, without `rel=license`.",
        "text": "A link elsewhere, or at a picture. It may be about something else, so it means nothing for the page.",
        "microdata": "An element with `itemprop=license`, or the same in RDFa.",
        "json-ld": "The `license` of the page or of its text in JSON-LD.",
        "script": "A script of type `application/rsl+xml`.",
        "robots.txt": "The robots.txt of the site.",
        "tdmrep.json": "The file `/.well-known/tdmrep.json` of the site.",
        "ai.txt": "The ai.txt of the site.",
    }

    /// `rights.index` and `rights.train`.
    PERMISSIONS {
        "allowed": "The signal allows the use, under conditions such as attribution.",
        "forbidden": "The signal forbids the use.",
        "unknown": "The signal says nothing about the use, or is not for this reader.",
    }

    /// `rejects.stage`.
    STAGES {
        "warc": "Reading the archive: a part of the file gave no record.",
        "read": "Reading the capture: its HTTP header and its media type.",
        "extract": "Reading the page: its charset, its elements and its text.",
        "label": "Labelling the page, when all captures of its URL are known.",
    }

    /// `rejects.reason`.
    REJECT_REASONS {
        "garbage": "Bytes where a record should begin, and no record begins there.",
        "bad-header": "The header of the record cannot be read.",
        "header-too-long": "The header of the record is longer than the limit.",
        "record-too-large": "The record is larger than the limit (`--max-record`).",
        "bad-compression": "The compressed data cannot be decompressed.",
        "bad-checksum": "The checksum of the compressed data is wrong.",
        "missing-dictionary": "The data is compressed with a dictionary that the file does not hold.",
        "truncated": "The file ends inside the record.",
        "wrong-length": "The record has another length than it states.",
        "no-length": "The record does not state its length.",
        "segment": "The record has a later part of a capture that begins in another record (WARC segments, `continuation`); parts are not joined.",
        "not-an-archive": "The file is no WARC, ARC, WET or HTML file.",
        "unreadable": "The file could not be read, or not to its end.",
        "bad-http": "The HTTP header of the capture cannot be read, or its body cannot be decoded.",
        "http-status": "The server answered with a status other than 200 to 203.",
        "media-type": "The capture is neither HTML nor text.",
        "crawler-record": "The capture was made by the crawler: a text about the crawl (its name begins with `metadata:`, `urn:`, `dns:` or `whois:`), or another form of a page (`onreadydom:https://...`).",
        "robots-txt": "The capture is the robots.txt of a host, which is for programs.",
        "drawn": "A `conversion` of HTML refers to the capture, such as the page as a browser drew it, and is the document; or another conversion of the same capture is.",
        "not-a-page": "The body is a file of another kind, such as PDF, ZIP or an image.",
        "binary-body": "The body is binary data.",
        "internal-error": "The program failed on this page; please report it.",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn values_are_different_and_have_sentences() {
        for list in [
            TEXT_SOURCES,
            STRUCTURED_DATA,
            PAGE_KINDS,
            LIMITS,
            LABELS,
            COMPLETIONS,
            RIGHTS_SIGNALS,
            RIGHTS_PLACES,
            PERMISSIONS,
            STAGES,
            REJECT_REASONS,
        ] {
            let names: BTreeSet<&str> = list.iter().map(|value| value.name).collect();
            assert_eq!(names.len(), list.len());
            for value in list {
                assert!(value.meaning.ends_with('.'), "{}", value.name);
            }
        }
    }
}
