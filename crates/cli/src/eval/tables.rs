//! Scores of whole gold files, and how they are printed.

use std::collections::BTreeMap;

use gleaner_gold::Summary;
use serde::Serialize;

use super::page::Scored;

/// The means of a gold file's pages.
#[derive(Serialize)]
pub(crate) struct SetScores {
    set: String,
    all: Summary,
    by_page_type: BTreeMap<String, Summary>,
    oracle: Summary,
    keep_all: Summary,
    /// Share of blocks with the gold's label.
    label_accuracy: f64,
    /// Share of blocks on the gold's side: content or noise.
    content_accuracy: f64,
}

impl SetScores {
    pub(crate) fn new(path: &std::path::Path, set: usize, scored: &[Scored]) -> SetScores {
        let own: Vec<&Scored> = scored.iter().filter(|page| page.set == set).collect();
        let sum = |of: fn(&(usize, usize, usize)) -> usize| {
            own.iter().map(|page| of(&page.blocks)).sum::<usize>() as f64
        };
        let blocks = sum(|blocks| blocks.2).max(1.0);
        SetScores {
            set: path.file_name().map_or_else(String::new, |name| {
                name.to_string_lossy().replace(".gold.jsonl", "")
            }),
            all: Summary::of(own.iter().map(|page| &page.words)),
            by_page_type: Summary::by_type(own.iter().map(|page| (&page.gold, &page.words))),
            oracle: Summary::of(own.iter().map(|page| &page.oracle)),
            keep_all: Summary::of(own.iter().map(|page| &page.keep_all)),
            label_accuracy: sum(|blocks| blocks.0) / blocks,
            content_accuracy: sum(|blocks| blocks.1) / blocks,
        }
    }

    pub(crate) fn table(&self) -> String {
        let mut lines = vec![row(&self.set, &self.all)];
        lines.extend(
            self.by_page_type
                .iter()
                .filter(|(name, _)| !name.is_empty())
                .map(|(name, scores)| row(&format!("  {name}"), scores)),
        );
        lines.push(row("  (gold's blocks)", &self.oracle));
        lines.push(row("  (everything)", &self.keep_all));
        lines.push(format!(
            "  labels right {:.4}, content or noise right {:.4}\n",
            self.label_accuracy, self.content_accuracy
        ));
        lines.join("\n")
    }
}

fn row(name: &str, scores: &Summary) -> String {
    let share = |name: &str, value: Option<f64>| {
        value
            .map(|value| format!("  {name} {value:.4}"))
            .unwrap_or_default()
    };
    let words = &scores.words;
    format!(
        "{name:18} {:5} pages  P {:.4}  R {:.4}  F1 {:.4}{}{}",
        scores.pages,
        words.precision,
        words.recall,
        words.f1,
        share("with", scores.with),
        share("without", scores.without)
    )
}
