//! Tables, with bars where they are charts too.

use gleaner_document::html::escape;

use crate::words::grouped;

/// A table whose first column has names.
pub(crate) struct Table {
    caption: String,
    heads: Vec<(String, &'static str)>,
    rows: String,
}

/// A cell behind the name of a row.
pub(crate) enum Cell {
    /// A number.
    Number(String),
    /// A number that is left out on narrow screens.
    WideNumber(String),
    /// A text.
    Text(String),
    /// Parts of a whole as a bar: what is drawn, what is drawn in the second colour behind it, and the whole. Without a whole: empty.
    Bar(u64, u64, u64),
}

impl Cell {
    /// A count.
    pub(crate) fn count(number: u64) -> Cell {
        Cell::Number(grouped(number))
    }

    fn html(&self) -> String {
        match self {
            Cell::Number(text) => format!("<td class=\"n\">{}</td>", escape(text)),
            Cell::WideNumber(text) => format!("<td class=\"n narrow\">{}</td>", escape(text)),
            Cell::Text(text) => format!("<td dir=\"auto\">{}</td>", escape(text)),
            Cell::Bar(part, behind, whole) => {
                format!("<td class=\"bar\">{}</td>", bar(*part, *behind, *whole))
            }
        }
    }

    fn class(&self) -> &'static str {
        match self {
            Cell::Number(_) => "n",
            Cell::WideNumber(_) => "n narrow",
            Cell::Text(_) => "",
            Cell::Bar(..) => "bar",
        }
    }
}

impl Table {
    /// A table with the name of its first column.
    pub(crate) fn new(caption: &str, first: &str) -> Table {
        Table {
            caption: caption.to_owned(),
            heads: vec![(first.to_owned(), "")],
            rows: String::new(),
        }
    }

    /// Adds a row; its cells have the names of their columns.
    pub(crate) fn row(&mut self, name: &str, cells: impl IntoIterator<Item = (&'static str, Cell)>) {
        let is_first = self.rows.is_empty();
        let (mut under, mut row) = (String::new(), String::new());
        for (head, cell) in cells {
            if is_first {
                self.heads.push((head.to_owned(), cell.class()));
            }
            // On narrow screens a bar stands below the name.
            if let Cell::Bar(part, behind, whole) = cell {
                under = format!("<span class=\"under\">{}</span>", bar(part, behind, whole));
            }
            row += &cell.html();
        }
        let name = escape(name).replace('_', "_<wbr>");
        self.rows += &format!("<tr><th scope=\"row\" dir=\"auto\">{name}{under}</th>{row}</tr>\n");
    }

    /// The table; a sentence where it has no rows.
    pub(crate) fn html(self) -> String {
        if self.rows.is_empty() {
            return format!("<p class=\"note\">{}: none.</p>\n", escape(&self.caption));
        }
        let head = |(name, class): &(String, &str)| match *class {
            "" => format!("<th scope=\"col\">{name}</th>"),
            // A chart of the numbers beside it.
            "bar" => "<td class=\"bar\"></td>".to_owned(),
            class => format!("<th scope=\"col\" class=\"{class}\">{name}</th>"),
        };
        let heads: String = self.heads.iter().map(head).collect();
        format!(
            "<table><caption>{}</caption>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{}</tbody></table>\n",
            escape(&self.caption),
            self.rows
        )
    }
}

/// A bar of parts of a whole; for the eye only, because the numbers stand beside it.
fn bar(part: u64, behind: u64, whole: u64) -> String {
    let width = |number: u64| 100.0 * number as f64 / whole.max(1) as f64;
    let mark = |class: &str, from: f64, width: f64| match width > 0.0 {
        // What is there can be seen.
        true => format!(
            "<rect class=\"{class}\" x=\"{from:.2}\" width=\"{:.2}\" height=\"10\"/>",
            width.max(0.4)
        ),
        false => String::new(),
    };
    format!(
        "<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{}{}</svg>",
        mark("b", 0.0, width(part)),
        mark("lost", width(part), width(behind))
    )
}
