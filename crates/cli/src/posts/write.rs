//! Posts as text, JSON and XML.

use anyhow::Result;
use gleaner_posts::{Dated, Found, Post};
use serde::Serialize;

use crate::args::PostsFormat;
use crate::html::{append, escape};

/// What stands before and behind the pages of XML.
pub(super) const XML_BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pages>\n";
pub(super) const XML_END: &str = "</pages>\n";

/// A page of JSON: a line.
#[derive(Serialize)]
struct Line<'a> {
    url: &'a str,
    #[serde(flatten)]
    found: &'a Found,
    truncated: &'a [&'a str],
}

/// A page's posts, and the limits that it met; nothing in text where it has none.
pub(super) fn page(format: PostsFormat, url: &str, found: &Found, truncated: &[&str]) -> Result<String> {
    Ok(match format {
        PostsFormat::Text => found.posts.iter().map(text).collect(),
        PostsFormat::Json => {
            let line = Line {
                url,
                found,
                truncated,
            };
            serde_json::to_string(&line)? + "\n"
        }
        PostsFormat::Xml => xml(url, found, truncated),
    })
}

/// Title, date and author a line each, then the text, then the comments as quotations.
fn text(post: &Post) -> String {
    let date = post.published.as_ref();
    let day = date.and_then(|date| date.day).map(|day| day.to_string());
    let date = day.or_else(|| date.map(|date| date.text.clone()));
    let mut out = format!("# {}\n", post.title.as_deref().unwrap_or("(no title)"));
    for line in [date.as_deref(), post.author.as_deref()].into_iter().flatten() {
        append(&mut out, format_args!("{line}\n"));
    }
    append(&mut out, format_args!("\n{}\n\n", post.text));
    for comment in &post.comments {
        let day = comment.published.as_ref().and_then(|date| date.day);
        let day = day.map(|day| format!(", {day}")).unwrap_or_default();
        let author = comment.author.as_deref().unwrap_or("(nobody)");
        append(&mut out, format_args!("> {author}{day}\n"));
        for line in comment.text.lines() {
            append(&mut out, format_args!("> {line}\n"));
        }
        out += "\n";
    }
    harmless(&out)
}

fn xml(url: &str, found: &Found, truncated: &[&str]) -> String {
    let mut out = format!("  <page url=\"{}\"", escape(&harmless(url)));
    if let Some(platform) = &found.platform {
        append(&mut out, format_args!(" platform=\"{}\"", escape(platform)));
    }
    if !truncated.is_empty() {
        append(&mut out, format_args!(" truncated=\"{}\"", truncated.join(" ")));
    }
    out += ">\n";
    for post in &found.posts {
        out += "    <post>\n";
        element(&mut out, "title", "", post.title.as_deref());
        published(&mut out, post.published.as_ref());
        element(&mut out, "author", "", post.author.as_deref());
        element(&mut out, "link", "", post.link.as_deref());
        element(&mut out, "text", "", Some(&post.text));
        for comment in &post.comments {
            out += "      <comment>\n";
            element(&mut out, "author", "", comment.author.as_deref());
            published(&mut out, comment.published.as_ref());
            element(&mut out, "text", "", Some(&comment.text));
            out += "      </comment>\n";
        }
        out += "    </post>\n";
    }
    out + "  </page>\n"
}

fn published(out: &mut String, date: Option<&Dated>) {
    let Some(date) = date else { return };
    let mut attributes = date.day.map(|day| format!(" date=\"{day}\"")).unwrap_or_default();
    if let Some(completed) = date.completed {
        append(
            &mut attributes,
            format_args!(" completed=\"{}\"", completed.name()),
        );
    }
    element(out, "published", &attributes, Some(&date.text));
}

fn element(out: &mut String, name: &str, attributes: &str, text: Option<&str>) {
    if let Some(text) = text {
        let text = escape(&harmless(text));
        append(out, format_args!("      <{name}{attributes}>{text}</{name}>\n"));
    }
}

/// A text without what XML does not allow and what would steer a terminal.
fn harmless(text: &str) -> String {
    let is_harmful = |letter: char| match letter {
        '\n' | '\t' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        _ => letter.is_control(),
    };
    text.replace(is_harmful, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_and_what_steers_a_terminal_is_not_printed() {
        let post = Post {
            title: Some("a\u{7}<b>\u{ffff}".to_owned()),
            text: "one\tcell\n\u{1b}[2Jtwo".to_owned(),
            ..Post::default()
        };
        let found = Found {
            posts: vec![post],
            ..Found::default()
        };
        for (format, wanted) in [
            (
                PostsFormat::Text,
                "# a\u{fffd}<b>\u{fffd}\n\none\tcell\n\u{fffd}[2Jtwo\n",
            ),
            (PostsFormat::Xml, "<title>a\u{fffd}&lt;b&gt;\u{fffd}</title>"),
            (PostsFormat::Json, "\\u001b[2J"),
        ] {
            let printed = page(format, "", &found, &[]).unwrap();
            assert!(printed.contains(wanted), "{printed}");
        }
    }
}
