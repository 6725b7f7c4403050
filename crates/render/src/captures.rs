//! The captures of the archives, by URL: what is where.

use gleaner_store::{Shard, Store};
use gleaner_warc::{Format, Options, ReadSource, Reader, Record, RecordType, Step, Wanted, WebPage, http};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;
use crate::address::Address;
use crate::need::Need;
use crate::progress::Progress;

/// Where a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) file: u32,
    offset: u64,
    inner: u64,
}

/// A capture of a URL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    pub(crate) place: Place,
    pub(crate) date: i64,
    /// The key of exactly its URL.
    exact: u64,
    /// Of a `revisit`: the keys of the capture that it repeats, its date, and its payload.
    repeats: Option<Repeats>,
}

#[derive(Clone, Copy, Debug)]
struct Repeats {
    key: u64,
    exact: u64,
    date: i64,
    payload: u64,
}

/// An archive that was read once.
#[derive(Debug)]
struct Archive {
    shard: Shard,
    format: Option<Format>,
}

/// The captures of all archives.
#[derive(Debug)]
pub(crate) struct Captures {
    store: Store,
    archives: Vec<Archive>,
    by_url: FxHashMap<u64, Vec<Capture>>,
    by_payload: FxHashMap<u64, Capture>,
}

/// What the first reading of the archives found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The pages to draw, in the order of the archives.
    pub(crate) pages: Vec<Place>,
    pub(crate) looked_at: u64,
    pub(crate) not_needed: u64,
    /// Pages whose URL is none of the web.
    pub(crate) no_address: u64,
    pub(crate) damaged: u64,
}

/// Which pages are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) all: bool,
    pub(crate) limit: Option<u64>,
}

