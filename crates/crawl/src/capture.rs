//! From an answer to the records that keep it, and to the links of its page.

use gleaner_html::{HtmlParser, TreeLimits};
use gleaner_warc::{NewRecord, PayloadDigest, RecordType, RecordWriter, http, media_type, new_record_id};
use url::Url;

use crate::address::page_url;
use crate::fetch::Answer;
use crate::links::{Link, page_links};
use crate::since::{Earlier, Previous};
use crate::sitemap::sitemap;

/// Where redirects and sitemaps lead, as a place of a link.
pub(crate) const REDIRECT: &str = "location";
pub(crate) const SITEMAP: &str = "sitemap/loc";

const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// What pages are worked on with. It keeps its memory from page to page.
pub(crate) struct Bench {
    writer: RecordWriter,
    parser: HtmlParser,
    scratch: http::Scratch,
}

impl Default for Bench {
    fn default() -> Self {
        Bench {
            writer: RecordWriter::default(),
            parser: HtmlParser::new(TreeLimits::default()),
            scratch: http::Scratch::default(),
        }
    }
}

/// What is known of a request beside its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) url: &'a Url,
    /// When it was asked for: milliseconds since 1970.
    pub(crate) time: i64,
    pub(crate) via: Option<&'a str>,
    pub(crate) is_seed: bool,
    /// How it was reached, a letter a step, as Heritrix has it: `L` a link, `R` a redirect, `P` before a page.
    pub(crate) hops: &'a str,
    pub(crate) earlier: Option<&'a Earlier>,
    pub(crate) previous: Option<&'a Previous>,
}

/// An answer as records, and what was found in it.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    /// Response or revisit, request and metadata, compressed.
    pub(crate) records: Vec<u8>,
    pub(crate) is_unchanged: bool,
    pub(crate) links: Vec<Link>,
}

impl Bench {
    /// Makes the records of an answer.
    pub(crate) fn capture(&mut self, answer: &Answer, context: &Context<'_>) -> Captured {
        let head = stored_head(&answer.head);
        let links = self.links(answer, &head, context);
        let mut digest = PayloadDigest::default();
        digest.update(&answer.body);
        let digest = digest.finish();
        let revisit = context
            .previous
            .and_then(|previous| Some((previous, profile(answer, &digest, previous)?)));
        let (id, mut records) = (new_record_id(), Vec::new());
        match revisit {
            Some((previous, profile)) => {
                self.write_revisit(&id, answer, &head, previous, profile, context, &mut records);
            }
            None => self.write_response(&id, answer, &head, &digest, context, &mut records),
        }
        self.write_request(&id, answer, context, &mut records);
        self.write_metadata(&id, answer, &links, context, &mut records);
        Captured {
            records,
            is_unchanged: revisit.is_some(),
            links,
        }
    }

