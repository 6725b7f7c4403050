//! Pages as HTML, from their own elements.

use gleaner_content::Label;
use gleaner_page::{Page, PageConfig, Parser, Tabs, Unit};
use proptest::prelude::*;

use super::{About, END, KEPT, article, begin, write};
use crate::{ShownBlock, Structure};

/// A page in this unit.
fn parsed(html: &str, unit: Unit) -> Page {
    let config = PageConfig {
        unit,
        ..PageConfig::default()
    };
    Parser::new(config)
        .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
        .unwrap()
        .clone()
}

fn structure(page: &Page) -> Structure {
    Structure::of(page, &page.joints())
}

/// Its blocks with these labels.
fn shown<'p>(page: &'p Page, label: impl Fn(usize, &str) -> Label) -> Vec<ShownBlock<'p>> {
    let joints = page.joints();
    let of = |at: usize| ShownBlock {
        text: page.text(&page.blocks[at]),
        written: page.written(&page.blocks[at]),
        label: label(at, page.text(&page.blocks[at])),
        confidence: 1.0,
        path: String::new(),
        joint: joints[at],
        tabs: Tabs::default(),
        element: page.blocks[at].element,
    };
    (0..page.blocks.len()).map(of).collect()
}

/// The HTML of a page whose blocks have the label of their first letter: H, L, C, O; of all others it is that of
/// paragraphs.
fn written(html: &str) -> String {
    let label = |_: usize, text: &str| match &text[..1] {
        "H" => Label::Header,
        "L" => Label::List,
        "C" => Label::Continuation,
        "O" => Label::Other,
        _ => Label::Paragraph,
    };
    let page = parsed(html, Unit::Line);
    let blocks = shown(&page, label);
    write(&page, &structure(&page), &blocks, &KEPT)
}

#[test]
fn blocks_become_the_elements_that_they_are() {
    assert_eq!(
        written(
            "<ul><li>Omenu</ul><h1><span>H &amp; &lt;b&gt;</span></h1><div>Hbold</div><div>Lone</div><div>Con</div>\
             <div>Ltwo</div><pre>let a;\n<code>  let b;</code></pre><p>end"
        ),
        "<h1>H &amp; &lt;b&gt;</h1>\n<h2>Hbold</h2>\n<ul>\n<li>Lone Con</li>\n<li>Ltwo</li>\n</ul>\n\
         <pre>let a;\n  let b;</pre>\n<p>end</p>\n"
    );
    assert_eq!(written("<p>Omenu"), "");
    assert_eq!(written("<li>Lone"), "<ul>\n<li>Lone</li>\n</ul>\n");
}

#[test]
fn lists_are_those_of_the_page_with_their_numbers() {
    assert_eq!(
        written(
            "<ol start=3 type=a><li>mix<ul><li>Lrye</li><li>wheat</li></ul>well</li><li>Orest<li>bake<li value=9>eat\
             <li hidden><li><p>a</p><p>b</p></ol>"
        ),
        "<ol start=\"3\" type=\"a\">\n<li>mix\n<ul>\n<li>Lrye</li>\n<li>wheat</li>\n</ul>\n<p>well</p>\n</li>\n\
         <li value=\"5\">bake</li>\n<li value=\"9\">eat</li>\n<li><p>a</p>\n<p>b</p>\n</li>\n</ol>\n"
    );
    assert_eq!(
        written("<ol reversed><li>three<li>Otwo<li>one</ol>"),
        "<ol start=\"3\" reversed>\n<li>three</li>\n<li value=\"1\">one</li>\n</ol>\n"
    );
    assert_eq!(
        written("<ol start='-1x' type=z><li>a<section><li>b</section><li value=x>c</ol>"),
        "<ol start=\"-1\">\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ol>\n"
    );
    assert_eq!(
        written("<ul><li><ol><li>La<li>Lb</ol><li>Lc</ul><ol hidden><li>x<li>y</ol>"),
        "<ul>\n<li><ol>\n<li>La</li>\n<li>Lb</li>\n</ol>\n</li>\n<li>Lc</li>\n</ul>\n\
         <ol>\n<li>x</li>\n<li>y</li>\n</ol>\n"
    );
}

#[test]
fn lines_of_an_item_stay_in_it() {
    assert_eq!(
        written("<ul><li>La<br>Lb<br>Cc<li>Ld<div>Ce</div><h3>Hf</h3><pre>g</pre></ul><p>Lx<br>Ly"),
        "<ul>\n<li>La<br>Lb<br>Cc</li>\n<li>Ld Ce\n<h3>Hf</h3>\n<pre>g</pre>\n</li>\n</ul>\n\
         <ul>\n<li>Lx</li>\n<li>Ly</li>\n</ul>\n"
    );
}