impl Captures {
    /// Reads archives, and decides which of their pages are drawn.
    pub(crate) fn read(
        store: Store,
        shards: Vec<Shard>,
        choice: Choice,
        progress: &Progress,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(Captures, Found), Error> {
        let mut captures = Captures {
            store,
            archives: Vec::new(),
            by_url: FxHashMap::default(),
            by_payload: FxHashMap::default(),
        };
        let mut finding = Finding {
            found: Found::default(),
            need: Need::default(),
            scratch: http::Scratch::default(),
            choice,
        };
        for shard in shards {
            captures.read_archive(shard, &mut finding, progress, is_stopped)?;
        }
        Ok((captures, finding.found))
    }

    fn read_archive(
        &mut self,
        shard: Shard,
        finding: &mut Finding,
        progress: &Progress,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let stream = self.store.open(&shard, 0, None)?;
        let options = Options {
            wanted: Wanted::NONE
                .with(RecordType::Response)
                .with(RecordType::Resource)
                .with(RecordType::Revisit),
            ..Options::default()
        };
        let mut reader = Reader::new(ReadSource::new(stream.reader()), &*shard.location, options);
        let file = self.archives.len() as u32;
        loop {
            match reader.step()? {
                Step::Record(record) => {
                    if is_stopped() {
                        return Err(Error::Interrupted);
                    }
                    let place = self.add(file, &record);
                    finding.look(&record, place);
                    progress.set_pages(finding.found.looked_at, finding.found.pages.len());
                }
                Step::Reject(_) => finding.found.damaged += 1,
                Step::Pending => {}
                Step::End => break,
            }
        }
        let format = reader.format();
        self.archives.push(Archive { shard, format });
        Ok(())
    }

    /// Notes a record by its URL.
    fn add(&mut self, file: u32, record: &Record<'_>) -> Place {
        let place = Place {
            file,
            offset: record.offset,
            inner: record.inner,
        };
        if let Some(address) = Address::new(record.target_uri) {
            let capture = Capture {
                place,
                date: record.date.unwrap_or_default(),
                exact: address.exact_key(),
                repeats: (record.kind == RecordType::Revisit).then(|| repeats(record, &address)),
            };
            if capture.repeats.is_none() && !record.payload_digest.is_empty() {
                let key = xxh3_64(record.payload_digest.as_bytes());
                self.by_payload.entry(key).or_insert(capture);
            }
            self.by_url.entry(address.key()).or_default().push(capture);
        }
        place
    }

    /// The capture of a URL that is nearest in time to a date: one of exactly this URL, else one that differs only in what keeps it
    /// out of caches. A `revisit` leads to the capture that it repeats.
    pub(crate) fn nearest(&self, address: &Address, date: i64) -> Option<Capture> {
        let exact = address.exact_key();
        let mut near: Vec<&Capture> = self.by_url.get(&address.key())?.iter().collect();
        near.sort_by_key(|capture| (capture.exact != exact, capture.date.abs_diff(date)));
        near.into_iter().find_map(|capture| match &capture.repeats {
            None => Some(*capture),
            Some(repeats) => self.repeated(repeats),
        })
    }

    fn repeated(&self, repeats: &Repeats) -> Option<Capture> {
        let of_url = self.by_url.get(&repeats.key).into_iter().flatten();
        let of_url = of_url.filter(|capture| capture.repeats.is_none() && capture.exact == repeats.exact);
        let nearest = of_url.min_by_key(|capture| capture.date.abs_diff(repeats.date));
        let is_it = |capture: &&Capture| capture.date.abs_diff(repeats.date) < 1000;
        let by_payload = || self.by_payload.get(&repeats.payload);
        nearest.filter(is_it).or_else(by_payload).or(nearest).copied()
    }

    /// Hands a record to `take`.
    ///
    /// # Errors
    /// It cannot be read any more.
    pub(crate) fn with_record<T>(
        &self,
        place: Place,
        take: impl FnOnce(&Record<'_>) -> T,
    ) -> Result<Option<T>, Error> {
        let archive = &self.archives[place.file as usize];
        let splits = archive.format.is_some_and(|format| format.splittable);
        let start = if splits { place.offset } else { 0 };
        let stream = match splits {
            true => self
                .store
                .open_range(&archive.shard, start..start + READ_AHEAD, None)?,
            false => self.store.open(&archive.shard, 0, None)?,
        };
        let options = Options {
            range: start..place.offset + 1,
            format: archive.format,
            ..Options::default()
        };
        let source = ReadSource::new(stream.reader());
        let mut reader = Reader::new(source, &*archive.shard.location, options);
        loop {
            match reader.step()? {
                Step::Record(record) if (record.offset, record.inner) == (place.offset, place.inner) => {
                    return Ok(Some(take(&record)));
                }
                Step::Record(_) | Step::Reject(_) | Step::Pending => {}
                Step::End => return Ok(None),
            }
        }
    }

    /// The name of an archive as tables have it.
    pub(crate) fn name(&self, file: u32) -> &str {
        &self.archives[file as usize].shard.name
    }
}

/// Most records are shorter.
const READ_AHEAD: u64 = 1 << 20;

/// What a `revisit` repeats: what it names, else an earlier capture of its own URL.
fn repeats(record: &Record<'_>, own: &Address) -> Repeats {
    let target = record.field("WARC-Refers-To-Target-URI").and_then(Address::new);
    let target = target.as_ref().unwrap_or(own);
    let date = record
        .field("WARC-Refers-To-Date")
        .and_then(|date| chrono::DateTime::parse_from_rfc3339(date).ok())
        .map(|date| date.timestamp_millis());
    Repeats {
        key: target.key(),
        exact: target.exact_key(),
        date: date.or(record.date).unwrap_or_default(),
        payload: xxh3_64(record.payload_digest.as_bytes()),
    }
}

/// Finds the pages that are drawn.
struct Finding {
    found: Found,
    need: Need,
    scratch: http::Scratch,
    choice: Choice,
}

impl Finding {
    fn look(&mut self, record: &Record<'_>, place: Place) {
        let found = &mut self.found;
        if record.kind == RecordType::Revisit
            || self
                .choice
                .limit
                .is_some_and(|limit| found.pages.len() as u64 >= limit)
        {
            return;
        }
        let Ok(page) = WebPage::of(record, &mut self.scratch, &http::Limits::default()) else {
            return;
        };
        if page.is_text {
            return;
        }
        found.looked_at += 1;
        let is_needed = self.choice.all || self.need.of(page.body, page.content_type.as_deref());
        match (is_needed, Address::new(record.target_uri)) {
            (false, _) => found.not_needed += 1,
            (true, None) => found.no_address += 1,
            (true, Some(_)) => found.pages.push(place),
        }
    }
}
