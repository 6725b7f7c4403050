//! Which captures count: a sample of each site.

use std::sync::Arc;

use differential_dataflow::AsCollection;
use timely::dataflow::Scope;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Inspect, Probe};

use super::LEAST_PAGES;
use super::group::{Captured, Group, Pass, SiteSample, of_units};
use crate::Epoch;
use crate::job::Job;

/// Of the captures of a page the newest counts, of several as new the last of the crawl. Of the pages of a site those in
/// its sample count, which have the smallest hashes of their URLs. On the way, it is seen which texts and places come again.
pub(crate) fn identify(scope: Scope<'_, Epoch>, job: &Arc<Job>, group: &Arc<Group>, done: &Handle<Epoch>) {
    let captures = of_units(scope, job, group, Pass::Identify, |group, number, unit, found| {
        group.notes(unit, |noted| {
            let note = &noted.note;
            let capture = (note.captured, (number, note.entry));
            found.push((((noted.site, note.url), capture), 0, 1));
            noted.texts().for_each(|text| group.seen().add(text));
            noted.places().for_each(|place| group.seen_places().add(place));
            Ok(())
        })
    });
    let newest = captures
        .as_collection()
        .reduce(|_, captures: &[(&(i64, Captured), isize)], told| {
            let last = captures.len() - 1;
            for (place, (capture, _)) in captures.iter().enumerate() {
                told.push(((capture.1, place == last), 1isize));
            }
        });
    let (older, sampled, most) = (Arc::clone(group), Arc::clone(group), job.mining.sample());
    let pages = newest
        .inspect(move |((_, (capture, is_newest)), _, _)| {
            if !is_newest {
                older.set_older(*capture);
            }
        })
        .flat_map(|(page, (_, is_newest))| is_newest.then_some(page));
    pages
        .reduce(move |_, urls: &[(&u64, isize)], told| {
            let pages = urls.len().min(most);
            told.push(((urls.len() as u32, pages as u32, *urls[pages - 1].0), 1isize));
        })
        .inner
        .inspect(move |((site, (pages, sample, last)), _, difference)| {
            if *difference > 0 && *pages >= LEAST_PAGES {
                let (all, pages, last) = (*pages, *sample, *last);
                sampled.set_sample(*site, SiteSample { all, pages, last });
            }
        })
        .probe_with(done);
}
