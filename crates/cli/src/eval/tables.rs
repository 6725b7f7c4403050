//! Scores as text for a terminal.

use gleaner_content::Label;
use gleaner_gold::{BINS, Bin, Summary};

use super::ablation::Ablation;
use super::metadata::{Found, MetadataScores};
use super::scores::{Calibration, Measures, SetScores};
use crate::console::grouped;

impl SetScores {
    /// All tables of a gold file.
    pub(crate) fn text(&self) -> String {
        [
            self.score_table(),
            self.measure_table(),
            self.metadata
                .as_ref()
                .map_or_else(String::new, MetadataScores::text),
            self.label_table(),
            self.calibration.text(),
        ]
        .concat()
    }

    /// The scores of the texts and the five measures, without what is about a model.
    pub(crate) fn short_text(&self) -> String {
        self.score_table() + &self.measure_table()
    }

    /// Precision, recall and F1 by the longest common subsequence, beside the word F1.
    pub(crate) fn lcs_text(&self) -> String {
        let by_type = self.by_page_type.iter().filter(|(name, _)| !name.is_empty());
        let rows = by_type.map(|(name, scores)| (format!("  {name}"), scores));
        let last = [
            ("  (gold's blocks)", &self.oracle),
            ("  (everything)", &self.keep_all),
        ];
        let last = last.map(|(name, scores)| (name.to_owned(), scores));
        let all = [(self.set.clone(), &self.all)]
            .into_iter()
            .chain(rows)
            .chain(last);
        all.map(|(name, scores)| lcs_row(&name, scores)).collect()
    }

    fn score_table(&self) -> String {
        let mut lines = row(&self.set, &self.all);
        for (name, scores) in self.by_page_type.iter().filter(|(name, _)| !name.is_empty()) {
            lines += &row(&format!("  {name}"), scores);
        }
        lines + &row("  (gold's blocks)", &self.oracle) + &row("  (everything)", &self.keep_all)
    }

    fn measure_table(&self) -> String {
        let line = |name: &str, pick: &dyn Fn(usize) -> Option<f64>| {
            let mut line = format!("  {name:16}");
            for (at, (name, _)) in self.measures.cells().into_iter().enumerate().take(5) {
                if let Some(value) = pick(at) {
                    line += &format!("  {name} {value:.4}");
                }
            }
            line + "\n"
        };
        let mut lines = line("measures", &|at| self.measures.cells()[at].1);
        if !self.folds.is_empty() {
            let of = |at: usize, better: fn(f64, f64) -> f64| {
                let values = self.folds.iter().filter_map(|fold| fold.cells()[at].1);
                values.reduce(better)
            };
            lines += &line("  worst fold", &|at| of(at, f64::min));
            lines += &line("  best fold", &|at| of(at, f64::max));
        }
        lines
    }

    /// The confusion matrix with recall at the right and precision below.
    fn label_table(&self) -> String {
        let mut lines = format!("  {:16}", "gold, given as");
        for label in Label::ALL {
            lines += &format!(" {:>12}", label.name());
        }
        lines.push_str("  recall\n");
        for gold in Label::ALL {
            lines += &format!("  {:16}", gold.name());
            for given in Label::ALL {
                let count = self.confusion.counts[gold as usize][given as usize];
                lines += &format!(" {:>12}", grouped(count));
            }
            lines += &format!("  {:.4}\n", self.labels[&gold].recall);
        }
        lines += &format!("  {:16}", "precision");
        for label in Label::ALL {
            lines += &format!(" {:>12.4}", self.labels[&label].precision);
        }
        lines + "\n"
    }
}

impl MetadataScores {
    /// A line a column that the gold has.
    fn text(&self) -> String {
        let line = |(name, found): (&str, Found)| {
            format!(
                "  {name:16} {:5} pages  P {:.4}  R {:.4}  and of {} pages where the gold has none\n",
                found.gold,
                found.precision(),
                found.recall(),
                found.beyond_gold
            )
        };
        let columns = self.columns().into_iter().filter(|(_, found)| found.gold > 0);
        columns.map(line).collect()
    }
}

