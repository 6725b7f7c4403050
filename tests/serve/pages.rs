//! Pages to send: by hand, of the bundled crawl, and broken ones.

use std::fs::File;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use gleaner_testing::Random;
use gleaner_testing::warc::article;

use crate::support::sample;

/// A page with its address and its type.
pub(super) struct SentPage {
    pub(super) url: String,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

fn page(url: &str, content_type: &str, body: impl Into<Vec<u8>>) -> SentPage {
    SentPage {
        url: url.to_owned(),
        content_type: content_type.to_owned(),
        body: body.into(),
    }
}

/// `日本の灯台` in Shift_JIS.
const LIGHTHOUSE: &[u8] = b"\x93\xfa\x96{\x82\xcc\x93\x94\x91\xe4";

/// Pages that commands and service may take for different ones.
pub(super) fn by_hand() -> Vec<SentPage> {
    let japanese = [
        b"<!doctype html><meta charset=shift_jis><title>",
        LIGHTHOUSE,
        b"</title><p>",
        LIGHTHOUSE,
    ]
    .concat();
    let rich = "<html lang=en><title>Salt &amp; nets</title><nav><a href=/>Home</a></nav><h1>Salt &amp; nets</h1>\
         <p>The <b>nets</b> hang in the <a href='b.html'>evening wind</a>, and the salt dries on them until the boats go \
         out again with the tide.</p><ul><li>rope<li>cork</ul><pre>  one\n    two</pre><table><tr><td>a<td>b</table>";
    let blog = "<div class='post hentry'><h2 class=entry-title>On lamps</h2><p class=date>8 July 2016</p>\
         <div class=entry-content><p>They burn &lt;low&gt; &amp; long.</div></div>";
    vec![
        page("http://tides.example/a?b=c&d", "text/html", article()),
        page("", "text/html; charset=utf-8", rich),
        page("https://blog.example/2016/07/", "text/html", blog),
        page(
            "http://ships.example/",
            "text/html; charset=windows-1251",
            b"<!doctype html><p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xee\xf0\xe5".as_slice(),
        ),
        page("", "application/xhtml+xml", japanese),
        page(
            "",
            "text/html",
            format!("<html dir=rtl lang=he><p>{}", "שלום לכולם מן המגדלור ".repeat(12)),
        ),
        page(
            "",
            "text/plain; charset=utf-8",
            "The keeper of the north light\n\nHe lit it for forty years, and nobody thanked him.\n",
        ),
        page("", "text/html", "<title>nothing else"),
    ]
}

/// Pages of the bundled crawl, each `step`th.
pub(super) fn of_sample(step: usize) -> Vec<SentPage> {
    let mut archive = Vec::new();
    // (Behind a damaged place there is more, which is left.)
    MultiGzDecoder::new(File::open(sample()).unwrap())
        .read_to_end(&mut archive)
        .ok();
    let mut pages = Vec::new();
    let mut rest = archive.as_slice();
    while let Some((head, block)) = split(rest) {
        let length: usize = field(head, "Content-Length").unwrap().parse().unwrap();
        let Some((record, after)) = block.split_at_checked(length) else {
            break;
        };
        rest = after.strip_prefix(b"\r\n\r\n").unwrap_or(after);
        if field(head, "WARC-Type").as_deref() != Some("response") {
            continue;
        }
        let Some((http, body)) = split(record) else {
            continue;
        };
        let content_type = field(http, "Content-Type").unwrap_or_default();
        // (Of an empty page commands print nothing, and requests are answered.)
        let is_plain = field(http, "Content-Encoding").is_none() && !body.is_empty();
        if content_type.starts_with("text/html") && is_plain {
            pages.push(page(
                &field(head, "WARC-Target-URI").unwrap(),
                &content_type,
                body,
            ));
        }
    }
    assert!(pages.len() > 10, "{} pages", pages.len());
    pages.into_iter().step_by(step).collect()
}

fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((std::str::from_utf8(&bytes[..end]).unwrap(), &bytes[end + 4..]))
}

fn field(head: &str, name: &str) -> Option<String> {
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    let found = fields.find(|(field, _)| field.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.to_owned())
}

/// A page that is not as it should be: cut off, with bytes that are others, nested, of random bytes, or of parts in any order.
pub(super) fn broken(number: usize) -> Vec<u8> {
    let mut random = Random::from_page(number);
    match number % 5 {
        0 => {
            let page = article();
            page.as_bytes()[..random.below(page.len())].to_vec()
        }
        1 => {
            let mut page = article().into_bytes();
            for _ in 0..1 + random.below(400) {
                let at = random.below(page.len());
                page[at] = random.below(256) as u8;
            }
            page
        }
        2 => {
            let tags = [
                "<div>",
                "<table><tr><td>",
                "<b><i>",
                "<ul><li>",
                "<select><option>",
                "<svg><title>",
                "<a href=x>",
            ];
            tags[random.below(tags.len())]
                .repeat(1 + random.below(20_000))
                .into_bytes()
        }
        3 => (0..random.below(30_000))
            .map(|_| random.below(256) as u8)
            .collect(),
        _ => {
            let parts = [
                "<p>",
                "</p>",
                "<!--",
                "-->",
                "<script>",
                "</textarea>",
                "<plaintext>",
                "&#x",
                "&amp",
                "\0",
                "\u{feff}",
                "<template shadowrootmode=open>",
                "<math><mi>",
                "]]>",
                "<table>",
                "<frameset>",
                "<pre>\n",
                "text ",
                "<meta charset=utf-16>",
                "<h1 class='",
                "\"",
                "<td>",
                "</body>",
            ];
            (0..random.below(3_000))
                .flat_map(|_| parts[random.below(parts.len())].bytes())
                .collect()
        }
    }
}
