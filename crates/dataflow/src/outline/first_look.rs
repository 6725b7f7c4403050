//! A look at the inputs that the user named, before anything is written.

use gleaner_store::{Shard, Store};
use gleaner_warc::{Error, Format, PROBE_BYTES, probe};

/// The formats of inputs by their first bytes.
#[derive(Debug, Default)]
pub struct FirstLook {
    /// By input: its format, where it was looked at and could be read.
    pub formats: Vec<Option<Format>>,
    /// Inputs that are neither archives nor pages.
    pub foreign: Vec<Error>,
}

/// As many heads are in memory.
const AT_A_TIME: usize = 256;

impl FirstLook {
    /// Looks at those of `shards` that the user named. One that cannot be read at the moment is left to the build,
    /// and so is a pipe, which can be read once. Waits for the network.
    pub fn at(store: &Store, shards: &[Shard]) -> FirstLook {
        let mut look = FirstLook {
            formats: vec![None; shards.len()],
            foreign: Vec::new(),
        };
        let indices: Vec<usize> = (0..shards.len())
            .filter(|&at| shards[at].named && !is_pipe(&shards[at]))
            .collect();
        for some in indices.chunks(AT_A_TIME) {
            let named = some.iter().map(|&at| shards[at].clone()).collect();
            let heads = store.heads(named, PROBE_BYTES as u64);
            for (&at, head) in some.iter().zip(heads) {
                match head.ok().map(|head| probe(&head, &shards[at].location)) {
                    Some(Ok(format)) => look.formats[at] = Some(format),
                    Some(Err(error)) => look.foreign.push(error),
                    None => {}
                }
            }
        }
        look
    }
}

fn is_pipe(shard: &Shard) -> bool {
    shard.place.is_local() && shard.size.is_none()
}
