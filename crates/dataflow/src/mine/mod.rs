//! Mine phase: what the pages of a site say of each other.
//!
//! In: the notes of all pages, in staging by bucket of sites. Out: an [`Answer`] a page, in staging
//! beside it. Buckets are taken in groups, and each group is six small dataflows, one after the
//! other:
//!
//! - [`identify`]: of several captures of a URL the newest counts, and of a site's URLs those in its sample.
//! - [`count`]: how many pages of the site have each text, of those that more than one may have. Keyed by site
//!   and text, so that a large site is no worker's own.
//! - [`pool`]: what the pages of a site have in each place of theirs: scores, words, repetition.
//! - [`templates`]: the sample of each site in one place; then expressions that match what it repeats.
//! - [`answer`]: back to the pages. Nothing is exchanged: what was counted is shared by a process.
//!
//! Hashes and sums go out, counts come back; a page's text stays where it is. The memory is that of
//! one group, and a group that an earlier run has mined is passed over. A site of fewer than [`LEAST_PAGES`] pages is not counted and gets no answers.

mod answer;
mod count;
mod group;
mod identify;
mod pool;
mod seen;
mod templates;

use std::sync::Arc;

use timely::worker::Worker;

use crate::job::Job;
use crate::phases::phase as phase_of;
use crate::staged::Stage;
use crate::steps;

pub(crate) use group::Group;
use group::{ranges, steps_of};

/// A site of fewer pages has nothing to say.
pub(crate) const LEAST_PAGES: u32 = 3;

/// Blocks of the notes that are counted at a time.
pub(crate) const GROUP_BLOCKS: u64 = 1 << 16;

/// How many groups there are.
pub(crate) fn count(stage: &Stage) -> u32 {
    ranges(stage, GROUP_BLOCKS).len() as u32
}

/// Mines all groups of this process, one after the other.
pub(crate) fn phase(worker: &mut Worker, job: &Arc<Job>, stage: &Arc<Stage>) {
    let groups = ranges(stage, GROUP_BLOCKS);
    let size = |(number, (_, blocks)): (u32, &(_, u64))| (!stage.is_mined(number)).then_some(*blocks);
    let own = job.share.of(&(0..).zip(&groups).map(size).collect::<Vec<_>>());
    let sizes = groups.iter().zip(&own).filter(|(_, is_own)| **is_own);
    if let Some(steps) = job.progress.watch.steps(steps::MINE) {
        steps.expect(sizes.map(|((_, blocks), _)| steps_of(*blocks)).sum());
    }
    for (number, (buckets, blocks)) in (0..).zip(groups) {
        if !own[number as usize] {
            continue;
        }
        let group = Stage::group(stage, number, buckets, blocks);
        phase_of(worker, |scope, done| identify::identify(scope, job, &group, done));
        phase_of(worker, |scope, done| count::count(scope, job, &group, done));
        phase_of(worker, |scope, done| pool::pool(scope, job, &group, done));
        phase_of(worker, |scope, done| templates::sample(scope, job, &group, done));
        phase_of(worker, |scope, done| {
            templates::templates(scope, job, &group, done)
        });
        phase_of(worker, |scope, done| answer::answer(scope, job, &group, done));
        if let Err(error) = group.commit(job) {
            job.fail(error);
        }
    }
}
