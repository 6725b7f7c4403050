//! Posts as text, JSON and XML, a page at a time.

use gleaner_html::escape;
use serde::Serialize;

use crate::{Dated, Found, Post};

/// The posts of a page, to be written. As JSON it is a line.
#[derive(Debug, Serialize)]
pub struct Posted<'a> {
    /// Its file.
    pub file: &'a str,
    /// Its address; empty where it is not known.
    pub url: &'a str,
    /// Its posts.
    #[serde(flatten)]
    pub found: &'a Found,
    /// The limits that it met.
    pub truncated: &'a [&'a str],
}

/// What stands before the first page in XML.
pub const XML_BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pages>\n";

/// What stands behind the last page in XML.
pub const XML_END: &str = "</pages>\n";

impl Posted<'_> {
    /// The posts as text, under a name of the page, which is a line.
    pub fn text(&self, name: &str) -> String {
        let posts: String = match self.found.posts.as_slice() {
            [] => "(no post)\n\n".to_owned(),
            posts => posts.iter().map(text).collect(),
        };
        format!("==> {name} <==\n{posts}")
    }

    /// The posts as an element of XML.
    pub fn xml(&self) -> String {
        let Posted {
            file,
            url,
            found,
            truncated,
        } = self;
        let attribute = |text: &str| escape(&harmless(text));
        let mut out = format!("  <page file=\"{}\" url=\"{}\"", attribute(file), attribute(url));
        if let Some(platform) = &found.platform {
            out += &format!(" platform=\"{}\"", escape(platform));
        }
        if !truncated.is_empty() {
            out += &format!(" truncated=\"{}\"", truncated.join(" "));
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
}

/// Title, date and author a line each, then the text, then the comments as quotations.
fn text(post: &Post) -> String {
    let date = post.published.as_ref();
    let day = date.and_then(|date| date.day).map(|day| day.to_string());
    let date = day.or_else(|| date.map(|date| date.text.clone()));
    let mut out = format!("# {}\n", post.title.as_deref().unwrap_or("(no title)"));
    for line in [date.as_deref(), post.author.as_deref()].into_iter().flatten() {
        out += &format!("{line}\n");
    }
    out += &format!("\n{}\n\n", post.text);
    for comment in &post.comments {
        let day = comment.published.as_ref().and_then(|date| date.day);
        let day = day.map(|day| format!(", {day}")).unwrap_or_default();
        let author = comment.author.as_deref().unwrap_or("(anonymous)");
        out += &format!("> {author}{day}\n");
        for line in comment.text.lines() {
            out += &format!("> {line}\n");
        }
        out += "\n";
    }
    harmless(&out)
}

fn published(out: &mut String, date: Option<&Dated>) {
    let Some(date) = date else { return };
    let mut attributes = date.day.map(|day| format!(" date=\"{day}\"")).unwrap_or_default();
    if let Some(completed) = date.completed {
        attributes += &format!(" completed=\"{}\"", completed.name());
    }
    element(out, "published", &attributes, Some(&date.text));
}

fn element(out: &mut String, name: &str, attributes: &str, text: Option<&str>) {
    if let Some(text) = text {
        let text = escape(&harmless(text));
        *out += &format!("      <{name}{attributes}>{text}</{name}>\n");
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
        let page = Posted {
            file: "a\u{1b}b",
            url: "",
            found: &found,
            truncated: &[],
        };
        assert_eq!(
            page.text("a b"),
            "==> a b <==\n# a\u{fffd}<b>\u{fffd}\n\none\tcell\n\u{fffd}[2Jtwo\n\n"
        );
        let xml = page.xml();
        assert!(xml.contains("<page file=\"a\u{fffd}b\" url=\"\">"), "{xml}");
        assert!(xml.contains("<title>a\u{fffd}&lt;b&gt;\u{fffd}</title>"), "{xml}");
        let json = serde_json::to_string(&page).unwrap();
        assert!(json.contains("\\u001b[2J"), "{json}");
    }
}
