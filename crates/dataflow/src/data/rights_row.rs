//! The rows of `rights` of a document.

use std::borrow::Cow;

use gleaner_corpus::{DocumentRow, Millis, RightsRow};
use gleaner_curate::rights;

/// The row of what a page states about itself.
pub(crate) fn own_rights_row(document: &DocumentRow, stated: rights::RightsRow) -> RightsRow {
    rights_row(document, stated, (&document.record_id, document.crawl_date))
}

/// The row of a signal for a page. `source` is the record that states it, and when that was captured.
pub(crate) fn rights_row(
    document: &DocumentRow,
    stated: rights::RightsRow,
    source: (&str, Option<Millis>),
) -> RightsRow {
    let rights::RightsRow {
        signal,
        agents,
        value,
        stated,
        found,
        index,
        train,
    } = stated;
    RightsRow {
        row_id: document.row_id.clone(),
        url: document.url.clone(),
        signal: Cow::Borrowed(signal.name()),
        agents,
        value,
        stated,
        found_in: Cow::Borrowed(found.name()),
        source: source.0.to_owned(),
        source_date: source.1,
        index: Cow::Borrowed(index.name()),
        train: Cow::Borrowed(train.name()),
    }
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::enumerations::{Meaning, PERMISSIONS, RIGHTS_PLACES, RIGHTS_SIGNALS};
    use gleaner_curate::rights::{FoundIn, Permission, RightsSignal};

    fn names(list: &[Meaning]) -> Vec<&str> {
        list.iter().map(|value| value.name).collect()
    }

    #[test]
    fn signals_places_and_permissions_are_described() {
        assert_eq!(names(RIGHTS_SIGNALS), RightsSignal::ALL.map(RightsSignal::name));
        assert_eq!(names(RIGHTS_PLACES), FoundIn::ALL.map(FoundIn::name));
        assert_eq!(names(PERMISSIONS), Permission::ALL.map(Permission::name));
    }
}
