//! Random pages: a parser gives their text back.

use std::sync::{LazyLock, Mutex, PoisonError};

use gleaner_content::Label;
use gleaner_document::{Cleaner, Images, Links, MarkdownOptions};
use gleaner_page::Unit;
use proptest::prelude::*;

use crate::back::assert_has_text;
use crate::labels::{clean, cleaner};

/// Texts of signs that Markdown reads.
fn text() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec![
        "a",
        "Be",
        "7",
        "12.",
        "3)",
        " ",
        " ",
        " ",
        "\n",
        "*",
        "**",
        "_",
        "`",
        "``",
        "~",
        "~~",
        "#",
        "##",
        "-",
        "---",
        "+",
        "=",
        "===",
        "|",
        "| --- |",
        ":-",
        "\\",
        "[",
        "]",
        "](",
        "(",
        ")",
        "!",
        "![",
        "&lt;",
        "&lt;a",
        "&lt;!--",
        "&amp;",
        "&amp;amp;",
        "&amp;#42;",
        ";",
        ">",
        "$",
        "$$",
        "x^2",
        "\\(",
        "\\)",
        "\\[",
        "{",
        "}",
        "\\begin{align}",
        "\\end{align}",
        "\\text{a ",
        ":",
        "[^1]",
        "é",
        "“",
        "”",
        "語",
        "http://a.b/",
        "[ ]",
    ]);
    prop::collection::vec(sign, 1..12).prop_map(|signs| signs.concat())
}

fn html() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(vec![
        "p",
        "p",
        "div",
        "h1",
        "h2",
        "h3",
        "ul",
        "ol",
        "ol start=7",
        "li",
        "li",
        "blockquote",
        "pre",
        "code",
        "b",
        "em",
        "i",
        "del",
        "a href='x y(1)'",
        "a href=/p|q",
        "table",
        "tr",
        "tr",
        "td",
        "td",
        "td colspan=2",
        "th",
        "span",
        "sup",
        "sub",
        "math display=block",
        "math",
        "dl",
        "dt",
        "dd",
    ]);
    let image = text().prop_map(|text| format!("<img src=x alt='{text}'>"));
    let leaf = prop_oneof![8 => text(), 2 => Just("<br>".to_owned()), 1 => image];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        (tag.clone(), prop::collection::vec(inner, 1..6)).prop_map(|(tag, children)| {
            let name = tag.split(' ').next().unwrap_or_default();
            format!("<{tag}>{}</{name}>", children.concat())
        })
    })
}

fn table() -> impl Strategy<Value = String> {
    let cell = (
        prop::sample::select(vec!["td", "td", "td", "th", "td rowspan=2"]),
        html_of_cell(),
    );
    let cell = cell.prop_map(|(tag, text)| format!("<{tag}>{text}"));
    let row = prop::collection::vec(cell, 1..4).prop_map(|cells| format!("<tr>{}", cells.concat()));
    prop::collection::vec(row, 1..4).prop_map(|rows| format!("<table>{}</table>", rows.concat()))
}

fn html_of_cell() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => text(),
        1 => text().prop_map(|text| format!("<code>{text}</code>")),
        1 => text().prop_map(|text| format!("<b>{text}</b>x<br>{text}")),
        1 => text().prop_map(|text| format!("<ul><li>{text}<li>b</ul>")),
        1 => text().prop_map(|text| format!("<pre>{text}\n\n\nb</pre>")),
    ]
}

/// A text with numbers, and what they lead to.
fn notes() -> impl Strategy<Value = String> {
    let number = |(text, note): (String, usize)| format!("<p>{text}<sup><a href=#n{note}>{note}</a></sup>");
    let numbers = prop::collection::vec((text(), 0..3_usize).prop_map(number), 1..4);
    let item = prop_oneof![
        2 => text().prop_map(|text| format!("so it is {text}")),
        1 => text(),
        1 => html(),
    ];
    let items = prop::collection::vec(item, 1..4).prop_map(|items| {
        let items = items.iter().enumerate();
        let items = items.map(|(at, text)| format!("<li id=n{at}>{text} <a href=#b>^</a>"));
        items.collect::<String>()
    });
    (numbers, items).prop_map(|(numbers, items)| format!("{}<ol>{items}</ol>", numbers.concat()))
}

/// A label for a block, as good as any.
fn label(block: usize, text: &str) -> Label {
    const LABELS: [Label; 8] = [
        Label::Paragraph,
        Label::Header,
        Label::List,
        Label::Continuation,
        Label::Other,
        Label::Paragraph,
        Label::Paragraph,
        Label::Continuation,
    ];
    let bytes = text.bytes().fold(block as u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let mixed = bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    LABELS[mixed as usize % LABELS.len()]
}

/// Cleaners with blocks of lines and of the texts between tags, without links and images and with them.
static CLEANERS: LazyLock<Vec<Mutex<Cleaner>>> = LazyLock::new(|| {
    let units = [Unit::Line, Unit::Tag].into_iter();
    let options = [(Links::None, Images::None), (Links::Inline, Images::Inline)];
    let options = options.map(|(links, images)| MarkdownOptions::default().links(links).images(images));
    let both = units.flat_map(|unit| options.map(|options| (unit, options)));
    both.map(|(unit, options)| Mutex::new(cleaner(unit, options, label)))
        .collect()
});

proptest! {
    #[test]
    fn parsers_give_the_text_back(
        parts in prop::collection::vec(prop_oneof![4 => html(), 1 => table(), 1 => notes()], 1..5),
        number in 0..4_usize,
    ) {
        let html = format!("<body>{}</body>", parts.concat());
        let mut cleaner = CLEANERS[number].lock().unwrap_or_else(PoisonError::into_inner);
        let page = clean(&mut cleaner, html.as_bytes());
        assert_has_text(&page, &html);
    }
}