impl Calibration {
    fn text(&self) -> String {
        let mut lines = format!(
            "  {:16} {:>12} {:>12} {:>12}  {:>12} {:>12}  {:>12} {:>12} {:>12}\n",
            "probability",
            "blocks",
            "of content",
            "is content",
            "of the label",
            "is right",
            "pages",
            "confidence",
            "word F1"
        );
        for bin in 0..BINS {
            let [content, label, page] =
                [&self.content, &self.label, &self.page].map(|claims| &claims.table.bins[bin]);
            lines += &format!(
                "  {:16} {:>12} {:>12} {:>12}  {:>12} {:>12}  {:>12} {:>12} {:>12}\n",
                bin_name(bin),
                grouped(content.claims),
                share(content, Bin::claimed),
                share(content, Bin::observed),
                share(label, Bin::claimed),
                share(label, Bin::observed),
                grouped(page.claims),
                share(page, Bin::claimed),
                share(page, Bin::observed),
            );
        }
        lines += &format!(
            "  expected calibration error: {:.4} of content, {:.4} of the label, {:.4} of the confidence of pages\n",
            self.content.expected_calibration_error,
            self.label.expected_calibration_error,
            self.page.expected_calibration_error
        );
        lines
    }
}

impl Ablation {
    /// A line each that was left out, with what that changes.
    pub(crate) fn text(&self) -> String {
        let mut lines = format!("{:28}{:>8}", format!("without ({})", self.by), "columns");
        for (name, _) in self.baseline.cells() {
            lines += &format!("{name:>16}");
        }
        lines += &self.line("(nothing left out)", None, &self.baseline);
        for row in &self.rows {
            lines += &self.line(&row.without, Some(row.columns), &row.measures);
        }
        lines + "\n"
    }

    fn line(&self, name: &str, columns: Option<usize>, measures: &Measures) -> String {
        let count = columns.map_or_else(String::new, |count| count.to_string());
        let mut line = format!("\n{name:28}{count:>8}");
        let cells = measures.cells().into_iter().zip(self.baseline.cells());
        for ((_, value), (_, before)) in cells {
            let cell = value
                .zip(before)
                .map_or_else(String::new, |(value, before)| match columns {
                    Some(_) => format!("{value:.4} {:+.4}", value - before),
                    None => format!("{value:.4}        "),
                });
            line += &format!("{cell:>16}");
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// The range of a bin: `0.3 to 0.4`.
pub(super) fn bin_name(bin: usize) -> String {
    format!(
        "{:.1} to {:.1}",
        bin as f64 / BINS as f64,
        (bin + 1) as f64 / BINS as f64
    )
}

fn share(bin: &Bin, of: fn(&Bin) -> Option<f64>) -> String {
    of(bin).map_or_else(|| "-".to_owned(), |share| format!("{share:.4}"))
}

fn lcs_row(name: &str, scores: &Summary) -> String {
    let lcs = &scores.lcs;
    format!(
        "{name:18} {:5} pages  LCS P {:.4}  R {:.4}  F1 {:.4}  words {:.4}\n",
        scores.pages, lcs.precision, lcs.recall, lcs.f1, scores.words.f1
    )
}

fn row(name: &str, scores: &Summary) -> String {
    let share = |name: &str, value: Option<f64>| {
        value
            .map(|value| format!("  {name} {value:.4}"))
            .unwrap_or_default()
    };
    let words = &scores.words;
    format!(
        "{name:18} {:5} pages  P {:.4}  R {:.4}  F1 {:.4}  LCS {:.4}{}{}\n",
        scores.pages,
        words.precision,
        words.recall,
        words.f1,
        scores.lcs.f1,
        share("with", scores.with),
        share("without", scores.without)
    )
}
