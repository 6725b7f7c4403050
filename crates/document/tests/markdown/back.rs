//! The text of Markdown, as a parser reads it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::labels::Cleaned;

/// Fails unless a parser reads the text of a page in its Markdown. White space counts, but not around formulas.
pub(crate) fn assert_has_text(page: &Cleaned, html: &str) {
    let back = text_of(&page.markdown, Options::ENABLE_FOOTNOTES);
    let (text, back) = (&page.text, back);
    let [text, back] = match page.markdown.contains('$') || page.markdown.contains("[^") {
        true => [letters(text), letters(&back)],
        false => [collapsed(text), collapsed(&back)],
    };
    let common = text
        .bytes()
        .zip(back.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let near = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[common.saturating_sub(60)..])
            .chars()
            .take(120)
            .collect::<String>()
    };
    assert!(
        text == back,
        "text: {}\nread back: {}\nMarkdown: {}\nof {html}",
        near(&text),
        near(&back),
        page.markdown
    );
    // Where a parser knows no footnotes, their texts are paragraphs.
    let plain = letters(&text_of(&page.markdown, Options::empty()));
    if page.markdown.contains("[^") {
        assert!(
            plain.len() >= text.len(),
            "read without footnotes: {plain}\nof {html}"
        );
    }
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text without white space and the signs that stand around formulas and the numbers of footnotes. A formula within the text of
/// another stands beside that text in Markdown: neither the command for text nor its braces count.
fn letters(text: &str) -> String {
    let is_sign = |letter: char| {
        letter.is_whitespace() || matches!(letter, '$' | '\\' | '(' | ')' | '[' | ']' | '{' | '}')
    };
    let text = text.replace("\\text{", "");
    text.chars().filter(|letter| !is_sign(*letter)).collect()
}

/// The text of Markdown, with more that a parser may know.
fn text_of(markdown: &str, more: Options) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH | Options::ENABLE_STRIKETHROUGH | more;
    let mut text = String::new();
    // The texts of images are none of the page.
    let mut images = 0;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 => {}
            Event::Text(part) | Event::Code(part) | Event::InlineMath(part) | Event::DisplayMath(part) => {
                text.push_str(&part);
            }
            Event::FootnoteReference(label) => text.push_str(&label),
            Event::Html(html) | Event::InlineHtml(html) => push_html(&mut text, &html),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::Start(tag)
                if !matches!(
                    tag,
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. }
                ) =>
            {
                text.push(' ');
            }
            Event::End(tag)
                if !matches!(
                    tag,
                    TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link
                ) =>
            {
                text.push(' ');
            }
            Event::Rule => panic!("no rule was meant"),
            _ => {}
        }
    }
    text
}

fn push_html(text: &mut String, html: &str) {
    const WITHIN_LINES: [&str; 7] = ["strong", "em", "del", "code", "a", "sub", "sup"];
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        push_references(text, before);
        let (tag, after) = tag.split_once('>').expect("tags end");
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
        if !WITHIN_LINES.contains(&name) {
            text.push(' ');
        }
        rest = after;
    }
    push_references(text, rest);
}

fn push_references(text: &mut String, html: &str) {
    let mut html = html.to_owned();
    for (name, letter) in [
        ("&#10;", "\n"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ] {
        html = html.replace(name, letter);
    }
    text.push_str(&html);
}
