//! The units of a build between their phases.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gleaner_corpus::{RejectRow, Unread};
use gleaner_site::{PageKind, PageNotes};
use gleaner_template::page_key;
use serde::{Deserialize, Serialize};

use crate::Epoch;
use crate::answer::{Answer, Answers};
use crate::error::Error;
use crate::extract::PageExtractor;
use crate::job::Job;
use crate::ledger::Assignment;
use crate::log::{HalfRead, Log, MinedGroup, ReadPart};
use crate::message::{End, Entry, Extracted, Place, Scored, Seam, Start};
use crate::mine::Group;
use crate::notes::{Note, NoteBuffer, NoteRun, Noted, Waits};
use crate::packing::{add_sum, check_sum, pack, unpack};
use crate::read::{Read, Step, UnitSteps};
use crate::staging::{Extent, Kept, Staging};
use crate::steps;

/// Bytes of pages, and of notes, that are written at a time.
const WRITE_BYTES: usize = 1 << 20;

/// A page or a reject, as it waits.
#[derive(Debug, Serialize, Deserialize)]
enum Waiting {
    Page(Box<Scored>),
    Reject(Box<RejectRow>),
}

/// A unit whose pages wait for their sites.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StagedUnit {
    pages: Vec<Extent>,
    notes: Vec<NoteRun>,
    end: End,
    /// What the mine phase has written for it.
    #[serde(skip)]
    answers: Mutex<Vec<Extent>>,
}

/// All units between the phases, of a process.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) staging: Staging,
    /// Buckets that sites are dealt into.
    pub(crate) buckets: usize,
    /// Units that are read, by attempt: which of them count is told by their seams.
    read: Mutex<BTreeMap<Attempt, StagedUnit>>,
    /// Those that count.
    units: Mutex<BTreeMap<(Epoch, u32), Arc<StagedUnit>>>,
    /// Of parts that earlier runs have read in part, how many these were.
    runs: BTreeMap<Epoch, u32>,
    /// Where answers are to pages that are to be read once more.
    answered: Mutex<BTreeMap<(Epoch, u32), Vec<Extent>>>,
    /// What is being mined, by number.
    mined: Mutex<BTreeMap<u32, Weak<Group>>>,
    /// Groups that an earlier run has mined.
    done: BTreeSet<u32>,
}

impl Stage {
    /// With what earlier runs have read, and found out about their sites.
    pub(crate) fn new(
        staging: Staging,
        buckets: usize,
        read: BTreeMap<Epoch, ReadPart<StagedUnit>>,
        half: BTreeMap<Epoch, HalfRead<StagedUnit>>,
        mined: &BTreeMap<u32, MinedGroup>,
    ) -> Stage {
        let stage = Stage {
            runs: half.iter().map(|(&epoch, part)| (epoch, part.runs)).collect(),
            staging,
            buckets,
            read: Mutex::default(),
            units: Mutex::default(),
            answered: Mutex::default(),
            mined: Mutex::default(),
            done: mined.keys().copied().collect(),
        };
        for (epoch, part) in read {
            stage.add_part(epoch, part);
        }
        for (epoch, part) in half {
            let units = part.units.into_iter();
            lock(&stage.units).extend(units.map(|(unit, staged)| ((epoch, unit), Arc::new(staged))));
        }
        for group in mined.values() {
            stage.add_answers(&group.answers);
        }
        stage
    }

    /// Whether the units of a part are here.
    pub(crate) fn has_part(&self, epoch: Epoch) -> bool {
        lock(&self.units).contains_key(&(epoch, 0))
    }

    /// Takes in a part that somebody else has read.
    pub(crate) fn add_part(&self, epoch: Epoch, part: ReadPart<StagedUnit>) {
        let units = (0..).zip(part.units.into_iter().map(Arc::new));
        lock(&self.units).extend(units.map(|(unit, staged)| ((epoch, unit), staged)));
    }

    /// Takes in where answers to units are that somebody else has found.
    pub(crate) fn add_answers(&self, answers: &[(Epoch, u32, Extent)]) {
        let units = lock(&self.units);
        for &(epoch, unit, answers) in answers {
            match units.get(&(epoch, unit)) {
                Some(staged) => staged.answer(answers),
                None => lock(&self.answered)
                    .entry((epoch, unit))
                    .or_default()
                    .push(answers),
            }
        }
    }

