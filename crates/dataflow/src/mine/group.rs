//! Some buckets of sites, and what is found out about them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gleaner_site::PathSums;
use gleaner_template::SiteTemplate;
use rustc_hash::{FxHashMap, FxHashSet};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::Scope;
use timely::dataflow::operators::generic::operator::source;

use super::pool::Place;
use super::seen::Seen;
use super::templates::{Appliers, Sample};
use crate::Epoch;
use crate::error::Error;
use crate::job::Job;
use crate::log::MinedGroup;
use crate::notes::{Noted, groups};
use crate::staged::{Stage, StagedUnit};
use crate::stages::Pipe;
use crate::staging::{Extent, Kept};
use crate::steps;
use crate::watch;

/// The steps that read all notes of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pass {
    Identify,
    Count,
    Pool,
    Sample,
    Answer,
}

impl Pass {
    /// What is done in it.
    fn words(self) -> &'static str {
        match self {
            Pass::Identify => "finding the newest captures",
            Pass::Count => "counting texts",
            Pass::Pool => "pooling scores",
            Pass::Sample => "mining expressions",
            Pass::Answer => "answering pages",
        }
    }
}

const PASSES: usize = 5;

/// Steps of progress of a group of so many blocks: as many for each pass, and for mining.
pub(super) fn steps_of(blocks: u64) -> u64 {
    weight(blocks) * (PASSES as u64 + 1)
}

fn weight(blocks: u64) -> u64 {
    blocks.max(1)
}

/// The pages of a site that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SiteSample {
    /// How many pages the site has.
    pub(crate) all: u32,
    /// How many of them count.
    pub(crate) pages: u32,
    /// The largest hash of their URLs.
    pub(crate) last: u64,
}

/// A capture, by the number of its unit and its place in that.
pub(crate) type Captured = (u32, u32);

/// Tables that workers write at the same time are kept in so many pieces.
const PIECES: usize = 64;

/// Some buckets of sites, shared by the workers of a process.
#[derive(Debug)]
pub(crate) struct Group {
    number: u32,
    buckets: Range<usize>,
    stage: Arc<Stage>,
    /// All units, each with its part and its place in that.
    units: Vec<((Epoch, u32), Arc<StagedUnit>)>,
    /// Steps of progress for each pass, and for mining.
    weight: u64,
    /// Those that are done.
    stepped: AtomicU64,
    /// Sites whose samples are there.
    sampled: AtomicUsize,
    /// Units that were taken, by pass.
    taken: [AtomicUsize; PASSES],
    /// Captures of a URL that has a newer one.
    older: RwLock<FxHashSet<Captured>>,
    /// The samples of sites, of those that have enough pages.
    sites: RwLock<FxHashMap<u64, SiteSample>>,
    /// Texts that two pages have, or may have.
    seen: Seen,
    /// Places that two pages have, or may have.
    seen_places: Seen,
    /// Pages that count by text of a site, of the texts that two pages have, or may have.
    texts: Vec<RwLock<FxHashMap<u128, u32>>>,
    /// By unit, pages by text of its pages that count, in their order: they are looked up once.
    counts: Mutex<FxHashMap<u32, Vec<u32>>>,
    /// What the pages of a site have in each place.
    places: Vec<RwLock<FxHashMap<Place, PathSums>>>,
    /// Pages of each site that is to be mined, by their number and the site.
    samples: Mutex<BTreeMap<(u64, String), Sample>>,
    /// What was mined of each site.
    templates: Mutex<Vec<SiteTemplate>>,
    /// The same, all of it, ready to be applied.
    appliers: Mutex<Option<Arc<Appliers>>>,
    /// The rows of its tables, in staging.
    rows: Mutex<Option<Extent>>,
    is_committed: Mutex<bool>,
}

/// The ranges of buckets that are taken at a time, each with the blocks of its notes.
pub(crate) fn ranges(stage: &Stage, most: u64) -> Vec<(Range<usize>, u64)> {
    let mut sizes = vec![0; stage.buckets];
    stage
        .units()
        .iter()
        .for_each(|(_, unit)| unit.add_sizes(&mut sizes));
    let ranges = groups(&sizes, most).into_iter();
    ranges
        .map(|range| (range.clone(), sizes[range].iter().sum()))
        .collect()
}

impl Group {
    pub(crate) fn new(stage: &Arc<Stage>, number: u32, buckets: Range<usize>, blocks: u64) -> Group {
        Group {
            number,
            buckets,
            weight: weight(blocks),
            stepped: AtomicU64::new(0),
            sampled: AtomicUsize::new(0),
            stage: Arc::clone(stage),
            units: stage.units(),
            taken: Default::default(),
            older: RwLock::default(),
            sites: RwLock::default(),
            seen: Seen::new(blocks),
            seen_places: Seen::new(blocks),
            texts: (0..PIECES).map(|_| RwLock::default()).collect(),
            counts: Mutex::default(),
            places: (0..PIECES).map(|_| RwLock::default()).collect(),
            samples: Mutex::default(),
            templates: Mutex::default(),
            appliers: Mutex::default(),
            rows: Mutex::default(),
            is_committed: Mutex::default(),
        }
    }

