//! A cleaned page as simple HTML: headings, paragraphs, lists, tables and preformatted text, and nothing else.

use gleaner_crf::{Label, Lines, Place};
use gleaner_page::Joint;

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
    let mut lines = Lines::default();
    for (at, block) in blocks.iter().enumerate() {
        match lines.place(block.label, block.joint) {
            Place::Dropped => continue,
            Place::GoesOn(white) => page.push_str(white),
            Place::Begins(joint) => {
                let begins_line = |next: &&Shown<'_>| next.joint.within_line().is_none();
                open.begin_line(block, joint, blocks[at + 1..].iter().find(begins_line), &mut page);
            }
        }
        page.push_str(&escape(block.written));
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
}

impl Open {
    /// Begins what the first block of a line stands in; `next` is that of the line after.
    fn begin_line(&mut self, block: &Shown<'_>, joint: Joint, next: Option<&Shown<'_>>, page: &mut String) {
        let goes_on = self.element == Some("td") && !matches!(joint, Joint::Apart | Joint::Break);
        let element = match goes_on || next.is_some_and(is_of_table) {
            true => "td",
            false => element(block),
        };
        let is_continued = block.label == Label::Continuation;
        match (self.element, joint) {
            (Some("td"), Joint::Cell) => page.push_str("</td><td>"),
            (Some("td"), Joint::Within) => page.push_str("<br>"),
            (Some("td"), Joint::Line) => page.push_str("</td></tr>\n<tr><td>"),
            (Some("pre"), Joint::Line) if element == "pre" => page.push('\n'),
            (Some(open), Joint::Break) if is_continued || (open, element) == ("p", "p") => {
                page.push_str("<br>")
            }
            (Some(_), _) if is_continued => page.push(' '),
            _ => self.begin(element, page),
        }
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
        match element {
            "td" => page.push_str("<table>\n<tr><td>"),
            _ => page.push_str(&format!("<{element}>")),
        }
    }

    fn close_element(&mut self, page: &mut String) {
        match self.element.take() {
            Some("td") => page.push_str("</td></tr>\n</table>\n"),
            Some(element) => page.push_str(&format!("</{element}>\n")),
            None => {}
        }
    }

    fn close(&mut self, page: &mut String) {
        self.close_element(page);
        if self.in_list {
            page.push_str("</ul>\n");
        }
    }
}

/// Whether a kept block is of the same table as the block before it.
fn is_of_table(block: &Shown<'_>) -> bool {
    let is_joined = match block.joint {
        Joint::Apart | Joint::Break | Joint::Glued | Joint::Spaced => false,
        Joint::Line => !is_preformatted(block),
        Joint::Cell | Joint::Within => true,
    };
    is_joined && block.label.is_content()
}

fn is_preformatted(block: &Shown<'_>) -> bool {
    block.path.rsplit('/').any(|tag| tag == "pre")
}

/// The element that a block becomes outside of tables: a header keeps its rank, where it has one.
fn element(block: &Shown<'_>) -> &'static str {
    const RANKS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let mut tags = block.path.rsplit('/');
    match block.label {
        Label::Header => {
            let rank = tags.find_map(|tag| RANKS.into_iter().find(|rank| *rank == tag));
            rank.unwrap_or("h2")
        }
        Label::List => "li",
        _ if is_preformatted(block) => "pre",
        _ => "p",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(text: &'a str, label: Label, path: &str) -> Shown<'a> {
        Shown {
            text,
            written: text,
            label,
            confidence: 1.0,
            path: path.to_owned(),
            joint: Joint::Apart,
        }
    }

    fn joined<'a>(text: &'a str, label: Label, path: &str, joint: Joint) -> Shown<'a> {
        Shown {
            joint,
            ..shown(text, label, path)
        }
    }

    #[test]
    fn blocks_become_the_elements_that_they_are() {
        let blocks = [
            shown("menu", Label::Other, "html/body/ul/li"),
            shown("T & <b>", Label::Header, "html/body/h1/span"),
            shown("Bold", Label::Header, "html/body/div"),
            shown("one", Label::List, "html/body/ul/li"),
            shown("goes on", Label::Continuation, "html/body/ul/li"),
            shown("two", Label::List, "html/body/ul/li"),
            shown("let a;", Label::Paragraph, "html/body/pre"),
            joined("let b;", Label::Paragraph, "html/body/pre/code", Joint::Line),
            shown("end", Label::Paragraph, "html/body/p"),
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
    fn cells_become_tables() {
        let cell = |text, joint| joined(text, Label::Paragraph, "html/body/table/tbody/tr/td", joint);
        let blocks = [
            cell("whole", Joint::Apart),
            cell("a", Joint::Line),
            cell("b", Joint::Cell),
            cell("c", Joint::Line),
            joined("noise", Label::Other, "html/body/table/tbody/tr/td", Joint::Cell),
            cell("d", Joint::Cell),
            cell("e", Joint::Cell),
            shown("end", Label::List, "html/body/ul/li"),
        ];
        let page = render("t", None, &blocks);
        let body = page.split_once("<body>\n").map(|(_, body)| body);
        assert_eq!(
            body,
            Some(
                "<table>\n<tr><td>whole</td></tr>\n<tr><td>a</td><td>b</td></tr>\n<tr><td>c</td></tr>\n</table>\n\
                 <table>\n<tr><td>d</td><td>e</td></tr>\n</table>\n<ul>\n<li>end</li>\n</ul>\n</body></html>\n"
            )
        );
    }

    #[test]
    fn lines_of_a_cell_stay_lines() {
        let cell = |text, joint| joined(text, Label::Paragraph, "html/body/table/tbody/tr/td", joint);
        let blocks = [
            cell("a", Joint::Apart),
            cell("b", Joint::Within),
            cell("c", Joint::Cell),
            cell("d", Joint::Line),
            cell("e", Joint::Within),
            shown("end", Label::Paragraph, "html/body/p"),
        ];
        let page = render("t", None, &blocks);
        let rows = "<table>\n<tr><td>a<br>b</td><td>c</td></tr>\n<tr><td>d<br>e</td></tr>\n</table>\n";
        assert!(page.contains(&format!("<body>\n{rows}<p>end</p>\n")), "{page}");
    }

    #[test]
    fn lines_of_a_paragraph_stay_lines() {
        let line = |text, label| joined(text, label, "html/body/p", Joint::Break);
        let blocks = [
            shown("a", Label::Paragraph, "html/body/p"),
            line("b", Label::Continuation),
            line("c", Label::Paragraph),
            line("noise", Label::Other),
            line("d", Label::Paragraph),
            line("e", Label::List),
            line("f", Label::List),
        ];
        let page = render("t", None, &blocks);
        let body = "<p>a<br>b<br>c</p>\n<p>d</p>\n<ul>\n<li>e</li>\n<li>f</li>\n</ul>\n";
        assert!(page.contains(&format!("<body>\n{body}")), "{page}");
    }

    #[test]
    fn a_list_at_the_end_is_closed_and_nothing_is_a_page() {
        let page = render("t", None, &[shown("one", Label::List, "li")]);
        assert!(page.ends_with("<li>one</li>\n</ul>\n</body></html>\n"), "{page}");
        assert!(render("t", None, &[]).contains("<body>\n</body>"));
    }
}
