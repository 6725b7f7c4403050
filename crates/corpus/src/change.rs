//! A change of a complete corpus: from one version to the next.
//!
//! A change is announced in `state/next.json`. From then on it writes files that no version names yet, while the version before
//! it stays complete: `gleaner.json` is not touched. When all files are there, `next.json` gets the marker of the new version:
//! the change is *committed*, and from then on it only goes forward (see [`commit`]). A change that is not committed continues
//! with the same command, or is undone.

use std::collections::BTreeSet;

use bytes::Bytes;
use gleaner_store::Output;

use crate::commit::{self, Commit, Write};
use crate::corpus::check_folders;
use crate::delta::{log_folder, number_of, version_file};
use crate::fault::{Fault, FaultKind};
use crate::marker::Marker;
use crate::next::{Change, NEXT, NewVersion, Next, RECEIPTS, receipt_of};
use crate::{Corpus, Error, FORMAT, Settings};

impl Corpus {
    /// Opens a complete corpus to change it, for the first process of a command: gives what the new files are written to, and
    /// the marker of the version that is changed. That version stays complete until the end ([`Corpus::finish_change`]).
    ///
    /// What an interrupted command with the same `asked` left is still there: [`Corpus::continues`] says so, and its
    /// [`Corpus::next`] counts. A committed change that a killed command left is finished first. If that was this very command,
    /// nothing is begun, see [`Corpus::finished`]. Of `next`, the base and what is committed are filled in here. Waits for the
    /// store.
    ///
    /// # Errors
    /// There is no complete corpus; another process holds it; it has another [`FORMAT`], or keeps no state; another change is
    /// unfinished; or another program has written to its logs.
    pub fn begin_change(output: Output, next: Next, settings: Settings) -> Result<(Corpus, Marker), Error> {
        // Looked at before it is taken: what is refused need not be writable.
        changeable(&output, Some(&next.asked))?;
        let hold = output.hold()?;
        let finished = commit::recover(&output)?;
        let (base, there) = changeable(&output, Some(&next.asked))?;
        check_folders(&output, base.identity.crawl()?.as_ref())?;
        check_logs(&output, &base)?;
        let is_done = finished.as_ref().is_some_and(|done| done.asked == next.asked);
        let continues = there.is_some();
        let next = there.or((!is_done).then_some(Next {
            base: base.version,
            committed: None,
            purge: false,
            ..next
        }));
        let change = Change { next, finished };
        let corpus = Corpus::of_change(output, &base, settings, continues, change, Some(hold))?;
        if !continues {
            // Before the change is announced: the next run would take it for its own.
            corpus.keep(&BTreeSet::new())?;
            if let Some(next) = corpus.next() {
                corpus.output().put(NEXT, &next.to_json())?;
            }
        }
        Ok((corpus, base))
    }

    /// The corpus that another process has opened for a change, and that this one is to write to together with it.
    ///
    /// # Errors
    /// It is not open for this change.
    pub fn join_change(output: Output, asked: &str, settings: Settings) -> Result<(Corpus, Marker), Error> {
        let (base, next) = changeable(&output, Some(asked))?;
        let Some(next) = next else {
            return Err(Error::NoChange(output.place().to_string()));
        };
        let change = Change {
            next: Some(next),
            finished: None,
        };
        let corpus = Corpus::of_change(output, &base, settings, true, change, None)?;
        Ok((corpus, base))
    }

    /// The change that this corpus is open for.
    pub fn next(&self) -> Option<&Next> {
        self.change.as_ref()?.next.as_ref()
    }

    /// The committed change that [`Corpus::begin_change`] had to finish, because its command was killed.
    pub fn finished(&self) -> Option<&Next> {
        self.change.as_ref()?.finished.as_ref()
    }

    /// The change of a corpus that is in progress or was interrupted. Waits for the store.
    ///
    /// # Errors
    /// The corpus cannot be read.
    pub fn unfinished(output: &Output) -> Result<Option<Next>, Error> {
        Next::read(output)
    }

    /// Makes the new version the current one, and deletes what no version names then. Gives its marker. All files that
    /// `new.arguments` name are there. To be called by one process, when the others have ended. Waits for the store.
    ///
    /// # Errors
    /// The corpus cannot be read or written, or another program has written to its logs. Called again, or by
    /// [`Corpus::recover`], it continues.
    ///
    /// # Panics
    /// The corpus is not open for a change.
    pub fn finish_change(&self, new: NewVersion) -> Result<Marker, Error> {
        let next = self.next().expect("finished is what was begun");
        let base = self.open_marker();
        check_logs(self.output(), base)?;
        let commit = Commit::new(self.output(), base, next, new)?;
        commit.each_write(&mut |write: Write| write.apply(self.output()))?;
        Ok(commit.into_marker())
    }

    /// Finishes the change that a killed command has committed; gives it. Waits for the store.
    ///
    /// # Errors
    /// Another process holds the corpus, or it cannot be read or written.
    pub fn recover(output: &Output) -> Result<Option<Next>, Error> {
        if Next::read(output)?.is_none_or(|next| next.committed.is_none()) {
            return Ok(None);
        }
        let _hold = output.hold()?;
        commit::recover(output)
    }

    /// The receipts of the changes that made this corpus, by version. Waits for the store.
    ///
    /// # Errors
    /// There is no complete corpus, or it cannot be read.
    pub fn receipts(output: &Output) -> Result<Vec<(u64, Bytes)>, Error> {
        let latest = Corpus::complete(output)?.version;
        let files = output.list(RECEIPTS)?.into_iter();
        let mut found = Vec::new();
        for (version, name) in files.filter_map(|file| Some((receipt_of(&file.name)?, file.name))) {
            // That of a change in progress is not one of this corpus yet.
            if let Some(bytes) = output.get(&name)?.filter(|_| version <= latest) {
                found.push((version, bytes));
            }
        }
        found.sort_by_key(|(version, _)| *version);
        Ok(found)
    }
}

/// The marker of a complete corpus that this program can change, and the change of it that is begun and not committed. `asked`
/// is that of the command; without one, any change that is begun is refused.
pub(crate) fn changeable(output: &Output, asked: Option<&str>) -> Result<(Marker, Option<Next>), Error> {
    let marker = Corpus::complete(output)?;
    if marker.format != FORMAT {
        return Err(Error::Format {
            folder: output.place().to_string(),
            there: marker.format,
        });
    }
    marker.made_of(output)?;
    let next = Next::read(output)?.filter(|next| next.committed.is_none());
    match next {
        Some(next) if Some(next.asked.as_str()) != asked => Err(next.refuse(output)),
        Some(next) if next.base != marker.version => Err(commit::not_of(&next, &marker)),
        next => Ok((marker, next)),
    }
}

/// Refuses logs that do not end with the version that the marker names.
pub(crate) fn check_logs(output: &Output, marker: &Marker) -> Result<(), Error> {
    for (table, &expected) in &marker.tables {
        let files = output.list(&log_folder(table))?;
        let last = files.iter().filter_map(|file| number_of(&file.name)).max();
        match last {
            Some(last) if last == expected => {}
            Some(last) if last > expected => {
                let file = version_file(table, last);
                return Err(Error::ForeignVersion(output.place_of(&file).to_string()));
            }
            _ => {
                let fault = Fault::new(version_file(table, expected), FaultKind::Missing);
                return Err(Error::Damaged { fault });
            }
        }
    }
    Ok(())
}