    /// The file that this run adds pages of a part to.
    pub(crate) fn pages_of(&self, epoch: Epoch) -> Kept {
        let runs = self.runs.get(&epoch).copied().unwrap_or_default();
        Kept::Pages(epoch as u32, runs)
    }

    /// A unit counts, for its seams are sound and nothing of it is missing; or it does not.
    pub(crate) fn accept(&self, place: Place, counts: bool) {
        let Place {
            epoch, unit, attempt, ..
        } = place;
        let mut read = lock(&self.read);
        let accepted = read.remove(&(epoch, unit, attempt));
        // Other attempts are not needed any more.
        read.retain(|key, _| (key.0, key.1) != (epoch, unit));
        if counts {
            let accepted = accepted.expect("a unit is staged before its end is told");
            let answers = lock(&self.answered).remove(&(epoch, unit)).unwrap_or_default();
            answers.into_iter().for_each(|answers| accepted.answer(answers));
            lock(&self.units).insert((epoch, unit), Arc::new(accepted));
        }
    }

    /// All units that count, in order.
    pub(crate) fn units(&self) -> Vec<((Epoch, u32), Arc<StagedUnit>)> {
        let units = lock(&self.units);
        units
            .iter()
            .map(|(&place, unit)| (place, Arc::clone(unit)))
            .collect()
    }

    /// Says that a part is read to its end, when its pages are safe, if they are to be. Waits for the disk or the
    /// store.
    pub(crate) fn commit(&self, log: &Log, epoch: Epoch, seams: Vec<Seam>) -> Result<(), Error> {
        if !self.staging.is_durable() {
            return Ok(());
        }
        self.staging.seal(self.pages_of(epoch))?;
        let units = self.units_of(epoch);
        let units = units.iter().map(|(_, unit)| unit.as_ref()).collect();
        log.read_part(epoch, &ReadPart { units, seams })
    }

    /// Says what of a part is read, where something of it is missing. It is made safe in any case: the next run is to
    /// read the rest only.
    pub(crate) fn commit_half(
        &self,
        log: &Log,
        epoch: Epoch,
        seams: Vec<Seam>,
        missing: Vec<Unread>,
    ) -> Result<(), Error> {
        let file = self.pages_of(epoch);
        self.staging.seal(file)?;
        let units = self.units_of(epoch);
        let units = units.iter().map(|(unit, staged)| (*unit, staged.as_ref()));
        let runs = self.runs.get(&epoch).copied().unwrap_or_default() + 1;
        let half = HalfRead {
            units: units.collect(),
            seams,
            missing,
            runs,
        };
        log.half_read(epoch, &half)
    }

    /// The units of a part that count already.
    pub(crate) fn units_read(&self, epoch: Epoch) -> BTreeSet<u32> {
        self.units_of(epoch).into_iter().map(|(unit, _)| unit).collect()
    }

    fn units_of(&self, epoch: Epoch) -> Vec<(u32, Arc<StagedUnit>)> {
        let units = lock(&self.units);
        let part = units.range((epoch, 0)..=(epoch, u32::MAX));
        part.map(|(&(_, unit), staged)| (unit, Arc::clone(staged)))
            .collect()
    }

    /// Removes the pages of a part that is written.
    pub(crate) fn remove(&self, epoch: Epoch) -> Result<(), Error> {
        let units = self.units_of(epoch);
        let files: BTreeSet<Kept> = units.iter().flat_map(|(_, unit)| unit.files()).collect();
        files.into_iter().try_for_each(|file| self.staging.remove(file))
    }

    /// Whether an earlier run has mined a group.
    pub(crate) fn is_mined(&self, group: u32) -> bool {
        self.done.contains(&group)
    }

