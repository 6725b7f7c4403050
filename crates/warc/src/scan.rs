//! Finding the next record in the file as stored, from any place in it.

use std::{io, sync::Arc};

use memchr::memmem::Finder;

use crate::{
    Container, Source,
    arc::{find_arc, follows_arc},
    codec::{self, Codec, MAGIC_BYTES},
    format::{Filled, fill, strip_filling},
    header::{Begins, begins_warc, find_warc},
    raw::{Got, Raw},
};

/// Which headers are taken for the beginning of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    /// Not known yet: either.
    Any,
    Warc,
    Arc,
}

impl Archive {
    /// Whether a record begins at the start of `bytes`, where one has to.
    pub(crate) fn begins(self, bytes: &[u8]) -> Begins {
        match begins_warc(bytes) {
            Begins::No if self != Self::Warc => follows_arc(bytes),
            answer => answer,
        }
    }

    /// The first place at which a record begins in `bytes` (of ARC, a line after the first); or from where to look again when there is more.
    pub(crate) fn find(self, bytes: &[u8]) -> Result<usize, usize> {
        if self == Self::Warc {
            return find_warc(bytes);
        }
        match (find_warc(bytes), find_arc(bytes)) {
            (Ok(warc), Ok(arc)) => Ok(warc.min(arc)),
            (Ok(found), Err(again)) | (Err(again), Ok(found)) if found <= again => Ok(found),
            (Ok(again) | Err(again), Err(other)) | (Err(again), Ok(other)) => Err(again.min(other)),
        }
    }
}

/// What came of a search; `Found` has the cursor on the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scanned {
    Found(Container),
    Pending,
    End,
}

/// Output of the trial decompression at a place that may be the beginning of a member.
const TRIAL_BYTES: usize = 4 << 10;
/// Input after which a member that has given nothing is given up.
const TRIAL_INPUT: usize = 256 << 10;

/// A search under way.
pub(crate) struct Scan {
    kinds: Vec<(Container, Finder<'static>)>,
    archive: Archive,
    dictionary: Option<Arc<[u8]>>,
    /// Whether lines of uncompressed ARC are looked for too.
    arc_lines: bool,
}

impl Scan {
    /// A search for records stored in one of `kinds`.
    pub(crate) fn new(kinds: &[Container], archive: Archive, dictionary: Option<Arc<[u8]>>) -> Self {
        let finder = |&kind: &Container| (kind, Finder::new(codec::magic(kind)));
        let arc_lines = archive != Archive::Warc && kinds.contains(&Container::Plain);
        Self {
            kinds: kinds.iter().map(finder).collect(),
            archive,
            dictionary,
            arc_lines,
        }
    }

    /// Continues from the cursor of `raw`.
    pub(crate) fn run<S: Source>(&self, raw: &mut Raw<S>) -> io::Result<Scanned> {
        loop {
            match self.look(raw.rest(), raw.ended()) {
                Ok((at, kind)) => {
                    raw.advance(at);
                    return Ok(Scanned::Found(kind));
                }
                Err(again) => {
                    raw.advance(again);
                    raw.forget();
                }
            }
            match raw.more()? {
                Got::Bytes => {}
                Got::Pending => return Ok(Scanned::Pending),
                Got::End => {
                    let last = self.look(raw.rest(), true);
                    raw.advance(last.map_or(raw.rest().len(), |(at, _)| at));
                    return Ok(last.map_or(Scanned::End, |(_, kind)| Scanned::Found(kind)));
                }
            }
        }
    }

    /// The first record in `bytes`, or from where to look again when there is more.
    pub(crate) fn look(&self, bytes: &[u8], ended: bool) -> Result<(usize, Container), usize> {
        let mut best = Err(bytes.len().saturating_sub(MAGIC_BYTES));
        for (kind, finder) in &self.kinds {
            let until = *best.as_ref().map_or_else(|again| again, |(at, _)| at);
            match self.look_for(*kind, finder, bytes, until, ended) {
                Some((at, Begins::Yes)) => best = Ok((at, *kind)),
                Some((at, _)) => best = Err(at),
                None => {}
            }
        }
        if self.arc_lines {
            let until = best.as_ref().map_or_else(|&again| again, |&(at, _)| at);
            match find_arc(bytes) {
                Ok(at) if at <= until => best = Ok((at, Container::Plain)),
                Err(at) if at < until && !ended => best = Err(at),
                _ => {}
            }
        }
        best
    }

    /// The first place up to `until` at which something of this kind begins or may begin.
    fn look_for(
        &self,
        kind: Container,
        finder: &Finder<'_>,
        bytes: &[u8],
        until: usize,
        ended: bool,
    ) -> Option<(usize, Begins)> {
        let mut from = 0;
        while let Some(found) = finder.find(&bytes[from..]) {
            let at = from + found;
            if at > until {
                return None;
            }
            match self.begins(kind, &bytes[at..], ended) {
                Begins::No => from = at + 1,
                answer => return Some((at, answer)),
            }
        }
        None
    }

    /// Whether a record stored as `kind` begins at the start of `bytes`. The reader makes the same test
    /// at the end of its range, so that neighbours agree.
    pub(crate) fn begins(&self, kind: Container, bytes: &[u8], ended: bool) -> Begins {
        let answer = if kind == Container::Plain {
            begins_warc(bytes)
        } else {
            self.try_member(kind, bytes)
        };
        if ended && answer == Begins::Unsure {
            Begins::No
        } else {
            answer
        }
    }

    fn try_member(&self, kind: Container, bytes: &[u8]) -> Begins {
        if bytes.len() < MAGIC_BYTES {
            return Begins::Unsure;
        }
        if codec::container_of(bytes) != Some(kind) || (kind == Container::Gzip && !names_system(bytes)) {
            return Begins::No;
        }
        let Ok(mut codec) = Codec::new(kind, self.dictionary.as_ref()) else {
            return Begins::No;
        };
        let mut text = [0; TRIAL_BYTES];
        let input = &bytes[..bytes.len().min(TRIAL_INPUT)];
        let (written, filled) = fill(&mut codec, input, &mut text);
        let answer = match strip_filling(&text[..written]) {
            [] => Begins::Unsure,
            text => self.archive.begins(text),
        };
        let hungry = filled == Filled::Hungry && input.len() < TRIAL_INPUT;
        if answer == Begins::Unsure && !hungry {
            Begins::No
        } else {
            answer
        }
    }
}

/// Whether a gzip header, as far as it is there, names a system that exists, as every valid one does. Spares
/// most trials where the magic number is there by chance or by intent.
fn names_system(bytes: &[u8]) -> bool {
    bytes.get(9).is_none_or(|&system| system <= 13 || system == 255)
}