    /// The next unit that no worker has taken in this pass: its number, and the unit.
    pub(crate) fn take(&self, pass: Pass) -> Option<(u32, &StagedUnit)> {
        let number = self.taken[pass as usize].fetch_add(1, Relaxed);
        let unit = self.units.get(number);
        unit.map(|(_, unit)| (number as u32, unit.as_ref()))
    }

    /// The staging file of what is found out.
    pub(crate) fn file(&self) -> Kept {
        Kept::Group(self.number)
    }

    /// Says where the rows of its tables are.
    pub(crate) fn set_rows(&self, rows: Extent) {
        *lock(&self.rows) = Some(rows);
    }

    /// Says that all is found out, when it is safe, if it is to be: the first worker that comes to it does so, the
    /// others wait.
    pub(crate) fn commit(&self, job: &Job) -> Result<(), Error> {
        let mut is_committed = lock(&self.is_committed);
        if *is_committed || job.is_stopped() {
            return Ok(());
        }
        let rows = *lock(&self.rows);
        if self.stage.staging.is_durable() {
            self.log(job, rows)?;
        }
        job.mining.done(self.number, rows);
        *is_committed = true;
        let left = (self.weight * (PASSES as u64 + 1)).saturating_sub(self.stepped.load(Relaxed));
        if let Some(steps) = job.progress.watch.steps(steps::MINE) {
            steps.add(left);
        }
        job.progress.watch.group_mined(self.number);
        Ok(())
    }

    fn log(&self, job: &Job, rows: Option<Extent>) -> Result<(), Error> {
        self.stage.staging.seal(self.file())?;
        let answers = self.units.iter().flat_map(|((epoch, number), unit)| {
            let answers = unit.answers_in(self.file()).into_iter();
            answers.map(|answers| (*epoch, *number, answers))
        });
        let mined = MinedGroup {
            answers: answers.collect(),
            rows,
        };
        job.log.mined_group(self.number, &mined)
    }

    /// Reads what is noted of a unit's pages.
    pub(crate) fn notes(
        &self,
        unit: &StagedUnit,
        each: impl FnMut(&Noted<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        unit.notes(self.buckets.clone(), &self.stage.staging, each)
    }

    /// Reads those of them that count: of the newest captures of pages in the sample of their site.
    pub(crate) fn counted(
        &self,
        number: u32,
        unit: &StagedUnit,
        mut each: impl FnMut(&Noted<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let captures = self.captures();
        self.notes(unit, |noted| match captures.site(noted) {
            Some(site) if captures.counts(number, noted, site) => each(noted),
            _ => Ok(()),
        })
    }

    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// A capture does not count.
    pub(crate) fn set_older(&self, capture: Captured) {
        write(&self.older).insert(capture);
    }

    /// Says what the sample of a site is, where it has enough pages.
    pub(crate) fn set_sample(&self, site: u64, sample: SiteSample) {
        write(&self.sites).insert(site, sample);
    }

    /// Which captures count.
    pub(crate) fn captures(&self) -> Captures<'_> {
        Captures {
            older: read(&self.older),
            sites: read(&self.sites),
        }
    }

    /// Texts that pages have, in any order.
    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Places that pages have, in any order.
    pub(super) fn seen_places(&self) -> &Seen {
        &self.seen_places
    }

    /// Says how many pages have a text.
    pub(crate) fn set_text(&self, text: u128, pages: u32) {
        write(&self.texts[piece(text)]).insert(text, pages);
    }

    /// Lets the counts be looked up.
    pub(crate) fn texts(&self) -> Texts<'_> {
        Texts {
            seen: &self.seen,
            counts: self.texts.iter().map(read).collect(),
        }
    }

    /// Keeps what was looked up of the texts of a unit.
    pub(crate) fn set_counts(&self, unit: u32, counts: Vec<u32>) {
        lock(&self.counts).insert(unit, counts);
    }

    /// Gives it away.
    pub(crate) fn take_counts(&self, unit: u32) -> Vec<u32> {
        lock(&self.counts).remove(&unit).unwrap_or_default()
    }

    /// Adds samples of the pages of sites.
    pub(super) fn add_samples(&self, sites: BTreeMap<String, Sample>) {
        self.sampled.fetch_add(sites.len(), Relaxed);
        let sites = sites.into_iter();
        lock(&self.samples).extend(sites.map(|(site, sample)| ((sample.pages, site), sample)));
    }

    /// The largest of the sites that no worker has taken, with its sample and its number among all.
    pub(super) fn take_sample(&self) -> Option<(String, Sample, usize)> {
        let mut samples = lock(&self.samples);
        let ((_, site), sample) = samples.pop_last()?;
        let number = self.sampled.load(Relaxed) - samples.len() - 1;
        Some((site, sample, number))
    }

