//! Which captures count, and how many pages each site has.

use std::sync::Arc;

use differential_dataflow::AsCollection;
use differential_dataflow::operators::CountTotal;
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Inspect, Probe};

use super::LEAST_PAGES;
use super::group::{Captured, Group, Pass, of_units};
use crate::Epoch;
use crate::job::Job;
use crate::notes::of_site;

/// Of the captures of a page the newest counts, of several as new the last of the crawl. Sites are
/// counted by their pages. On the way, it is seen which texts and places come again.
pub(crate) fn identify(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let captures = of_units(scope, job, group, Pass::Identify, |group, number, unit, found| {
        group.notes(unit, |noted| {
            let note = &noted.note;
            let page = of_site(noted.site, u128::from(note.url));
            let capture = (note.captured, (number, note.entry), noted.site);
            found.push(((page, capture), 0, 1));
            noted.texts().for_each(|text| group.seen().add(text));
            noted.places().for_each(|place| group.seen_places().add(place));
            Ok(())
        })
    });
    let newest = captures
        .as_collection()
        .reduce(|_, captures: &[(&(i64, Captured, u64), isize)], told| {
            let last = captures.len() - 1;
            for (place, (capture, _)) in captures.iter().enumerate() {
                told.push(((capture.1, capture.2, place == last), 1isize));
            }
        });
    let (older, pages) = (Arc::clone(group), Arc::clone(group));
    let sites = newest
        .inspect(move |((_, (capture, _, is_newest)), _, _)| {
            if !is_newest {
                older.set_older(*capture);
            }
        })
        .flat_map(|(_, (_, site, is_newest))| is_newest.then_some(site));
    sites
        .count_total()
        .inner
        .inspect(move |((site, count), _, difference)| {
            if *difference > 0 && *count >= LEAST_PAGES as isize {
                pages.set_pages(*site, *count as u32);
            }
        })
        .probe_with(done);
}
