//! A cleaned page as simple HTML: headings, paragraphs, lists and preformatted text, and nothing else.

use gleaner_crf::Label;

use crate::html::escape;
use crate::page_view::Shown;

/// The kept blocks as a page. Their text is escaped; the page loads nothing.
pub(crate) fn render(title: &str, language: Option<&str>, blocks: &[Shown<'_>]) -> String {
    let language = language.map_or_else(String::new, |code| format!(" lang=\"{}\"", escape(code)));
    let mut page = format!(
        "<!DOCTYPE html>\n<html{language}><head><meta charset=\"utf-8\"><title>{}</title></head>\n<body>\n",
        escape(title)
    );
    let mut open = Open::default();
    for block in blocks {
        match block.label.is_content() {
            true => open.append(block, &mut page),
            false => open.is_after_dropped = true,
        }
    }
    open.close(&mut page);
    page + "</body></html>\n"
}

/// The elements that are open after a block.
#[derive(Default)]
struct Open {
    /// The element of the last block, which a continuation goes on in.
    element: Option<&'static str>,
    in_list: bool,
    is_after_dropped: bool,
}

impl Open {
    fn append(&mut self, block: &Shown<'_>, page: &mut String) {
        let is_after_dropped = std::mem::take(&mut self.is_after_dropped);
        let element = element(block);
        if element == "pre" && self.element == Some("pre") && block.next_line && !is_after_dropped {
            page.push('\n');
        } else if block.label == Label::Continuation && self.element.is_some() {
            page.push(' ');
        } else {
            self.begin(element, page);
        }
        page.push_str(&escape(block.text));
    }

    fn begin(&mut self, element: &'static str, page: &mut String) {
        self.close_element(page);
        match (self.in_list, element == "li") {
            (false, true) => page.push_str("<ul>\n"),
            (true, false) => page.push_str("</ul>\n"),
            _ => {}
        }
        self.in_list = element == "li";
        self.element = Some(element);
        page.push_str(&format!("<{element}>"));
    }

    fn close_element(&mut self, page: &mut String) {
        if let Some(element) = self.element.take() {
            page.push_str(&format!("</{element}>\n"));
        }
    }

    fn close(&mut self, page: &mut String) {
        self.close_element(page);
        if self.in_list {
            page.push_str("</ul>\n");
        }
    }
}

/// The element that a block becomes: a header keeps its rank, where it has one.
fn element(block: &Shown<'_>) -> &'static str {
    const RANKS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let mut tags = block.path.rsplit('/');
    match block.label {
        Label::Header => {
            let rank = tags.find_map(|tag| RANKS.into_iter().find(|rank| *rank == tag));
            rank.unwrap_or("h2")
        }
        Label::List => "li",
        _ if tags.any(|tag| tag == "pre") => "pre",
        _ => "p",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(text: &'a str, label: Label, path: &str, next_line: bool) -> Shown<'a> {
        Shown {
            text,
            label,
            confidence: 1.0,
            path: path.to_owned(),
            next_line,
        }
    }

    #[test]
    fn blocks_become_the_elements_that_they_are() {
        let blocks = [
            shown("menu", Label::Other, "html/body/ul/li", false),
            shown("T & <b>", Label::Header, "html/body/h1/span", false),
            shown("Bold", Label::Header, "html/body/div", false),
            shown("one", Label::List, "html/body/ul/li", false),
            shown("goes on", Label::Continuation, "html/body/ul/li", false),
            shown("two", Label::List, "html/body/ul/li", false),
            shown("let a;", Label::Paragraph, "html/body/pre", false),
            shown("let b;", Label::Paragraph, "html/body/pre/code", true),
            shown("end", Label::Paragraph, "html/body/p", false),
        ];
        let page = render("\"T\"", Some("cs"), &blocks);
        let body = page.split_once("<body>\n").map(|(_, body)| body);
        assert_eq!(
            body,
            Some(
                "<h1>T &amp; &lt;b&gt;</h1>\n<h2>Bold</h2>\n<ul>\n<li>one goes on</li>\n<li>two</li>\n</ul>\n\
                 <pre>let a;\nlet b;</pre>\n<p>end</p>\n</body></html>\n"
            )
        );
        assert!(page.contains("<html lang=\"cs\">") && page.contains("<title>&quot;T&quot;</title>"));
    }

    #[test]
    fn a_list_at_the_end_is_closed_and_nothing_is_a_page() {
        let page = render("t", None, &[shown("one", Label::List, "li", false)]);
        assert!(page.ends_with("<li>one</li>\n</ul>\n</body></html>\n"), "{page}");
        assert!(render("t", None, &[]).contains("<body>\n</body>"));
    }
}