    /// The group of some buckets, with so many blocks: the same for all workers that mine it at the same time.
    pub(crate) fn group(stage: &Arc<Stage>, number: u32, buckets: Range<usize>, blocks: u64) -> Arc<Group> {
        let mut mined = lock(&stage.mined);
        let known = mined.entry(number).or_default();
        known.upgrade().unwrap_or_else(|| {
            let group = Arc::new(Group::new(stage, number, buckets, blocks));
            *known = Arc::downgrade(&group);
            group
        })
    }

    /// Reads a page that waits.
    pub(crate) fn page(&self, place: Extent) -> Result<Scored, Error> {
        let mut bytes = Vec::new();
        match unpack(&mut &*self.staging.read(place, &mut bytes)?)? {
            Waiting::Page(page) => Ok(*page),
            Waiting::Reject(_) => Ok(Scored::default()),
        }
    }

    fn unit(&self, epoch: Epoch, unit: u32) -> Arc<StagedUnit> {
        let units = lock(&self.units);
        Arc::clone(units.get(&(epoch, unit)).expect("all units have been read"))
    }
}

impl StagedUnit {
    /// The pieces of staging files that it is made of.
    pub(crate) fn extents(&self) -> impl Iterator<Item = Extent> {
        let notes = self.notes.iter().map(NoteRun::extent);
        self.pages.iter().copied().chain(notes)
    }

    fn files(&self) -> impl Iterator<Item = Kept> {
        self.extents().map(|extent| extent.file())
    }

    /// Adds its blocks and pages to those of each bucket of sites.
    pub(crate) fn add_sizes(&self, sizes: &mut [u64]) {
        for run in &self.notes {
            sizes
                .iter_mut()
                .zip(&run.blocks)
                .for_each(|(sum, count)| *sum += count);
        }
    }

    /// Where a page of it waits; nothing is there if the note is damaged.
    pub(crate) fn place(&self, waits: Waits) -> Extent {
        let piece = self.pages.get(waits.piece as usize);
        piece.map_or_else(Extent::default, |piece| piece.part(waits.start..waits.end))
    }

    /// Reads the notes of some buckets.
    pub(crate) fn notes(
        &self,
        buckets: Range<usize>,
        staging: &Staging,
        mut each: impl FnMut(&Noted<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut bytes = Vec::new();
        self.notes
            .iter()
            .try_for_each(|run| run.read(buckets.clone(), staging, &mut bytes, &mut each))
    }

    /// Adds answers to some of its pages.
    pub(crate) fn answer(&self, answers: Extent) {
        lock(&self.answers).push(answers);
    }

    /// The answers that are in a file.
    pub(crate) fn answers_in(&self, file: Kept) -> Vec<Extent> {
        let answers = lock(&self.answers);
        answers
            .iter()
            .filter(|answers| answers.is_in(file))
            .copied()
            .collect()
    }
}

/// Extract phase of a worker: what it reads, to its staging file.
pub(crate) struct Stager {
    job: Arc<Job>,
    stage: Arc<Stage>,
    extractor: PageExtractor,
    /// Units that have begun and not ended. A worker reads one at a time, but what it has read of
    /// different parts may come here in another order.
    open: BTreeMap<Attempt, Open>,
}

/// Part, unit and attempt.
type Attempt = (Epoch, u32, u32);

/// A unit that is read.
#[derive(Debug)]
struct Open {
    /// Pages that are not written yet.
    bytes: Vec<u8>,
    notes: NoteBuffer,
    unit: StagedUnit,
}

impl Stager {
    pub(crate) fn new(job: &Arc<Job>, stage: &Arc<Stage>) -> Stager {
        Stager {
            job: Arc::clone(job),
            stage: Arc::clone(stage),
            extractor: PageExtractor::new(job.extract_config()),
            open: BTreeMap::new(),
        }
    }

    /// Takes the next entries of a unit. Gives what its part has to know: where units begin and end.
    ///
    /// All pages are parsed before the first is scored: each of the two has tables that fill the processor's
    /// caches, and page by page they would drive each other out.
    pub(crate) fn push(
        &mut self,
        entries: impl Iterator<Item = (Place, Read)>,
        mut tell: impl FnMut((Place, Entry)),
    ) {
        let parsed: Vec<(Place, Parsed)> = entries.map(|(place, read)| (place, self.parse(read))).collect();
        for (place, parsed) in parsed {
            match self.take(place, parsed) {
                Ok(told) => told.into_iter().for_each(&mut tell),
                Err(error) => return self.job.fail(error),
            }
        }
    }

