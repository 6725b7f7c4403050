//! The main heading: the blocks of the page that show its title.

use std::ops::Range;

use gleaner_html::{Attr, Tag};
use gleaner_page::{Block, Page};

use crate::marked::Marked;
use crate::title::{is_front, words};

/// Bytes by which the text of a heading may be longer than the title or shorter: marks of places, white space, a site's name.
const REST: usize = 80;
/// Maximum headings examined per page.
const HEADINGS: usize = 100;
/// Maximum lines of the length of the title examined per page.
const LINES: usize = 100;
/// A link outside of headings is a heading if it has this many words or more, or letters of scripts without spaces: those of
/// menus have fewer.
const LINK_WORDS: usize = 3;
const LINK_LETTERS: usize = 9;

/// The blocks that show the title; an empty range if none do.
///
/// An `<h1>` is preferred, then another heading, then a line that has the words of the title and no others, whatever it
/// stands in. Headings that are not shown do not count. The title in a menu, a list or a footer is no heading, nor is a link
/// of one or two words outside of a heading. `given` are the titles of the head, with the name of the site.
pub(super) fn main_heading(marked: &Marked<'_>, title: &str, given: &[&str]) -> Range<u32> {
    let mut forms = vec![words(title)];
    forms.retain(|form| !form.is_empty());
    if forms.is_empty() {
        return 0..0;
    }
    forms.extend(given.iter().map(|title| words(title)));
    let longest = given
        .iter()
        .map(|given| given.len())
        .fold(title.len(), usize::max);
    let wanted = Wanted {
        forms,
        bytes: title.len().saturating_sub(REST)..=longest + REST,
    };
    let of_rank = |is_rank: &dyn Fn(Tag) -> bool| wanted.heading(marked, is_rank);
    let first = || of_rank(&|tag| tag == Tag::H1);
    let other = || of_rank(&|tag| matches!(tag, Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6));
    let line = || wanted.line(marked.page);
    let found = first().or_else(other).or_else(line).unwrap_or(0..0);
    found.start as u32..found.end as u32
}

/// What a heading says that shows the title.
struct Wanted {
    /// The words of the title, and of the titles that the head gives.
    forms: Vec<String>,
    bytes: std::ops::RangeInclusive<usize>,
}

impl Wanted {
    fn is(&self, text: &str) -> bool {
        self.bytes.contains(&text.len()) && {
            let own = words(text);
            self.forms.contains(&own)
        }
    }

    /// The blocks of the first visible heading of a rank with the title that stands in no menu, footer or box of another page.
    fn heading(&self, marked: &Marked<'_>, is_rank: &dyn Fn(Tag) -> bool) -> Option<Range<usize>> {
        let elements = marked.page.elements.iter().enumerate();
        let headings = elements.filter(|(_, element)| is_rank(element.tag) && !element.hidden);
        let mut headings = headings.take(HEADINGS).map(|(at, _)| at as u32);
        headings.find_map(|at| {
            let is_own = self.is(&marked.text(at)) && !marked.is_aside(at) && !leads_to_front(marked, at);
            is_own.then(|| marked.whole_blocks(at)).flatten()
        })
    }

    /// The blocks of the first visible line with the title.
    fn line(&self, page: &Page) -> Option<Range<usize>> {
        let mut looked_at = 0;
        let mut start = 0;
        while start < page.blocks.len() {
            let continues = page.blocks[start + 1..]
                .iter()
                .take_while(|block| block.same_line);
            let end = start + 1 + continues.count();
            let line = &page.blocks[start..end];
            let text = page.blocks[start].text.start as usize..page.blocks[end - 1].text.end as usize;
            if self.bytes.contains(&text.len()) && looked_at < LINES {
                looked_at += 1;
                if self.is(&page.text[text]) && self.is_shown(page, line) {
                    return Some(start..end);
                }
            }
            start = end;
        }
        None
    }

