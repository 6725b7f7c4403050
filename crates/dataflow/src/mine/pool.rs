//! What the pages of a site have in each place of theirs.

use std::sync::Arc;

use differential_dataflow::AsCollection;
use differential_dataflow::difference::{IsZero, Semigroup};
use differential_dataflow::operators::CountTotal;
use gleaner_site::{PageNotes, PathSums};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Inspect, Probe};

use super::group::{Group, Pass, of_units};
use crate::Epoch;
use crate::job::Job;

/// Sums of a place: the difference type of the collection of places. They are integers, and add up
/// exactly in whatever order pages come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Sums(PathSums);

impl IsZero for Sums {
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl Semigroup for Sums {
    fn plus_equals(&mut self, other: &Self) {
        self.0 += other.0;
    }
}

/// A site, and a place of its pages.
pub(crate) type Place = (u64, u64);

/// Sums what pages have in each place of their site, by the counts of their texts.
pub(crate) fn pool(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let mut of_unit: FxHashMap<Place, PathSums> = FxHashMap::default();
    let mut page = PageNotes::default();
    let places = of_units(
        scope,
        job,
        group,
        Pass::Pool,
        move |group, number, unit, found| {
            let texts = group.texts();
            let mut counts = Vec::new();
            group.counted(number, unit, |noted| {
                noted.read(&mut page)?;
                let begun = counts.len();
                counts.extend(noted.texts().map(|text| texts.pages(text, true)));
                let places = page.places.iter().zip(noted.places());
                let sums = places.zip(page.sums_with(&counts[begun..]));
                // What no other page has is no evidence.
                for ((&place, _), sums) in sums.filter(|((_, key), _)| group.seen_places().again(*key)) {
                    *of_unit.entry((noted.site, place)).or_default() += sums;
                }
                Ok(())
            })?;
            group.set_counts(number, counts);
            found.extend(of_unit.drain().map(|(place, sums)| (place, 0, Sums(sums))));
            Ok(())
        },
    );
    let pooled = Arc::clone(group);
    places
        .as_collection()
        .count_total()
        .inner
        .inspect(move |((place, sums), _, difference)| {
            if *difference > 0 {
                pooled.set_place(*place, sums.0);
            }
        })
        .probe_with(done);
}
