//! The beginning of a crawl: a new one, or where its journal ends.

use rustc_hash::FxHashMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;
use crate::archive::Names;
use crate::frontier::Frontier;
use crate::journal::{Done, End, Found, Journal, Line, Seed};
use crate::rules::AllRules;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::summary::{LostSeed, Outcome, Summary};

/// Where a crawl begins.
pub(crate) struct Beginning {
    pub(crate) journal: Journal,
    pub(crate) frontier: Frontier,
    pub(crate) rules: AllRules,
    pub(crate) scope: Scope,
    pub(crate) summary: Summary,
    /// The number of the file that grows, and its length.
    pub(crate) number: u32,
    pub(crate) length: u64,
    /// It is over, and only the last file has no name yet.
    pub(crate) end: Option<End>,
}

/// Begins a crawl, or continues the one of that name.
pub(crate) fn begin(names: &Names, settings: &Settings) -> Result<Beginning, Error> {
    let path = names.journal();
    let mut replay = Replay::new(settings);
    let resumed = match path.exists() {
        true => Journal::resume(&path, |at, line| replay.take(names, at, line))?,
        false => {
            names.refuse_existing()?;
            None
        }
    };
    let journal = match resumed {
        Some(journal) => journal,
        None => {
            if path.exists() {
                // It was killed before its first line.
                std::fs::remove_file(&path).map_err(Error::write(&path))?;
            }
            let salt = xxh3_64(gleaner_warc::new_record_id().as_bytes());
            replay.frontier = Frontier::new(salt, settings.pace.connections_per_host);
            Journal::create(&path, settings.identity(), salt)?
        }
    };
    replay.beginning(journal)
}

/// What the lines of a journal say.
struct Replay<'a> {
    settings: &'a Settings,
    frontier: Frontier,
    rules: AllRules,
    scope: Scope,
    summary: Summary,
    number: u32,
    length: u64,
    end: Option<End>,
    /// URLs that were dealt with, and whether they were asked for.
    done: FxHashMap<u64, bool>,
    seeds: FxHashMap<u64, String>,
}

impl Replay<'_> {
    fn new(settings: &Settings) -> Replay<'_> {
        let mut scope = Scope::new(settings.reach, &settings.include, &settings.exclude);
        settings.seeds.iter().for_each(|seed| scope.add(seed));
        Replay {
            settings,
            frontier: Frontier::new(0, settings.pace.connections_per_host),
            rules: AllRules::default(),
            scope,
            summary: Summary::default(),
            number: 1,
            length: 0,
            end: None,
            done: FxHashMap::default(),
            seeds: FxHashMap::default(),
        }
    }

    fn take(&mut self, names: &Names, at: u64, line: Line) -> Result<(), Error> {
        match line {
            Line::Begin(begin) if begin.identity != self.settings.identity() => {
                return Err(Error::OtherCrawl(names.journal()));
            }
            Line::Begin(begin) => {
                self.frontier = Frontier::new(begin.salt, self.settings.pace.connections_per_host);
            }
            Line::Url(found) => self.take_url(at, found),
            Line::Done(done) => self.take_done(at, done),
            Line::Cut(number) => {
                // It may have been killed before the file had its name.
                if !names.whole(number).exists() {
                    names.finish(number, false)?;
                }
                self.number = number + 1;
                self.length = 0;
            }
            Line::End(end) => self.end = Some(end),
        }
        Ok(())
    }

    fn take_url(&mut self, at: u64, found: Found) {
        let Ok(url) = Url::parse(&found.url) else {
            return;
        };
        if found.seed.is_some() {
            self.scope.add(&url);
            self.seeds.insert(at, found.url);
        }
        self.frontier.see(&url);
        self.frontier.push(&url, at);
    }

    fn take_done(&mut self, at: u64, done: Done) {
        self.length = done.length;
        if let Some(robots) = &done.robots {
            self.rules.set(robots, at);
            self.summary.count_robots(done.outcome, done.bytes);
        }
        self.summary.count_links(&done.links);
        let Some(page) = done.at else {
            return;
        };
        self.summary.count(done.outcome, done.bytes);
        if let Some(url) = self.seeds.get(&page) {
            self.summary
                .lost_seeds
                .extend(LostSeed::of(url, done.outcome, ""));
        }
        self.done
            .insert(page, !matches!(done.outcome, Outcome::Failed(_)));
    }

    fn beginning(mut self, mut journal: Journal) -> Result<Beginning, Error> {
        self.frontier.forget_done(&self.done);
        self.summary.pages_before = self.summary.pages;
        if let Some(end) = &self.end {
            self.summary.limit = end.limit;
            self.summary.waiting = end.waiting;
            self.summary.hosts = self.frontier.hosts();
        } else {
            self.add_seeds(&mut journal)?;
        }
        Ok(Beginning {
            journal,
            frontier: self.frontier,
            rules: self.rules,
            scope: self.scope,
            summary: self.summary,
            number: self.number,
            length: self.length,
            end: self.end,
        })
    }

    /// Adds the seeds that are not in the journal yet.
    fn add_seeds(&mut self, journal: &mut Journal) -> Result<(), Error> {
        for seed in &self.settings.seeds {
            if self.frontier.has_seen(seed) {
                continue;
            }
            self.frontier.see(seed);
            let at = journal.add(&Line::Url(Found {
                url: seed.to_string(),
                depth: 0,
                redirects: 0,
                seed: Some(Seed::Typed),
                via: None,
            }));
            self.frontier.push(seed, at);
        }
        journal.write()
    }
}
