//! How many pages of a site have each text.

use std::sync::Arc;

use differential_dataflow::AsCollection;
use differential_dataflow::operators::CountTotal;
use rustc_hash::FxHashMap;
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Inspect, Probe};

use super::group::{Group, Pass, of_units};
use crate::Epoch;
use crate::job::Job;

/// Counts texts over the pages of their sites that count.
pub(crate) fn count(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let mut of_unit: FxHashMap<u128, isize> = FxHashMap::default();
    let texts = of_units(
        scope,
        job,
        group,
        Pass::Count,
        move |group, number, unit, found| {
            group.counted(number, unit, |noted| {
                for text in noted.texts().filter(|&text| group.seen().again(text)) {
                    *of_unit.entry(text).or_default() += 1;
                }
                Ok(())
            })?;
            found.extend(of_unit.drain().map(|(text, pages)| (text, 0, pages)));
            Ok(())
        },
    );
    let counted = Arc::clone(group);
    texts
        .as_collection()
        .count_total()
        .inner
        .inspect(move |((text, pages), _, difference)| {
            if *difference > 0 {
                counted.set_text(*text, *pages as u32);
            }
        })
        .probe_with(done);
}
