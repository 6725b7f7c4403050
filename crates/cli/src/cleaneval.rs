//! What goes out in the files of the CleanEval shared task: a `URL:` line, and `<h>`, `<p>`, `<l>` before segments.

use gleaner_gold::cleaneval_text;

use crate::page_view::Shown;

/// The kept blocks with their tags, a segment a line; a continuation goes on in its line.
pub(crate) fn write(url: &str, blocks: &[Shown<'_>]) -> String {
    cleaneval_text(url, blocks.iter().map(|block| (block.text, block.label)))
}

#[cfg(test)]
mod tests {
    use gleaner_crf::Label;

    use super::*;

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
