//! Groups of parts: in a large crawl the runs of a group become one.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::epoch::Epoch;
use crate::plan::Plan;
use crate::state::parts::Parts;
use crate::state::share::Share;

/// The parts whose runs become one.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Range<Epoch>>,
    /// Groups that workers have taken.
    taken: AtomicUsize,
    /// What each is for this process, as it was before the first was sorted.
    own: OnceLock<Vec<Option<u64>>>,
}

impl Groups {
    pub(crate) fn of(plan: &Plan) -> Groups {
        Groups {
            groups: plan.groups(),
            taken: AtomicUsize::new(0),
            own: OnceLock::new(),
        }
    }

    /// All groups, each with its number.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, Range<Epoch>)> {
        (0..).zip(self.groups.iter().cloned())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The next group that no worker has taken, with its number.
    pub(crate) fn take(&self) -> Option<(usize, &Range<Epoch>)> {
        let number = self.taken.fetch_add(1, Relaxed);
        Some((number, self.groups.get(number)?))
    }

    /// Of each group, how many bytes there are to sort for this process; none where it was sorted before, or is another's. Workers
    /// ask at different times: the answer to the first holds for all.
    pub(crate) fn own(&self, plan: &Plan, read: &Parts, share: &Share) -> &[Option<u64>] {
        self.own.get_or_init(|| {
            let bytes = |parts: Range<Epoch>| parts.map(|part| plan.bytes(part)).sum::<u64>();
            let sizes = self.all().map(|(group, parts)| {
                let is_open = !read.is_sorted(group);
                is_open.then(|| bytes(parts))
            });
            let sizes: Vec<Option<u64>> = sizes.collect();
            let own = share.of(&sizes).into_iter().zip(sizes);
            own.map(|(is_own, size)| size.filter(|_| is_own)).collect()
        })
    }
}
