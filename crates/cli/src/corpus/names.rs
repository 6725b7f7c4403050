//! Lists of names in messages.

use gleaner_dataflow::InputLine;

use crate::terminal::console::grouped;

/// The name of an archive, as `--input` takes it: with its crawl, if that has a name.
pub(crate) fn archive_name(line: &InputLine) -> String {
    match &line.crawl {
        Some(crawl) => format!("{crawl}/{}", line.read.name),
        None => line.read.name.clone(),
    }
}

/// Names that are listed.
const NAMED: usize = 20;

/// A line for each name, of many for the first.
pub(crate) fn names_text(names: &[String]) -> String {
    let lines = names.iter().take(NAMED).map(|name| format!("  {name}"));
    let more = names.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("  and {} more", grouped(more as u64)));
    lines.chain(more).collect::<Vec<_>>().join("\n")
}
