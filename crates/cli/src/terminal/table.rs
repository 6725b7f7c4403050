//! Tables of text.

use crate::terminal::plain;

/// Rows of cells below their heads. Each column is as wide as its widest cell; cells that look like numbers, and their
/// heads, stand to the right.
pub(crate) fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let heads = heads.iter().map(|&head| head.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> = (0..count)
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let right: Vec<bool> = (0..count)
        .map(|column| cells(column).skip(1).all(|cell| is_number(cell)))
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).zip(&right);
        let padded = cells.map(|((cell, &width), &right)| match right {
            true => format!("{cell:>width$}"),
            false => format!("{cell:width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn is_number(cell: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_digit() || "+-.,% ".contains(letter);
    cell.chars().all(allowed)
}

/// Text of a file on one line that does no harm to a terminal, cut to a number of characters.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).collect();
    if text.chars().count() > most {
        cut.push('…');
    }
    plain::line(&cut).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let rows = [["+1.250", "link.block", "3.0%"], [".", "p", "12.5%"]];
        let rows = rows.map(|cells| cells.map(str::to_owned).to_vec());
        let text = table(&["weight", "feature", "share"], rows);
        assert_eq!(
            text,
            "weight  feature     share\n+1.250  link.block   3.0%\n     .  p           12.5%\n"
        );
    }

    #[test]
    fn text_of_a_file_is_cut_and_harmless() {
        assert_eq!(plain("a\x1b[31mb\nc", 20), "a\u{fffd}[31mb\u{fffd}c");
        assert_eq!(plain("abcdef", 3), "abc…");
    }
}
