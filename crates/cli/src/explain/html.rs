//! What is known of a page, as a page: its blocks in the colours of their labels, with the reasons on hover. It loads nothing and
//! runs nothing.

use gleaner_document::html::{END, begin, escape};

use super::answer::{Block, Explanation};
use super::text::{lines, reasons};

/// Features for and against that are named.
const FEATURES: usize = 10;

/// Elements of the head. The policy lets nothing run or load, whatever the page has.
const HEAD: &str = "
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:55rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.3rem;overflow-wrap:anywhere}
table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:start;vertical-align:top;padding:.1rem .75rem .1rem 0;overflow-wrap:anywhere}
th{color:#555;font-weight:normal;white-space:nowrap}
.b{padding:.15rem .5rem;margin:.1rem 0;border-inline-start:5px solid;overflow-wrap:anywhere}
.l{font:12px/2 ui-monospace,monospace;color:#555;margin-inline-end:.75rem}
.header{border-color:#1565c0;background:#e8f1fb;font-weight:600}
.paragraph{border-color:#2e7d32;background:#eef7ee}
.list{border-color:#6a1b9a;background:#f5ecf8}
.continuation{border-color:#00838f;background:#e7f5f6}
.other{border-color:#c62828;background:#fbeeee;color:#6b3b3b}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}th,.l{color:#aaa}.header{background:#14283f}
.paragraph{background:#16301a}.list{background:#2c1836}.continuation{background:#0f2e31}.other{background:#351c1c;color:#d9b3b3}}
</style>";

/// A page that was found.
pub(super) fn found(page: &Explanation) -> String {
    let mut html = begin(&page.url, HEAD, None);
    html += &format!("<h1>{}</h1>\n<table>\n", escape(&page.url));
    for (name, value) in lines(page) {
        html += &format!(
            "<tr><th>{name}</th><td dir=\"auto\">{}</td></tr>\n",
            escape(&value)
        );
    }
    for note in &page.notes {
        html += &format!("<tr><th>note</th><td>{}</td></tr>\n", escape(note));
    }
    html += "</table>\n";
    let kept = page.blocks.iter().filter(|block| block.kept).count();
    html += &format!("<p>{kept} of {} blocks kept</p>\n", page.blocks.len());
    for one in &page.blocks {
        html += &block(one, page);
    }
    html + END
}

fn block(block: &Block, page: &Explanation) -> String {
    let mut lines = reasons(block, page, FEATURES);
    if !block.path.is_empty() {
        lines.push(block.path.clone());
    }
    let label = escape(&block.label);
    format!(
        "<div class=\"b {label}\" title=\"{}\"><span class=\"l\" dir=\"ltr\">{} {label} {:.2}</span><span dir=\"auto\">{}</span></div>\n",
        escape(&lines.join("\n")),
        block.block,
        block.confidence,
        escape(&block.text)
    )
}