#[test]
fn boxes_made_of_lists_and_tables_are_none() {
    assert_eq!(
        written(
            "<ul class=slides><li><h1>Ha</h1><p>b</p></li><li>Omenu</ul><ul><li>Lone</ul><ol><li>only</ol>"
        ),
        "<h1>Ha</h1>\n<p>b</p>\n<ul>\n<li>Lone</li>\n</ul>\n<ol>\n<li>only</li>\n</ol>\n"
    );
    assert_eq!(written("<table><tr><td>a<td>Omenu</table>"), "<p>a</p>\n");
}

#[test]
fn quotations_are_kept_with_their_paragraphs() {
    assert_eq!(
        written(
            "<p>a<blockquote><p>b<p>c<blockquote>d</blockquote><ul><li>Le<li>Lf</ul></blockquote><blockquote>g<br>h\
             </blockquote><div>Ci</div>"
        ),
        "<p>a</p>\n<blockquote>\n<p>b</p>\n<p>c</p>\n<blockquote>\n<p>d</p>\n</blockquote>\n<ul>\n<li>Le</li>\n\
         <li>Lf</li>\n</ul>\n</blockquote>\n<blockquote>\n<p>g<br>h</p>\n</blockquote>\n<p>Ci</p>\n"
    );
}

#[test]
fn tables_have_rows_header_cells_and_columns() {
    assert_eq!(
        written(
            "<p>x<table><thead><tr><th>H a<th>b<th colspan=2>c<tbody><tr><th scope=row>d<td><td>e<br>f<tr><td>Og<td>h\
             <td hidden>i<td rowspan=2>j</table><p>y"
        ),
        "<p>x</p>\n<table>\n<tr><th>H a</th><th>b</th><th colspan=\"2\">c</th></tr>\n\
         <tr><th>d</th><td></td><td>e<br>f</td></tr>\n<tr><td></td><td>h</td><td>i</td><td rowspan=\"2\">j</td></tr>\n\
         </table>\n<p>y</p>\n"
    );
    assert_eq!(
        written("<ul><li>La<table><tr><td>b<td>c<tr><td>e<td>f</table><li>Ld</ul>"),
        "<ul>\n<li>La\n<table>\n<tr><td>b</td><td>c</td></tr>\n<tr><td>e</td><td>f</td></tr>\n</table>\n</li>\n\
         <li>Ld</li>\n</ul>\n"
    );
    let listings = "<table><tr><td><pre>c\nd</pre><td><pre>a\nb</pre></table>";
    assert_eq!(written(listings), "<pre>c\nd</pre>\n<pre>a\nb</pre>\n");
}

#[test]
fn cells_of_a_table_hold_lists_paragraphs_and_preformatted_text() {
    let table = |cell: &str| {
        written(&format!(
            "<table><tr><th>name<th>notes<tr><td>rye<td>dark<tr><td>spelt<td>{cell}<tr><td>oat<td>soft</table>"
        ))
    };
    let with = |cell: &str| {
        format!(
            "<table>\n<tr><th>name</th><th>notes</th></tr>\n<tr><td>rye</td><td>dark</td></tr>\n\
             <tr><td>spelt</td><td>{cell}</td></tr>\n<tr><td>oat</td><td>soft</td></tr>\n</table>\n"
        )
    };
    assert_eq!(
        table("<ul><li>La<li>Lb</ul>"),
        with("<ul>\n<li>La</li>\n<li>Lb</li>\n</ul>\n")
    );
    assert_eq!(table("<p>a<p>b<br>c"), with("<p>a</p>\n<p>b<br>c</p>\n"));
    assert_eq!(table("a<pre>b\n c</pre>"), with("<p>a</p>\n<pre>b\n c</pre>\n"));
    // These are boxes of the layout.
    let boxed = table("<h2>Ha</h2><p>b");
    assert!(
        boxed.contains("</table>\n<h2>Ha</h2>\n<p>b</p>\n<table>"),
        "{boxed}"
    );
    let layout = "<table><tr><td>a<td>b<tr><td>k<td>l<tr><td><p>c<p>d<td><p>e<p>f<tr><td><p>g<p>h<tr><td><p>m<p>n</table>";
    assert!(
        written(layout).ends_with(
            "</table>\n<p>c</p>\n<p>d</p>\n<p>e</p>\n<p>f</p>\n<p>g</p>\n<p>h</p>\n<p>m</p>\n<p>n</p>\n"
        ),
        "{}",
        written(layout)
    );
}

#[test]
fn lines_of_a_paragraph_stay_lines() {
    assert_eq!(
        written("<p>a<br>Cb<br>c<br>Onoise<br>d<br>He"),
        "<p>a<br>Cb<br>c</p>\n<p>d</p>\n<h2>He</h2>\n"
    );
}

#[test]
fn pieces_of_a_line_are_one_line() {
    let page = parsed(
        "<p>go <b>o</b>n, <i>and</i> on</p><ul><li>a <b>b</b><li>c</ul>",
        Unit::Tag,
    );
    let blocks = shown(&page, |_, _| Label::Paragraph);
    assert_eq!(
        write(&page, &structure(&page), &blocks, &KEPT),
        "<p>go on, and on</p>\n<ul>\n<li>a b</li>\n<li>c</li>\n</ul>\n"
    );
}

