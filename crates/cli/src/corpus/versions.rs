//! The versions of a corpus: the current one by its marker, older ones by the receipts of the changes after them.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use gleaner_corpus::{Arguments, Corpus, Marker, Receipt};
use gleaner_store::Output;

/// A version of a corpus, as far as it is known.
pub(crate) struct Version {
    pub(crate) number: u64,
    /// What it is made of.
    pub(crate) arguments: Option<Arguments>,
    /// Rows by table.
    pub(crate) rows: Option<BTreeMap<String, u64>>,
    /// Whether its files are there.
    pub(crate) is_there: bool,
    /// The change that made it; none of the first.
    pub(crate) receipt: Option<Receipt>,
}

/// All versions, the newest last. Waits for the store.
pub(crate) fn all(output: &Output, marker: &Marker) -> Result<Vec<Version>> {
    let mut receipts = BTreeMap::new();
    for (version, bytes) in Corpus::receipts(output)? {
        let receipt = Receipt::parse(&bytes).with_context(|| {
            let folder = output.place();
            format!("the receipt of version {version} in '{folder}' is damaged: restore it from a copy")
        })?;
        receipts.insert(version, receipt);
    }
    let versions = 1..=marker.version;
    Ok(versions
        .map(|number| Version::of(number, marker, &receipts))
        .collect())
}

impl Version {
    fn of(number: u64, marker: &Marker, receipts: &BTreeMap<u64, Receipt>) -> Version {
        let receipt = receipts.get(&number);
        let next = receipts.get(&(number + 1));
        let is_current = number == marker.version;
        let kept = marker.kept.iter().find(|kept| kept.version == number);
        let arguments = match is_current {
            true => marker.arguments.as_ref(),
            false => kept
                .map(|kept| &kept.arguments)
                .or(receipt.map(|receipt| &receipt.after))
                .or(next.map(|next| &next.before)),
        };
        let rows = match (is_current, receipt, next) {
            (true, ..) => Some(current_rows(marker)),
            (_, Some(receipt), _) => Some(rows(receipt, true)),
            (_, _, Some(next)) => Some(rows(next, false)),
            _ => None,
        };
        Version {
            number,
            arguments: arguments.cloned(),
            rows,
            is_there: is_current || kept.is_some(),
            receipt: receipt.cloned(),
        }
    }
}

fn current_rows(marker: &Marker) -> BTreeMap<String, u64> {
    let mut rows = marker.totals.clone();
    rows.retain(|name, _| marker.tables.contains_key(name));
    rows
}

/// The rows after or before a change, without tables that are not there.
fn rows(receipt: &Receipt, is_after: bool) -> BTreeMap<String, u64> {
    let tables = receipt.tables.iter();
    let rows = tables.map(|(table, change)| match is_after {
        true => (table.clone(), change.rows_after),
        false => (table.clone(), change.rows_before),
    });
    rows.collect()
}