    /// One of the sites is mined, by its number.
    pub(super) fn mined_site(&self, job: &Job, number: usize) {
        self.step(job, number, self.sampled.load(Relaxed));
    }

    /// One of `count` equal pieces of a pass is done, by its number.
    fn step(&self, job: &Job, number: usize, count: usize) {
        if let Some(steps) = job.progress.watch.steps(steps::MINE) {
            let done = steps.add_piece(self.weight, number as u64, count as u64);
            self.stepped.fetch_add(done, Relaxed);
        }
    }

    /// Adds what was mined of a site.
    pub(crate) fn add_template(&self, template: SiteTemplate) {
        lock(&self.templates).push(template);
    }

    /// What was mined, when it is all there. The first to ask has it written to its tables.
    pub(crate) fn appliers(&self, job: &Job) -> Result<Arc<Appliers>, Error> {
        let mut appliers = lock(&self.appliers);
        if let Some(known) = appliers.as_ref() {
            return Ok(Arc::clone(known));
        }
        let templates = std::mem::take(&mut *lock(&self.templates));
        let made = Arc::new(Appliers::new(job, self, templates)?);
        *appliers = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Says what pages have in a place.
    pub(crate) fn set_place(&self, place: Place, sums: PathSums) {
        write(&self.places[place.1 as usize % PIECES]).insert(place, sums);
    }

    /// Lets places be looked up.
    pub(crate) fn places(&self) -> Places<'_> {
        Places(self.places.iter().map(read).collect())
    }
}

/// Which captures count, to be looked up.
pub(crate) struct Captures<'a> {
    older: RwLockReadGuard<'a, FxHashSet<Captured>>,
    sites: RwLockReadGuard<'a, FxHashMap<u64, SiteSample>>,
}

impl Captures<'_> {
    /// The sample of a page's site, where it has enough pages.
    pub(crate) fn site(&self, noted: &Noted<'_>) -> Option<SiteSample> {
        self.sites.get(&noted.site).copied()
    }

    /// Whether a capture of a site in a unit is in its sample.
    pub(crate) fn counts(&self, unit: u32, noted: &Noted<'_>, site: SiteSample) -> bool {
        noted.note.url <= site.last && !self.older.contains(&(unit, noted.note.entry))
    }
}

/// Counts of texts that are looked up.
pub(crate) struct Texts<'a> {
    seen: &'a Seen,
    counts: Vec<RwLockReadGuard<'a, FxHashMap<u128, u32>>>,
}

impl Texts<'_> {
    /// How many pages that count have a text of a page, which counts itself or does not.
    pub(crate) fn pages(&self, text: u128, counts: bool) -> u32 {
        match self.seen.again(text) {
            true => self.counts[piece(text)].get(&text).copied().unwrap_or_default(),
            false => u32::from(counts),
        }
    }
}

/// Sums of places that are looked up.
pub(crate) struct Places<'a>(Vec<RwLockReadGuard<'a, FxHashMap<Place, PathSums>>>);

impl Places<'_> {
    /// What the pages of a site that count have in a place.
    pub(crate) fn sums(&self, place: Place) -> PathSums {
        let piece = &self.0[place.1 as usize % PIECES];
        piece.get(&place).copied().unwrap_or_default()
    }
}

/// What a pass finds in the notes of each unit. Workers take units as they get free.
pub(crate) fn of_units<'scope, D: Send + 'static>(
    scope: Scope<'scope, Epoch>,
    job: &Arc<Job>,
    group: &Arc<Group>,
    pass: Pass,
    mut find: impl FnMut(&Group, u32, &StagedUnit, &mut Vec<D>) -> Result<(), Error> + 'static,
) -> Pipe<'scope, D> {
    let (job, group) = (Arc::clone(job), Arc::clone(group));
    job.progress.watch.enter(scope.index(), steps::MINE);
    watch::mines(group.number, pass.words());
    source::<_, CapacityContainerBuilder<Vec<D>>, _, _>(scope, "notes", |capability, info| {
        let activator = scope.activator_for(info.address);
        let mut held = Some(capability);
        let mut found = Vec::new();
        move |output| {
            let Some(capability) = &held else { return };
            let next = group.take(pass).filter(|_| !job.is_stopped());
            let Some((number, unit)) = next else {
                return held = None;
            };
            if let Err(error) = find(&group, number, unit, &mut found) {
                job.fail(error);
            }
            group.step(&job, number as usize, group.units.len());
            output.session(capability).give_iterator(found.drain(..));
            activator.activate();
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(shared: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    shared.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(shared: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    shared.write().unwrap_or_else(PoisonError::into_inner)
}

fn piece(text: u128) -> usize {
    (text >> 64) as usize % PIECES
}