    fn parse(&mut self, read: Read) -> Parsed {
        match read {
            Read::Entry(entry) => Parsed::Entry(entry),
            Read::Capture(capture) => match self.extractor.extract(*capture) {
                Ok(page) => Parsed::Page(Box::new(page)),
                Err(reject) => Parsed::Entry(Entry::Reject(reject)),
            },
        }
    }

    fn take(&mut self, place: Place, parsed: Parsed) -> Result<Option<(Place, Entry)>, Error> {
        let told = |entry: u32, told| Ok(Some((Place { entry, ..place }, told)));
        let attempt = (place.epoch, place.unit, place.attempt);
        let file = self.stage.pages_of(place.epoch);
        let buckets = self.stage.buckets;
        let begun = || Open::new(buckets);
        let (waiting, notes) = match parsed {
            Parsed::Entry(Entry::Start(start)) => return told(0, Entry::Start(start)),
            Parsed::Entry(Entry::End(end)) => {
                let mut open = self.open.remove(&attempt).unwrap_or_else(begun);
                self.job
                    .progress
                    .watch
                    .staged(open.write(true, &self.stage.staging, file)?);
                open.unit.end = End {
                    seam: None,
                    ..End::clone(&end)
                };
                lock(&self.stage.read).insert(attempt, open.unit);
                return told(1, Entry::End(end));
            }
            Parsed::Entry(Entry::Document(_)) => return Ok(None),
            Parsed::Entry(Entry::Reject(reject)) => (Waiting::Reject(reject), PageNotes::default()),
            Parsed::Page(page) => {
                let (scored, notes) = self.extractor.score(*page);
                (Waiting::Page(Box::new(scored)), notes)
            }
        };
        let open = self.open.entry(attempt).or_insert_with(begun);
        open.push(place.entry, &waiting, &notes);
        self.extractor.take_back(notes);
        self.job
            .progress
            .watch
            .staged(open.write(false, &self.stage.staging, file)?);
        Ok(None)
    }
}

/// What was read, a page as its blocks.
enum Parsed {
    Page(Box<Extracted>),
    Entry(Entry),
}

impl Open {
    fn new(buckets: usize) -> Open {
        Open {
            bytes: Vec::new(),
            notes: NoteBuffer::new(buckets),
            unit: StagedUnit::default(),
        }
    }

    fn push(&mut self, entry: u32, waiting: &Waiting, notes: &PageNotes) {
        if self.bytes.is_empty() {
            self.bytes.reserve(WRITE_BYTES + WRITE_BYTES / 4);
        }
        let start = self.bytes.len() as u64;
        pack(waiting, &mut self.bytes);
        let staged = Waits {
            piece: self.unit.pages.len() as u32,
            start,
            end: self.bytes.len() as u64,
        };
        match waiting {
            // Nothing is noted of a page whose site is not known.
            Waiting::Page(page) if !page.document.site.is_empty() => {
                self.notes.push(&note(entry, page, staged), notes);
            }
            _ => {}
        }
    }

    /// Writes what is enough to be written, or all there is. Gives how much that was, in bytes.
    fn write(&mut self, all: bool, staging: &Staging, file: Kept) -> Result<usize, Error> {
        let is_enough = |bytes: usize| bytes >= WRITE_BYTES || (all && bytes > 0);
        let mut written = 0;
        if is_enough(self.bytes.len()) {
            add_sum(&mut self.bytes);
            written += self.bytes.len();
            self.unit.pages.push(staging.append(file, &mut self.bytes)?);
        }
        if is_enough(self.notes.bytes()) {
            written += self.notes.bytes();
            self.unit.notes.push(self.notes.stage(staging, file)?);
        }
        Ok(written)
    }
}

fn note(entry: u32, page: &Scored, staged: Waits) -> Note<'_> {
    let document = &page.document;
    let kind = document.page_kind.as_deref().unwrap_or_default();
    Note {
        site: &document.site,
        url: page_key(&document.url),
        captured: document.crawl_date.map_or(i64::MIN, |date| date.0),
        entry,
        is_listing: PageKind::of(kind) == PageKind::Listing,
        staged,
    }
}

