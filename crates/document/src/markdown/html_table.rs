//! Tables that lines of cells cannot hold, as HTML: cells of several columns or rows, and cells with paragraphs or lists.
//! There is no empty line in it, which would end it.

use super::inline::{Line, index_tags};
use super::{escape, formula};
use crate::Leaf;
use crate::html;
use crate::markup::{Markup, Style, Target};
use crate::structure::HolderKind;

/// A table on its way.
#[derive(Debug)]
pub(super) struct HtmlTable {
    out: String,
    /// The column behind the last cell of the row.
    column: u16,
}

impl Default for HtmlTable {
    fn default() -> HtmlTable {
        HtmlTable {
            out: "<table>\n".to_owned(),
            column: 0,
        }
    }
}

impl HtmlTable {
    pub(super) fn open(&mut self, kind: HolderKind) {
        let tag = match kind {
            HolderKind::Quote => "<blockquote>".to_owned(),
            HolderKind::Bullets => "<ul>".to_owned(),
            HolderKind::Numbered { first: 1, .. } => "<ol>".to_owned(),
            HolderKind::Numbered { first, .. } => format!("<ol start=\"{first}\">"),
            HolderKind::Item { .. } => "<li>".to_owned(),
            HolderKind::Row => {
                self.column = 0;
                "<tr>".to_owned()
            }
            HolderKind::Cell {
                column,
                columns,
                rows,
                ..
            } => {
                let empty = usize::from(column.saturating_sub(self.column).min(MOST_EMPTY));
                self.out.push_str(&"<td></td>".repeat(empty));
                self.column = column.saturating_add(columns);
                let name = name_of_cell(kind);
                format!("<{name}{}{}>", count("colspan", columns), count("rowspan", rows))
            }
            HolderKind::Table => return,
        };
        self.out.push_str(&tag);
    }

    pub(super) fn close(&mut self, kind: HolderKind) {
        self.out.push_str(match kind {
            HolderKind::Quote => "</blockquote>",
            HolderKind::Bullets => "</ul>",
            HolderKind::Numbered { .. } => "</ol>",
            HolderKind::Item { .. } => "</li>",
            HolderKind::Row => "</tr>\n",
            HolderKind::Cell { .. } if name_of_cell(kind) == "th" => "</th>",
            HolderKind::Cell { .. } => "</td>",
            HolderKind::Table => return,
        });
    }

    pub(super) fn leaf(&mut self, leaf: Leaf, line: &Line, markup: &Markup) {
        let name = match leaf {
            Leaf::Paragraph | Leaf::Header(_) => "p",
            Leaf::OwnItem => "li",
            Leaf::Bare => "",
            Leaf::Lines(_) => {
                let text = html::escape(line.text());
                // An empty line would end the table.
                let text = text
                    .split("\n\n")
                    .collect::<Vec<_>>()
                    .join("\n&#10;")
                    .replace("\n\n", "\n&#10;");
                return self.out.push_str(&format!("<pre>{text}</pre>"));
            }
        };
        match name {
            "" => self.text(line, markup),
            name => {
                self.out.push_str(&format!("<{name}>"));
                self.text(line, markup);
                self.out.push_str(&format!("</{name}>"));
            }
        }
    }

    fn text(&mut self, line: &Line, markup: &Markup) {
        for (text, style, link) in line.parts() {
            if let Some(Target::Image { text, address }) = markup.target(link) {
                let (text, address) = (html::escape(text), html::escape(&escape::address(address)));
                self.out
                    .push_str(&format!("<img src=\"{address}\" alt=\"{text}\">"));
                continue;
            }
            let tags = tags(style);
            let (begin, end) = index_tags(style, text.trim()).unwrap_or_default();
            let address = match markup.target(link) {
                Some(Target::Address(address)) => Some(html::escape(&escape::address(address))),
                _ => None,
            };
            if let Some(address) = &address {
                self.out.push_str(&format!("<a href=\"{address}\">"));
            }
            tags.iter().for_each(|tag| self.out.push_str(&format!("<{tag}>")));
            let is_bare_formula = style.has(Style::FORMULA) && formula::inside(text).0 == text;
            let mark = if is_bare_formula { "$" } else { "" };
            let text = html::escape(text).replace('\n', "<br>");
            self.out.push_str(&[begin, mark, &text, mark, end].concat());
            tags.iter()
                .rev()
                .for_each(|tag| self.out.push_str(&format!("</{tag}>")));
            if address.is_some() {
                self.out.push_str("</a>");
            }
        }
    }

    pub(super) fn end(self) -> String {
        self.out + "</table>"
    }
}

/// Maximum empty cells before a cell: pages may declare that one spans any number of columns.
const MOST_EMPTY: u16 = 200;

fn name_of_cell(kind: HolderKind) -> &'static str {
    match kind {
        HolderKind::Cell { is_heading: true, .. } => "th",
        _ => "td",
    }
}

fn count(name: &str, count: u16) -> String {
    match count {
        1 => String::new(),
        count => format!(" {name}=\"{count}\""),
    }
}

fn tags(style: Style) -> Vec<&'static str> {
    let tags = [
        (Style::STRONG, "strong"),
        (Style::EMPHASIS, "em"),
        (Style::DELETED, "del"),
        (Style::CODE, "code"),
    ];
    let own = tags.into_iter().filter(|(tag, _)| style.has(*tag));
    own.map(|(_, name)| name).collect()
}
