//! A cleaned page as a page: what is kept and what is dropped, coloured, in one file.

use gleaner_crf::Label;
use gleaner_page::Joint;

use crate::html::{append, escape};

/// A block as it is shown.
pub(crate) struct Shown<'a> {
    pub(crate) text: &'a str,
    /// The same as it is to be written.
    pub(crate) written: &'a str,
    pub(crate) label: Label,
    pub(crate) confidence: f32,
    pub(crate) path: String,
    /// How it hangs together with the block before.
    pub(crate) joint: Joint,
}

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
header{border-bottom:1px solid #ccc;margin-bottom:1rem;padding-bottom:.5rem}
.b{display:flex;gap:.75rem;padding:.15rem .5rem;border-left:4px solid;overflow-wrap:anywhere}
.l{flex:0 0 8.5rem;font:12px/2 ui-monospace,monospace;color:#555}
.k{border-color:#2e7d32;background:#eef7ee}
.d{border-color:#c62828;background:#fbeeee;color:#6b3b3b}
.header .t{font-weight:bold}
.list .t::before{content:'\\2022\\00a0'}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}.l{color:#aaa}.k{background:#16301a}.d{background:#351c1c;color:#d9b3b3}}
";

/// The page. Its text is escaped; it loads nothing.
pub(crate) fn render(title: &str, blocks: &[Shown<'_>]) -> String {
    let kept = blocks.iter().filter(|block| block.label.is_content()).count();
    let mut page = String::new();
    let title = escape(title);
    page.push_str("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
    page.push_str(&title);
    page.push_str("</title>\n<style>\n");
    page.push_str(STYLE);
    page.push_str("</style></head>\n<body><header><h1>");
    page.push_str(&title);
    append(
        &mut page,
        format_args!("</h1><p>{kept} of {} blocks kept</p></header>\n", blocks.len()),
    );
    for block in blocks {
        let side = if block.label.is_content() { 'k' } else { 'd' };
        let name = block.label.name();
        append(
            &mut page,
            format_args!(
                "<div class=\"b {side} {name}\" title=\"{}\"><span class=\"l\">{name} {:.2}</span><span class=\"t\">{}</span></div>\n",
                escape(&block.path),
                block.confidence,
                escape(block.text),
            ),
        );
    }
    page.push_str("</body></html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_page_is_escaped() {
        let block = Shown {
            text: "<script>\"&",
            written: "",
            label: Label::Other,
            confidence: 0.5,
            path: "a\"b".into(),
            joint: Joint::Apart,
        };
        let page = render("<t>", &[block]);
        assert!(
            page.contains("&lt;script&gt;&quot;&amp;")
                && page.contains("a&quot;b")
                && page.contains("<title>&lt;t&gt;")
        );
        assert!(!page.contains("<script>"));
    }
}
