//! Posts as text, JSON and XML.

use anyhow::Result;
use gleaner_posts::{Dated, Found, Post};
use serde::Serialize;

use crate::args::PostsFormat;
use crate::terminal::{console, plain};
use gleaner_document::html::escape;

pub(super) struct Posted<'a> {
    /// What the page is called in text: its address, or its file.
    pub(super) name: &'a str,
    pub(super) file: &'a str,
    /// Its address; empty where it is not known.
    pub(super) url: &'a str,
    pub(super) found: &'a Found,
    /// The limits that it met.
    pub(super) truncated: &'a [&'a str],
}

/// Prints pages one after the other.
pub(super) struct Printer {
    format: PostsFormat,
    /// Whether anything is printed yet.
    has_begun: bool,
}

impl Printer {
    pub(super) fn new(format: PostsFormat) -> Printer {
        Printer {
            format,
            has_begun: false,
        }
    }

    /// Prints a page.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn print(&mut self, page: &Posted<'_>) -> Result<()> {
        self.begin()?;
        Ok(console::out(&match self.format {
            PostsFormat::Text => text_of_page(page),
            PostsFormat::Json => json(page)?,
            PostsFormat::Xml => xml(page),
        })?)
    }

    /// Ends what is printed.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn end(mut self) -> Result<()> {
        self.begin()?;
        if self.format == PostsFormat::Xml {
            console::out("</pages>\n")?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) && self.format == PostsFormat::Xml {
            console::out("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pages>\n")?;
        }
        Ok(())
    }
}

fn json(page: &Posted<'_>) -> Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        file: &'a str,
        url: &'a str,
        #[serde(flatten)]
        found: &'a Found,
        truncated: &'a [&'a str],
    }
    let line = Line {
        file: page.file,
        url: page.url,
        found: page.found,
        truncated: page.truncated,
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

fn text_of_page(page: &Posted<'_>) -> String {
    let posts: String = match page.found.posts.as_slice() {
        [] => "(no post)\n\n".to_owned(),
        posts => posts.iter().map(text).collect(),
    };
    format!("==> {} <==\n{posts}", plain::line(page.name))
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

fn xml(page: &Posted<'_>) -> String {
    let Posted {
        file,
        url,
        found,
        truncated,
        ..
    } = page;
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
        let mut post = Post::default();
        post.title = Some("a\u{7}<b>\u{ffff}".to_owned());
        post.text = "one\tcell\n\u{1b}[2Jtwo".to_owned();
        let found = Found {
            posts: vec![post],
            ..Found::default()
        };
        let page = Posted {
            name: "a\nb\u{7}",
            file: "a\u{1b}b",
            url: "",
            found: &found,
            truncated: &[],
        };
        assert_eq!(
            text_of_page(&page),
            "==> a\u{fffd}b\u{fffd} <==\n# a\u{fffd}<b>\u{fffd}\n\none\tcell\n\u{fffd}[2Jtwo\n\n"
        );
        let xml = xml(&page);
        assert!(xml.contains("<page file=\"a\u{fffd}b\" url=\"\">"), "{xml}");
        assert!(xml.contains("<title>a\u{fffd}&lt;b&gt;\u{fffd}</title>"), "{xml}");
        let json = json(&page).unwrap();
        assert!(json.contains("\\u001b[2J"), "{json}");
    }
}
