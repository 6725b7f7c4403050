//! Rows of the rejects table: what did not become a document, and why.

use std::any::Any;

use gleaner_corpus::{DocumentRow, RejectRow};

/// A capture that is no document.
pub(crate) fn of_page(document: &DocumentRow, reason: &str, detail: String) -> Box<RejectRow> {
    Box::new(RejectRow {
        row_id: Some(document.row_id.clone()),
        surt: Some(document.surt.clone()).filter(|_| !document.url.is_empty()),
        url: Some(document.url.clone()).filter(|url| !url.is_empty()),
        warc_file: document.warc_file.clone(),
        warc_offset: document.warc_offset,
        record_id: Some(document.record_id.clone()).filter(|id| !id.is_empty()),
        stage: "extract".to_owned(),
        reason: reason.to_owned(),
        detail,
    })
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::enumerations::{
        COMPLETIONS, LIMITS, Meaning, REJECT_REASONS, STRUCTURED_DATA, TEXT_SOURCES,
    };
    use gleaner_html::PageError;
    use gleaner_metadata::TextSource;
    use gleaner_page::Truncation;
    use gleaner_posts::Completed;
    use gleaner_warc::Reason;

    /// Those of some names that a list does not describe.
    fn undescribed<'a>(list: &[Meaning], names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let is_missing = |name: &&str| list.iter().all(|value| value.name != *name);
        names.into_iter().filter(is_missing).collect()
    }

    #[test]
    fn reasons_of_readers_and_parsers_are_described() {
        let reader = Reason::ALL.iter().map(|reason| reason.as_str());
        let binary = PageError::Binary {
            controls: 1,
            looked_at: 1,
        };
        let parser = [PageError::Known("a font"), binary].map(PageError::reason);
        assert_eq!(undescribed(REJECT_REASONS, reader.chain(parser)), [""; 0]);
        assert_eq!(undescribed(REJECT_REASONS, ["bad-weather"]), ["bad-weather"]);
    }

    #[test]
    fn values_of_other_crates_are_described() {
        let all = Truncation {
            bytes: true,
            depth: true,
            blocks: true,
            attributes: true,
            steps: true,
        };
        let of_posts = gleaner_posts::Truncation::NAMES;
        assert_eq!(undescribed(LIMITS, all.names().chain(of_posts)), [""; 0]);
        let sources = [TextSource::JsonLd, TextSource::State].map(TextSource::name);
        for list in [TEXT_SOURCES, STRUCTURED_DATA] {
            assert_eq!(undescribed(list, sources), [""; 0]);
        }
        let completions = [Completed::Address, Completed::Neighbours].map(Completed::name);
        assert_eq!(undescribed(COMPLETIONS, completions), [""; 0]);
    }
}
