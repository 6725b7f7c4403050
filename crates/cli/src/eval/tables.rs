//! Scores as text for a terminal.

use gleaner_content::Label;
use gleaner_gold::{BINS, Bin, Summary};
use gleaner_training::{Calibration, ColumnScore, Measures, MetadataScores, SeenPages, SetScores};

use super::ablation::Ablation;
use crate::terminal::console::grouped;

pub(super) fn set_text(set: &SetScores) -> String {
    [
        score_table(set),
        measure_table(set),
        set.metadata.as_ref().map_or_else(String::new, metadata_table),
        label_table(set),
        calibration_table(&set.calibration),
    ]
    .concat()
}

/// The scores of the texts and the five measures, without what is about a model.
pub(crate) fn short_text(set: &SetScores) -> String {
    score_table(set) + &measure_table(set)
}

/// Precision, recall and F1 by the longest common subsequence, beside the word F1.
pub(super) fn lcs_text(set: &SetScores) -> String {
    let by_type = set.by_page_type.iter().filter(|(name, _)| !name.is_empty());
    let rows = by_type.map(|(name, scores)| (format!("  {name}"), scores));
    let last = [
        ("  (gold's blocks)", &set.oracle),
        ("  (everything)", &set.keep_all),
    ];
    let last = last.map(|(name, scores)| (name.to_owned(), scores));
    let all = [(set.set.clone(), &set.all)].into_iter().chain(rows).chain(last);
    all.map(|(name, scores)| lcs_row(&name, scores)).collect()
}

fn score_table(set: &SetScores) -> String {
    let mut lines = row(&set.set, &set.all);
    for (name, scores) in set.by_page_type.iter().filter(|(name, _)| !name.is_empty()) {
        lines += &row(&format!("  {name}"), scores);
    }
    lines + &row("  (gold's blocks)", &set.oracle) + &row("  (everything)", &set.keep_all)
}

fn measure_table(set: &SetScores) -> String {
    let line = |name: &str, pick: &dyn Fn(usize) -> Option<f64>| {
        let mut line = format!("  {name:16}");
        for (at, (name, _)) in set.measures.cells().into_iter().enumerate().take(5) {
            if let Some(value) = pick(at) {
                line += &format!("  {name} {value:.4}");
            }
        }
        line + "\n"
    };
    let mut lines = line("measures", &|at| set.measures.cells()[at].1);
    if !set.folds.is_empty() {
        let of = |at: usize, better: fn(f64, f64) -> f64| {
            let values = set.folds.iter().filter_map(|fold| fold.cells()[at].1);
            values.reduce(better)
        };
        lines += &line("  worst fold", &|at| of(at, f64::min));
        lines += &line("  best fold", &|at| of(at, f64::max));
    }
    lines
}

/// The confusion matrix with recall at the right and precision below.
fn label_table(set: &SetScores) -> String {
    let mut lines = format!("  {:16}", "gold, given as");
    for label in Label::ALL {
        lines += &format!(" {:>12}", label.name());
    }
    lines.push_str("  recall\n");
    for gold in Label::ALL {
        lines += &format!("  {:16}", gold.name());
        for given in Label::ALL {
            let count = set.confusion.counts[gold as usize][given as usize];
            lines += &format!(" {:>12}", grouped(count));
        }
        lines += &format!("  {:.4}\n", set.labels[&gold].recall);
    }
    lines += &format!("  {:16}", "precision");
    for label in Label::ALL {
        lines += &format!(" {:>12.4}", set.labels[&label].precision);
    }
    lines + "\n"
}

/// A line a column that the gold has.
fn metadata_table(scores: &MetadataScores) -> String {
    let line = |(name, found): (&str, ColumnScore)| {
        format!(
            "  {name:16} {:5} pages  P {:.4}  R {:.4}  and of {} pages where the gold has none\n",
            found.gold,
            found.precision(),
            found.recall(),
            found.beyond_gold
        )
    };
    let columns = scores.columns().into_iter().filter(|(_, found)| found.gold > 0);
    columns.map(line).collect()
}

fn calibration_table(calibration: &Calibration) -> String {
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
        let [content, label, page] = [&calibration.content, &calibration.label, &calibration.page]
            .map(|claims| &claims.table.bins[bin]);
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
        calibration.content.expected_calibration_error,
        calibration.label.expected_calibration_error,
        calibration.page.expected_calibration_error
    );
    lines
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

/// How many of the scored pages the model was trained on.
pub(super) fn seen_text(seen: &SeenPages) -> String {
    let (scored, what) = (grouped(seen.scored as u64), seen.what);
    match seen.training_pages {
        None => {
            format!("training pages: not recorded in this {what}; they may be among the {scored} pages")
        }
        Some(0) => format!("training pages: none of the {scored} pages"),
        Some(seen) => format!(
            "training pages: {} of the {scored} pages: the {what} was trained on them, and their scores do not apply to \
             other pages",
            grouped(seen as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_number_of_training_pages() {
        let line = |training_pages| {
            seen_text(&SeenPages {
                training_pages,
                scored: 1200,
                what: "tree",
            })
        };
        assert_eq!(line(Some(0)), "training pages: none of the 1,200 pages");
        assert!(line(Some(1100)).starts_with("training pages: 1,100 of the 1,200 pages: "));
        assert!(line(Some(1100)).contains("the tree was trained on them"));
        assert!(line(None).starts_with("training pages: not recorded in this tree"));
    }
}
