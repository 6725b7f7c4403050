//! The newest robots.txt of each host, from archives of a crawl.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use anyhow::Context;
use gleaner_curate::{Agents, NewestRobots, robots_host};
use gleaner_store::{Shard, Store};
use gleaner_warc::{Error, Options, ReadSource, Reader, Record, RecordType, Step, Wanted, http};
use parking_lot::Mutex;

use crate::build::{Failure, Session};
use crate::terminal::console::{counted, damaged_places};

/// What archives have.
struct Found {
    newest: NewestRobots,
    damage: Vec<Damage>,
}

/// What of an archive is damaged.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Damage {
    file: String,
    /// Where the first place begins, and what is wrong there.
    offset: u64,
    detail: String,
    places: u64,
}

/// Reads archives, several at a time.
///
/// # Errors
/// An archive cannot be read to its end, or is none.
pub(super) fn newest(
    shards: &[Shard],
    store: &Store,
    agents: &Agents,
    workers: usize,
    session: &Session<'_>,
) -> Result<NewestRobots, Failure> {
    let none = || Found {
        newest: NewestRobots::new(agents.clone()),
        damage: Vec::new(),
    };
    let stop = session.stop()?;
    let all = Mutex::new(none());
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Failure> {
        let mut found = none();
        while let Some(shard) = shards.get(next.fetch_add(1, Relaxed)) {
            // After an error there is nothing more to do.
            let read = found.read(shard, store, &stop);
            read.inspect_err(|_| next.store(shards.len(), Relaxed))?;
        }
        let mut all = all.lock();
        all.newest.merge(found.newest);
        all.damage.extend(found.damage);
        Ok(())
    };
    let threads = workers.clamp(1, shards.len().max(1));
    let done: Result<(), Failure> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut done = threads.into_iter().map(|thread| thread.join());
        done.try_for_each(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
    });
    // (Where the reading was interrupted, that is the answer.)
    session.stop()?;
    done?;
    let Found { newest, mut damage } = all.into_inner();
    damage.sort();
    warn(&damage, session);
    Ok(newest)
}

fn warn(damage: &[Damage], session: &Session<'_>) {
    let Some(Damage {
        file, offset, detail, ..
    }) = damage.first()
    else {
        return;
    };
    let places = damaged_places(damage.iter().map(|damage| damage.places).sum());
    let archives = counted(damage.len() as u64, "archive");
    (session.say)(&format!(
        "warning: {places} in {archives}, the first in {file} at offset {offset} ({detail}): rules of a robots.txt may be missing"
    ));
}

impl Found {
    /// Reads an archive, unless that is interrupted.
    fn read(&mut self, shard: &Shard, store: &Store, stop: &AtomicBool) -> Result<(), Failure> {
        let stream = store.open(shard, 0, None);
        let stream = stream.with_context(|| format!("could not read '{}'", shard.location));
        let source = ReadSource::new(stream.map_err(Failure::of_inputs)?.reader());
        let options = Options {
            wanted: Wanted::NONE.with(RecordType::Response),
            ..Options::default()
        };
        let mut reader = Reader::new(source, shard.location.clone(), options);
        let mut scratch = http::Scratch::default();
        let mut damage: Option<Damage> = None;
        let mut damaged = |offset: u64, detail: String| {
            let first = || Damage {
                file: shard.location.clone(),
                offset,
                detail,
                places: 0,
            };
            damage.get_or_insert_with(first).places += 1;
        };
        while !stop.load(Relaxed) {
            match reader.step() {
                Ok(Step::Record(record)) => {
                    if let Some(reason) = record.damage {
                        damaged(record.offset, reason.to_string());
                    }
                    self.take(&record, shard, &mut scratch);
                }
                Ok(Step::Reject(reject)) => damaged(reject.offset, reject.detail),
                Ok(Step::Pending) => {}
                Ok(Step::End) => break,
                // A file of another kind in a folder.
                Err(Error::NotAnArchive { .. }) if !shard.named => break,
                Err(error) => return Err(Failure::of_inputs(error.into())),
            }
        }
        self.damage.extend(damage);
        Ok(())
    }

    /// Takes a robots.txt, of any media type. What is no answer of a server is skipped.
    fn take(&mut self, record: &Record<'_>, shard: &Shard, scratch: &mut http::Scratch) {
        let Some(host) = robots_host(record.target_uri).filter(|_| record.is_http()) else {
            return;
        };
        let Ok(message) = http::parse(record.content, scratch, &http::Limits::default()) else {
            return;
        };
        let place;
        let record_id = match record.record_id {
            "" => {
                place = format!("{}#{}", shard.name, record.offset);
                place.as_str()
            }
            id => id,
        };
        self.newest
            .add(&host, record.date, record_id, message.status, message.body);
    }
}