    fn write_response(
        &mut self,
        id: &str,
        answer: &Answer,
        head: &[u8],
        digest: &str,
        context: &Context<'_>,
        records: &mut Vec<u8>,
    ) {
        let address = answer.address.to_string();
        let mut fields = vec![("WARC-IP-Address", &*address), ("WARC-Payload-Digest", digest)];
        fields.extend(
            answer
                .protocols
                .iter()
                .map(|&protocol| ("WARC-Protocol", protocol)),
        );
        fields.extend(answer.truncated.map(|reason| ("WARC-Truncated", reason)));
        let record = NewRecord {
            kind: RecordType::Response,
            id,
            date: context.time,
            target_uri: Some(context.url.as_str()),
            content_type: "application/http; msgtype=response",
            fields: &fields,
            block: &[head, &answer.body],
        };
        self.writer.write(&record, records);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one record")]
    fn write_revisit(
        &mut self,
        id: &str,
        answer: &Answer,
        head: &[u8],
        previous: &Previous,
        profile: &str,
        context: &Context<'_>,
        records: &mut Vec<u8>,
    ) {
        let address = answer.address.to_string();
        let mut fields = vec![
            ("WARC-Profile", profile),
            ("WARC-Refers-To", &*previous.record_id),
            ("WARC-Refers-To-Target-URI", &*previous.target_uri),
            ("WARC-Refers-To-Date", &*previous.date),
            ("WARC-IP-Address", &*address),
            ("WARC-Payload-Digest", &*previous.payload_digest),
        ];
        fields.extend(
            answer
                .protocols
                .iter()
                .map(|&protocol| ("WARC-Protocol", protocol)),
        );
        fields.retain(|(_, value)| !value.is_empty());
        let record = NewRecord {
            kind: RecordType::Revisit,
            id,
            date: context.time,
            target_uri: Some(context.url.as_str()),
            content_type: "application/http; msgtype=response",
            fields: &fields,
            block: &[head],
        };
        self.writer.write(&record, records);
    }

    fn write_request(&mut self, of: &str, answer: &Answer, context: &Context<'_>, records: &mut Vec<u8>) {
        let record = NewRecord {
            kind: RecordType::Request,
            id: &new_record_id(),
            date: context.time,
            target_uri: Some(context.url.as_str()),
            content_type: "application/http; msgtype=request",
            fields: &[("WARC-Concurrent-To", of)],
            block: &[&answer.request],
        };
        self.writer.write(&record, records);
    }

    fn write_metadata(
        &mut self,
        of: &str,
        answer: &Answer,
        links: &[Link],
        context: &Context<'_>,
        records: &mut Vec<u8>,
    ) {
        let text = metadata_text(answer, links, context);
        let record = NewRecord {
            kind: RecordType::Metadata,
            id: &new_record_id(),
            date: context.time,
            target_uri: Some(context.url.as_str()),
            content_type: "application/warc-fields",
            fields: &[("WARC-Concurrent-To", of)],
            block: &[text.as_bytes()],
        };
        self.writer.write(&record, records);
    }

    /// The links of an answer. What a server says was not modified has those that the earlier crawl found.
    fn links(&mut self, answer: &Answer, head: &[u8], context: &Context<'_>) -> Vec<Link> {
        match answer.status {
            304 => self.earlier_links(context),
            300..400 => redirect(answer, context.url).into_iter().collect(),
            200..300 => self.links_of_message(&[head, &answer.body].concat(), context.url),
            _ => Vec::new(),
        }
    }

    fn earlier_links(&mut self, context: &Context<'_>) -> Vec<Link> {
        let Some(earlier) = context.earlier else {
            return Vec::new();
        };
        if let Some(text) = earlier.metadata(context.url) {
            return written_links(&text);
        }
        match earlier.message(context.url) {
            Some(message) => self.links_of_message(&message, context.url),
            None => Vec::new(),
        }
    }

    fn links_of_message(&mut self, message: &[u8], url: &Url) -> Vec<Link> {
        let Ok(message) = http::parse(message, &mut self.scratch, &http::Limits::default()) else {
            return Vec::new();
        };
        let content_type = message.content_type();
        let media_type = content_type.as_deref().map(media_type).unwrap_or_default();
        match media_type.as_str() {
            "text/html" | "application/xhtml+xml" | "" => {
                let tags = message.headers.all("x-robots-tag");
                let tags: Vec<String> = tags
                    .map(|tag| String::from_utf8_lossy(tag).into_owned())
                    .collect();
                page_links(
                    &mut self.parser,
                    message.body,
                    content_type.as_deref(),
                    url,
                    &tags,
                )
            }
            _ => sitemap(message.body)
                .unwrap_or_default()
                .iter()
                .filter_map(|address| sitemap_link(url, address))
                .collect(),
        }
    }
}

/// The form of revisit that an answer is, if it says or shows that the page is as the earlier crawl has it.
fn profile(answer: &Answer, digest: &str, previous: &Previous) -> Option<&'static str> {
    if answer.status == 304 {
        return Some(NOT_MODIFIED);
    }
    let is_same = answer.truncated.is_none()
        && answer.status == previous.status
        && digest == previous.payload_digest
        && answer.header("location") == previous.location.as_deref();
    is_same.then_some(SAME_PAYLOAD)
}

