//! What an export did, in words.

use std::collections::BTreeMap;

use gleaner_export::{Count, Funnel, FunnelStep, ShardFile};

use crate::terminal::console::{bytes, counted, grouped};
use crate::terminal::plain;
use crate::terminal::table::table;

/// A number of things that are left out.
fn less(count: u64) -> String {
    match count {
        0 => "0".to_owned(),
        count => format!("-{}", grouped(count)),
    }
}

/// Languages of a step that are listed.
const LANGUAGES: usize = 5;

/// The steps in a table, and behind it for each step the languages and examples of what it left out.
pub(super) fn funnel(funnel: &Funnel) -> String {
    let row = |name: &str, removed: Option<Count>, left: Count| {
        let removed = removed.map(|count| [count.documents, count.words].map(less));
        let [documents, words] = removed.unwrap_or_default();
        let left = [left.documents, left.words].map(grouped);
        let cells = [plain::line(name).into_owned(), documents, words];
        cells.into_iter().chain(left).collect::<Vec<_>>()
    };
    let steps = funnel.steps.iter().zip(funnel.left());
    let steps = steps.map(|(step, left)| row(&step.name, Some(step.removed), left));
    let rows = [row("corpus", None, funnel.read)].into_iter().chain(steps);
    let mut text = table(
        &["filter", "documents", "words", "documents left", "words left"],
        rows,
    );
    funnel.steps.iter().for_each(|step| text += &details(step));
    if !funnel.written_by_language.is_empty() {
        text += &format!("\nselected: {}\n", languages(&funnel.written_by_language));
    }
    for (kind, places) in &funnel.masked {
        text += &format!("masked: {kind}, {}\n", counted(*places, "place"));
    }
    text
}

fn details(step: &FunnelStep) -> String {
    if step.by_language.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n{}: {}\n",
        plain::line(&step.name),
        languages(&step.by_language)
    );
    for url in &step.examples {
        text += &format!("  {}\n", plain::line(url));
    }
    text
}

/// Languages with their documents and words, those with the most documents first.
fn languages(counts: &BTreeMap<String, Count>) -> String {
    let mut sorted: Vec<(&String, &Count)> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse((count.documents, count.words)));
    let named = sorted.iter().take(LANGUAGES).map(|(language, count)| {
        let [documents, words] = [counted(count.documents, "document"), counted(count.words, "word")];
        format!("{} {documents} ({words})", plain::line(language))
    });
    let more = sorted.len().checked_sub(LANGUAGES).filter(|more| *more > 0);
    let more = more.map(|more| format!("{} more", counted(more as u64, "language")));
    named.chain(more).collect::<Vec<_>>().join(", ")
}

/// What was written, and where.
pub(super) fn files(files: &[ShardFile], out: Option<&str>) -> String {
    let Some(out) = out else {
        return String::new();
    };
    let size = files.iter().map(|file| file.bytes).sum();
    let documents = files.iter().map(|file| file.documents).sum();
    format!(
        "\n{} in {}, {}: {}\n",
        counted(documents, "document"),
        counted(files.len() as u64, "file"),
        bytes(size),
        plain::line(out)
    )
}
