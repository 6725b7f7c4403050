//! From the inputs of a build to its plan: which of them are read, how far, and how they are cut.

pub(crate) mod first_captures;
pub(crate) mod first_look;
pub(crate) mod of_change;
pub mod scale;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_corpus::Unread;
use gleaner_store::{Kind, Place, Shard, Store};
use gleaner_warc::Format;

use crate::error::Error;
use crate::plan::{Plan, PlanSizes, ShardSize, formats};
use first_captures::{Cut, Cutting, Inputs};

/// What of the inputs is read, and how it is cut.
pub(crate) struct Planned {
    pub(crate) shards: Vec<Shard>,
    pub(crate) formats: Vec<Option<Format>>,
    pub(crate) plan: Plan,
    /// Bytes that are read, as far as sizes are known.
    pub(crate) bytes: u64,
    /// Inputs that are left out, because the number of their captures is unknown.
    pub(crate) left_out: Vec<Unread>,
}

/// Plans a build. With a limit the beginning of the inputs is read for it.
pub(crate) fn plan(mut inputs: Inputs<'_>, stop: &AtomicBool) -> Result<Planned, Error> {
    inputs.formats.resize(inputs.shards.len(), None);
    let mut left_out = Vec::new();
    let cut = match inputs.cutting.limit {
        Some(limit) => first_captures::cut(&mut inputs, limit, &mut left_out, stop)?,
        None => None,
    };
    // What was cut then is not what the limit says.
    if inputs.cutting.limit.is_some() && stop.load(Relaxed) {
        return Err(Error::Interrupted);
    }
    let (store, shards, sizes) = (inputs.store, inputs.shards, inputs.cutting.sizes);
    let mut formats = inputs.formats;
    let mut shard_sizes = Vec::with_capacity(shards.len());
    for (shard, format) in shards.iter().zip(&mut formats) {
        let may_be_split = may_be_split(shard, &sizes);
        if may_be_split && format.is_none() {
            *format = formats::look(store, shard);
        }
        let is_splittable = may_be_split && format.is_some_and(|format| format.splittable);
        shard_sizes.push(ShardSize {
            bytes: shard.size,
            // The plan must not depend on what could be looked at.
            splittable: may_have_ranges(shard) || is_splittable,
            remote: !shard.place.is_local(),
            captures: None,
        });
    }
    if let (Some(Cut { captures, bytes }), Some(last)) = (cut, shard_sizes.last_mut()) {
        last.bytes = Some(bytes);
        last.splittable = false;
        last.captures = Some(captures);
    }
    Ok(Planned {
        plan: Plan::new(&shard_sizes, sizes),
        bytes: shard_sizes.iter().filter_map(|shard| shard.bytes).sum(),
        shards,
        formats,
        left_out,
    })
}

/// Archives in buckets, which all give ranges; a web server may not. Whether it is one that can be split is found
/// out when a range is read: it is not worth a request for each before anything is done.
fn may_have_ranges(shard: &Shard) -> bool {
    shard.kind == Kind::Archive && shard.is_seekable() && matches!(shard.place, Place::Object { .. })
}

/// Large local archives are split, if they can be.
fn may_be_split(shard: &Shard, sizes: &PlanSizes) -> bool {
    shard.kind == Kind::Archive
        && shard.is_seekable()
        && shard.place.is_local()
        && shard.size.is_some_and(|size| size > sizes.unit)
}

/// How a build would cut its inputs. Nothing is written for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Inputs that are read.
    pub shards: u64,
    /// Bytes of them that are read, as stored, of those whose size is known.
    pub bytes: u64,
    /// Inputs whose size is not known.
    pub unknown_sizes: u64,
    /// Parts of the input.
    pub parts: u64,
    /// Pieces that workers take.
    pub units: u64,
    /// Groups of parts whose runs become one before they are labelled; 0 where the parts are few.
    pub groups: u64,
}

impl Outline {
    /// Plans a build of these shards. With a limit the beginning of the inputs is read for it.
    ///
    /// # Errors
    /// An input cannot be read, so the end of the captures within the limit is unknown; or the build was interrupted.
    pub fn of(
        store: &Store,
        shards: Vec<Shard>,
        formats: Vec<Option<Format>>,
        cutting: Cutting,
        stop: &AtomicBool,
    ) -> Result<Outline, Error> {
        let inputs = Inputs {
            store,
            shards,
            formats,
            cutting,
        };
        let planned = plan(inputs, stop)?;
        let is_unknown = |shard: &&Shard| shard.size.is_none();
        let unknown_sizes = planned.shards.iter().filter(is_unknown).count() as u64;
        Ok(Outline {
            shards: planned.shards.len() as u64,
            bytes: planned.bytes,
            unknown_sizes,
            parts: planned.plan.parts.len() as u64,
            units: planned.plan.units() as u64,
            groups: planned.plan.groups(),
        })
    }
}