    fn is_shown(&self, page: &Page, line: &[Block]) -> bool {
        let is_link = || {
            let run = &page.runs[line[0].runs.start as usize];
            let mut around = page.ancestors(run.element);
            around.any(|up| page.elements[up as usize].tag == Tag::A)
        };
        let is_short = || {
            let dense = self.forms[0].chars().filter(|&letter| letter >= '\u{2e80}');
            self.forms[0].split(' ').count() < LINK_WORDS && dense.count() < LINK_LETTERS
        };
        let mut around = page.ancestors(line[0].element);
        let is_hidden = line.iter().any(|block| block.hidden);
        let mut is_of_other_use = || around.any(|up| is_of_other_use(page.elements[up as usize].tag));
        !(is_hidden || is_of_other_use() || is_short() && is_link())
    }
}

/// Whether a heading is, or has, a link to the front page of a site: it is the site's name.
fn leads_to_front(marked: &Marked<'_>, element: u32) -> bool {
    let page = marked.page;
    let around = page
        .ancestors(element)
        .find(|&up| page.elements[up as usize].tag == Tag::A);
    let mut links = marked.links(element).into_iter().chain(around);
    links.any(|link| page.attribute(link, Attr::Href).is_some_and(is_front))
}

/// Whether what stands in an element is no heading.
fn is_of_other_use(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Li | Tag::Nav | Tag::Footer | Tag::Aside | Tag::Option | Tag::Button | Tag::Label | Tag::Pre
    )
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};

    use crate::{Context, metadata};

    /// The main heading of a page, its blocks with a bar between them; nothing if it has none.
    fn of(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        let context = Context {
            url: "http://crumb.example/tides",
            captured: None,
        };
        let found = metadata(page, &context).heading;
        let blocks = &page.blocks[found.start as usize..found.end as usize];
        let texts: Vec<String> = blocks
            .iter()
            .map(|block| {
                format!(
                    "{} {}",
                    page.elements[block.element as usize].tag.name(),
                    page.text(block)
                )
            })
            .collect();
        texts.join("|")
    }

    const PROSE: &str = "<p>The tide mill turned all night, and no one on the quay had filled the lamp.</p>";

    #[test]
    fn the_main_heading_shows_the_title() {
        for (head, body, wanted) in [
            ("Tides - Crumb", "<h1>Tides</h1>", "h1 Tides"),
            ("Tides", "<h1>Crumb</h1><h2>Tides</h2>", "h2 Tides"),
            ("Tides", "<h3>Tides</h3><h1>Tides</h1>", "h1 Tides"),
            (
                "Tides - Crumb",
                "<div class=t><span>Tides</span></div>",
                "div Tides",
            ),
            ("On tides | Crumb", "<h1>On<br>tides</h1>", "h1 On|h1 tides"),
            ("Tides", "<h2>Tides <a href=#t>¶</a></h2>", "h2 Tides ¶"),
            // The name of the site may stand in the heading.
            ("Tides - Crumb", "<h2>Tides - Crumb</h2>", "h2 Tides - Crumb"),
            // A long link may be the title of a post.
            (
                "On tides and mills",
                "<div><a href=/t>On tides and mills</a></div>",
                "div On tides and mills",
            ),
        ] {
            let html = format!("<title>{head}</title>{body}{PROSE}");
            assert_eq!(of(&html), wanted, "{html}");
        }
    }

    #[test]
    fn other_places_of_the_title_are_no_main_heading() {
        for body in [
            "",
            "<div><a href=/about>Tides</a> </div>",
            "<ul><li>Tides</ul>",
            "<nav><div>Tides</div></nav>",
            "<div hidden>Tides</div>",
            "<h2 style='display:none'>Tides</h2>",
            "<p>Tides are high.</p>",
            "<h1><a href=/>Tides</a></h1>",
            "<a href=http://crumb.example><h1>Tides</h1></a>",
        ] {
            let html = format!("<title>Tides - Crumb</title>{body}{PROSE}");
            assert_eq!(of(&html), "", "{html}");
        }
        assert_eq!(of(PROSE), "");
    }
}
