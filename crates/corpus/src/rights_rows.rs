//! The rows of `rights`. How comments become those of columns: see [`rows`](crate::rows).

use std::borrow::Cow;

use crate::Millis;
use crate::enumerations::{PERMISSIONS, RIGHTS_PLACES, RIGHTS_SIGNALS};
use crate::table::table;

table! {
    /// What is stated about the rights to a page: by the page itself, by the headers of its response, and by files of its site. Each row
    /// is a signal with what it means for {index, train} to a reader who has no agreement with the rights holder. Rows may contradict
    /// each other: a use is forbidden if one of them forbids it. A page without signals has no row. The table is not written with
    /// `--no-rights`.
    #[derive(Default)]
    RightsRow, RightsColumns, "rights", WithRights {
        /// The `row_id` of the page in documents.
        row_id: String => RepeatedKey,
        /// The URL of the page, the same as in documents.
        url: String => RepeatedKey,
        /// The kind of the signal.
        signal: Cow<'static, str> => Dictionary in RIGHTS_SIGNALS,
        /// Whom it addresses: `*` for all, else names of crawlers with `, ` between them.
        agents: String => Dictionary,
        /// What is stated, in one form for each meaning; the form depends on `signal`. The first 1,000 bytes.
        value: String => Dictionary,
        /// What is stated, unchanged: the directive, the address of the licence, the line of the file. The first 1,000 bytes.
        stated: String => Dictionary,
        /// The place in which it is stated.
        found_in: Cow<'static, str> => Dictionary in RIGHTS_PLACES,
        /// The `record_id` of the capture that states it: that of the page, or of the file of the site.
        source: String => Dictionary,
        /// The time of that capture, UTC. Null if its record has no valid date.
        source_date: Option<Millis> => Plain,
        /// Whether the page may be in a search index.
        index: Cow<'static, str> => Dictionary in PERMISSIONS,
        /// Whether language models may be trained on the page.
        train: Cow<'static, str> => Dictionary in PERMISSIONS,
    }
}
