//! The files of the CleanEval shared task: `<text id="...">` around the page that comes in, a
//! `URL:` line and `<h>`, `<p>`, `<l>` in what goes out.

use gleaner_crf::{Label, Lines, Place};

use crate::page_view::Shown;

/// A page without its envelope.
pub(crate) struct Input<'a> {
    pub(crate) html: &'a [u8],
    pub(crate) url: Option<String>,
}

/// Takes the first line `<text id="URL" ...>` and the last `</text>` off, if they are there.
pub(crate) fn strip_envelope(bytes: &[u8]) -> Input<'_> {
    let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = &bytes[blank..];
    let is_envelope = start.len() > 6 && start[..6].eq_ignore_ascii_case(b"<text ");
    let Some(end) = start
        .iter()
        .position(|&byte| byte == b'>')
        .filter(|_| is_envelope)
    else {
        return Input {
            html: bytes,
            url: None,
        };
    };
    let tag = String::from_utf8_lossy(&start[..end]);
    let url = tag
        .split_once("id=\"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(url, _)| url.to_owned());
    let rest = start[end + 1..].trim_ascii_end();
    let html = match rest.len().checked_sub(b"</text>".len()) {
        Some(cut) if rest[cut..].eq_ignore_ascii_case(b"</text>") => &rest[..cut],
        _ => rest,
    };
    Input { html, url }
}

/// The kept blocks with their tags, a segment a line; a continuation goes on in its line, and so do blocks of one line of the
/// page.
pub(crate) fn write(url: &str, blocks: &[Shown<'_>]) -> String {
    let mut text = if url.is_empty() {
        String::new()
    } else {
        format!("URL: {url}\n")
    };
    let mut begun = false;
    let mut lines = Lines::default();
    for block in blocks {
        match lines.place(block.label, block.joint) {
            Place::Dropped => continue,
            Place::GoesOn(white) => text.push_str(white),
            Place::Begins(_) => {
                let tag = match block.label {
                    Label::Header => "<h>",
                    Label::List => "<l>",
                    Label::Continuation if begun => "",
                    _ => "<p>",
                };
                text.push_str(match (begun, tag) {
                    (false, _) => "\n",
                    (true, "") => " ",
                    (true, _) => "\n\n",
                });
                text.push_str(tag);
            }
        }
        // Lines of a `<pre>` without a word are in nothing else.
        text.push_str(block.written.trim_end_matches('\n'));
        begun = true;
    }
    if begun {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_comes_off() {
        let input = strip_envelope(
            b"\n<text id=\"http://a.example/?b\" title=\"x\"><html><p>A</p></html>\n</text>\n",
        );
        assert_eq!(input.url.as_deref(), Some("http://a.example/?b"));
        assert_eq!(input.html, b"<html><p>A</p></html>\n");
        let plain = strip_envelope(b"<textarea>");
        assert_eq!((plain.html, plain.url), (&b"<textarea>"[..], None));
    }

    #[test]
    fn segments_have_tags_and_continuations_none() {
        let shown = |text, label| Shown {
            text,
            written: text,
            label,
            confidence: 1.0,
            path: String::new(),
            joint: gleaner_page::Joint::Apart,
        };
        let blocks = [
            shown("menu", Label::Other),
            shown("go", Label::Continuation),
            shown("on", Label::Continuation),
            shown("T", Label::Header),
            shown("one", Label::List),
        ];
        assert_eq!(
            write("http://a/", &blocks),
            "URL: http://a/\n\n<p>go on\n\n<h>T\n\n<l>one\n"
        );
        assert_eq!(write("", &blocks[..1]), "");
    }
}
