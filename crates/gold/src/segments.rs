//! CleanEval's gold markup: `<h>`, `<p>` or `<l>` before each header, paragraph and list item.

use gleaner_content::Label;

/// A header, paragraph or list item of the gold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// [`Label::Header`], [`Label::Paragraph`] or [`Label::List`].
    pub label: Label,
    /// Its text as it stands in the gold.
    pub text: String,
}

/// Splits CleanEval gold into its segments. Text before the first tag is a paragraph, closing
/// tags count as white space, a leading `URL:` line is left out, and so are segments without text.
///
/// ```
/// use gleaner_content::Label;
///
/// let segments = gleaner_gold::segments("<h>Title\n<p>Some text.</p>");
/// assert_eq!((segments[0].label, segments[0].text.trim()), (Label::Header, "Title"));
/// assert_eq!((segments[1].label, segments[1].text.trim()), (Label::Paragraph, "Some text."));
/// ```
pub fn segments(gold: &str) -> Vec<Segment> {
    let (_, mut rest) = split_url_line(gold);
    let mut all = vec![Segment {
        label: Label::Paragraph,
        text: String::new(),
    }];
    while let Some(at) = rest.find('<') {
        let (text, from) = rest.split_at(at);
        let (tag, after) = match tag(from) {
            Some((tag, length)) => (Some(tag), length),
            None => (None, 1),
        };
        push(&mut all, text);
        match tag {
            Some(Tag::Open(label)) => all.push(Segment {
                label,
                text: String::new(),
            }),
            Some(Tag::Close) => push(&mut all, " "),
            None => push(&mut all, "<"),
        }
        rest = &from[after..];
    }
    push(&mut all, rest);
    all.retain(|segment| !segment.text.trim().is_empty());
    all
}

/// A tag has no more bytes than this.
const LONGEST_TAG: usize = 16;

enum Tag {
    Open(Label),
    Close,
}

/// The tag that the text starts with, and its length.
fn tag(text: &str) -> Option<(Tag, usize)> {
    let end = text.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let name = text[1..end].trim();
    let (closing, name) = match name.strip_prefix('/') {
        Some(name) => (true, name.trim_start()),
        None => (false, name),
    };
    let label = match name {
        "h" | "H" => Label::Header,
        "p" | "P" => Label::Paragraph,
        "l" | "L" => Label::List,
        _ => return None,
    };
    Some((if closing { Tag::Close } else { Tag::Open(label) }, end + 1))
}

fn push(segments: &mut [Segment], text: &str) {
    if let Some(last) = segments.last_mut() {
        last.text.push_str(text);
    }
}

/// The URL in a leading `URL:` line, or an empty text, and the rest.
pub(crate) fn split_url_line(gold: &str) -> (&str, &str) {
    match gold.trim_start().strip_prefix("URL:") {
        Some(line) => {
            let (url, rest) = line.split_once('\n').unwrap_or((line, ""));
            (url.trim(), rest)
        }
        None => ("", gold),
    }
}

/// Whether a gold text has an opening tag.
pub(crate) fn has_tags(gold: &str) -> bool {
    let mut places = gold.match_indices('<');
    places.any(|(at, _)| matches!(tag(&gold[at..]), Some((Tag::Open(_), _))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_angle_brackets_are_text() {
        let all = segments("URL: http://a.b/\nfirst < 2 <x> </p>\n< L >item<h>");
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].text.trim(), "first < 2 <x>");
        assert_eq!((all[1].label, all[1].text.as_str()), (Label::List, "item"));
    }

    #[test]
    fn nothing_has_no_segment() {
        assert!(segments("").is_empty() && segments("<p> <p>").is_empty());
    }
}
