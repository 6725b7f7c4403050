//! Scores of a tree, as text and as JSON.

use gleaner_results::{ClassScore, Scores};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct TreeScores {
    rows: u64,
    /// The share of rows whose predicted class is the actual class.
    accuracy: f64,
    classes: Vec<NamedScore>,
    /// The mean over the classes, weighted by their rows.
    weighted: ClassScore,
    /// Number of rows by actual class (outer index) and predicted class, in the order of `classes`.
    confusion: Vec<Vec<u64>>,
}

#[derive(Clone, Debug, Serialize)]
struct NamedScore {
    name: String,
    rows: u64,
    #[serde(flatten)]
    score: ClassScore,
}

impl TreeScores {
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>, scores: &Scores) -> TreeScores {
        let class = |(at, name): (usize, &str)| NamedScore {
            name: name.to_owned(),
            rows: scores.size(at),
            score: scores.class(at),
        };
        TreeScores {
            rows: scores.rows(),
            accuracy: scores.accuracy(),
            classes: names.into_iter().enumerate().map(class).collect(),
            weighted: scores.weighted(),
            confusion: scores.confusion.clone(),
        }
    }

    /// The share of right rows, a line a class, and the matrix as Weka prints it.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{:.2}% right\n", 100.0 * self.accuracy);
        for class in &self.classes {
            text += &line(&class.name, class.rows, &class.score);
        }
        text += &line("weighted", self.rows, &self.weighted);
        text + "\n" + &self.matrix()
    }

    fn matrix(&self) -> String {
        let names: Vec<String> = (0..self.classes.len()).map(letters).collect();
        let cells = self
            .confusion
            .iter()
            .flatten()
            .map(|count| count.to_string().len());
        let width = cells.chain(names.iter().map(String::len)).max().unwrap_or(1) + 2;
        let mut text = String::new();
        for name in &names {
            text += &format!("{name:>width$}");
        }
        text += "   <-- classified as\n";
        for (class, (counts, name)) in self.classes.iter().zip(self.confusion.iter().zip(&names)) {
            for count in counts {
                text += &format!("{count:>width$}");
            }
            text += &format!(" | {name} = {}\n", class.name);
        }
        text
    }
}

/// The letters of a class in the matrix: a, b, ..., z, ba, bb, ...
fn letters(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        more => letters(more) + &letter.to_string(),
    }
}

fn line(name: &str, rows: u64, score: &ClassScore) -> String {
    let ClassScore {
        precision,
        recall,
        f1,
    } = score;
    format!("  {name:16} {rows:8} rows  P {precision:.4}  R {recall:.4}  F1 {f1:.4}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_has_actual_classes_in_rows() {
        let scores = Scores {
            confusion: vec![vec![8, 2], vec![0, 1000]],
        };
        let text = TreeScores::new(["content", "noise"], &scores).text();
        let matrix = text.split("\n\n").nth(1).unwrap();
        assert_eq!(
            matrix,
            "     a     b   <-- classified as\n     8     2 | a = content\n     0  1000 | b = noise\n"
        );
    }

    #[test]
    fn classes_have_letters() {
        assert_eq!([0, 25, 26, 51, 52].map(letters), ["a", "z", "ba", "bz", "ca"]);
    }
}
