//! What the change did that made a version: the difference to the version before.

use anyhow::Result;
use gleaner_corpus::Corpus;
use gleaner_report::{Change, NamesChange};
use gleaner_store::Output;

use crate::corpus::diff::{Difference, made_of, rows};
use crate::corpus::versions;

/// The change that made a version; none of the first one.
pub(super) fn before(output: &Output, version: u64) -> Result<Option<Change>> {
    let marker = Corpus::complete(output)?;
    let all = versions::all(output, &marker)?;
    let find = |number: u64| all.iter().find(|known| known.number == number);
    let Some((from, to)) = version.checked_sub(1).and_then(find).zip(find(version)) else {
        return Ok(None);
    };
    let receipt = to.receipt.as_ref();
    let are_there = from.is_there && to.is_there;
    let arguments = from
        .arguments
        .as_ref()
        .zip(to.arguments.as_ref())
        .filter(|_| are_there);
    let names = arguments
        .map(|(one, other)| made_of(output, [one, other]))
        .transpose()?;
    let [archives, rules] = match names {
        Some(names) => names.map(|difference| Some(names_change(difference))),
        None => [None, None],
    };
    Ok(Some(Change {
        from: from.number,
        to: to.number,
        command: receipt.map_or("unknown".to_owned(), |receipt| {
            format!("{} {}", receipt.command, receipt.asked_text)
                .trim_end()
                .to_owned()
        }),
        time: receipt.map(|receipt| receipt.time.clone()),
        reason: receipt.and_then(|receipt| receipt.reason.clone()),
        rows: rows([from, to]),
        archives,
        rules,
    }))
}

fn names_change(difference: Difference) -> NamesChange {
    let Difference {
        added,
        removed,
        changed,
    } = difference;
    NamesChange {
        added,
        removed,
        changed,
    }
}