fn redirect(answer: &Answer, url: &Url) -> Option<Link> {
    let target = url.join(answer.header("location")?.trim()).ok()?;
    Some(Link {
        url: page_url(target)?,
        place: REDIRECT,
        is_followed: true,
    })
}

/// The link to what a sitemap, or a robots.txt, names.
pub(crate) fn sitemap_link(base: &Url, address: &str) -> Option<Link> {
    Some(Link {
        url: page_url(base.join(address).ok()?)?,
        place: SITEMAP,
        is_followed: true,
    })
}

/// The head of an answer as an archive has it: the body is stored without transfer codings, so that the header that names them
/// gets another name, as Browsertrix does it. The rest is as it came.
fn stored_head(head: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"transfer-encoding:";
    let mut stored = Vec::with_capacity(head.len() + 8);
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        let begin = line.get(..NAME.len());
        if begin.is_some_and(|begin| begin.eq_ignore_ascii_case(NAME)) {
            stored.extend_from_slice(b"X-Orig-");
        }
        stored.extend_from_slice(line);
    }
    stored
}

/// The lines about a capture, with the names that Heritrix has for them.
fn metadata_text(answer: &Answer, links: &[Link], context: &Context<'_>) -> String {
    let mut text = String::new();
    if context.is_seed {
        text.push_str("seed: \r\n");
    }
    if let Some(via) = context.via {
        text.push_str(&format!("via: {via}\r\n"));
    }
    text.push_str(&format!("hopsFromSeed: {}\r\n", context.hops));
    text.push_str(&format!("fetchTimeMs: {}\r\n", answer.time.as_millis()));
    for Link {
        url,
        place,
        is_followed,
    } in links
    {
        let name = if *is_followed { OUTLINK } else { OUTLINK_KEPT };
        let hop = if *place == REDIRECT { 'R' } else { 'L' };
        text.push_str(&format!("{name}: {url} {hop} {place}\r\n"));
    }
    text
}

const OUTLINK: &str = "outlink";
/// A link that is not to be followed.
const OUTLINK_KEPT: &str = "outlinkNofollow";

/// The links in lines about a capture.
fn written_links(text: &str) -> Vec<Link> {
    let link = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        let is_followed = match name {
            OUTLINK => true,
            OUTLINK_KEPT => false,
            _ => return None,
        };
        let mut words = value.split(' ');
        let (url, hop, place) = (words.next()?, words.next()?, words.next().unwrap_or_default());
        // (Other hops are those of pictures and scripts.)
        if !matches!(hop, "L" | "R") {
            return None;
        }
        let places = [
            REDIRECT,
            SITEMAP,
            "area/@href",
            "link/@href",
            "frame/@src",
            "iframe/@src",
            "meta/@content",
        ];
        let place = places
            .into_iter()
            .find(|known| *known == place)
            .unwrap_or("a/@href");
        Some(Link {
            url: page_url(Url::parse(url).ok()?)?,
            place,
            is_followed,
        })
    };
    text.lines().filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_codings_get_another_name() {
        let head = b"HTTP/1.1 200 OK\r\nA: 1\r\nTRANSFER-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n";
        let stored =
            b"HTTP/1.1 200 OK\r\nA: 1\r\nX-Orig-TRANSFER-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n";
        assert_eq!(stored_head(head), stored);
    }

    #[test]
    fn links_are_read_back_as_they_were_written() {
        let link = |path: &str, place, is_followed| Link {
            url: Url::parse("http://a.example/").unwrap().join(path).unwrap(),
            place,
            is_followed,
        };
        let links = [
            link("/b?c%20d", "a/@href", true),
            link("/e", "area/@href", false),
            link("/f", REDIRECT, true),
            link("/g", SITEMAP, true),
        ];
        let lines: String = links
            .iter()
            .map(|link| {
                let name = if link.is_followed { OUTLINK } else { OUTLINK_KEPT };
                format!("{name}: {} L {}\r\n", link.url, link.place)
            })
            .collect();
        assert_eq!(
            written_links(&format!("seed: \r\nfetchTimeMs: 3\r\n{lines}")),
            links
        );
    }
}
