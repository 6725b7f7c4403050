//! A cleaned page as a page that shows what is kept and what is dropped: each block with its label, coloured, in one file.

use gleaner_document::ShownBlock;
use gleaner_document::html::{Style, escape};

/// The element of the head that says how the document looks.
pub(crate) const STYLE: &str = "
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
body header{border-bottom:1px solid #ccc;margin-bottom:1rem;padding-bottom:.5rem}
.b{display:block;padding:.15rem .5rem;border-inline-start:4px solid;overflow-wrap:anywhere}
pre .b{display:inline}
.l{font:12px/2 ui-monospace,monospace;color:#555;margin-inline-end:.75rem}
.k{border-color:#2e7d32;background:#eef7ee}
.d{border-color:#c62828;background:#fbeeee;color:#6b3b3b}
blockquote{border-inline-start:2px solid #ccc;margin-inline:1rem 0;padding-inline-start:1rem}
th,td{vertical-align:top;text-align:start}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}.l{color:#aaa}.k{background:#16301a}.d{background:#351c1c;color:#d9b3b3}}
</style>";

/// All blocks, each with its label and the confidence in that. Their text is escaped.
pub(crate) const ALL: Style = Style {
    with_dropped: true,
    append: append_block,
};

fn append_block(page: &mut String, block: &ShownBlock<'_>) {
    let side = if block.label.is_content() { 'k' } else { 'd' };
    let name = block.label.name();
    *page += &format!(
        "<span class=\"b {side} {name}\" title=\"{}\"><span class=\"l\" dir=\"ltr\">{name} {:.2}</span><span>{}</span></span>",
        escape(&block.path),
        block.confidence,
        escape(block.written),
    );
}

/// What stands above the blocks: the title of the page, and how much of it is kept.
pub(crate) fn heading(title: &str, blocks: &[ShownBlock<'_>]) -> String {
    let kept = blocks.iter().filter(|block| block.label.is_content()).count();
    format!(
        "<header><h1>{}</h1><p dir=\"ltr\">{kept} of {} blocks kept</p></header>\n",
        escape(title),
        blocks.len()
    )
}

#[cfg(test)]
mod tests {
    use gleaner_content::Label;
    use gleaner_html::NONE;
    use gleaner_page::{Joint, Tabs};

    use super::*;

    #[test]
    fn text_of_the_page_is_escaped() {
        let block = ShownBlock {
            text: "",
            written: "<script>\"&",
            label: Label::Other,
            confidence: 0.5,
            path: "a\"b".into(),
            joint: Joint::Apart,
            tabs: Tabs::default(),
            element: NONE,
        };
        let mut page = heading("<t>", std::slice::from_ref(&block));
        append_block(&mut page, &block);
        assert!(page.contains("&lt;script&gt;&quot;&amp;") && page.contains("a&quot;b"));
        assert!(page.contains("&lt;t&gt;") && page.contains("0 of 1 blocks kept"));
        assert!(!page.contains("<script>") && page.contains("other 0.50"));
    }
}
