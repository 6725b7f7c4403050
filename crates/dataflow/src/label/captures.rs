//! Which documents are captures of one URL: rows of the table captures, a function of the documents of a unit, in which all
//! captures of a URL are.

use gleaner_corpus::{CaptureRow, DocumentRow};

/// Identifies documents that come by key, so that captures of a URL come one behind the other, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// The document that came last: what comes next shows whether it is the latest of its URL.
    last: Option<(CaptureRow, String)>,
}

impl Captures {
    /// Takes the next document. Gives the row of the one before.
    pub(crate) fn push(&mut self, document: &DocumentRow) -> Option<CaptureRow> {
        let mut row = CaptureRow {
            surt: document.surt.clone(),
            row_id: document.row_id.clone(),
            is_latest: true,
            changed: true,
        };
        if let Some((before, digest)) = self.last.as_mut().filter(|(before, _)| before.surt == row.surt) {
            before.is_latest = false;
            row.changed = *digest != document.content_digest;
        }
        let last = self.last.replace((row, document.content_digest.clone()));
        last.map(|(row, _)| row)
    }

    /// The row of the last document.
    pub(crate) fn end(&mut self) -> Option<CaptureRow> {
        self.last.take().map(|(row, _)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_captures_of_a_url_the_last_is_the_latest() {
        let documents = [
            ("a", "1"),
            ("a", "1"),
            ("a", "2"),
            ("b", "2"),
            ("c", "2"),
            ("c", "2"),
        ];
        let mut captures = Captures::default();
        let documents = documents.map(|(surt, digest)| DocumentRow {
            surt: surt.to_owned(),
            content_digest: digest.to_owned(),
            ..DocumentRow::default()
        });
        let rows = documents.iter().map(|document| captures.push(document));
        let mut rows: Vec<CaptureRow> = rows.flatten().collect();
        rows.extend(captures.end());
        let known = rows
            .iter()
            .map(|row| (row.surt.as_str(), row.is_latest, row.changed));
        assert_eq!(
            known.collect::<Vec<_>>(),
            [
                ("a", false, true),
                ("a", false, false),
                ("a", true, true),
                ("b", true, true),
                ("c", false, true),
                ("c", true, false)
            ]
        );
    }
}