/// A page that is ready for its labels, or what is done already.
pub(crate) enum Ready {
    Page(Box<Scored>, Option<Answer>),
    Entry(Entry),
}

/// Reads a staged unit, with what its pages' sites say of them.
pub(crate) struct StagedReader {
    job: Arc<Job>,
    stage: Arc<Stage>,
    assignment: Assignment,
    unit: Arc<StagedUnit>,
    answers: Answers,
    /// Pieces that were read.
    read: usize,
    entry: u32,
    bytes: Vec<u8>,
}

impl StagedReader {
    pub(crate) fn new(job: &Arc<Job>, stage: &Arc<Stage>, assignment: Assignment) -> StagedReader {
        StagedReader {
            job: Arc::clone(job),
            stage: Arc::clone(stage),
            assignment,
            unit: stage.unit(assignment.epoch, assignment.unit),
            answers: Answers::default(),
            read: 0,
            entry: 0,
            bytes: Vec::new(),
        }
    }

    fn advance(&mut self, give: &mut dyn FnMut(Place, Ready)) -> Result<Step, Error> {
        if self.entry == 0 {
            let answers = lock(&self.unit.answers).clone();
            self.answers = Answers::find(&answers, &self.stage.staging)?;
            let notes = self.unit.notes.iter().map(NoteRun::extent);
            self.stage.staging.forget(notes);
            self.give(Ready::Entry(Entry::Start(Start { seam: None })), give);
        }
        self.count();
        let Some(&piece) = self.unit.pages.get(self.read) else {
            let end = self.unit.end.clone();
            self.give(Ready::Entry(Entry::End(Box::new(end))), give);
            return Ok(Step::End);
        };
        self.read += 1;
        let mut room = std::mem::take(&mut self.bytes);
        let bytes = self.stage.staging.read(piece, &mut room)?;
        self.stage.staging.forget([piece]);
        let mut rest = check_sum(&bytes)?;
        while !rest.is_empty() {
            let ready = match unpack(&mut rest)? {
                Waiting::Page(page) => Ready::Page(page, self.answers.take(self.entry, &self.stage.staging)?),
                Waiting::Reject(reject) => Ready::Entry(Entry::Reject(reject)),
            };
            self.give(ready, give);
        }
        drop(bytes);
        self.bytes = room;
        Ok(Step::More)
    }

    /// Counts a piece that is read, and the end of the unit as one more.
    fn count(&self) {
        let Assignment { epoch, unit, .. } = self.assignment;
        let pieces = self.unit.pages.len() as u64 + 1;
        if let Some(steps) = self.job.progress.watch.steps(steps::LABEL) {
            steps.add_piece(self.job.unit_steps(epoch, unit), self.read as u64, pieces);
        }
    }

    fn give(&mut self, ready: Ready, give: &mut dyn FnMut(Place, Ready)) {
        let Assignment { epoch, unit, .. } = self.assignment;
        let place = Place {
            epoch,
            unit,
            attempt: 0,
            entry: self.entry,
        };
        give(place, ready);
        self.entry += 1;
    }
}

impl UnitSteps for StagedReader {
    type Item = Ready;

    fn epoch(&self) -> Epoch {
        self.assignment.epoch
    }

    fn unit(&self) -> u32 {
        self.assignment.unit
    }

    fn step(&mut self, give: &mut dyn FnMut(Place, Ready)) -> Step {
        self.advance(give).unwrap_or_else(|error| {
            self.job.fail(error);
            Step::End
        })
    }
}

/// A page's blocks, a line each: what expressions are mined from and applied to.
pub(crate) fn lines(page: &Scored) -> String {
    let texts = page.blocks.layout.texts();
    let bytes = texts.map(|text| text.len() + 1).sum();
    let mut lines = String::with_capacity(bytes);
    for text in page.blocks.layout.texts() {
        lines.push_str(text);
        lines.push('\n');
    }
    lines
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