#[test]
fn directions_are_those_of_the_page() {
    let direction = |html: &str| super::direction::of_page(&parsed(html, Unit::Line));
    assert_eq!(direction("<p>a"), "auto");
    assert_eq!(direction("<html dir=RTL><p>a"), "rtl");
    assert_eq!(direction("<html dir=rtl><body dir=' ltr '><p>a"), "ltr");
    assert_eq!(direction("<html dir=rtl><body dir=sideways><p>a"), "rtl");
    assert_eq!(
        written(
            "<html dir=rtl><p>a<p dir=ltr>b<div dir=rtl><p>c</div><ul dir=ltr><li>Ld<li dir=rtl>Le</ul>\
             <blockquote dir=auto><p dir=auto>f</blockquote>"
        ),
        "<p>a</p>\n<p dir=\"ltr\">b</p>\n<p>c</p>\n<ul dir=\"ltr\">\n<li>Ld</li>\n<li dir=\"rtl\">Le</li>\n</ul>\n\
         <blockquote dir=\"auto\">\n<p dir=\"auto\">f</p>\n</blockquote>\n"
    );
}

#[test]
fn a_document_has_language_and_direction_of_its_pages() {
    let about = |language: Option<&str>, direction| About {
        language: language.map(str::to_owned),
        direction,
    };
    let only = begin("\"T\"", "", Some(&about(Some("a\"r"), "rtl"))) + END;
    assert_eq!(
        only,
        "<!DOCTYPE html>\n<html lang=\"a&quot;r\" dir=\"rtl\"><head><meta charset=\"utf-8\">\
         <title>&quot;T&quot;</title></head>\n<body>\n</body></html>\n"
    );
    let unsaid = begin("", "", Some(&about(None, "auto")));
    assert!(
        unsaid.contains("<html><head>") && unsaid.ends_with("<body dir=\"auto\">\n"),
        "{unsaid}"
    );
    assert_eq!(
        article("a<b", &about(Some("cs"), "auto"), "<p>x</p>\n"),
        "<article lang=\"cs\" dir=\"auto\">\n<header dir=\"ltr\">a&lt;b</header>\n<p>x</p>\n</article>\n"
    );
}

/// Whether all elements are closed in order; `<br>` is never.
fn is_balanced(html: &str) -> bool {
    let mut open = Vec::new();
    for tag in html.split('<').skip(1) {
        let name = tag.split(['>', ' ']).next().unwrap();
        match name.strip_prefix('/') {
            Some(name) if open.pop() == Some(name) => {}
            Some(_) => return false,
            None if name == "br" => {}
            None => open.push(name),
        }
    }
    open.is_empty()
}

/// What the text of a page is made of, without white space and what parts blocks.
fn letters<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    texts
        .into_iter()
        .flat_map(str::chars)
        .filter(|letter| !letter.is_whitespace())
        .collect()
}

fn piece() -> impl Strategy<Value = String> {
    const NAMES: [&str; 16] = [
        "ul",
        "ol",
        "li",
        "li",
        "blockquote",
        "p",
        "div",
        "h2",
        "table",
        "tr",
        "td",
        "th",
        "pre",
        "section",
        "b",
        "menu",
    ];
    let name = proptest::sample::select(&NAMES[..]);
    const ATTRIBUTES: [&str; 8] = [
        "",
        " start=4",
        " reversed",
        " value=-2",
        " dir=rtl",
        " dir=auto",
        " hidden",
        " colspan=2",
    ];
    let attribute = proptest::sample::select(&ATTRIBUTES[..]);
    prop_oneof![
        4 => (name.clone(), attribute).prop_map(|(name, attribute)| format!("<{name}{attribute}>")),
        3 => name.prop_map(|name| format!("</{name}>")),
        4 => "[a-z]{1,3}( &lt;[a-z])?",
        1 => Just("<br>".to_owned()),
        1 => Just("\n".to_owned()),
    ]
}

proptest! {
    #[test]
    fn whatever_the_page_elements_are_closed_and_no_text_is_lost(
        pieces in proptest::collection::vec(piece(), 0..60),
        labels in proptest::collection::vec(0..5_usize, 60),
        by_tag in any::<bool>(),
    ) {
        let all = [Label::Header, Label::Paragraph, Label::List, Label::Continuation, Label::Other];
        let page = parsed(&pieces.concat(), if by_tag { Unit::Tag } else { Unit::Line });
        let blocks = shown(&page, |at, _| all[labels[at % labels.len()]]);
        let html = write(&page, &structure(&page), &blocks, &KEPT);
        prop_assert!(is_balanced(&html), "{}", html);
        let again = parsed(&html, Unit::Line);
        let kept = blocks.iter().filter(|block| block.label.is_content());
        prop_assert_eq!(
            letters(kept.map(|block| block.written)),
            letters(again.blocks.iter().map(|block| again.written(block)))
        );
    }
}
