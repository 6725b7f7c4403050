//! Tables as lines of cells between `|`.

use crate::structure::HolderKind;

/// A table on its way. Its first row is the heading: these tables have one.
#[derive(Debug, Default)]
pub(super) struct PipeTable {
    rows: Vec<Vec<String>>,
}

/// Maximum columns per table: pages may declare that a cell spans any number.
const MOST_COLUMNS: usize = 200;

impl PipeTable {
    /// A row or a cell begins.
    pub(super) fn open(&mut self, kind: HolderKind) {
        match kind {
            HolderKind::Row => self.rows.push(Vec::new()),
            HolderKind::Cell { column, .. } => {
                let Some(row) = self.rows.last_mut() else { return };
                let column = usize::from(column).min(MOST_COLUMNS);
                let cells = row.len().max(column) + 1;
                row.resize(cells, String::new());
            }
            _ => {}
        }
    }

    /// The text of the cell that was opened last.
    pub(super) fn text(&mut self, text: &str) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            cell.push_str(text);
        }
    }

    pub(super) fn end(self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cell = |column| row.get(column).map_or("", String::as_str);
            lines.push(line(columns, cell));
            if number == 0 {
                lines.push(line(columns, |_| "---"));
            }
        }
        lines.join("\n")
    }
}

fn line<'c>(columns: usize, cell: impl Fn(usize) -> &'c str) -> String {
    let mut line = "|".to_owned();
    for column in 0..columns {
        let cell = cell(column);
        line.push_str(if cell.is_empty() { "  |" } else { " " });
        if !cell.is_empty() {
            line.push_str(cell);
            line.push_str(" |");
        }
    }
    line
}
